//! The types of events. They differ in `type` and `data` only, so that one class has what they share.

use crate::reading::{last, requires};
use serde_json::{Map, Value};

use super::HEADER;
use super::schema::Schemas;
use super::text::{attribute, docstring, exported, list};

/// The schema of the union.
const UNION: &str = "Event";

/// Whether a schema is one of an event or their union.
pub(super) fn is_event(name: &str, schemas: &Schemas<'_>) -> bool {
    let mut members = schemas.get(UNION)["oneOf"].as_array().into_iter().flatten();
    name == UNION || members.any(|member| member["$ref"].as_str().map(last) == Some(name))
}

/// Returns the source text.
pub(super) fn module(document: &Value, schemas: &Schemas<'_>) -> String {
    let events: Vec<(&String, &Value)> =
        schemas.all().filter(|(name, _)| is_event(name, schemas) && *name != UNION).collect();
    let Some((_, first)) = events.first() else { return String::new() };

    let mut body = shared(first, schemas);
    let (mut names, mut kinds, mut imported) = (Vec::new(), Vec::new(), Vec::new());
    for (name, event) in &events {
        let kind = constant(&event["properties"]["type"]);
        let data = schemas.type_of(&event["properties"]["data"], true);
        body.push_str(&format!("\n\nclass {name}(_Event):\n"));
        body.push_str(&docstring(4, &format!("{}.", occasion(&kind, document))));
        body.push_str(&format!("\n    type: Literal[\"{kind}\"]\n    data: {data}\n"));
        body.push_str(&docstring(4, "The object as the API returns it, as it was when the event occurred."));
        kinds.push(format!("\"{kind}\": {name}"));
        names.push((*name).clone());
        imported.push(data);
    }
    imported.extend(["EventName", "Mode", "AppId", "OrganizationId", "EventId", "Timestamp"].map(str::to_owned));
    imported.retain(|name| !schemas.get(name).is_null() && body.contains(name.as_str()));
    imported.sort();
    imported.dedup();

    let mut text = format!(
        "{HEADER}from collections.abc import Mapping\nfrom typing import Any, Literal, Union\n\nfrom .._resource import Resource\n"
    );
    text.push_str(&list("from .types import (", &imported, ")"));
    text.push_str(&body);
    text.push_str("\n\n");
    text.push_str(&list("Event = Union[", &names, "]"));
    text.push_str(&docstring(0, "Any event: `type` tells which one. Ignore types that you do not know: later versions of the service have more."));
    text.push('\n');
    text.push_str(&list("_KINDS: dict[str, type[Resource]] = {", &kinds, "}"));
    names.push("Event".to_owned());
    text.push_str(&exported(&names));
    text + "\n\ndef event_of(body: Mapping[str, Any]) -> Event:\n    \"\"\"Returns the event of a body. One of an unknown type is an event, too.\"\"\"\n    event: Any = _KINDS.get(body.get(\"type\", \"\"), _Event)(body)\n    known: Event = event\n    return known\n"
}

/// Returns the class with what all events have.
fn shared(first: &Value, schemas: &Schemas<'_>) -> String {
    let fields = first["properties"].as_object().cloned().unwrap_or_default();
    let mut text = "\n\nclass _Event(Resource):\n".to_owned()
        + &docstring(4, "What all events have: the body of a delivery, and an entry of the feed.");
    for (field, value) in fields.iter().filter(|(field, _)| !["type", "data"].contains(&field.as_str())) {
        let optional = if requires(first, field) { "" } else { " | None" };
        text.push_str(&format!("    {}: {}{optional}\n", attribute(field), schemas.type_of(value, true)));
        text.push_str(&docstring(4, value["description"].as_str().unwrap_or_default()));
    }
    text
}

fn constant(schema: &Value) -> String {
    let only = schema["enum"].as_array().filter(|values| values.len() == 1).map(|values| &values[0]);
    only.or(schema.get("const")).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// Returns the occasion of an event, from the document's description of its request.
fn occasion(kind: &str, document: &Value) -> String {
    let operations = document["webhooks"].as_object().into_iter().flat_map(Map::iter);
    let found =
        operations.filter(|(key, _)| key.as_str() == kind).find_map(|(_, item)| item["post"]["description"].as_str());
    found.and_then(|text| text.split(['.', '\n']).next()).unwrap_or(kind).to_owned()
}
