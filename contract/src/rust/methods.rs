//! The methods: a struct for each namespace, and the client's with all of them.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::GENERATED;
use super::kinds::variant;
use super::queries::Queries;
use super::text::{comment, list, name};
use crate::Operation;
use crate::case::pascal_case;
use crate::lists::is_page;
use crate::operation::public_operations;
use crate::reading::{OwnError, last, last_part, own_errors, resolved};

/// Operations whose method is written by hand.
pub(super) const BY_HAND: [&str; 1] = ["media.upload"];

/// Returns the source text of the methods, and of the types of their queries.
pub(super) fn modules(document: &Value) -> (String, String) {
    let mut queries = Queries::default();
    let mut text = format!(
        "//! The methods of the client, by namespace.\n{GENERATED}\nuse http::Method;\n\nuse super::queries::*;\nuse super::types::*;\nuse crate::{{Client, List, Request}};\n"
    );
    name_queries(document, &mut queries);
    let namespaces = namespaces(document);
    text.push_str("\nimpl Client {\n");
    text.push_str(accessors("", "self", &namespaces).trim_end_matches('\n'));
    text.push_str("\n}\n");
    for (namespace, operations) in &namespaces {
        let class = class(namespace);
        text.push_str(&format!(
            "\n{}#[derive(Clone, Debug)]\npub struct {class}(pub(crate) Client);\n\nimpl {class} {{\n",
            comment(0, &format!("The methods of `{namespace}`."))
        ));
        let mut members = accessors(namespace, "self.0", &namespaces);
        for operation in operations.iter().filter(|operation| !BY_HAND.contains(&operation.id())) {
            members.push_str(&method(operation, document, &mut queries));
        }
        text.push_str(&format!("{}\n}}\n", members.trim_end_matches('\n')));
    }
    (text, queries.module())
}

/// Names the types of queries: those that several operations share after the one with the shortest name.
fn name_queries(document: &Value, queries: &mut Queries) {
    let mut operations: Vec<Operation<'_>> = public_operations(document).collect();
    operations.sort_by_key(|operation| operation.id().len());
    for operation in &operations {
        queries.of(operation, &parameters(operation, document, "query"));
    }
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

/// Returns the methods that lead to the namespaces directly below one.
fn accessors(above: &str, client: &str, namespaces: &BTreeMap<String, Vec<Operation<'_>>>) -> String {
    let is_below = |namespace: &&String| match namespace.rsplit_once('.') {
        Some((parent, _)) => parent == above,
        None => above.is_empty(),
    };
    let below = namespaces.keys().filter(is_below).map(|namespace| {
        let (name, class) = (name(last_part(namespace)), class(namespace));
        let about = comment(4, &format!("The methods of `{namespace}`."));
        format!("{about}    pub fn {name}(&self) -> {class} {{\n        {class}({client}.clone())\n    }}\n\n")
    });
    below.collect()
}

/// Returns the name of the struct of a namespace. The end keeps it apart from the types of objects.
fn class(namespace: &str) -> String {
    format!("{}Api", pascal_case(namespace))
}

fn method(operation: &Operation<'_>, document: &Value, queries: &mut Queries) -> String {
    let ids = parameters(operation, document, "path");
    let ids: Vec<String> = ids.iter().filter_map(|id| id["name"].as_str()).map(name).collect();
    let mut taken = vec!["&self".to_owned()];
    taken.extend(ids.iter().map(|id| format!("{id}: &str")));
    let mut steps = String::new();
    if let Some(body) = body(operation) {
        taken.push(format!("body: &{body}"));
        steps.push_str(".json(body)");
    }
    if let Some(query) = queries.of(operation, &parameters(operation, document, "query")) {
        taken.push(format!("query: &{query}"));
        steps.push_str(".queries(query)");
    }
    let is_keyed =
        parameters(operation, document, "header").iter().any(|parameter| parameter["name"] == "Idempotency-Key");
    steps.push_str(if is_keyed { ".keyed()" } else { "" });

    let result = result(operation, document);
    let head = list(
        &format!("    pub fn {}(", name(last_part(operation.id()))),
        &taken,
        &format!(") -> Request<{result}> {{"),
    );
    let path = template(operation.path);
    let arguments = [format!("Method::{}", operation.method), format!("\"{path}\""), format!("&[{}]", ids.join(", "))];
    let call = list("        self.0.call(", &arguments, &format!("){steps}"));
    format!("{}{head}{call}    }}\n\n", comment(4, &description(operation, document)))
}

/// Returns a path with braces in place of each parameter.
fn template(path: &str) -> String {
    let segments = path.split('/').map(|segment| if segment.starts_with('{') { "{}" } else { segment });
    segments.collect::<Vec<_>>().join("/")
}

/// Returns the parameters of an operation that stand in a place, such as `path`.
pub(super) fn parameters<'a>(operation: &'a Operation<'_>, document: &'a Value, place: &str) -> Vec<&'a Value> {
    let all = operation.value.get("parameters").and_then(Value::as_array).into_iter().flatten();
    all.map(|parameter| resolved(parameter, document)).filter(|parameter| parameter["in"] == place).collect()
}

/// Returns the type of the body.
pub(super) fn body<'a>(operation: &'a Operation<'_>) -> Option<&'a str> {
    operation.value.get("requestBody")?["content"]["application/json"]["schema"]["$ref"].as_str().map(last)
}

/// Returns the type of the result: that of what was created, if a dry run returns something else. A response without a body
/// has none.
fn result(operation: &Operation<'_>, document: &Value) -> String {
    let responses = operation.value["responses"].as_object().into_iter().flat_map(Map::iter);
    let successful = responses.filter(|(status, _)| status.starts_with('2'));
    let mut schemas =
        successful.map(|(_, response)| &resolved(response, document)["content"]["application/json"]["schema"]);
    let last_one = schemas.rfind(|schema| !schema.is_null());
    let Some(schema) = last_one else { return "()".to_owned() };
    let Some(name) = schema["$ref"].as_str().map(last) else { return "serde_json::Value".to_owned() };
    let fields = document["components"]["schemas"][name]["properties"].as_object();
    match fields.filter(|fields| is_page(fields)) {
        Some(fields) => format!("List<{}>", super::types::type_of(&fields["data"]["items"])),
        None => name.to_owned(),
    }
}

/// Returns what a method does, and its own errors.
fn description(operation: &Operation<'_>, document: &Value) -> String {
    let summary = operation.value["summary"].as_str().unwrap_or_default();
    let mut text = format!("{summary}.");
    let more = operation.value["description"].as_str().unwrap_or_default();
    if more != text && !more.is_empty() {
        text = format!("{text}\n\n{more}");
    }
    let errors: Vec<String> = own_errors(operation, document)
        .into_iter()
        .map(|OwnError { class, status, description }| format!("- `{}` {status}: {description}.", variant(class)))
        .collect();
    if errors.is_empty() { text } else { format!("{text}\n\n# Errors\n\n{}", errors.join("\n")) }
}
