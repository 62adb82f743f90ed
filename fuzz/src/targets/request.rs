//! Whole requests, in the gateway's format. Line 1 is the method and target; the lines up to an empty one are headers; the rest
//! is the body. `~~~` on a line of its own separates up to four requests. `$ADMIN`, `$APP` and so on stand for credentials and
//! ids (service/).
//!
//! The OpenAPI document allows every response and every accepted request. There are no 500 responses; errors do not contain the
//! credential, and the log does not contain anything from the request.

use api::gateway::GatewayEvent;
use axum::extract::Request;
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use serde_json::json;
use tests::{Call, Reply};
use url::form_urlencoded;

use super::{body, is_nameless, multipart};
use crate::service::{Service, service};

const MOST: usize = 4;
/// A value that must not be logged.
const SECRET: &str = "s3cr3t";

pub fn run(input: &[u8]) {
    let service = service();
    for request in requests(input).into_iter().take(MOST) {
        send(&service, request);
    }
}

fn requests(input: &[u8]) -> Vec<&[u8]> {
    const SEPARATOR: &[u8] = b"\n~~~\n";
    let mut requests = Vec::new();
    let mut rest = input;
    while let Some(at) = rest.windows(SEPARATOR.len()).position(|window| window == SEPARATOR) {
        requests.push(&rest[..at]);
        rest = &rest[at + SEPARATOR.len()..];
    }
    requests.push(rest);
    requests
}

fn send(service: &Service, input: &[u8]) {
    let end = input.windows(2).position(|window| window == b"\n\n");
    let (head, body) = end.map_or((input, &[][..]), |at| (&input[..at], &input[at + 2..]));
    let head = service.fill(&String::from_utf8_lossy(head));
    let mut lines = head.split('\n');
    let (method, target) = lines.next().and_then(|line| line.split_once(' ')).unwrap_or_default();
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let headers: serde_json::Map<String, serde_json::Value> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.trim().to_lowercase(), json!(value.trim())))
        .collect();
    let (sent, body, is_base64) = match std::str::from_utf8(body).map(|text| service.fill(text)) {
        Ok(text) => (text.clone().into_bytes(), text, false),
        Err(_) => (body.to_vec(), base64(body), true),
    };
    let event = json!({
        "version": "2.0", "rawPath": path, "rawQueryString": query, "headers": headers,
        "requestContext": {"stage": "$default", "requestId": "id-1", "http": {"method": method, "path": path}},
        "body": body, "isBase64Encoded": is_base64,
    });
    // The gateway supports no other methods.
    let Ok(event) = serde_json::from_value::<GatewayEvent>(event) else { return };
    let request = event.into_request();
    expect_converted(&request, &headers);
    let call = Call {
        method: request.method().clone(),
        path: request.uri().to_string(),
        headers: request.headers().clone(),
        body: sent,
        source: None,
    };
    let reply = service.answer(request);
    expect_documented(service, &call, &reply);
    expect_secrets_kept(service, &call, &reply);
}

fn base64(bytes: &[u8]) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

/// Checks that the conversion changed no part of the request.
fn expect_converted(request: &Request, sent: &serde_json::Map<String, serde_json::Value>) {
    assert!(request.uri().path().starts_with('/') && request.uri().host().is_none(), "{}", request.uri());
    for (name, value) in request.headers() {
        let sent = sent.get(name.as_str()).and_then(|sent| sent.as_str());
        assert_eq!(sent.map(str::as_bytes), Some(value.as_bytes()), "{name}");
    }
    let is_valid = |name: &str, value: &str| {
        name != "host"
            && HeaderName::from_bytes(name.as_bytes()).is_ok()
            && HeaderValue::from_bytes(value.as_bytes()).is_ok()
    };
    let valid = sent.iter().filter(|(name, value)| value.as_str().is_some_and(|value| is_valid(name, value)));
    assert_eq!(valid.count(), request.headers().len());
}

fn expect_documented(service: &Service, call: &Call, reply: &Reply) {
    assert!(reply.status.as_u16() != 500, "{call:?}\n{reply:?}\n{}", service.logged());
    assert_eq!(reply.header("x-request-id"), Some("id-1"));
    if is_of_gateway(&call.method) {
        tests::contract::check(call, reply);
    } else {
        assert!([400, 404, 405].contains(&reply.status.as_u16()), "{call:?}\n{reply:?}");
    }
    if reply.status.as_u16() == 400 && call.method != Method::HEAD {
        let error = &reply.json()["error"];
        let is_named = match error["param"].as_str() {
            Some(param) => !param.is_empty(),
            None => may_name_none(call, error["message"].as_str().unwrap_or_default()),
        };
        assert!(is_named, "{call:?}\n{reply:?}");
    }
}

/// Whether the request contains a name of which an error can show nothing.
fn may_name_none(call: &Call, message: &str) -> bool {
    let query = call.path.split_once('?').map_or("", |(_, query)| query);
    form_urlencoded::parse(query.as_bytes()).any(|(name, _)| is_nameless(&name))
        || body::may_name_none(&serde_json::from_slice(&call.body), message)
        || multipart::has_nameless_part(&call.body)
}

/// Whether the method is in upper case, as in the document. Methods are case-sensitive: `GEt` is not GET.
fn is_of_gateway(method: &Method) -> bool {
    method.as_str().bytes().all(|byte| byte.is_ascii_uppercase())
}

fn expect_secrets_kept(service: &Service, call: &Call, reply: &Reply) {
    let logged = service.logged();
    for name in ["ADMIN", "TEST_ADMIN", "SESSION", "APP_KEY", "TEST_APP_KEY"] {
        // The random part and the checksum.
        let secret = service.name(name);
        let secret = &secret[secret.len() - 36..];
        assert!(!logged.contains(secret), "{name} is logged: {logged}");
        let sent_elsewhere = call.path.contains(secret) || contains(&call.body, secret) || has(&call.headers, secret);
        assert!(sent_elsewhere || !reply.text.contains(secret), "the response contains {name}: {reply:?}");
    }
    assert!(!logged.contains(SECRET), "a value from the request is logged: {logged}");
}

fn contains(body: &[u8], text: &str) -> bool {
    body.windows(text.len()).any(|window| window == text.as_bytes())
}

/// Whether the value is in a header other than `Authorization`.
fn has(headers: &HeaderMap, text: &str) -> bool {
    headers.iter().any(|(name, value)| name != "authorization" && contains(value.as_bytes(), text))
}
