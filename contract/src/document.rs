//! Assembles the OpenAPI document from its parts.

use api::idempotency::LONGEST_KEY;
use domain::identity::key::LONGEST_SESSION_SECONDS;
use serde_json::{Map, Value, json};
use utoipa::OpenApi as _;

use crate::errors::Recorded;
use crate::{answers, events, examples, functions, guide, links, lists, parameters, schemas};

/// The version of the interface, which does not change with the version of the software.
const INTERFACE_VERSION: &str = "1.0.0";

/// The groups of operations, in the order in which the reference shows them.
const TAGS: [(&str, &str); 14] = [
    ("Organization", "The organization that the credential belongs to, and its settings."),
    ("Admin keys", "Keys that manage the organization."),
    ("Apps", "Apps own keys, webhooks and phone numbers. Each app is either a live app or a test app."),
    ("App keys", "Keys with which an app uses the API."),
    ("Webhooks", "URLs that receive events, and the deliveries to them."),
    ("Phone numbers", "The organization's numbers and the apps that they are assigned to."),
    ("SMS", "SMS and MMS messages: sending and the log."),
    ("Chat", "WhatsApp business accounts with their phone numbers, templates, messages and groups."),
    ("Media", "Uploaded files, kept for the organization's retention period."),
    ("Calling", "How an app handles inbound calls."),
    ("Playground", "Simulated users and messages for test apps."),
    ("Platform", "Callbacks for the chat platform. API clients do not call these operations."),
    ("Reference", "Health, error codes, and this document."),
    (
        "Events",
        "What webhooks receive: one request for each event. `Event` is the union of all bodies; `type` tells them apart. [Receive events](#description/receive-events) shows how to verify and process them.",
    ),
];

/// Returns the OpenAPI document.
pub fn document() -> Value {
    let mut document = merged();
    lists::name(&mut document);
    let object = document.as_object_mut().expect("a document is an object");
    object.insert("info".to_owned(), info());
    object.insert(
        "servers".to_owned(),
        json!([{"url": "https://api.example.com", "description": "The API's URL, which the deployment prints as ApiUrl"}]),
    );
    let tags: Vec<Value> =
        TAGS.iter().map(|(name, description)| json!({"name": name, "description": description})).collect();
    object.insert("tags".to_owned(), json!(tags));
    object.insert("webhooks".to_owned(), events::webhooks());
    components(&mut document["components"]);
    let mut paths = document["paths"].take();
    if let (Some(paths), Some(all)) = (paths.as_object_mut(), document["components"]["schemas"].as_object_mut()) {
        complete(paths);
        schemas::close_requests(paths, all);
        examples::add(paths);
        links::add(paths);
    }
    document["paths"] = paths;
    schemas::prune(&mut document);
    document
}

/// Merges the annotations of all functions.
fn merged() -> Value {
    let mut all = Extra::openapi();
    for (_, function) in functions::documents() {
        all.merge(function);
    }
    serde_json::to_value(all).expect("utoipa writes JSON")
}

/// Schemas that no operation's annotation names.
#[derive(utoipa::OpenApi)]
#[openapi(components(schemas(
    api::error_body::ErrorBody,
    api::error_body::PlainErrorBody,
    domain::chat::Contact,
    domain::number::NumberId,
)))]
struct Extra;

fn info() -> Value {
    json!({
        "title": "Messaging API",
        "version": INTERFACE_VERSION,
        "summary": "SMS, MMS and WhatsApp messaging, managed in your own AWS account.",
        "description": guide::text(),
        "license": {"name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0"},
    })
}

fn components(components: &mut Value) {
    if let Some(all) = components["schemas"].as_object_mut() {
        all.insert("GatewayError".to_owned(), gateway_error());
        all.extend(events::schemas());
        schemas::tidy(all);
    }
    let (responses, headers) = answers::components();
    components["responses"] = responses;
    components["headers"] = headers;
    components["parameters"] = events::parameters();
    components["parameters"]["IdempotencyKey"] = json!({
        "name": "Idempotency-Key", "in": "header", "required": false,
        "description": "Makes retries safe: for 24 hours, a request with the same key and the same input returns the first response.",
        "schema": {"type": "string", "minLength": 1, "maxLength": LONGEST_KEY, "pattern": "^[!-~]+$"},
    });
    components["parameters"]["PlaygroundError"] = json!({
        "name": "Playground-Error", "in": "header", "required": false,
        "description": "Test keys only: returns the error with this code, with its status, and does nothing else. With a live credential, the response is 400.",
        "schema": {"$ref": "#/components/schemas/ErrorCode"},
    });
    let bearer = |format: &str, description: &str| json!({"type": "http", "scheme": "bearer", "bearerFormat": format, "description": description});
    components["securitySchemes"] = json!({
        "adminKey": bearer("sk_admin_...", "An admin key, which manages the organization. `make organization` prints the first one."),
        "session": bearer("session token", &format!("The session token of a signed-in person. It allows the read operations of an admin key and expires after at most {} hours.", LONGEST_SESSION_SECONDS / 3600)),
        "onboardingLink": bearer("onboarding_...", "The token in the fragment of an onboarding link's URL. Only the page of the link uses it."),
        "liveAppKey": bearer("sk_live_app_...", "A key of a live app."),
        "testAppKey": bearer("sk_test_app_...", "A key of a test app. All its effects are simulated and never leave the service."),
    });
}

fn gateway_error() -> Value {
    json!({
        "type": "object",
        "description": "A response of the gateway itself: the body exceeds 10 MB (413), the request rate exceeds the stage's limit (429), the Lambda payload exceeds 6 MB (500), or there was no response within 30 s (503). The request id is in the `apigw-requestid` header.",
        "required": ["message"],
        "properties": {"message": {"type": "string"}},
        "example": {"message": "Service Unavailable"},
    })
}

fn complete(paths: &mut Map<String, Value>) {
    let recorded = Recorded::read();
    for (path, item) in paths.iter_mut() {
        for (method, operation) in item.as_object_mut().into_iter().flatten() {
            let Some(operation) = operation.as_object_mut() else { continue };
            let id = camel_case(operation["operationId"].as_str().unwrap_or_default());
            operation.insert("operationId".to_owned(), json!(id));
            if !operation.contains_key("description") {
                let summary = operation["summary"].as_str().unwrap_or_default();
                operation.insert("description".to_owned(), json!(format!("{summary}.")));
            }
            // `[{}]` is how utoipa expresses that no credential is needed.
            if operation.get("security").is_none_or(|security| *security == json!([{}])) {
                operation.insert("security".to_owned(), json!([]));
            }
            parameters::describe(operation);
            answers::complete(method, path, operation, &recorded);
        }
    }
}

/// Converts `create_app` to `createApp`.
fn camel_case(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |text, word| text + &word[..1].to_uppercase() + &word[1..])
}
