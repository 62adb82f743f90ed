//! The methods: a class for each namespace, and the client with all of them, each once to wait and once to await.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use crate::Operation;
use crate::case::pascal_case;
use crate::operation::public_operations;
use crate::reading::{OwnError, last, last_part, own_errors, resolved};

use super::HEADER;
use super::parameters::{self, Field, in_place};
use super::schema::Schemas;
use super::text::{attribute, docstring, list};
use super::types::is_list;

/// Namespaces whose class extends one that is written by hand, with its file and the resource that it is about.
const EXTENDED: [(&str, &str, &str, &str); 6] = [
    ("chat.messages", "Messages", "messages", "ChatMessageDetails"),
    ("organization.chat.messages", "Messages", "messages", "ChatMessageDetails"),
    ("sms", "Messages", "messages", "SmsMessage"),
    ("organization.sms.messages", "Messages", "messages", "SmsMessage"),
    ("events", "Feed", "feed", ""),
    ("media", "Uploads", "media", ""),
];
/// Operations whose method is written by hand.
const BY_HAND: [&str; 1] = ["media.upload"];

/// The two kinds of classes.
#[derive(Clone, Copy, PartialEq)]
enum Style {
    Sync,
    Async,
}

impl Style {
    fn prefix(self) -> &'static str {
        if self == Style::Sync { "" } else { "Async" }
    }
}

/// Returns the source text of the methods.
pub(super) fn module(document: &Value, schemas: &Schemas<'_>) -> String {
    let mut classes = String::new();
    let namespaces = namespaces(document);
    for style in [Style::Sync, Style::Async] {
        // A class is defined after those of the namespaces below it.
        for (namespace, operations) in namespaces.iter().rev() {
            classes.push_str(&class_of(namespace, operations, &namespaces, schemas, style));
        }
        classes.push_str(&client(&namespaces, style));
    }
    let words: BTreeSet<&str> =
        classes.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').collect();
    let names = schemas.all().flat_map(|(name, _)| [name.clone(), format!("{name}Params")]);
    let used: BTreeSet<String> = names.filter(|name| words.contains(name.as_str())).collect();
    let used: Vec<String> = used.into_iter().filter(|name| exists(name, schemas)).collect();
    format!("{HEADER}{IMPORTS}{}{classes}", list("from .types import (", &used, ")"))
}

fn exists(name: &str, schemas: &Schemas<'_>) -> bool {
    let base = name.trim_end_matches("Params");
    !schemas.get(name).is_null() || (base != name && schemas.name(base, false) == name)
}

const IMPORTS: &str = "import builtins
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Literal

from .._clients import AsyncClient, SyncClient
from .._feed import AsyncFeed, Feed
from .._lists import AsyncList, List
from .._media import AsyncUploads, Uploads
from .._messages import AsyncMessages, Messages
from .._namespace import AsyncNamespace, Namespace
from .._options import NOT_GIVEN, NotGiven, Options, PostOptions
from .._request import given, path
from .._resource import Resource, one_of
";

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

fn class_name(namespace: &str, style: Style) -> String {
    format!("{}{}Api", style.prefix(), pascal_case(namespace))
}

