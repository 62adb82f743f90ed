//! Assembles the OpenAPI document from its parts.

use api::idempotency::LONGEST_KEY;
use domain::identity::key::LONGEST_SESSION_SECONDS;
use serde_json::{Map, Value, json};
use utoipa::OpenApi as _;

use crate::errors::{self, Recorded};
use crate::{
    answers, events, examples, functions, guide, links, lists, names, parameters, python, schemas, sharing, typescript,
};

/// The version of the interface, which does not change with the version of the software.
const INTERFACE_VERSION: &str = "1.0.0";

/// The groups of operations, in the order in which the reference shows them: by what people do first.
const TAGS: [(&str, &str); 15] = [
    ("Messages", "Send WhatsApp, SMS and MMS messages, and read the log of both directions."),
    ("Usage", "How many messages and deliveries there were, and what they cost."),
    (
        "Templates",
        "WhatsApp templates: create, edit, list and sync them. Only an approved template can be sent outside the 24-hour window.",
    ),
    ("Media", "Files to send and files that were received, kept for the organization's retention period."),
    (
        "Numbers",
        "SMS and WhatsApp numbers: add and register them, assign them to apps, and manage their profiles and blocked users.",
    ),
    (
        "WhatsApp accounts",
        "WhatsApp business accounts: connect them with a token, by an embedded signup, or by a link for a customer.",
    ),
    ("Groups", "WhatsApp groups with their invite links, join requests and participants."),
    ("Webhooks", "URLs and SQS queues that receive events, and the log of deliveries to them."),
    (
        "Events",
        "The requests that webhooks receive, one per event. `Event` is the union of all bodies, with `type` as the discriminator. [Receive events](#description/receive-events) shows how to verify and process them. The event feed of an app lists its events for receivers that poll.",
    ),
    (
        "Test mode",
        "Simulated users, messages and notifications for test apps. Nothing leaves the service, and nothing costs anything. To let a message fail, send it to a number that [error codes](api_reference/error-codes#test-mode) lists, such as `+99910131026`.",
    ),
    (
        "Apps and keys",
        "Apps have keys, webhooks and numbers. Each app is either live or test. Admin keys manage the organization.",
    ),
    ("Organization", "The organization that the credential belongs to, and its settings."),
    ("Members", "The people of the organization: their roles, and links with which they sign in."),
    ("Signing in", "Sessions of members, and the keys that they get for a while. A session never replaces a key."),
    ("Reference", "The health check, the error codes, and the OpenAPI document."),
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
    if let (Some(paths), Some(shared)) = (paths.as_object_mut(), document["components"]["responses"].as_object_mut()) {
        sharing::share(paths, shared);
    }
    document["paths"] = paths;
    typescript::add_samples(&mut document);
    python::add_samples(&mut document);
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
    domain::message::status::MessageStatus,
    domain::number::NumberId,
    domain::usage::Period,
    domain::usage::UsageKind,
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
        all.insert("AnyErrorBody".to_owned(), any_error_body());
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
        "description": "Test keys only: returns the error with this code, with its status, and does nothing else. With a live credential, the response is 400. The [error codes](api_reference/error-codes) page lists all codes.",
        "schema": {"$ref": "#/components/schemas/ErrorCode"},
    });
    let bearer = |format: &str, description: &str| json!({"type": "http", "scheme": "bearer", "bearerFormat": format, "description": description});
    components["securitySchemes"] = json!({
        "adminKey": bearer("sk_admin_...", "An admin key, which manages the organization. `make organization` prints the first one."),
        "session": bearer("session token", &format!("The session token of a signed-in person. It allows the read operations that list it and expires after at most {} hours.", LONGEST_SESSION_SECONDS / 3600)),
        "onboardingLink": bearer("onboarding_...", "The token in the fragment of an onboarding link's URL. Only the page of the link uses it."),
        "signInLink": bearer("signin_...", "The token in the fragment of a sign-in link's URL. Only the page of the link uses it."),
        "sessionCookie": {"type": "apiKey", "in": "cookie", "name": api::caller::SESSION_COOKIE, "description": "The cookie of the pages of this installation. Requests with it must come from these pages, and without `Authorization`."},
        "liveAppKey": bearer("sk_live_app_...", "A key of a live app."),
        "testAppKey": bearer("sk_test_app_...", "A key of a test app. All its effects are simulated and never leave the service."),
    });
}

fn gateway_error() -> Value {
    json!({
        "type": "object",
        "description": "A response of the gateway itself: the body exceeds 10 MB (413), the request rate exceeds the stage's limit (429), the Lambda payload exceeds 6 MB (500), or there was no response within 30 s (503). The request id is in the `apigw-requestid` header.",
        "required": ["message"],
        "properties": {"message": {"type": "string", "description": "A description of the error."}},
        "example": errors::of_gateway(),
    })
}

fn any_error_body() -> Value {
    json!({
        "description": "An error of the service or a response of the gateway itself.",
        "anyOf": [schemas::reference("ErrorBody"), schemas::reference("GatewayError")],
    })
}

/// Joins the lines of each entry of a list, because readers of the document may take a line for a paragraph.
fn with_whole_items(description: &str) -> String {
    description.replace("\n  ", " ")
}

fn complete(paths: &mut Map<String, Value>) {
    let recorded = Recorded::read();
    let needed = functions::needed_scopes();
    for (path, item) in paths.iter_mut() {
        for (method, operation) in item.as_object_mut().into_iter().flatten() {
            let Some(operation) = operation.as_object_mut() else { continue };
            let scope = needed.iter().find(|needed| needed.is_of(method, path)).map(|needed| needed.scope);
            if names::is_internal(operation["operationId"].as_str().unwrap_or_default()) {
                operation.insert("x-internal".to_owned(), json!(true));
            }
            let summary = operation["summary"].as_str().unwrap_or_default();
            let described = operation.get("description").and_then(Value::as_str).map(with_whole_items);
            let described = described.unwrap_or_else(|| format!("{summary}."));
            operation.insert("description".to_owned(), json!(described));
            if let Some(scope) = scope {
                let description = operation["description"].as_str().unwrap_or_default();
                let described = format!("{description}\n\nA key needs the scope `{}`.", scope.as_str());
                operation.insert("description".to_owned(), json!(described));
                operation.insert("x-required-scope".to_owned(), json!(scope));
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
