//! Moves what several operations have in the same form to the components: responses, under a name made of their status and of what
//! their example is about, and parameters under their own name.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::answers::name;
use crate::case::pascal_case;
use crate::schemas::referenced;

/// Replaces equal responses by references to one component.
pub(crate) fn share(paths: &mut Map<String, Value>, components: &mut Map<String, Value>) {
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for (status, response) in responses(paths) {
        *places.entry(format!("{status} {response}")).or_default() += 1;
    }

    let mut names: BTreeMap<String, String> = BTreeMap::new();
    for (status, response) in responses(paths) {
        let key = format!("{status} {response}");
        if places[&key] < 2 || response.get("$ref").is_some() {
            continue;
        }
        let name = names.entry(key).or_insert_with(|| {
            let name = free_name(&described(status, response), components);
            components.insert(name.clone(), response.take());
            name
        });
        *response = json!({"$ref": format!("#/components/responses/{name}")});
    }
}

/// Replaces equal parameters of operations by references to one component. Only the printed document has them: code that reads
/// the document needs no references to follow.
pub(crate) fn with_shared_parameters(mut document: Value) -> Value {
    let mut paths = document["paths"].as_object_mut().map(std::mem::take).unwrap_or_default();
    let mut components = document["components"]["parameters"].as_object_mut().map(std::mem::take).unwrap_or_default();

    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for parameter in parameters(&mut paths) {
        *places.entry(parameter.to_string()).or_default() += 1;
    }

    let mut names: BTreeMap<String, String> = BTreeMap::new();
    for parameter in parameters(&mut paths) {
        let key = parameter.to_string();
        if places[&key] < 2 || parameter.get("$ref").is_some() {
            continue;
        }
        let name = names.entry(key).or_insert_with(|| {
            let name = free_name(&pascal_case(parameter["name"].as_str().unwrap_or_default()), &components);
            components.insert(name.clone(), parameter.take());
            name
        });
        *parameter = json!({"$ref": format!("#/components/parameters/{name}")});
    }
    document["paths"] = paths.into();
    document["components"]["parameters"] = components.into();
    document
}

fn parameters(paths: &mut Map<String, Value>) -> impl Iterator<Item = &mut Value> {
    let operations = paths.values_mut().filter_map(Value::as_object_mut).flat_map(Map::values_mut);
    operations.filter_map(|operation| operation.get_mut("parameters")?.as_array_mut()).flatten()
}

fn responses(paths: &mut Map<String, Value>) -> impl Iterator<Item = (&String, &mut Value)> {
    let operations = paths.values_mut().filter_map(Value::as_object_mut).flat_map(Map::values_mut);
    operations.filter_map(|operation| operation["responses"].as_object_mut()).flatten()
}

/// Returns a name such as `NotFoundWebhookId`.
fn described(status: &str, response: &Value) -> String {
    let content = &response["content"];
    let json = &content["application/json"];
    let error = &json["example"]["error"];
    let about = error["code"].as_str().or(error["param"].as_str()).or(referenced(&json["schema"]));
    let about = about.or(content.get("text/html").map(|_| "page")).unwrap_or_default();
    match status.parse() {
        Ok(status @ 400..) => format!("{}{}", name(status), pascal_case(about)),
        _ => format!("Ok{}", pascal_case(about)),
    }
}

/// Returns the name, with a number if it is taken.
fn free_name(name: &str, taken: &Map<String, Value>) -> String {
    let numbered = (2..).map(|number| format!("{name}{number}"));
    let mut names = std::iter::once(name.to_owned()).chain(numbered);
    names.find(|name| !taken.contains_key(name)).unwrap_or_default()
}
