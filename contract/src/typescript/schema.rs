//! The TypeScript type of a schema.

use crate::reading::{last, resolved};
use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::operation::public_operations;

use super::text::literal;

/// The schemas that requests do not contain, so that their values are only read. An enum in them is open: a later version of the
/// service may send more values.
pub(super) struct Reading {
    written: BTreeSet<String>,
    /// Those that the library's methods and events need.
    used: BTreeSet<String>,
    closed: BTreeSet<String>,
}

impl Reading {
    pub(super) fn of(document: &Value) -> Reading {
        let (mut written, mut used) = (BTreeSet::new(), BTreeSet::new());
        for operation in public_operations(document) {
            let parameters = operation.value.get("parameters").and_then(Value::as_array).into_iter().flatten();
            parameters.for_each(|parameter| collect(&resolved(parameter, document)["schema"], document, &mut written));
            if let Some(body) = operation.value.get("requestBody") {
                collect(body, document, &mut written);
            }
            let responses = operation.value["responses"].as_object().into_iter().flat_map(Map::iter);
            for (_, response) in responses.filter(|(status, _)| status.starts_with('2')) {
                collect(resolved(response, document), document, &mut used);
            }
        }
        collect(&document["components"]["schemas"]["Event"], document, &mut used);
        ERRORS.iter().for_each(|name| collect(&reference(name), document, &mut used));
        let schemas = document["components"]["schemas"].as_object().into_iter().flatten();
        let closed = schemas.filter(|(_, schema)| schema["enum"].is_array()).map(|(name, _)| name.clone()).collect();
        used.extend(written.iter().cloned());
        Reading { written, used, closed }
    }

    pub(super) fn is_used(&self, name: &str) -> bool {
        self.used.contains(name)
    }

    pub(super) fn is_only_read(&self, name: &str) -> bool {
        !self.written.contains(name)
    }

    /// Returns the members of the union that a schema's type is.
    pub(super) fn members(&self, schema: &Value, is_read: bool) -> Vec<String> {
        if let Some(name) = schema["$ref"].as_str().map(last) {
            let is_open = is_read && self.closed.contains(name);
            return vec![if is_open { format!("Open<{name}>") } else { name.to_owned() }];
        }
        if let Some(value) = schema.get("const") {
            return vec![value.to_string()];
        }

        if let Some(values) = schema["enum"].as_array() {
            let values = values.iter().map(ToString::to_string);
            let open = (is_read && values.len() > 1).then(|| ANY_TEXT.to_owned());
            return values.chain(open).collect();
        }

        if let Some(choices) = schema["oneOf"].as_array().or(schema["anyOf"].as_array()) {
            // A string beside known strings keeps them apart from the others in editors.
            let has_known = choices.iter().any(|choice| choice["enum"].is_array());
            let of = |choice: &Value| match has_known && choice["type"] == "string" && choice["enum"].is_null() {
                true => vec![ANY_TEXT.to_owned()],
                false => self.members(choice, false),
            };
            return choices.iter().flat_map(of).collect();
        }

        match &schema["type"] {
            Value::Array(kinds) => {
                kinds.iter().filter_map(Value::as_str).map(|kind| self.plain(kind, schema, is_read)).collect()
            }
            Value::String(kind) => vec![self.plain(kind, schema, is_read)],
            _ => vec!["unknown".to_owned()],
        }
    }

    /// Returns the type of a schema.
    pub(super) fn type_of(&self, schema: &Value, is_read: bool) -> String {
        self.members(schema, is_read).join(" | ")
    }

    fn plain(&self, kind: &str, schema: &Value, is_read: bool) -> String {
        match kind {
            "string" if schema["format"] == "binary" => "Blob".to_owned(),
            "string" | "boolean" | "null" => kind.to_owned(),
            "integer" | "number" => "number".to_owned(),
            "array" => {
                let items = self.members(&schema["items"], is_read);
                if items.len() == 1 { format!("{}[]", items[0]) } else { format!("({})[]", items.join(" | ")) }
            }
            "object" if schema["additionalProperties"].is_object() => {
                format!("Record<string, {}>", self.type_of(&schema["additionalProperties"], is_read))
            }
            "object" => "Record<string, unknown>".to_owned(),
            _ => "unknown".to_owned(),
        }
    }
}

/// The schemas that the error classes need.
const ERRORS: [&str; 2] = ["ErrorCode", "ErrorProvider"];

fn reference(name: &str) -> Value {
    serde_json::json!({"$ref": format!("#/components/schemas/{name}")})
}

/// A string, in a union whose other members editors shall suggest.
const ANY_TEXT: &str = "(string & {})";

fn collect(value: &Value, document: &Value, names: &mut BTreeSet<String>) {
    match value {
        Value::Object(object) => {
            if let Some(name) = object.get("$ref").and_then(Value::as_str).map(last)
                && names.insert(name.to_owned())
            {
                collect(&document["components"]["schemas"][name], document, names);
            }
            object.values().for_each(|inner| collect(inner, document, names));
        }
        Value::Array(items) => items.iter().for_each(|inner| collect(inner, document, names)),
        _ => {}
    }
}

/// Returns the property of an object that tells which one it is, with its value: the member of an enum of one, or a constant.
pub(super) fn constant(schema: &Value) -> Option<String> {
    let only = schema["enum"].as_array().filter(|values| values.len() == 1).map(|values| &values[0]);
    only.or(schema.get("const")).and_then(Value::as_str).map(literal)
}
