//! The types of events. They differ in `type` and `data` only, so that one interface has what they share.

use crate::reading::{last, requires};
use serde_json::{Map, Value};

use super::schema::{Reading, constant};
use super::text::{comment, union};
use super::types::property;
use super::{HEADER, import_used};

/// The schema of the union.
const UNION: &str = "Event";

/// Whether a schema is one of an event or their union.
pub(super) fn is_event(name: &str, schemas: &Map<String, Value>) -> bool {
    let mut members = schemas[UNION]["oneOf"].as_array().into_iter().flatten();
    name == UNION || members.any(|member| member["$ref"].as_str().map(last) == Some(name))
}

/// Returns the source text.
pub(super) fn module(document: &Value, reading: &Reading) -> String {
    let Some(schemas) = document["components"]["schemas"].as_object() else { return String::new() };
    let events: Vec<(&String, &Value)> =
        schemas.iter().filter(|(name, _)| is_event(name, schemas) && *name != UNION).collect();
    let Some((_, first)) = events.first() else { return String::new() };

    let mut text = shared(first, reading);
    for (name, event) in &events {
        let kind = constant(&event["properties"]["type"]).unwrap_or_default();
        let data = reading.type_of(&event["properties"]["data"], true);
        text.push_str(&comment(0, &format!("{}.", occasion(&kind, document))));
        text.push_str(&format!("export type {name} = EventOf<{kind}, {data}>;\n"));
    }
    let names: Vec<String> = events.iter().map(|(name, _)| (*name).clone()).collect();
    text.push('\n');
    text.push_str(&comment(0, "Any event: `type` tells which one. Ignore types that you do not know: later versions of the service have more."));
    text.push_str(&union("export type Event =", &names, ";"));

    let imported = schemas.keys().filter(|name| !is_event(name, schemas)).cloned().chain(["Open".to_owned()]);
    HEADER.to_owned() + &import_used(imported, &text, "./types.ts") + "\n" + &text
}

/// Returns the interface of what all events have.
fn shared(first: &Value, reading: &Reading) -> String {
    let fields = first["properties"].as_object().cloned().unwrap_or_default();
    let mut text = comment(0, "What all events have: the body of a delivery, and an entry of the feed.");
    text.push_str("export interface EventOf<Type extends EventName, Data> {\n");
    for (field, value) in &fields {
        match field.as_str() {
            "type" => text.push_str("  /** The name of the event. */ type: Type;\n"),
            "data" => text.push_str(
                "  /** The object as the API returns it, as it was when the event occurred. */ data: Data;\n",
            ),
            _ => text.push_str(&property(field, value, requires(first, field), true, reading)),
        }
    }
    text + "}\n\n"
}

/// Returns the occasion of an event, from the document's description of its request.
fn occasion(kind: &str, document: &Value) -> String {
    let name = kind.trim_matches('"');
    let operations = document["webhooks"].as_object().into_iter().flat_map(Map::iter);
    let found =
        operations.filter(|(key, _)| key.as_str() == name).find_map(|(_, item)| item["post"]["description"].as_str());
    let text = found.and_then(|text| text.split(['.', '\n']).next()).unwrap_or(name);
    text.to_owned()
}
