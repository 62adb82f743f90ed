//! Compares what a call led to with what the vector expects.

use messaging_client::{Error, ErrorKind, Http};
use serde_json::{Value, json};

/// What a call led to.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) data: Value,
    pub(crate) http: Option<Http>,
    /// `items`, `pages` or `trace`, and what was yielded.
    pub(crate) yielded: Option<(&'static str, Vec<Value>)>,
    pub(crate) error: Option<Error>,
}

impl Outcome {
    pub(crate) fn failed(error: Error) -> Outcome {
        Outcome { error: Some(error), ..Outcome::default() }
    }
}

/// Returns the differences.
pub(crate) fn compare(outcome: &Outcome, result: &Value) -> Vec<String> {
    let mut problems = Vec::new();
    let mut expect = |what: &str, found: &Value, expected: &Value| {
        if found != expected {
            problems.push(format!("{what} is {found} instead of {expected}"));
        }
    };
    match (result.get("error"), &outcome.error) {
        (Some(expected), Some(error)) => {
            for (field, expected) in expected.as_object().unwrap() {
                let found = fact(error, field);
                // 1 and 1.0 are the same number of seconds.
                let is_same = found.as_f64().is_some() && found.as_f64() == expected.as_f64();
                if !is_same {
                    expect(&format!("{field} of \"{error}\""), &found, expected);
                }
            }
        }
        (None, None) => {}
        (expected, found) => expect("the error", &json!(found.as_ref().map(ToString::to_string)), &json!(expected)),
    }
    if let Some(value) = result.get("value") {
        expect("the value", &outcome.data, value);
    }
    for field in ["items", "pages", "trace"] {
        if let Some(expected) = result.get(field) {
            let found = outcome.yielded.as_ref().filter(|(name, _)| *name == field).map(|(_, elements)| elements);
            expect(field, &json!(found), expected);
        }
    }
    for (name, expected) in result["response"].as_object().into_iter().flatten() {
        let Some(http) = &outcome.http else {
            expect(name, &Value::Null, expected);
            continue;
        };
        match name.as_str() {
            "status" => expect(name, &json!(http.status), expected),
            "requestId" => expect(name, &json!(http.request_id), expected),
            "isReplayed" => expect(name, &json!(http.is_replayed), expected),
            _ => {
                for (header, expected) in expected.as_object().unwrap() {
                    let found = http.headers.get(header).and_then(|value| value.to_str().ok());
                    expect(header, &json!(found), expected);
                }
            }
        }
    }
    problems
}

fn fact(error: &Error, field: &str) -> Value {
    match field {
        "class" => json!(class(error.kind())),
        "status" => json!(error.status()),
        "message" => json!(error.message()),
        "code" => json!(error.code()),
        "param" => json!(error.param()),
        // Fields that the type does not know are in the body.
        "provider" if error.provider().is_some() => error.body()["error"]["provider"].clone(),
        "provider" => Value::Null,
        "requestId" => json!(error.request_id()),
        "messageId" => json!(error.message_id()),
        "docUrl" => json!(error.doc_url()),
        "additionalInfo" => match error.additional_info() {
            [] => Value::Null,
            hints => json!(hints),
        },
        "retryAfter" => json!(error.retry_after().map(|wait| wait.as_secs_f64())),
        "body" => error.body().clone(),
        _ => panic!("errors have no {field}"),
    }
}

/// Returns the vectors' name of a kind.
fn class(kind: ErrorKind) -> String {
    let mut name = String::new();
    for letter in format!("{kind:?}").chars() {
        if letter.is_ascii_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.push(letter.to_ascii_lowercase());
    }
    name
}
