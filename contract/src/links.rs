//! Links from the answer that makes an object to the operations on it.

use serde_json::{Map, Value, json};

/// A POST to `/things` leads to everything at `/things/{thingId}` whose other parameters it has in its own path.
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

/// The target's parameters, if it is about what a POST to this path makes.
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
