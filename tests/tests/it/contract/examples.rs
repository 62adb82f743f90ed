//! The examples in the OpenAPI document are recorded responses of the service. Values differ between recordings, so
//! only the names of fields are compared.

use std::collections::BTreeMap;
use std::path::Path;

use domain::identity::credential::Bearer;
use serde_json::{Map, Value, json};
use tests::catalogue::cases;
use tests::{Call, Service as _, World};

const FILE: &str = "../contract/examples.json";

/// Replaces secrets, so that the documentation contains no real ones.
fn without_secrets(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                match (name.as_str(), value.as_str()) {
                    ("key", Some(key)) => {
                        *value = json!(format!("{}{}", &key[..key.len() - 36], "EXAMPLE".repeat(6).split_at(36).0))
                    }
                    ("url", Some(url)) if url.contains("#onboarding_") => {
                        *value = json!(format!("{}{}", &url[..url.len() - 36], "EXAMPLE".repeat(6).split_at(36).0))
                    }
                    ("secret", _) => *value = json!("whsec_RVhBTVBMRUVYQU1QTEVFWEFNUExFRVhBTVBMRUVYQU0="),
                    ("url" | "uploadUrl", Some(url)) if url.contains("X-Amz-Signature=") => {
                        *value = json!(presigned(url))
                    }
                    _ => without_secrets(value),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(without_secrets),
        _ => {}
    }
}

/// Rewrites a URL to the form that a bucket on AWS has.
fn presigned(url: &str) -> String {
    let path = url.split('?').next().unwrap().splitn(5, '/').last().unwrap();
    format!("https://media.s3.us-east-1.amazonaws.com/{path}?X-Amz-Expires=3600&X-Amz-Signature=0123456789abcdef")
}

/// The values of path and query parameters.
fn parameters(template: &str, call: &Call) -> Map<String, Value> {
    let (path, query) = call.path.split_once('?').unwrap_or((&call.path, ""));
    let in_path = template.split('/').zip(path.split('/'));
    let in_path = in_path.filter_map(|(name, value)| Some((name.strip_prefix('{')?.strip_suffix('}')?, value)));
    let in_query = query.split('&').filter_map(|pair| pair.split_once('='));
    in_path.chain(in_query).map(|(name, value)| (name.to_owned(), json!(value))).collect()
}

/// Bodies for operations whose fields are all optional, so that the example shows the fields.
fn with_optional_body(id: &str, call: Call) -> Call {
    match id {
        "createAppKey" => call.json(&json!({"name": "Backend"})),
        "testWebhook" | "testOwnWebhook" => call.json(&json!({"event": "messages.sms.sent"})),
        "rotateSecret" | "rotateOwnSecret" => call.json(&json!({"gracePeriodSeconds": 3600})),
        _ => call,
    }
}

async fn record(world: &World) -> BTreeMap<String, Value> {
    let document = contract::document();
    let mut calls: Vec<(&str, Call)> = Vec::new();
    for case in cases(world).await {
        calls.push((case.template, case.call.clone().key(case.right_key(&world.org))));
    }
    calls.extend(["/v1/health", "/v1/errors"].map(|path| (path, Call::get(path))));
    let mut examples = BTreeMap::new();
    for (template, call) in calls {
        let id = document["paths"][template][call.method.as_str().to_lowercase()]["operationId"].as_str().unwrap();
        let call = with_optional_body(id, call);
        let lists_events = ["listEvents", "listOwnEvents"].contains(&id);
        if lists_events {
            world.dispatch().await;
        }
        let reply = world.send(call.clone()).await;
        assert!(reply.status.is_success(), "{call:?}: {reply:?}");
        let mut example = json!({"response": reply.json(), "parameters": parameters(template, &call)});
        if call.headers.get("content-type").is_some_and(|mime| mime == "application/json") {
            example["request"] = serde_json::from_slice(&call.body).unwrap();
        }
        if id == "createTemplate" {
            let mut body = example["request"].clone();
            body["dryRun"] = json!(true);
            let valid = world.send(call.clone().json(&body)).await.expect(200);
            example["otherResponses"] = json!({"200": valid});
        }
        if id == "listErrors" {
            example["response"]["data"].as_array_mut().unwrap().truncate(2);
        }
        if lists_events {
            let events = example["response"]["data"].as_array_mut().unwrap();
            assert!(!events.is_empty(), "{id}");
            events.truncate(1);
        }
        without_secrets(&mut example);
        examples.insert(id.to_owned(), example);
    }
    examples
}

/// `UPDATE_SAMPLES=1` records the examples again; `cargo run -p contract` then adds them to the document.
#[tokio::test]
async fn every_operation_has_an_example_that_the_service_answered() {
    let world = World::new().await;
    let recorded = record(&world).await;
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(FILE);
    if std::env::var("UPDATE_SAMPLES").is_ok() {
        std::fs::write(&path, format!("{:#}\n", json!(recorded))).unwrap();
    }
    let committed: BTreeMap<String, Value> = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    for (id, example) in &recorded {
        let Some(committed) = committed.get(id) else { panic!("{id} has no example: set UPDATE_SAMPLES=1") };
        for part in ["request", "response"] {
            let fields = |value: &Value| value[part].as_object().map(|all| all.keys().cloned().collect::<Vec<_>>());
            assert_eq!(fields(committed), fields(example), "{id}, {part}: set UPDATE_SAMPLES=1");
        }
    }
    assert_eq!(committed.len(), recorded.len());
}

#[test]
fn examples_are_what_their_schemas_say() {
    let document = contract::document();
    let mut examined = 0;
    for operation in contract::operations(&document) {
        let request = operation.value.get("requestBody").and_then(|body| body.pointer("/content/application~1json"));
        // The platform defines the bodies of notifications, and the document cannot contain itself.
        if !["receiveNotification", "getDocument"].contains(&operation.id()) {
            let responses = operation.value["responses"].as_object().unwrap().values();
            let responses = responses.filter_map(|response| response.pointer("/content/application~1json"));
            for content in request.into_iter().chain(responses) {
                assert!(!content["example"].is_null(), "{}: {content}", operation.id());
                tests::contract::check_value(&content["schema"], &content["example"]);
                examined += 1;
            }
        }
    }
    for webhook in document["webhooks"].as_object().unwrap().values() {
        let content = webhook.pointer("/post/requestBody/content/application~1json").unwrap();
        tests::contract::check_value(&content["schema"], &content["example"]);
        examined += 1;
    }
    assert!(examined > 100, "{examined}");
}

#[test]
fn no_example_holds_a_valid_key() {
    let text = contract::document().to_string();
    for prefix in ["sk_test_app_", "sk_live_app_", "sk_admin_"] {
        for found in text.match_indices(prefix) {
            let value: String =
                text[found.0..].chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
            assert!(Bearer::parse(&value).is_none(), "{value}");
        }
    }
}
