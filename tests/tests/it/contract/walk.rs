//! Walks the OpenAPI document: what holds for every name, schema, description and example in it.

use std::collections::BTreeSet;

use contract::{Operation, names};
use serde_json::{Map, Value, json};

/// Keywords whose values are data, and no parts of the document.
const DATA: [&str; 5] = ["example", "examples", "default", "enum", "const"];

/// Unions of objects that need no mapping: error bodies.
const ERROR_BODIES: [&str; 1] = ["/components/schemas/AnyErrorBody"];

/// Where the document leaves the body to others: it cannot contain itself, and the platform defines its notifications.
const WITHOUT_EXAMPLE: [&str; 2] = ["/paths//v1/openapi.json/", "/paths//v1/platform/notifications/"];

/// Calls a function with each object of the document and its path, except data.
fn walk(part: &Value, path: &str, examine: &mut impl FnMut(&str, &Map<String, Value>)) {
    match part {
        Value::Object(fields) => {
            examine(path, fields);
            for (name, field) in fields.iter().filter(|(name, _)| has_names(path) || !DATA.contains(&name.as_str())) {
                walk(field, &format!("{path}/{name}"), examine);
            }
        }
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, item)| walk(item, &format!("{path}/{index}"), examine));
        }
        _ => {}
    }
}

/// Returns whether the fields of the object at a path have names of their own, not those of keywords.
fn has_names(path: &str) -> bool {
    path.ends_with("/properties") || path.ends_with("/responses")
}

/// Follows the references of a part of the document.
pub(super) fn resolve<'a>(document: &'a Value, part: &'a Value) -> &'a Value {
    let target = part["$ref"].as_str().and_then(|reference| document.pointer(&reference[1..]));
    target.map_or(part, |target| resolve(document, target))
}

/// Returns the choices of a union, other than null.
fn choices(schema: &Map<String, Value>) -> Vec<&Value> {
    let lists = ["oneOf", "anyOf"].into_iter().filter_map(|keyword| schema.get(keyword)?.as_array());
    lists.flatten().filter(|choice| choice["type"] != "null").collect()
}

fn is_object(document: &Value, schema: &Value) -> bool {
    let schema = resolve(document, schema);
    let Some(fields) = schema.as_object() else { return false };
    schema["type"] == "object" || choices(fields).into_iter().any(|choice| is_object(document, choice))
}

#[test]
fn every_operation_has_the_name_of_its_path() {
    let document = contract::document();
    let mut seen = BTreeSet::new();
    for operation in contract::operations(&document) {
        let expected = names::expected(&operation.method, operation.path, returns_list(&document, &operation));
        assert_eq!(operation.id(), expected, "{} {}", operation.method, operation.path);
        assert!(seen.insert(operation.id().to_owned()), "{} twice", operation.id());
    }
}

fn returns_list(document: &Value, operation: &Operation<'_>) -> bool {
    let response = resolve(document, &operation.value["responses"]["200"]);
    let schema = resolve(document, &response["content"]["application/json"]["schema"]);
    schema["properties"]["data"]["type"] == "array"
}

#[test]
fn every_union_of_objects_maps_a_required_property() {
    let document = contract::document();
    let mut unions = 0;
    walk(&document, "", &mut |path, schema| {
        let choices: Vec<&Value> = choices(schema);
        let is_union = choices.iter().filter(|choice| is_object(&document, choice)).count() > 1;
        if !is_union || ERROR_BODIES.contains(&path) {
            return;
        }
        let Some(discriminator) = schema.get("discriminator") else { panic!("{path} has no discriminator") };
        let tag = discriminator["propertyName"].as_str().unwrap();
        let mut mapping = Map::new();
        for choice in &choices {
            let object = resolve(&document, choice);
            let is_required = object["required"].as_array().is_some_and(|required| required.contains(&json!(tag)));
            assert!(is_required, "{path}: {tag} is optional in {choice}");
            let value = only_value(resolve(&document, &object["properties"][tag]));
            let Some(value) = value else { panic!("{path}: {tag} has several values in {choice}") };
            mapping.insert(value.to_owned(), choice["$ref"].clone());
        }
        assert_eq!(discriminator["mapping"], Value::Object(mapping.clone()), "{path}");
        assert_eq!(mapping.len(), choices.len(), "{path}: two members have the same {tag}");
        unions += 1;
    });
    assert!(unions > 3, "{unions}");
}

/// Returns the only value that a string can have.
fn only_value(schema: &Value) -> Option<&str> {
    let only = match schema["enum"].as_array().map(Vec::as_slice) {
        Some([only]) => only,
        _ => &schema["const"],
    };
    only.as_str()
}

#[test]
fn every_schema_property_and_parameter_is_described() {
    let document = contract::document();
    let mut missing = Vec::new();
    walk(&document, "", &mut |path, fields| {
        let kinds = ["schemas", "parameters", "headers", "responses"];
        let is_component = kinds.iter().any(|kind| path.strip_prefix("/components/") == Some(*kind));
        if is_component || path.ends_with("/properties") {
            let undescribed = fields.iter().filter(|(_, part)| !is_described(&document, part));
            missing.extend(undescribed.map(|(name, _)| format!("{path}/{name}")));
        } else if let (Some(name), Some(_), None) = (fields.get("name"), fields.get("in"), fields.get("description")) {
            missing.push(format!("{path}: {name}"));
        }
    });
    assert!(missing.is_empty(), "{missing:#?}");
}

/// Returns whether a part of the document has a description, or refers to one that has.
fn is_described(document: &Value, part: &Value) -> bool {
    let is_here = part["description"].as_str().is_some_and(|text| !text.is_empty());
    let referenced = part["$ref"].as_str().map(|_| resolve(document, part));
    // A property that may be null is a union with null.
    let or_null = part.as_object().map(choices).filter(|choices| choices.len() == 1);
    let inner = referenced.or(or_null.map(|choices| choices[0]));
    is_here || inner.is_some_and(|inner| is_described(document, inner))
}

/// Returns whether a part belongs to an error, which has no example if callers hardly meet it.
fn is_of_error(path: &str) -> bool {
    path.split_once("/responses/")
        .is_some_and(|(_, response)| !response.starts_with('2') && !response.starts_with("Ok"))
}

#[test]
fn every_example_is_valid() {
    let document = contract::document();
    let mut examined = 0;
    let mut check = |schema: &Value, example: &Value| {
        tests::contract::check_value(schema, example);
        examined += 1;
    };
    walk(&document, "", &mut |path, fields| {
        if has_names(path) {
            return;
        }
        let itself = Value::Object(fields.clone());
        let schema = fields.get("schema").unwrap_or(&itself);
        let examples: Vec<&Value> = match fields.get("examples") {
            Some(Value::Object(named)) => named.values().map(|example| &example["value"]).collect(),
            Some(Value::Array(examples)) => examples.iter().collect(),
            _ => Vec::new(),
        };
        let examples: Vec<&Value> = fields.get("example").into_iter().chain(examples).collect();
        let is_body = path.ends_with("/content/application/json") && !is_of_error(path);
        if is_body && !WITHOUT_EXAMPLE.iter().any(|place| path.starts_with(place)) {
            assert!(!examples.is_empty(), "{path} has no example");
        }
        examples.into_iter().for_each(|example| check(schema, example));
    });
    assert!(examined > 300, "{examined}");
}
