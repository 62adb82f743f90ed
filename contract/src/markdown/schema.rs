//! Schemas in words: types, their limits, and the fields of objects.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use crate::reading::{last, requires};

use super::links::anchor;
use super::{example, on_one_line};

/// The longest regular expression that says more than it takes to read.
const LONGEST_PATTERN: usize = 60;

/// Returns the heading of the section about an object. Names of objects are also names of groups.
pub(super) fn heading(name: &str) -> String {
    format!("Object: {name}")
}

/// Returns the section about an object.
pub(super) fn section(name: &str, schema: &Value) -> String {
    let description = schema["description"].as_str().unwrap_or_default();
    let content = match schema["properties"].is_object() {
        true => fields(schema, ""),
        false => format!("Type: {}\n", type_of(schema)),
    };
    let examples = schema["examples"].as_array().and_then(|examples| examples.first()).unwrap_or(&schema["example"]);
    format!("\n### {}\n\n{}\n\n{content}{}", heading(name), description.trim(), example(examples))
}

/// Returns the fields of an object as a list.
pub(super) fn fields(schema: &Value, indentation: &str) -> String {
    let mut text = String::new();
    for (name, field) in schema["properties"].as_object().into_iter().flat_map(Map::iter) {
        let necessity = if requires(schema, name) { "" } else { ", optional" };
        let description = on_one_line(field["description"].as_str().unwrap_or_default());
        let mark = if description.is_empty() { "" } else { ": " };
        let _ = writeln!(text, "{indentation}- `{name}` ({}{necessity}){mark}{description}", type_of(field));
        let inner = if field["items"].is_object() { &field["items"] } else { field };
        text.push_str(&fields(inner, &format!("{indentation}  ")));
    }
    if schema["additionalProperties"] == true {
        let _ = writeln!(text, "{indentation}- any other fields");
    }
    text
}

/// Returns a description with the type of what is described, if there is one.
pub(super) fn described(schema: &Value, description: &str) -> String {
    let has_type = !schema.is_null() && (schema["$ref"].is_string() || schema["type"] != "object");
    match (has_type, description.is_empty()) {
        (true, false) => format!("{}. {description}", type_of(schema)),
        (true, true) => type_of(schema),
        (false, _) => description.to_owned(),
    }
}

/// Returns a schema's type, with its limits.
pub(super) fn type_of(schema: &Value) -> String {
    let default = schema.get("default").map(|value| format!("default `{}`", bare(value)));
    [vec![kind_of(schema)], limits(schema), default.into_iter().collect()].concat().join(", ")
}

fn kind_of(schema: &Value) -> String {
    if let Some(name) = schema["$ref"].as_str().map(last) {
        return format!("[{name}](#{})", anchor(&heading(name)));
    }
    if let Some(value) = schema.get("const") {
        return format!("`{value}`");
    }
    if let Some(values) = schema["enum"].as_array() {
        let values: Vec<String> = values.iter().map(|value| format!("`{value}`")).collect();
        return values.join(" or ");
    }
    if let Some(choices) = schema["oneOf"].as_array().or(schema["anyOf"].as_array()) {
        return choices.iter().map(type_of).collect::<Vec<_>>().join(" or ");
    }
    let kinds = match &schema["type"] {
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        kind => vec![kind.as_str().unwrap_or("any value")],
    };
    kinds.into_iter().map(|kind| plain(kind, schema)).collect::<Vec<_>>().join(" or ")
}

fn plain(kind: &str, schema: &Value) -> String {
    match kind {
        "array" => format!("array of {}", type_of(&schema["items"])),
        "object" if schema["additionalProperties"].is_object() => {
            let names = schema["propertyNames"]["pattern"].as_str();
            let names = names.map_or_else(String::new, |pattern| format!(" whose names match `{pattern}`, and"));
            format!("object{names} whose values are {}", type_of(&schema["additionalProperties"]))
        }
        "string" => match schema["format"].as_str() {
            Some("binary") => "file".to_owned(),
            Some(format) => format!("string, {format}"),
            None => "string".to_owned(),
        },
        _ => kind.to_owned(),
    }
}

fn limits(schema: &Value) -> Vec<String> {
    let range = |least: &str, most: &str, unit: &str| match (schema[least].as_f64(), schema[most].as_f64()) {
        (Some(least), Some(most)) if least == most => Some(format!("exactly {least}{}", unit_of(least, unit))),
        (Some(least), Some(most)) => Some(format!("{least} to {most}{}", unit_of(most, unit))),
        (Some(least), None) if least > 0.0 => Some(format!("at least {least}{}", unit_of(least, unit))),
        (None, Some(most)) => Some(format!("at most {most}{}", unit_of(most, unit))),
        _ => None,
    };
    let pattern = schema["pattern"].as_str().filter(|pattern| pattern.len() <= LONGEST_PATTERN);
    [
        range("minLength", "maxLength", " character"),
        range("minItems", "maxItems", " item"),
        range("minimum", "maximum", ""),
        pattern.map(|pattern| format!("matches `{pattern}`")),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn unit_of(number: f64, unit: &str) -> String {
    if unit.is_empty() || number == 1.0 { unit.to_owned() } else { format!("{unit}s") }
}

fn bare(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
