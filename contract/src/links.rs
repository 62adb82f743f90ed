//! Links from the response that creates an object to the operations on it.

use serde_json::{Map, Value, json};

/// Links a POST to `/things` to every operation under `/things/{thingId}` whose other path parameters the POST also has.
pub(crate) fn add(paths: &mut Map<String, Value>) {
    let targets: Vec<(String, String)> = paths.iter().flat_map(|(path, item)| ids(path, item)).collect();
    for (path, item) in paths.iter_mut() {
        let Some(created) = item.pointer_mut("/post/responses/201").and_then(Value::as_object_mut) else { continue };
        let links: Map<String, Value> = targets
            .iter()
            .filter_map(|(target, id)| {
                Some((id.clone(), json!({"operationId": id, "parameters": parameters(path, target)?})))
            })
            .collect();
        if !links.is_empty() {
            created.insert("links".to_owned(), Value::Object(links));
        }
    }
}

fn ids(path: &str, item: &Value) -> Vec<(String, String)> {
    let operations = item.as_object().into_iter().flat_map(Map::values);
    operations.filter_map(|operation| Some((path.to_owned(), operation["operationId"].as_str()?.to_owned()))).collect()
}

/// The target's parameters, if the target operates on the object that a POST to this path creates.
fn parameters(path: &str, target: &str) -> Option<Map<String, Value>> {
    let (own, rest) = target.strip_prefix(path)?.strip_prefix("/{")?.split_once('}')?;
    if rest.contains('{') {
        return None;
    }
    let mut parameters: Map<String, Value> =
        names(path).map(|name| (name.to_owned(), json!(format!("$request.path.{name}")))).collect();
    parameters.insert(own.to_owned(), json!("$response.body#/id"));
    Some(parameters)
}

fn names(path: &str) -> impl Iterator<Item = &str> {
    path.split('{').skip(1).filter_map(|rest| Some(rest.split_once('}')?.0))
}
