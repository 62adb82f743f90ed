//! The methods: a class for each namespace, and the client with all of them.

use crate::reading::last_part;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::Operation;
use crate::case::pascal_case;
use crate::operation::public_operations;

use super::method::{Source, class};
use super::schema::Reading;
use super::text::comment;
use super::types::property;
use super::{HEADER, import_used};

/// Namespaces whose class extends one that is written by hand, with its file.
const EXTENDED: [(&str, &str, &str); 7] = [
    ("chat.messages", "Messages<ChatMessageDetails>", "messages"),
    ("organization.chat.messages", "Messages<ChatMessageDetails>", "messages"),
    ("sms", "Messages<SmsMessage>", "messages"),
    ("organization.sms.messages", "Messages<SmsMessage>", "messages"),
    ("events", "Feed", "feed"),
    ("media", "Uploads", "media"),
    ("webhooks", "Receiver", "webhooks"),
];
/// Operations whose method is written by hand.
const BY_HAND: [&str; 1] = ["media.upload"];
/// The parameters of a query that the library has a type for.
const PAGE: [&str; 2] = ["limit", "cursor"];

/// Returns the source text of the methods.
pub(super) fn module(document: &Value) -> String {
    let source = Source { document, reading: &Reading::of(document) };
    let mut queries = Queries::default();
    let mut classes = String::new();
    for (namespace, operations) in &namespaces(document) {
        classes.push_str(&namespace_class(namespace, operations, document, &source, &mut queries));
    }
    let text = format!("{}{classes}{}", queries.text, client(document));

    let schemas = document["components"]["schemas"].as_object().into_iter().flatten();
    let types = import_used(schemas.map(|(name, _)| name.clone()), &text, "./types.ts");
    format!("{HEADER}{}{types}\n{text}", imports())
}

fn imports() -> String {
    let mut files: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (_, base, file) in EXTENDED {
        files.entry(file).or_default().insert(base.split('<').next().unwrap_or(base));
    }
    let names = |names: BTreeSet<&str>| names.into_iter().collect::<Vec<_>>().join(", ");
    let bases =
        files.into_iter().map(|(file, bases)| format!("import {{ {} }} from \"../{file}.ts\";\n", names(bases)));
    "import type { Call } from \"../call.ts\";\nimport { Core } from \"../core.ts\";\nimport type { List, PageQuery } from \"../list.ts\";\n"
        .to_owned()
        + "import { Namespace, path } from \"../namespace.ts\";\nimport type { ClientOptions, Options, PostOptions } from \"../options.ts\";\n"
        + &bases.collect::<String>()
}

/// Returns the operations of each namespace, and namespaces that only have others below them.
fn namespaces(document: &Value) -> BTreeMap<String, Vec<Operation<'_>>> {
    let mut all: BTreeMap<String, Vec<Operation<'_>>> = BTreeMap::new();
    for operation in public_operations(document) {
        let id = operation.id().to_owned();
        let mut namespace = id.as_str();
        while let Some((above, _)) = namespace.rsplit_once('.') {
            all.entry(above.to_owned()).or_default();
            namespace = above;
        }
        let (namespace, _) = id.rsplit_once('.').unwrap_or_default();
        all.entry(namespace.to_owned()).or_default().push(operation);
    }
    all
}

fn namespace_class(
    namespace: &str,
    operations: &[Operation<'_>],
    document: &Value,
    source: &Source<'_>,
    queries: &mut Queries,
) -> String {
    let base = EXTENDED.iter().find(|(extended, ..)| *extended == namespace).map_or("Namespace", |(_, base, _)| base);
    let mut text = comment(0, &format!("The methods of `{namespace}`."));
    text.push_str(&format!("export class {} extends {base} {{\n", class(namespace)));

    let mut members: Vec<String> = Vec::new();
    let below = children(namespace, document);
    if !below.is_empty() {
        let fields = below.iter().map(|child| {
            let field = last_part(child);
            format!("  /** The methods of `{child}`. */ readonly {field} = new {}(this.core);\n", class(child))
        });
        members.push(fields.collect());
    }
    for operation in operations.iter().filter(|operation| !BY_HAND.contains(&operation.id())) {
        let query = queries.of(operation, source);
        members.push(source.method(operation, query.as_deref()));
    }
    text + &members.concat() + "}\n\n"
}

/// Returns the namespaces directly below one.
fn children(namespace: &str, document: &Value) -> Vec<String> {
    let names = namespaces(document).into_keys();
    names.filter(|name| name.rsplit_once('.').is_some_and(|(above, _)| above == namespace)).collect()
}

fn client(document: &Value) -> String {
    let mut text = comment(
        0,
        "A client of one installation with one credential.\n\nMethods throw `MessagingError`: a class of it for each meaning.",
    );
    text.push_str("export class Messaging extends Core {\n");
    for namespace in namespaces(document).into_keys().filter(|name| !name.contains('.')) {
        text.push_str(&format!(
            "  /** The methods of `{namespace}`. */ readonly {namespace} = new {}(this);\n",
            class(&namespace)
        ));
    }
    text + "\n  /** Without options, key and address come from `MESSAGING_API_KEY` and `MESSAGING_BASE_URL`. */\n  constructor(options: ClientOptions = {}) {\n    super(options);\n  }\n}\n"
}

/// The types of queries. Operations with the same parameters share one.
#[derive(Default)]
struct Queries {
    text: String,
    names: BTreeMap<String, String>,
}

impl Queries {
    /// Returns the name of the type of an operation's query, if it has one.
    fn of(&mut self, operation: &Operation<'_>, source: &Source<'_>) -> Option<String> {
        let parameters = source.parameters(operation, "query");
        let own: Vec<&Value> = parameters.iter().copied().filter(|parameter| !is_of_page(parameter)).collect();
        let is_paged = parameters.iter().any(|parameter| parameter["name"] == PAGE[1]);
        let fields: Vec<&Value> = if is_paged { own } else { parameters };
        if fields.is_empty() {
            return is_paged.then(|| "PageQuery".to_owned());
        }
        let members: String = fields.iter().map(|field| member(field, source)).collect();
        if let Some(known) = self.names.get(&members) {
            return Some(known.clone());
        }

        let name = format!("{}Query", pascal_case(operation.id()));
        self.names.insert(members.clone(), name.clone());
        let extends = if is_paged { " extends PageQuery" } else { "" };
        self.text.push_str(&comment(0, &format!("The query of `{}`.", operation.id())));
        self.text.push_str(&format!("export interface {name}{extends} {{\n{members}}}\n\n"));
        Some(name)
    }
}

fn is_of_page(parameter: &Value) -> bool {
    PAGE.iter().any(|name| parameter["name"] == *name)
}

fn member(parameter: &Value, source: &Source<'_>) -> String {
    let mut schema = parameter["schema"].clone();
    if parameter["description"].is_string() {
        schema["description"] = parameter["description"].clone();
    }
    let name = parameter["name"].as_str().unwrap_or_default();
    property(name, &schema, parameter["required"] == true, false, source.reading)
}
