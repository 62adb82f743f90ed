//! The parts put together.

use serde_json::{Map, Value, json};
use utoipa::OpenApi as _;

use crate::{answers, events, examples, functions, links, parameters, schemas};

/// What a newcomer reads first.
const GUIDE: &str = include_str!("guide.md");

/// The groups of operations, in the reader's order.
const TAGS: [(&str, &str); 13] = [
    ("Organization", "The organization that the credential belongs to, and its settings."),
    ("Admin keys", "Keys that manage the organization."),
    ("Apps", "What keys, webhooks and numbers belong to. An app is live or test."),
    ("App keys", "Keys that use the API as an app."),
    ("Webhooks", "Where events are sent to, and what became of them."),
    ("Phone numbers", "The organization's numbers and the apps that they are assigned to."),
    ("Chat", "Business accounts of the chat platform, with their numbers, templates, messages and groups."),
    ("Media", "Files to send, kept for the organization's retention."),
    ("Calling", "How an app takes calls."),
    ("Playground", "Simulated users and messages, for test apps."),
    ("Platform", "What the chat platform calls. Not for you."),
    ("Reference", "The service itself: health, error codes, this document."),
    ("Events", "What your webhooks receive."),
];

pub fn document() -> Value {
    let mut document = merged();
    let object = document.as_object_mut().expect("a document is an object");
    object.insert("info".to_owned(), info());
    object.insert(
        "servers".to_owned(),
        json!([{"url": "https://api.example.com", "description": "The API's address, as the deployment prints it"}]),
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

/// The annotations of all functions.
fn merged() -> Value {
    let mut all = Extra::openapi();
    for (_, function) in functions::documents() {
        all.merge(function);
    }
    serde_json::to_value(all).expect("utoipa writes JSON")
}

/// Schemas that no annotation of an operation names.
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
        "version": env!("CARGO_PKG_VERSION"),
        "summary": "SMS, MMS and chat messaging, managed in your own AWS account.",
        "description": GUIDE,
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
        "description": "Makes a repetition safe: the same key with the same input answers what was answered first, for 24 hours.",
        "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$"},
    });
    let bearer = |format: &str, description: &str| json!({"type": "http", "scheme": "bearer", "bearerFormat": format, "description": description});
    components["securitySchemes"] = json!({
        "adminKey": bearer("sk_admin_...", "An admin key: manages the organization. `make organization` prints the first one."),
        "session": bearer("session token", "A session of a signed-in person: reads what an admin key reads. It lives 12 hours at most."),
        "liveAppKey": bearer("sk_live_app_...", "A key of a live app."),
        "testAppKey": bearer("sk_test_app_...", "A key of a test app: what it does is simulated and leaves the service nowhere."),
    });
}

fn gateway_error() -> Value {
    json!({
        "type": "object",
        "description": "What the gateway answers itself: a body over 10 MB (413), more requests than the stage takes (429), an event over 6 MB (500), no answer within 30 s (503). Its request id is in `apigw-requestid`.",
        "required": ["message"],
        "properties": {"message": {"type": "string"}},
        "example": {"message": "Service Unavailable"},
    })
}

fn complete(paths: &mut Map<String, Value>) {
    for (path, item) in paths.iter_mut() {
        for (method, operation) in item.as_object_mut().into_iter().flatten() {
            let Some(operation) = operation.as_object_mut() else { continue };
            let id = camel_case(operation["operationId"].as_str().unwrap_or_default());
            operation.insert("operationId".to_owned(), json!(id));
            if !operation.contains_key("description") {
                let summary = operation["summary"].as_str().unwrap_or_default();
                operation.insert("description".to_owned(), json!(format!("{summary}.")));
            }
            // utoipa's way to say that none is needed.
            if operation.get("security").is_none_or(|security| *security == json!([{}])) {
                operation.insert("security".to_owned(), json!([]));
            }
            parameters::describe(operation);
            answers::complete(method, path, operation);
        }
    }
}

/// `create_app` is `createApp`.
fn camel_case(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |text, word| text + &word[..1].to_uppercase() + &word[1..])
}
