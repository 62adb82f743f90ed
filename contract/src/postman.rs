//! A Postman collection, format 2.1 (<https://schema.getpostman.com/json/collection/v2.1.0/>). Bruno and Insomnia import it, too.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::Operation;
use crate::http_file::{Body, body, credential, required_query};
use crate::operation::public_operations;

/// Returns the collection of all operations in the document.
pub(crate) fn collection(document: &Value) -> Value {
    let folders: Vec<Value> =
        document["tags"].as_array().into_iter().flatten().filter_map(|tag| folder(document, tag)).collect();
    json!({
        "info": {
            "name": document["info"]["title"],
            "description": "Generated from openapi.json. Set the collection's variables: the base URL and the credentials that `make run` prints.",
            "schema": "https://schema.getpostman.com/json/collection/v2.1.0/collection.json",
        },
        "variable": variables(document),
        "item": folders,
    })
}

fn variables(document: &Value) -> Vec<Value> {
    let credentials: BTreeSet<String> =
        public_operations(document).filter_map(|operation| credential(&operation).map(str::to_owned)).collect();
    let base = ("baseUrl".to_owned(), "http://localhost:4566/_aws/execute-api/0a51a51a");
    let all = std::iter::once(base).chain(credentials.into_iter().map(|name| (name, "")));
    all.map(|(key, value)| json!({"key": key, "value": value, "type": "string"})).collect()
}

fn folder(document: &Value, tag: &Value) -> Option<Value> {
    let items: Vec<Value> = public_operations(document)
        .filter(|operation| operation.value["tags"][0] == tag["name"])
        .map(|operation| item(&operation))
        .collect();
    (!items.is_empty()).then(|| json!({"name": tag["name"], "description": tag["description"], "item": items}))
}

fn item(operation: &Operation<'_>) -> Value {
    let mut request = json!({
        "method": operation.method,
        "description": operation.value["description"],
        "url": url(operation),
        "header": [],
        "auth": {"type": "noauth"},
    });
    if let Some(credential) = credential(operation) {
        request["auth"] = json!({
            "type": "bearer",
            "bearer": [{"key": "token", "value": format!("{{{{{credential}}}}}"), "type": "string"}],
        });
    }
    match body(operation) {
        Some(Body::Json(example)) => {
            request["header"] = json!([{"key": "Content-Type", "value": "application/json"}]);
            request["body"] =
                json!({"mode": "raw", "raw": format!("{example:#}"), "options": {"raw": {"language": "json"}}});
        }
        Some(Body::File) => {
            request["body"] =
                json!({"mode": "formdata", "formdata": [{"key": "file", "type": "file", "src": "photo.png"}]});
        }
        None => {}
    }
    json!({"name": operation.value["summary"], "request": request, "response": []})
}

fn url(operation: &Operation<'_>) -> Value {
    let segments: Vec<String> = operation.path[1..]
        .split('/')
        .map(|segment| {
            segment
                .strip_prefix('{')
                .and_then(|name| name.strip_suffix('}'))
                .map_or(segment.to_owned(), |name| format!(":{name}"))
        })
        .collect();
    let variables: Vec<Value> = segments
        .iter()
        .filter_map(|segment| segment.strip_prefix(':'))
        .map(|name| json!({"key": name, "value": "", "description": parameter(operation, name)["description"]}))
        .collect();
    let query: Vec<Value> = required_query(operation).map(|name| json!({"key": name, "value": ""})).collect();
    json!({
        "raw": format!("{{{{baseUrl}}}}/{}", segments.join("/")),
        "host": ["{{baseUrl}}"],
        "path": segments,
        "variable": variables,
        "query": query,
    })
}

fn parameter<'a>(operation: &Operation<'a>, name: &str) -> &'a Value {
    let parameters = operation.value.get("parameters").and_then(Value::as_array).into_iter().flatten();
    let mut named = parameters.filter(|parameter| parameter["name"] == name);
    named.next().unwrap_or(&Value::Null)
}
