//! The responses that follow from an operation's method, path and credentials. Annotations name only those that follow from
//! what the operation does.

use api::error_body::ErrorBody;
use api::status;
use domain::ErrorCode;
use serde_json::{Map, Value, json};

use crate::errors::{self, DOCS_URL, ErrorResponse, Recorded};
use crate::schemas::reference;

/// The shared responses and headers, for `components` of the document.
pub(crate) fn components() -> (Value, Value) {
    let recorded = Recorded::read();
    let shared = |error: &ErrorResponse| response(error, error.description, recorded.shared(error.status));
    let mut responses: Map<String, Value> =
        errors::RESPONSES.iter().map(|error| (name(error.status), shared(error))).collect();
    responses.insert(ON_DEMAND.to_owned(), on_demand());
    (Value::Object(responses), headers())
}

/// The name of the response to a request with `Playground-Error`.
const ON_DEMAND: &str = "ErrorOnDemand";

/// The response to a request with `Playground-Error`, with an example for each code.
fn on_demand() -> Value {
    let example = |code: &ErrorCode| {
        let summary = format!("{} with status {}", code, status::of(code.entry().kind).as_u16());
        let body = json!(ErrorBody::new(&code.example(), DOCS_URL));
        (code.as_str().to_owned(), json!({"summary": summary, "value": body}))
    };
    let examples: Map<String, Value> = ErrorCode::ALL.iter().map(example).collect();
    json!({
        "description": "With `Playground-Error` and a test key: the error with that code, with the code's status.",
        "headers": {"X-Request-Id": header("RequestId"), "Retry-After": header("RetryAfter")},
        "content": {"application/json": {"schema": reference("ErrorBody"), "examples": examples}},
    })
}

fn headers() -> Value {
    json!({
        "RequestId": {
            "description": "The request's id, which also appears in the logs. Quote it when you report a problem.",
            "required": true,
            "schema": {"type": "string", "minLength": 1},
            "example": "JKJaXmPLvHcESHA=",
        },
        "RetryAfter": {
            "description": "Seconds to wait before a retry. Responses of the gateway itself do not have this header.",
            "schema": {"type": "integer", "minimum": 0},
            "example": 1,
        },
        "IdempotencyReplayed": {
            "description": "`true` if this is the stored response to an earlier request with the same `Idempotency-Key`.",
            "schema": {"type": "string", "const": "true"},
        },
        "Replay": {
            "description": "Always `true`: this is the message of an earlier request with the same `Idempotency-Key`.",
            "required": true,
            "schema": {"type": "string", "const": "true"},
        },
        "Location": {
            "description": "The URL to redirect to.",
            "required": true,
            "schema": {"type": "string", "format": "uri"},
        },
        "KeptForEver": {
            "description": "The file never changes.",
            "required": true,
            "schema": {"type": "string", "const": "public, max-age=31536000, immutable"},
        },
        "AskedEachTime": {
            "description": "The page is not used again without asking for it, because it names files that a deployment replaces.",
            "required": true,
            "schema": {"type": "string", "const": "no-cache"},
        },
        "KeptForAMinute": {
            "description": "The page changes only with a deployment.",
            "required": true,
            "schema": {"type": "string", "const": "public, max-age=60"},
        },
        "Compressed": {
            "description": "The file is always compressed, whatever `Accept-Encoding` says.",
            "required": true,
            "schema": {"type": "string", "const": "gzip"},
        },
        "Authenticate": {
            "description": "The authentication scheme that the operation accepts.",
            "required": true,
            "schema": {"type": "string", "const": "Bearer"},
        },
    })
}

/// Returns the name of the response component of an error status.
pub(crate) fn name(status: u16) -> String {
    let name = match status {
        400 => "BadRequest",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "NotFound",
        409 => "Conflict",
        410 => "Gone",
        413 => "PayloadTooLarge",
        415 => "UnsupportedMediaType",
        422 => "UnprocessableEntity",
        429 => "TooManyRequests",
        502 => "BadGateway",
        503 => "ServiceUnavailable",
        _ => "InternalServerError",
    };
    name.to_owned()
}

fn header(name: &str) -> Value {
    json!({"$ref": format!("#/components/headers/{name}")})
}

fn response(error: &ErrorResponse, description: &str, example: Option<Value>) -> Value {
    let schema = match (error.status, error.may_be_gateway) {
        (401, _) => reference("PlainErrorBody"),
        (_, false) => reference("ErrorBody"),
        (_, true) => reference("AnyErrorBody"),
    };
    let mut headers = json!({"X-Request-Id": header("RequestId")});
    // Final responses are stored and replayed for a retry. After any other response, the key can be used again.
    if matches!(error.status, 400 | 402..=499) && error.status != 429 {
        headers["Idempotency-Replayed"] = header("IdempotencyReplayed");
    }
    match error.status {
        401 => headers["WWW-Authenticate"] = header("Authenticate"),
        409 | 429 | 503 => headers["Retry-After"] = header("RetryAfter"),
        _ => {}
    }
    let mut content = json!({"schema": schema});
    if let Some(example) = example {
        content["example"] = example;
    }
    json!({"description": description, "headers": headers, "content": {"application/json": content}})
}

/// The operations that send a message.
const SENDS: [&str; 2] = ["chat.messages.send", "sms.send"];

