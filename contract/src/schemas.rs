//! Adapts schemas to the JSON that is really sent: utoipa writes an optional field as nullable, and a flattened struct
//! as `allOf`.

use std::collections::BTreeSet;

use api::keys;
use serde_json::{Map, Value, json};

const PREFIX: &str = "#/components/schemas/";

/// Removes null from fields that are omitted when empty, and merges `allOf` into one object.
pub(crate) fn tidy(schemas: &mut Map<String, Value>) {
    let originals = schemas.clone();
    for (name, schema) in schemas.iter_mut() {
        *schema = flattened(schema, &originals);
        visit(schema, &mut |part| without_null(name, part));
        visit(schema, &mut hoist_description);
        visit(schema, &mut describe_default);
    }
}

/// Moves the description of a property that may be null from the choice that is not null to the property.
fn hoist_description(schema: &mut Map<String, Value>) {
    let Some(Value::Object(properties)) = schema.get_mut("properties") else { return };
    for property in properties.values_mut().filter_map(Value::as_object_mut) {
        let choices = property.get_mut("oneOf").and_then(Value::as_array_mut);
        let Some(choices) = choices.filter(|choices| choices.iter().any(|choice| choice["type"] == "null")) else {
            continue;
        };
        let described =
            choices.iter_mut().filter_map(Value::as_object_mut).find_map(|choice| choice.remove("description"));
        if let Some(description) = described {
            property.entry("description").or_insert(description);
        }
    }
}

/// Moves the default of a property into its description. Generators take a property with a default for one that every object has:
/// they require it of a caller, or send it with every request.
fn describe_default(schema: &mut Map<String, Value>) {
    let Some(Value::Object(properties)) = schema.get_mut("properties") else { return };
    for property in properties.values_mut().filter_map(Value::as_object_mut) {
        let Some(default) = property.remove("default") else { continue };
        let described = property.get("description").and_then(Value::as_str).unwrap_or_default();
        let text = format!("{described} {DEFAULT}`{default}`.");
        property.insert("description".to_owned(), json!(text.trim_start()));
    }
}

/// What stands before a default in a description.
pub const DEFAULT: &str = "Default: ";

/// Closes request schemas, because unknown fields are rejected, and makes the body of a POST optional if all its fields are.
pub(crate) fn close_requests(paths: &mut Map<String, Value>, schemas: &mut Map<String, Value>) {
    for (method, operation) in paths.values_mut().filter_map(Value::as_object_mut).flatten() {
        let Some(body) = operation.get_mut("requestBody") else { continue };
        let mut contents = body["content"].as_object().into_iter().flat_map(Map::values);
        let name = contents.next().and_then(|content| referenced(&content["schema"]).map(str::to_owned));
        let Some(name) = name.filter(|name| schemas.contains_key(name)) else { continue };
        close(&name, schemas);
        let schema = &schemas[&name];
        if body.get("description").is_none() {
            body["description"] = schema["description"].clone();
        }
        let needs_nothing = schema["oneOf"].is_null() && schema["required"].as_array().is_none_or(Vec::is_empty);
        body["required"] = json!(!(method == "post" && needs_nothing));
    }
}

/// Closes a request's schema: the object, or each of the objects that it can be.
fn close(name: &str, schemas: &mut Map<String, Value>) {
    if let Some(choices) = schemas[name]["oneOf"].as_array() {
        let choices: Vec<String> = choices.iter().filter_map(referenced).map(str::to_owned).collect();
        return choices.iter().for_each(|choice| close(choice, schemas));
    }
    let mut schema = schemas[name].clone();
    schema["additionalProperties"] = json!(false);
    // Other fields of a body are not nullable, not even a required one that the code declares as optional.
    visit(&mut schema, &mut |part| remove_null(part, |field| !is_nullable(name, field)));
    // Lists in requests must not contain duplicates, except lists of objects.
    visit(&mut schema, &mut |part| {
        let Some(items) = part.get("items").filter(|_| part.get("type").is_some_and(|kind| kind == "array")) else {
            return;
        };
        if referenced(items).map_or(items, |name| &schemas[name])["type"] != "object" {
            part.insert("uniqueItems".to_owned(), json!(true));
        }
    });
    schemas[name] = schema;
}

