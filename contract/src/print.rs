//! Prints JSON for readers: whatever fits into a line of 120 columns stays on one line, and the operations of the document
//! stand in the order in which people need them.

use std::cmp::Reverse;

use serde_json::{Map, Value};

const COLUMNS: usize = 120;
const INDENT: usize = 2;

/// Returns any value as text, with sorted keys.
pub fn json(value: &Value) -> String {
    let mut text = String::new();
    write(&mut text, value, Place::Anywhere, 0, 0);
    text + "\n"
}

/// Returns the OpenAPI document as text.
pub(crate) fn document(document: &Value) -> String {
    let mut text = String::new();
    let tags = document["tags"].as_array().into_iter().flatten().filter_map(|tag| tag["name"].as_str()).collect();
    write(&mut text, document, Place::Document(&tags), 0, 0);
    text + "\n"
}

/// What part of the document a value is, which decides the order of its keys.
#[derive(Clone, Copy)]
enum Place<'a> {
    Document(&'a Vec<&'a str>),
    Paths(&'a Vec<&'a str>),
    Path,
    Operation,
    Responses,
    Anywhere,
}

impl<'a> Place<'a> {
    fn below(self, key: &str) -> Place<'a> {
        match (self, key) {
            (Place::Document(tags), "paths") => Place::Paths(tags),
            (Place::Paths(_), _) => Place::Path,
            (Place::Path, _) => Place::Operation,
            (Place::Operation, "responses") => Place::Responses,
            _ => Place::Anywhere,
        }
    }

    fn ordered(self, object: &Map<String, Value>) -> Vec<(&String, &Value)> {
        let mut entries: Vec<_> = object.iter().collect();
        match self {
            Place::Document(_) => entries.sort_by_key(|(key, _)| position(&TOP, key)),
            Place::Paths(tags) => entries.sort_by_key(|(path, item)| rank(tags, path, item)),
            Place::Path => entries.sort_by_key(|(method, _)| position(&METHODS, method)),
            // The response to the first request stands before the one to its repetition.
            Place::Responses => entries.sort_by_key(|(status, _)| (position(&SUCCESSES, status), (*status).clone())),
            Place::Operation | Place::Anywhere => {}
        }
        entries
    }
}

const TOP: [&str; 7] = ["openapi", "info", "servers", "tags", "paths", "webhooks", "components"];
const METHODS: [&str; 5] = ["post", "get", "put", "patch", "delete"];
const SUCCESSES: [&str; 3] = ["201", "202", "200"];

fn position(order: &[&str], key: &str) -> usize {
    order.iter().position(|known| *known == key).unwrap_or(order.len())
}

/// The rank of a path: by the group of its operations, then what apps use before what admins use.
fn rank(tags: &[&str], path: &str, item: &Value) -> (usize, bool, Reverse<bool>, String) {
    let operations = item.as_object().into_iter().flat_map(Map::values);
    let group = operations.filter_map(|operation| operation["tags"][0].as_str()).map(|tag| position(tags, tag)).min();
    let is_chat = path.starts_with("/v1/chat");
    (group.unwrap_or(tags.len()), path.starts_with("/v1/organization"), Reverse(is_chat), path.to_owned())
}

/// Writes a value. `used` is what stands before it in its line.
fn write(text: &mut String, value: &Value, place: Place<'_>, indent: usize, used: usize) {
    let line = compact(value, place);
    // One more column for the comma.
    if used + line.chars().count() < COLUMNS {
        return text.push_str(&line);
    }

    let inner = indent + INDENT;
    match value {
        Value::Object(object) if !object.is_empty() => {
            text.push_str("{\n");
            for (at, (key, value)) in place.ordered(object).into_iter().enumerate() {
                let name = format!("{}: ", Value::from(key.as_str()));
                separate(text, at, inner);
                text.push_str(&name);
                write(text, value, place.below(key), inner, inner + name.chars().count());
            }
            close(text, indent, '}');
        }
        Value::Array(items) if !items.is_empty() => {
            text.push_str("[\n");
            for (at, item) in items.iter().enumerate() {
                separate(text, at, inner);
                write(text, item, Place::Anywhere, inner, inner);
            }
            close(text, indent, ']');
        }
        _ => text.push_str(&line),
    }
}

fn separate(text: &mut String, at: usize, indent: usize) {
    if at > 0 {
        text.push_str(",\n");
    }
    text.push_str(&" ".repeat(indent));
}

fn close(text: &mut String, indent: usize, bracket: char) {
    text.push('\n');
    text.push_str(&" ".repeat(indent));
    text.push(bracket);
}

/// Returns a value on one line.
fn compact(value: &Value, place: Place<'_>) -> String {
    match value {
        Value::Object(object) => {
            let entries = place.ordered(object).into_iter();
            let entries: Vec<_> = entries
                .map(|(key, value)| format!("{}: {}", Value::from(key.as_str()), compact(value, place.below(key))))
                .collect();
            format!("{{{}}}", entries.join(", "))
        }
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(|item| compact(item, Place::Anywhere)).collect();
            format!("[{}]", items.join(", "))
        }
        _ => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_fits_into_a_line_stays_on_one() {
        let long = "x".repeat(90);
        let value = json!({"b": [1, 2], "a": {"text": long, "empty": {}, "list": ["y".repeat(40)]}});
        let expected = format!(
            "{{\n  \"a\": {{\n    \"empty\": {{}},\n    \"list\": [\"{}\"],\n    \"text\": \"{long}\"\n  }},\n  \"b\": [1, 2]\n}}\n",
            "y".repeat(40)
        );
        assert_eq!(json(&value), expected);
        assert_eq!(serde_json::from_str::<Value>(&json(&value)).expect("it is JSON"), value);
    }

    #[test]
    fn sending_comes_first_and_a_response_before_its_repetition() {
        let operation = |tag: &str| json!({"tags": [tag], "responses": {"200": {}, "201": {}, "202": {}, "400": {}}});
        let value = json!({
            "components": {}, "openapi": "3.1.0", "tags": [{"name": "Messages"}, {"name": "Apps"}],
            "paths": {"/v1/a": {"get": operation("Apps")}, "/v1/sms": {"get": operation("Messages"), "post": operation("Messages")}},
        });
        let text = document(&value);
        let at = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part} is missing"));
        assert!(at("openapi") < at("paths") && at("/v1/sms") < at("/v1/a") && at("components") > at("/v1/a"));
        assert!(at("\"post\"") < at("\"get\"") && at("\"201\"") < at("\"202\"") && at("\"202\"") < at("\"200\""));
        assert!(at("\"200\"") < at("\"400\""));
        assert_eq!(serde_json::from_str::<Value>(&text).expect("it is JSON"), value);
    }
}
