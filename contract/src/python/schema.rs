//! The Python type of a schema.

use crate::reading::{last, requires, resolved};
use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::operation::public_operations;

/// The schemas of the document, and which of them requests contain.
pub(super) struct Schemas<'a> {
    pub(super) document: &'a Value,
    /// Those inside the bodies of requests, which are dictionaries. A body itself is the arguments of its method.
    written: BTreeSet<String>,
    /// Those that the methods and events need.
    used: BTreeSet<String>,
    /// Those that responses and events contain.
    read: BTreeSet<String>,
}

impl<'a> Schemas<'a> {
    pub(super) fn of(document: &'a Value) -> Schemas<'a> {
        let mut schemas = Schemas { document, written: BTreeSet::new(), used: BTreeSet::new(), read: BTreeSet::new() };
        let (mut written, mut read) = (BTreeSet::new(), BTreeSet::new());
        for operation in public_operations(document) {
            let parameters = operation.value.get("parameters").and_then(Value::as_array).into_iter().flatten();
            parameters.for_each(|parameter| {
                schemas.collect(&resolved(parameter, document)["schema"], &mut written);
            });
            if let Some(body) = operation.value.get("requestBody") {
                for (_, schema) in schemas.properties_of_body(&body["content"]["application/json"]["schema"]) {
                    schemas.collect(&schema, &mut written);
                }
            }
            let responses = operation.value["responses"].as_object().into_iter().flat_map(Map::iter);
            for (_, response) in responses.filter(|(status, _)| status.starts_with('2')) {
                schemas.collect(resolved(response, document), &mut read);
            }
        }

        for name in ["Event", "ErrorCode", "ErrorProvider"] {
            schemas.collect(&serde_json::json!({"$ref": format!("#/components/schemas/{name}")}), &mut read);
        }
        schemas.used = written.union(&read).cloned().collect();
        schemas.written = written;
        schemas.read = read;
        schemas
    }

    pub(super) fn all(&self) -> impl Iterator<Item = (&'a String, &'a Value)> {
        let schemas = self.document["components"]["schemas"].as_object().into_iter().flatten();
        schemas.filter(|(name, _)| self.used.contains(*name))
    }

    pub(super) fn get(&self, name: &str) -> &'a Value {
        &self.document["components"]["schemas"][name]
    }

    pub(super) fn is_written(&self, name: &str) -> bool {
        self.written.contains(name)
    }

    pub(super) fn is_read(&self, name: &str) -> bool {
        self.read.contains(name)
    }

    /// Returns the name of the type of a schema in requests. An object that is read, too, has two.
    pub(super) fn name(&self, name: &str, is_read: bool) -> String {
        let schema = self.get(name);
        let is_object = fields_of(schema).is_some() || self.is_union_of_objects(schema);
        if is_object && !is_read && self.is_read(name) { format!("{name}Params") } else { name.to_owned() }
    }

    pub(super) fn is_union_of_objects(&self, schema: &Value) -> bool {
        let members = schema["oneOf"].as_array().or(schema["anyOf"].as_array()).into_iter().flatten();
        let mut names = members.filter_map(|member| member["$ref"].as_str().map(last)).peekable();
        names.peek().is_some() && names.all(|name| fields_of(self.get(name)).is_some())
    }

    /// Returns the type of a schema as an annotation.
    pub(super) fn type_of(&self, schema: &Value, is_read: bool) -> String {
        let mut members = self.members(schema, is_read);
        members.dedup();
        members.join(" | ")
    }

    pub(super) fn members(&self, schema: &Value, is_read: bool) -> Vec<String> {
        if let Some(name) = schema["$ref"].as_str().map(last) {
            let is_open = is_read && self.get(name)["enum"].is_array();
            return [self.name(name, is_read)].into_iter().chain(is_open.then(|| "str".to_owned())).collect();
        }
        if let Some(value) = schema.get("const") {
            return vec![format!("Literal[{}]", literal(value))];
        }

        if let Some(values) = schema["enum"].as_array() {
            let known = values.iter().map(literal).collect::<Vec<_>>().join(", ");
            let is_open = is_read && values.len() > 1;
            return [format!("Literal[{known}]")].into_iter().chain(is_open.then(|| "str".to_owned())).collect();
        }
        if let Some(choices) = schema["oneOf"].as_array().or(schema["anyOf"].as_array()) {
            return choices.iter().flat_map(|choice| self.members(choice, is_read)).collect();
        }

        match &schema["type"] {
            Value::Array(kinds) => {
                kinds.iter().filter_map(Value::as_str).map(|kind| self.plain(kind, schema, is_read)).collect()
            }
            Value::String(kind) => vec![self.plain(kind, schema, is_read)],
            _ => vec!["Any".to_owned()],
        }
    }