/// Requests that take no `Idempotency-Key`: each has an outcome of its own, such as a key that works for some minutes.
const NEVER_THE_SAME: [&str; 1] = ["session.createKey"];

/// Adds the responses, headers and parameters that annotations leave out because they follow from rules, and the errors
/// that were recorded.
pub(crate) fn complete(method: &str, path: &str, operation: &mut Map<String, Value>, recorded: &Recorded) {
    let id = operation["operationId"].as_str().unwrap_or_default().to_owned();
    let has_credential = operation["security"].as_array().is_some_and(|schemes| !schemes.is_empty());
    let is_repeatable = has_credential && is_repeatable(method, operation);
    let implied = implied(method, operation, has_credential, path.contains('{'));
    let takes_test_keys = takes_test_keys(operation);
    let shared = [(is_repeatable, "IdempotencyKey"), (takes_test_keys, "PlaygroundError")];

    for (_, name) in shared.into_iter().filter(|(has_it, _)| *has_it) {
        if let Some(parameters) = operation.entry("parameters").or_insert_with(|| json!([])).as_array_mut() {
            parameters.push(json!({"$ref": format!("#/components/parameters/{name}")}));
        }
    }
    let Some(responses) = operation.get_mut("responses").and_then(Value::as_object_mut) else { return };
    let calls_platform = responses.contains_key("502");

    for error in &errors::RESPONSES {
        let status = error.status.to_string();
        let own = recorded.of(&id, error.status).cloned();
        let described = responses.get(&status).and_then(|named| named["description"].as_str()).map(str::to_owned);
        let completed = match (described, own) {
            (Some(description), own) => {
                let by_platform = || errors::reported_by_platform(path, error.status).filter(|_| calls_platform);
                let mut described = response(error, &description, own.or_else(by_platform));
                // A signed request has no credential; its 401 has the body of other errors.
                if !has_credential && error.status == 401 {
                    described["content"]["application/json"]["schema"] = reference("ErrorBody");
                }
                described
            }
            (None, _) if !implied.contains(&error.status) => continue,
            (None, Some(own)) => response(error, error.description, Some(own)),
            (None, None) => json!({"$ref": format!("#/components/responses/{}", name(error.status))}),
        };
        responses.insert(status, completed);
    }

    if takes_test_keys {
        responses.insert("default".to_owned(), json!({"$ref": format!("#/components/responses/{ON_DEMAND}")}));
    }
    let good = responses.iter_mut().filter(|(status, _)| status.starts_with(['2', '3']));

    for (status, success) in good {
        success["headers"] = json!({"X-Request-Id": header("RequestId")});
        if status.starts_with('3') {
            success["headers"]["Location"] = header("Location");
        }
        if path.ends_with("/{asset}") || path.ends_with("/{file}") {
            success["headers"]["Cache-Control"] = header("KeptForEver");
            success["headers"]["Content-Encoding"] = header("Compressed");
        }
        if id.starts_with("pages.") && PAGES.iter().any(|kind| success["content"].get(kind).is_some()) {
            let kept = if path == "/console" { "AskedEachTime" } else { "KeptForAMinute" };
            success["headers"]["Cache-Control"] = header(kept);
        }
        // A send that is repeated returns the message as it is then, so that only the first response is 201.
        match (SENDS.contains(&id.as_str()), status.as_str()) {
            (true, "200") => success["headers"]["Idempotency-Replayed"] = header("Replay"),
            (true, "201") => {}
            _ if is_repeatable => success["headers"]["Idempotency-Replayed"] = header("IdempotencyReplayed"),
            _ => {}
        }
    }
}

/// The types of pages, which change with a deployment only.
const PAGES: [&str; 3] = ["text/html", "text/markdown", "text/plain"];

/// Returns whether a test key can call the operation: an admin key may be one.
fn takes_test_keys(operation: &Map<String, Value>) -> bool {
    let schemes = operation["security"].as_array().into_iter().flatten();
    schemes
        .filter_map(Value::as_object)
        .any(|scheme| ["adminKey", "testAppKey", "onboardingLink"].iter().any(|kind| scheme.contains_key(*kind)))
}

fn is_repeatable(method: &str, operation: &Map<String, Value>) -> bool {
    let id = operation["operationId"].as_str().unwrap_or_default();
    method == "post" && !NEVER_THE_SAME.contains(&id)
}

fn implied(method: &str, operation: &Map<String, Value>, has_credential: bool, has_ids: bool) -> Vec<u16> {
    let content = operation.get("requestBody").and_then(|body| body["content"].as_object());
    // Every operation can return 400, if the request has a `webhook-id` header, and 429 and 503 from the gateway.
    let mut implied = vec![400, 429, 500, 503];
    implied.extend(has_credential.then_some(401));
    // A key without the scope, or from another network.
    implied.extend(operation.contains_key("x-required-scope").then_some(403));
    implied.extend(has_ids.then_some(404));
    // Of two concurrent changes to the same object, one may be rejected.
    implied.extend((has_credential && method != "get").then_some(409));
    implied.extend(content.map(|_| 413));
    implied.extend(content.filter(|content| has_credential && content.contains_key("application/json")).map(|_| 415));
    // Different input with the same `Idempotency-Key`.
    implied.extend(content.filter(|_| has_credential && is_repeatable(method, operation)).map(|_| 422));
    implied
}
