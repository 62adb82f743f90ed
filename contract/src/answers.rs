//! The answers that follow from what an operation is: annotations name those that follow from what it does.

use serde_json::{Map, Value, json};

use crate::errors::{self, ErrorAnswer};
use crate::schemas::reference;

pub(crate) fn components() -> (Value, Value) {
    let responses: Map<String, Value> =
        errors::answers().iter().map(|answer| (name(answer.status), response(answer, answer.description))).collect();
    (Value::Object(responses), headers())
}

fn headers() -> Value {
    json!({
        "RequestId": {
            "description": "The request's id, which the logs show too; give it when you ask about a request.",
            "required": true,
            "schema": {"type": "string", "minLength": 1},
            "example": "JKJaXmPLvHcESHA=",
        },
        "RetryAfter": {
            "description": "Seconds to wait before the next try. The gateway's own answers do not have it.",
            "schema": {"type": "integer", "minimum": 0},
            "example": 1,
        },
        "IdempotencyReplayed": {
            "description": "`true`: this is the answer to an earlier request with the same `Idempotency-Key`.",
            "schema": {"type": "string", "const": "true"},
        },
        "Location": {
            "description": "Where to go.",
            "required": true,
            "schema": {"type": "string", "format": "uri"},
        },
        "KeptForEver": {
            "description": "The file never changes.",
            "required": true,
            "schema": {"type": "string", "const": "public, max-age=31536000, immutable"},
        },
        "Compressed": {
            "description": "The file is compressed, whatever the request accepts.",
            "required": true,
            "schema": {"type": "string", "const": "gzip"},
        },
        "Authenticate": {
            "description": "The scheme that the operation takes.",
            "required": true,
            "schema": {"type": "string", "const": "Bearer"},
        },
    })
}

fn name(status: u16) -> String {
    let name = match status {
        400 => "BadRequest",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "NotFound",
        409 => "Conflict",
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

fn response(answer: &ErrorAnswer, description: &str) -> Value {
    let schema = match (answer.status, answer.gateway_too) {
        (401, _) => reference("PlainErrorBody"),
        (_, false) => reference("ErrorBody"),
        (_, true) => json!({"anyOf": [reference("ErrorBody"), reference("GatewayError")]}),
    };
    let mut headers = json!({"X-Request-Id": header("RequestId")});
    // Final answers are kept for a repetition; the others free the key.
    if matches!(answer.status, 402..=499) && answer.status != 429 {
        headers["Idempotency-Replayed"] = header("IdempotencyReplayed");
    }
    match answer.status {
        401 => headers["WWW-Authenticate"] = header("Authenticate"),
        409 | 429 | 503 => headers["Retry-After"] = header("RetryAfter"),
        _ => {}
    }
    json!({
        "description": description,
        "headers": headers,
        "content": {"application/json": {"schema": schema, "example": answer.example}},
    })
}

/// Adds what the annotations leave to the rules.
pub(crate) fn complete(method: &str, path: &str, operation: &mut Map<String, Value>) {
    let has_credential = operation["security"].as_array().is_some_and(|schemes| !schemes.is_empty());
    let is_repeatable = method == "post" && has_credential;
    let implied = implied(method, operation, has_credential, path.contains('{'));
    if is_repeatable && let Some(parameters) = operation.entry("parameters").or_insert_with(|| json!([])).as_array_mut()
    {
        parameters.push(json!({"$ref": "#/components/parameters/IdempotencyKey"}));
    }
    let Some(responses) = operation.get_mut("responses").and_then(Value::as_object_mut) else { return };
    for answer in &errors::answers() {
        match responses.get_mut(&answer.status.to_string()) {
            // Named in the annotation, with what it means there.
            Some(named) => {
                let description = named["description"].as_str().unwrap_or(answer.description).to_owned();
                *named = response(answer, &description);
                // What is signed has no credential, and is refused like anything else.
                if !has_credential && answer.status == 401 {
                    named["content"]["application/json"] =
                        json!({"schema": reference("ErrorBody"), "example": errors::wrong_signature()});
                }
            }
            None if implied.contains(&answer.status) => {
                let name = name(answer.status);
                responses.insert(answer.status.to_string(), json!({"$ref": format!("#/components/responses/{name}")}));
            }
            None => {}
        }
    }
    let good = responses.iter_mut().filter(|(status, _)| status.starts_with(['2', '3']));
    for (status, success) in good {
        success["headers"] = json!({"X-Request-Id": header("RequestId")});
        if status.starts_with('3') {
            success["headers"]["Location"] = header("Location");
        }
        if path.contains("{asset}") {
            success["headers"]["Cache-Control"] = header("KeptForEver");
            success["headers"]["Content-Encoding"] = header("Compressed");
        }
        if is_repeatable {
            success["headers"]["Idempotency-Replayed"] = header("IdempotencyReplayed");
        }
    }
}

fn implied(method: &str, operation: &Map<String, Value>, has_credential: bool, has_ids: bool) -> Vec<u16> {
    let content = operation.get("requestBody").and_then(|body| body["content"].as_object());
    // 400 also of a request that carries `webhook-id`; 429 and 503 also of the gateway.
    let mut implied = vec![400, 429, 500, 503];
    implied.extend(has_credential.then_some(401));
    implied.extend(has_ids.then_some(404));
    // Of two that change the same thing at once, one may have to give way.
    implied.extend((has_credential && method != "get").then_some(409));
    implied.extend(content.map(|_| 413));
    implied.extend(content.filter(|content| has_credential && content.contains_key("application/json")).map(|_| 415));
    // Another input under an `Idempotency-Key`.
    implied.extend(content.filter(|_| has_credential && method == "post").map(|_| 422));
    implied
}
