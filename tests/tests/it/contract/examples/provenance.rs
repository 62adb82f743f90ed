//! No example of an operation is invented: each was recorded, or is an error that the service's own code builds.

use std::collections::BTreeSet;

use api::error_body::ErrorBody;
use api::idempotency::changed_meanwhile;
use domain::ErrorCode;
use domain::testing::on_demand::of_platform;
use serde_json::{Value, json};

use super::super::walk::resolve;
use super::read;

/// Operations whose bodies have no example: the document cannot contain itself, and the platform defines its notifications.
const WITHOUT: [&str; 2] = ["openapi.get", "platform.notifications.receive"];

/// The errors that are examples although no test recorded them: those on demand, a rejection by the platform, a concurrent change,
/// and the gateway's own response.
fn built() -> Vec<Value> {
    let failures = ErrorCode::ALL.iter().map(|code| code.example()).chain([of_platform(100), changed_meanwhile()]);
    let bodies = failures.map(|failure| json!(ErrorBody::new(&failure, "https://api.example.com")));
    bodies.chain([json!({"message": "Service Unavailable"})]).collect()
}

/// The examples of a body, with one or several.
fn examples(media: &Value) -> Vec<&Value> {
    let named = media["examples"].as_object().into_iter().flatten().map(|(_, example)| &example["value"]);
    media.get("example").into_iter().chain(named).collect()
}

#[test]
fn each_example_was_recorded_or_is_built_by_the_service() {
    let (document, recorded, errors) = (contract::document(), read("examples.json"), read("errors.json"));
    let built = built();
    let mut examined = 0;
    for operation in contract::operations(&document) {
        let (id, own) = (operation.id(), &recorded[operation.id()]);
        let parameters = operation.value.get("parameters").and_then(Value::as_array).into_iter().flatten();
        for parameter in parameters.filter(|parameter| parameter.get("example").is_some()) {
            assert_eq!(parameter["example"], own["parameters"][parameter["name"].as_str().unwrap()], "{id}");
        }

        let is_exempt = WITHOUT.contains(&id);
        let body = operation.value.get("requestBody").and_then(|body| body.pointer("/content/application~1json"));
        if let Some(body) = body.filter(|_| !is_exempt) {
            assert_eq!(examples(body), [&own["request"]], "{id}");
        }

        for (status, response) in operation.value["responses"].as_object().unwrap() {
            let Some(body) = resolve(&document, response).pointer("/content/application~1json") else { continue };
            let shown = examples(body);
            // Each response with an error on demand has an example for each code.
            examined += if status == "default" { 1 } else { shown.len() };
            if status.starts_with('2') {
                let named = own["examples"][status].as_object().into_iter().flatten().map(|(_, body)| body);
                let of_status: Vec<&Value> = own["responses"].get(status).into_iter().chain(named).collect();
                assert_eq!(shown, of_status, "{id}: {status}");
                assert!(!shown.is_empty() || is_exempt, "{id}: {status} has no example");
            } else {
                let of_status = [&errors[id][status], &errors["everywhere"][status]];
                let is_true = |example: &&Value| of_status.contains(example) || built.contains(example);
                assert!(shown.iter().all(is_true), "{id}: {status}: {shown:?}");
            }
        }
    }
    assert!(examined > 500, "{examined}");
}

/// Each recorded error is an example of its operation, and the errors of all operations are examples of several.
#[test]
fn each_recorded_error_is_shown() {
    let (document, errors) = (contract::document(), read("errors.json"));
    let mut left: BTreeSet<String> = BTreeSet::new();
    for (id, statuses) in errors.as_object().unwrap() {
        left.extend(statuses.as_object().unwrap().keys().map(|status| format!("{id} {status}")));
    }
    for operation in contract::operations(&document) {
        for (status, response) in operation.value["responses"].as_object().unwrap() {
            let body = resolve(&document, response).pointer("/content/application~1json").unwrap_or(&Value::Null);
            for place in [operation.id(), "everywhere"] {
                if examples(body) == [&errors[place][status]] {
                    left.remove(&format!("{place} {status}"));
                }
            }
        }
    }
    assert_eq!(left, BTreeSet::new());
}

/// A repeated send is the only one with 200, and its example is the message of the first one.
#[test]
fn the_responses_of_sends_have_examples_of_their_own() {
    let recorded = read("examples.json");
    let document = contract::document();
    for (id, path) in [("chat.messages.send", "/v1/chat/messages"), ("sms.send", "/v1/sms")] {
        let (responses, open) = (&recorded[id]["responses"], &recorded[id]["examples"]["202"]);
        assert_eq!(responses["201"], responses["200"], "{id}");
        assert_eq!(responses["201"]["outcome"], "ACCEPTED", "{id}");
        assert_eq!((&open["pending"]["outcome"], &open["unknown"]["outcome"]), (&json!("PENDING"), &json!("UNKNOWN")));

        let header = |status: &str| {
            let headers = &document["paths"][path]["post"]["responses"][status]["headers"];
            headers.get("Idempotency-Replayed").map(|header| resolve(&document, header)["required"] == true)
        };
        assert_eq!([header("201"), header("202"), header("200")], [None, Some(false), Some(true)], "{id}");
    }
}