/// Removes components that are not referenced, repeatedly, until all that remain are.
pub(crate) fn prune(document: &mut Value) {
    loop {
        let text = document.to_string();
        let mut pruned = false;
        for kind in ["schemas", "responses", "headers", "parameters"] {
            let Some(all) = document["components"][kind].as_object_mut() else { continue };
            let before = all.len();
            all.retain(|name, _| text.contains(&format!("\"#/components/{kind}/{name}\"")));
            pruned |= all.len() < before;
        }
        if !pruned {
            return;
        }
    }
}

/// The name of the referenced schema.
pub(crate) fn referenced(schema: &Value) -> Option<&str> {
    target(&schema["$ref"])
}

/// The name of the schema to which the value of a `$ref` leads.
pub(crate) fn target(reference: &Value) -> Option<&str> {
    reference.as_str()?.strip_prefix(PREFIX)
}

pub(crate) fn reference(name: &str) -> Value {
    json!({"$ref": format!("{PREFIX}{name}")})
}

/// Merges the parts of `allOf` into one object with all their fields. If one part is a `oneOf`, the result is a `oneOf` of
/// such objects.
fn flattened(schema: &Value, all: &Map<String, Value>) -> Value {
    let Some(parts) = schema["allOf"].as_array() else { return schema.clone() };
    let mut whole = json!({"type": "object", "properties": {}, "required": []});
    let mut choices = Vec::new();
    for part in parts {
        let part = flattened(referenced(part).map_or(part, |name| &all[name]), all);
        match part["oneOf"].as_array() {
            Some(variants) => choices.clone_from(variants),
            None => add_fields(&mut whole, &part),
        }
    }
    if !choices.is_empty() {
        for choice in &mut choices {
            add_fields(choice, &whole);
        }
        whole = json!({"oneOf": choices});
    }
    if let Some(description) = schema.get("description") {
        whole["description"] = description.clone();
    }
    whole
}

fn add_fields(whole: &mut Value, part: &Value) {
    if let (Some(properties), Some(more)) = (whole["properties"].as_object_mut(), part["properties"].as_object()) {
        properties.extend(more.clone());
    }
    if let (Some(required), Some(more)) = (whole["required"].as_array_mut(), part["required"].as_array()) {
        required.extend(more.iter().cloned());
    }
}

/// Whether null is a value of a field of a body.
fn is_nullable(schema: &str, field: &str) -> bool {
    match schema {
        "UpdateKey" => keys::NULLABLE.contains(&field),
        "UpdateApp" => field == keys::RATE_LIMIT,
        "UpdateMember" => field == "name",
        _ => false,
    }
}

/// Removes null from the types of optional properties.
fn without_null(name: &str, schema: &mut Map<String, Value>) {
    let required: BTreeSet<String> =
        schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(text).collect();
    remove_null(schema, |field| !required.contains(field) && !is_nullable(name, field));
}

/// Removes null from the types of these properties.
fn remove_null(schema: &mut Map<String, Value>, is_meant: impl Fn(&str) -> bool) {
    let Some(Value::Object(properties)) = schema.get_mut("properties") else { return };
    for (name, property) in properties.iter_mut().filter(|(name, _)| is_meant(name)) {
        let Some(property) = property.as_object_mut() else { continue };
        if let Some(types) = property.get_mut("type").filter(|types| types.is_array()) {
            *types = only(types, |kind| kind != "null").unwrap_or_else(|| panic!("{name} has more than one type"));
        }
        let not_null = |choice: &Value| choice["type"] != "null";
        if let Some(one) = property.get("oneOf").and_then(|choices| only(choices, not_null)) {
            property.remove("oneOf");
            match one {
                // The doc comment of a field is beside its `$ref`, which JSON Schema 2020-12 allows.
                Value::Object(one) => {
                    for (key, value) in one {
                        property.entry(key).or_insert(value);
                    }
                }
                _ => unreachable!("a schema is an object"),
            }
        }
    }
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

/// The only choice that is kept; `None` if there are none or several.
fn only(choices: &Value, is_kept: impl Fn(&Value) -> bool) -> Option<Value> {
    let mut kept = choices.as_array()?.iter().filter(|choice| is_kept(choice));
    let first = kept.next()?.clone();
    kept.next().is_none().then_some(first)
}

/// Applies a change to every object in a schema, outer objects first.
pub(crate) fn visit(schema: &mut Value, change: &mut impl FnMut(&mut Map<String, Value>)) {
    match schema {
        Value::Object(object) => {
            change(object);
            object.values_mut().for_each(|inner| visit(inner, change));
        }
        Value::Array(items) => items.iter_mut().for_each(|inner| visit(inner, change)),
        _ => {}
    }
}
