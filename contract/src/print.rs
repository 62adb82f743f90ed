//! Prints JSON for readers in lines of 120 columns: whatever fits into a line stays on one, values without entries share lines, and
//! the only entry of an object or array begins in its line. The operations of the document stand in the order in which people need
//! them.

use std::cmp::Reverse;

use serde_json::{Map, Value};

const COLUMNS: usize = 120;
const INDENT: usize = 2;
/// From this column on, an only entry begins in a line of its own.
const ONLY_COLUMNS: usize = 100;

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
    if used + columns(&line) < COLUMNS {
        return text.push_str(&line);
    }

    let entries = Entries::of(value, place);
    match entries.list.as_slice() {
        [] => text.push_str(&line),
        // The only entry of an object or array begins in the same line.
        [only] if is_container(only.value) && used + columns(&only.name) < ONLY_COLUMNS => {
            text.push(entries.open);
            text.push_str(&only.name);
            write(text, only.value, only.place, indent, used + 1 + columns(&only.name));
            text.push(entries.close);
        }
        _ => entries.write(text, indent),
    }
}

/// An object or array that does not fit into a line.
struct Entries<'a> {
    open: char,
    close: char,
    list: Vec<Entry<'a>>,
}

struct Entry<'a> {
    /// The key with its colon; empty in arrays.
    name: String,
    value: &'a Value,
    place: Place<'a>,
}

impl<'a> Entries<'a> {
    fn of(value: &'a Value, place: Place<'a>) -> Entries<'a> {
        match value {
            Value::Object(object) => {
                let entry = |(key, value): (&'a String, &'a Value)| Entry {
                    name: format!("{}: ", Value::from(key.as_str())),
                    value,
                    place: place.below(key),
                };
                Entries { open: '{', close: '}', list: place.ordered(object).into_iter().map(entry).collect() }
            }
            Value::Array(items) => {
                let entry = |value| Entry { name: String::new(), value, place: Place::Anywhere };
                Entries { open: '[', close: ']', list: items.iter().map(entry).collect() }
            }
            _ => Entries { open: '[', close: ']', list: Vec::new() },
        }
    }

    /// Writes each entry on lines of its own; those without entries of their own share lines.
    fn write(&self, text: &mut String, indent: usize) {
        let inner = indent + INDENT;
        let is_flat = !self.list.iter().any(|entry| is_container(entry.value));
        text.push(self.open);
        new_line(text, inner);

        let mut used = inner;
        for (at, entry) in self.list.iter().enumerate() {
            let width = columns(&entry.name) + columns(&compact(entry.value, entry.place));
            if at > 0 && is_flat && used + columns(", ") + width < COLUMNS {
                text.push_str(", ");
                used += columns(", ");
            } else if at > 0 {
                text.push(',');
                new_line(text, inner);
                used = inner;
            }
            text.push_str(&entry.name);
            write(text, entry.value, entry.place, inner, used + columns(&entry.name));
            used += width;
        }

        new_line(text, indent);
        text.push(self.close);
    }
}

/// Returns whether a value has entries.
fn is_container(value: &Value) -> bool {
    value.as_object().is_some_and(|object| !object.is_empty())
        || value.as_array().is_some_and(|items| !items.is_empty())
}

fn columns(text: &str) -> usize {
    text.chars().count()
}

fn new_line(text: &mut String, indent: usize) {
    text.push('\n');
    text.push_str(&" ".repeat(indent));
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
    fn a_value_that_fits_stays_on_one_line() {
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
    fn values_without_entries_share_lines_and_an_only_entry_begins_in_the_same() {
        let name = "x".repeat(50);
        let value = json!({"error": {"a": name, "b": name, "c": 1, "d": null}});
        let expected =
            format!("{{\"error\": {{\n  \"a\": \"{name}\", \"b\": \"{name}\",\n  \"c\": 1, \"d\": null\n}}}}\n");
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
