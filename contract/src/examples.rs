//! Examples of requests and responses, recorded from the service by a test (`UPDATE_SAMPLES=1`).

use std::collections::BTreeMap;

use serde_json::{Map, Value};

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
        for (status, response) in responses.iter_mut().filter(|(status, _)| status.starts_with('2')) {
            if let Some(content) = response.pointer_mut("/content/application~1json") {
                // A response of another status may have a body of another form.
                let own = example["otherResponses"].get(status).unwrap_or(&example["response"]);
                content["example"] = own.clone();
            }
        }
    }
}
