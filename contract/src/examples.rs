//! Examples of requests and responses, recorded from the service by a test (`UPDATE_SAMPLES=1`).

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

/// The recorded requests and responses, by operation id.
fn recorded() -> BTreeMap<String, Value> {
    let path = format!("{}/examples.json", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Adds an example to each request and each successful response of the document.
pub(crate) fn add(paths: &mut Map<String, Value>) {
    let recorded = recorded();
    for operation in paths.values_mut().filter_map(Value::as_object_mut).flat_map(Map::values_mut) {
        let Some(example) = operation["operationId"].as_str().and_then(|id| recorded.get(id)).cloned() else {
            continue;
        };
        if let Some(content) = operation.pointer_mut("/requestBody/content/application~1json")
            && let Some(request) = example.get("request")
        {
            content["example"] = request.clone();
        }
        for (name, value) in example["parameters"].as_object().into_iter().flatten() {
            let parameters = operation["parameters"].as_array_mut().into_iter().flatten();
            for parameter in parameters.filter(|parameter| parameter["name"] == name.as_str()) {
                parameter["example"] = value.clone();
            }
        }
        let Some(responses) = operation["responses"].as_object_mut() else { continue };
        for (status, response) in responses.iter_mut() {
            let Some(content) = response.pointer_mut("/content/application~1json") else { continue };
            if let Some(body) = example["responses"].get(status) {
                content["example"] = body.clone();
            } else if let Some(bodies) = example["examples"][status].as_object() {
                content["examples"] = named(bodies);
            }
        }
    }
}

/// What recorded responses with the same status show, by their names in the recording.
const SUMMARIES: [(&str, &str); 2] =
    [("pending", "The message waits in the queue"), ("unknown", "It is unknown whether the message was sent")];

fn named(bodies: &Map<String, Value>) -> Value {
    let example = |(name, body): (&String, &Value)| {
        let (_, summary) = SUMMARIES.iter().find(|(known, _)| known == name)?;
        Some((name.clone(), json!({"summary": summary, "value": body})))
    };
    bodies.iter().filter_map(example).collect::<Map<_, _>>().into()
}