    fn plain(&self, kind: &str, schema: &Value, is_read: bool) -> String {
        match kind {
            "string" => "str".to_owned(),
            "boolean" => "bool".to_owned(),
            "null" => "None".to_owned(),
            "integer" => "int".to_owned(),
            "number" => "float".to_owned(),
            "array" if is_read => format!("list[{}]", self.type_of(&schema["items"], true)),
            "array" => format!("Sequence[{}]", self.type_of(&schema["items"], false)),
            "object" if schema["additionalProperties"].is_object() => {
                let values = self.type_of(&schema["additionalProperties"], is_read);
                if is_read { format!("dict[str, {values}]") } else { format!("Mapping[str, {values}]") }
            }
            "object" if is_read => "dict[str, Any]".to_owned(),
            "object" => "Mapping[str, Any]".to_owned(),
            _ => "Any".to_owned(),
        }
    }

    /// Returns what makes an object of a type: its class, or for a union a function that chooses one.
    pub(super) fn maker(&self, kind: &str) -> String {
        let names: Vec<&str> = kind.split(" | ").flat_map(|name| self.members_of_union(name)).collect();
        if let [only] = names.as_slice() { (*only).to_owned() } else { format!("one_of({})", names.join(", ")) }
    }

    /// Returns the objects of a union, or the name itself.
    fn members_of_union<'b>(&'b self, name: &'b str) -> Vec<&'b str> {
        let schema = self.get(name);
        let members = schema["oneOf"].as_array().filter(|_| self.is_union_of_objects(schema));
        let names = members.into_iter().flatten().filter_map(|member| member["$ref"].as_str().map(last));
        let names: Vec<&str> = names.collect();
        if names.is_empty() { vec![name] } else { names }
    }

    /// Returns the properties of a body with their schemas. Those of a union are the properties of all its members.
    pub(super) fn properties_of_body(&self, schema: &Value) -> Vec<(String, Value)> {
        let mut properties: Vec<(String, Value)> = Vec::new();
        for member in self.bodies(schema) {
            for (name, value) in fields_of(member).into_iter().flatten() {
                match properties.iter_mut().find(|(known, _)| known == name) {
                    None => properties.push((name.clone(), value.clone())),
                    Some((_, known)) => widen(known, value),
                }
            }
        }
        properties
    }

    /// Whether every form of the body requires a property.
    pub(super) fn is_required(&self, schema: &Value, property: &str) -> bool {
        self.bodies(schema).iter().all(|member| requires(member, property))
    }

    fn bodies(&self, schema: &'a Value) -> Vec<&'a Value>
    where
        Self: 'a,
    {
        let schema = schema["$ref"].as_str().map_or(schema, |reference| self.get(last(reference)));
        match schema["oneOf"].as_array() {
            Some(members) => members.iter().flat_map(|member| self.bodies(member)).collect(),
            None => vec![schema],
        }
    }

    fn collect(&self, value: &Value, names: &mut BTreeSet<String>) {
        match value {
            Value::Object(object) => {
                if let Some(name) = object.get("$ref").and_then(Value::as_str).map(last)
                    && names.insert(name.to_owned())
                {
                    self.collect(self.get(name), names);
                }
                object.values().for_each(|inner| self.collect(inner, names));
            }
            Value::Array(items) => items.iter().for_each(|inner| self.collect(inner, names)),
            _ => {}
        }
    }
}

/// Adds the values of an enum of one to those of another: `type` tells the members of a union apart.
fn widen(known: &mut Value, other: &Value) {
    let more = other["enum"].as_array().cloned().unwrap_or_default();
    if let Some(values) = known["enum"].as_array_mut() {
        values.extend(more.into_iter().filter(|value| !values.contains(value)).collect::<Vec<_>>());
    }
}

/// Returns a text, number or truth value as Python has it.
pub(super) fn literal(value: &Value) -> String {
    match value {
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Null => "None".to_owned(),
        other => other.to_string(),
    }
}

/// Returns the fields of an object that has no others.
pub(super) fn fields_of(schema: &Value) -> Option<&Map<String, Value>> {
    schema["properties"].as_object().filter(|_| schema["additionalProperties"] != true)
}