fn class_of(
    namespace: &str,
    operations: &[Operation<'_>],
    namespaces: &BTreeMap<String, Vec<Operation<'_>>>,
    schemas: &Schemas<'_>,
    style: Style,
) -> String {
    let prefix = style.prefix();
    let extended = EXTENDED.iter().find(|(extended, ..)| *extended == namespace);
    let base = match extended {
        Some((_, base, _, "")) => format!("{prefix}{base}"),
        Some((_, base, _, resource)) => format!("{prefix}{base}[{resource}]"),
        None => format!("{prefix}Namespace"),
    };
    let mut text = format!("\n\nclass {}({base}):\n", class_name(namespace, style));
    text.push_str(&docstring(4, &format!("The methods of ``{namespace}``.")));
    if let Some((.., resource)) = extended.filter(|(.., resource)| !resource.is_empty()) {
        let template =
            operations.iter().find(|operation| operation.id().ends_with(".get")).map(|get| with_braces(get.path));
        text.push_str(&format!("\n    _kind = {resource}\n    _path = \"{}\"\n", template.unwrap_or_default()));
    }
    for child in namespaces.keys().filter(|name| name.rsplit_once('.').is_some_and(|(above, _)| above == namespace)) {
        text.push_str(&member(child, "self._client", style));
    }
    for operation in operations.iter().filter(|operation| !BY_HAND.contains(&operation.id())) {
        text.push_str(&method(operation, schemas, style));
    }
    text
}

fn member(namespace: &str, client: &str, style: Style) -> String {
    let (class, field) = (class_name(namespace, style), attribute(last_part(namespace)));
    format!("\n    @cached_property\n    def {field}(self) -> {class}:\n")
        + &docstring(8, &format!("The methods of ``{namespace}``."))
        + &format!("        return {class}({client})\n")
}

fn client(namespaces: &BTreeMap<String, Vec<Operation<'_>>>, style: Style) -> String {
    let prefix = style.prefix();
    let (base, how) = match style {
        Style::Sync => ("SyncClient", ""),
        Style::Async => ("AsyncClient", " whose methods are awaited"),
    };
    let mut text = format!("\n\nclass {prefix}Messaging({base}):\n");
    text.push_str(&docstring(4, &format!("A client of one installation with one credential{how}.\n\nMethods raise ``MessagingError``: a class of it for each meaning.")));
    for namespace in namespaces.keys().filter(|name| !name.contains('.')) {
        text.push_str(&member(namespace, "self", style));
    }
    text
}

fn method(operation: &Operation<'_>, schemas: &Schemas<'_>, style: Style) -> String {
    let document = schemas.document;
    let ids = in_place(operation, "path", document);
    let ids: Vec<&str> = ids.iter().filter_map(|id| id["name"].as_str()).collect();
    let is_keyed = in_place(operation, "header", document).iter().any(|header| header["name"] == "Idempotency-Key");
    let body = parameters::body(operation, schemas);
    let query = parameters::query(operation, document);
    let fields: Vec<&Field> = body.iter().flatten().chain(&query).collect();

    let mut taken = vec!["self".to_owned()];
    taken.extend(ids.iter().map(|id| format!("{}: str", attribute(id))));
    taken.push("*".to_owned());
    taken.extend(fields.iter().map(|field| field.parameter(schemas)));
    taken.push(format!("options: {} | None = None", if is_keyed { "PostOptions" } else { "Options" }));

    let item = item(operation, schemas);
    let result = result(operation, schemas);
    let keyword = if style == Style::Async && item.is_none() { "async def" } else { "def" };
    let returned = item.as_ref().map_or(result.clone(), |item| format!("{}List[{item}]", style.prefix()));
    // The method `list` hides the type of that name.
    let head = format!("    {keyword} {}(", attribute(last_part(operation.id())));
    let mut text = "\n".to_owned() + &list(&head, &taken, &format!(") -> {returned}:"));
    if style == Style::Sync {
        text.push_str(&docstring(8, &description(operation, &fields, document)));
    } else {
        text.push_str(&docstring(8, &format!("Like ``Messaging``'s: {}.", summary(operation))));
    }

    let at = if ids.is_empty() {
        format!("\"{}\"", operation.path)
    } else {
        let ids = ids.iter().map(|id| attribute(id)).collect::<Vec<_>>().join(", ");
        format!("path(\"{}\", {ids})", with_braces(operation.path))
    };
    if let Some(item) = item {
        let arguments = [schemas.maker(&item), at, given(&query), "options or {}".to_owned()];
        return text + &list("        return self._list(", &arguments, ")");
    }
    let mut arguments = vec![schemas.maker(&result), format!("\"{}\"", operation.method), at];
    arguments.extend(body.as_ref().map(|body| format!("body={}", given(body))));
    arguments.extend((!query.is_empty()).then(|| format!("query={}", given(&query))));
    arguments.extend(is_keyed.then(|| "keyed=True".to_owned()));
    arguments.push("options=options or {}".to_owned());
    let wait = if style == Style::Async { "await " } else { "" };
    text + &list(&format!("        return {wait}self._call("), &arguments, ")")
}

/// Returns the fields that were given, as an expression.
fn given(fields: &[Field]) -> String {
    let pairs: Vec<String> =
        fields.iter().map(|field| format!("\"{}\": {}", field.name, attribute(&field.name))).collect();
    let nullable: Vec<String> =
        fields.iter().filter(|field| field.is_nullable()).map(|field| format!("\"{}\"", field.name)).collect();
    match nullable.is_empty() {
        true => format!("given({{{}}})", pairs.join(", ")),
        false => format!("given({{{}}}, {})", pairs.join(", "), nullable.join(", ")),
    }
}

/// Returns a path whose ids have no names.
fn with_braces(path: &str) -> String {
    let mut parts = path.split(['{', '}']);
    let mut text = parts.next().unwrap_or_default().to_owned();
    while let (Some(_), Some(rest)) = (parts.next(), parts.next()) {
        text.push_str("{}");
        text.push_str(rest);
    }
    text
}

/// Returns the type of a list's items, if the operation returns a page of one.
fn item(operation: &Operation<'_>, schemas: &Schemas<'_>) -> Option<String> {
    let schema = schemas.get(result_names(operation, schemas).first()?);
    is_list(schema).then(|| schemas.type_of(&schema["properties"]["data"]["items"], true))
}

/// Returns the types of the successful responses: `A | B` if a request that is repeated has another one.
fn result(operation: &Operation<'_>, schemas: &Schemas<'_>) -> String {
    let names = result_names(operation, schemas);
    if names.is_empty() { "Resource".to_owned() } else { names.join(" | ") }
}

/// Returns the schemas of the successful responses, each once.
fn result_names(operation: &Operation<'_>, schemas: &Schemas<'_>) -> Vec<String> {
    let responses = operation.value["responses"].as_object().into_iter().flat_map(Map::iter);
    let mut names: Vec<String> = Vec::new();
    for (_, response) in responses.filter(|(status, _)| status.starts_with('2')) {
        let schema = &resolved(response, schemas.document)["content"]["application/json"]["schema"];
        let name = schema["$ref"].as_str().map(last).unwrap_or_default().to_owned();
        if !name.is_empty() && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn summary<'a>(operation: &'a Operation<'_>) -> &'a str {
    operation.value["summary"].as_str().unwrap_or_default()
}

fn description(operation: &Operation<'_>, fields: &[&Field], document: &Value) -> String {
    let mut text = format!("{}.", summary(operation));
    let more = operation.value["description"].as_str().unwrap_or_default();
    if !more.is_empty() && more != text {
        text = format!("{text}\n\n{more}");
    }
    let described = fields.iter().filter(|field| !field.description.is_empty());
    let arguments: Vec<String> = described
        .map(|field| format!("    {}: {}", attribute(&field.name), field.description.replace('\n', " ")))
        .collect();
    if !arguments.is_empty() {
        text = format!("{text}\n\nArgs:\n{}", arguments.join("\n"));
    }
    let own = own_errors(operation, document).into_iter();
    let errors: Vec<String> =
        own.map(|OwnError { class, status, description }| format!("    {class}: {status}: {description}.")).collect();
    if errors.is_empty() { text } else { format!("{text}\n\nRaises:\n{}", errors.join("\n")) }
}
