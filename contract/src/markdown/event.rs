//! The events: what all of them have in common, and when each is sent.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use crate::reading::resolved;

use super::links::anchor;
use super::schema::{fields, heading, type_of};
use super::{collect, example, on_one_line};

/// The group of operations on whose page the events are.
pub(super) const GROUP: &str = "Events";
/// The union of all events, whose members differ in `type` and `data`.
pub(super) const UNION: &str = "Event";
/// The entry of the document's webhooks that is no event of its own.
const ANY: &str = "any";

/// Returns the target of links to the events.
pub(super) fn link() -> String {
    format!("#{}", anchor(&heading(UNION)))
}

/// Adds the schemas of what events are about.
pub(super) fn collect_data<'a>(document: &'a Value, names: &mut Vec<&'a str>) {
    events(document).for_each(|(_, _, schema)| collect(&schema["properties"], document, names));
}

pub(super) fn section(document: &Value) -> String {
    let any = &document["webhooks"][ANY]["post"];
    let mut text =
        format!("\n## {}\n\n{}\n\nHeaders:\n\n", heading(UNION), any["description"].as_str().unwrap_or_default());
    for parameter in any["parameters"].as_array().into_iter().flatten().map(|each| resolved(each, document)) {
        let part = |field: &str| parameter[field].as_str().unwrap_or_default();
        let _ = writeln!(
            text,
            "- `{}` ({}): {}",
            part("name"),
            type_of(&parameter["schema"]),
            on_one_line(part("description"))
        );
    }

    text.push_str("\nBody:\n\n");
    if let Some((_, _, schema)) = events(document).next() {
        text.push_str(&fields(&without_differences(schema), ""));
    }
    text.push_str("- `type` and `data`: one of\n\n| `type` | `data` | sent when |\n|---|---|---|\n");
    for (name, webhook, schema) in events(document) {
        let occasion = webhook["description"].as_str().unwrap_or_default().split(". ").next().unwrap_or_default();
        let _ = writeln!(text, "| `{name}` | {} | {occasion} |", type_of(&schema["properties"]["data"]));
    }
    text + &example(&any["requestBody"]["content"]["application/json"]["example"])
}

/// Returns each event's name, its webhook and its schema.
fn events(document: &Value) -> impl Iterator<Item = (&str, &Value, &Value)> {
    let webhooks = document["webhooks"].as_object().into_iter().flat_map(Map::iter);
    webhooks.filter(|(name, _)| *name != ANY).map(|(name, item)| {
        let body = &item["post"]["requestBody"]["content"]["application/json"]["schema"];
        (name.as_str(), &item["post"], resolved(body, document))
    })
}

/// Returns the schema of an event without the fields that differ from event to event.
fn without_differences(schema: &Value) -> Value {
    let mut properties = schema["properties"].as_object().cloned().unwrap_or_default();
    properties.retain(|name, _| name != "type" && name != "data");
    json!({"required": schema["required"], "properties": properties})
}
