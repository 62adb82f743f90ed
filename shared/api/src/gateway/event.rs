//! Converts a gateway event to a request through lambda_http. Its conversion panics on a path or host that is not valid
//! in a URI, resolves `..` in a path, and rejects an event with a malformed header. The gateway forwards all of these,
//! and sends paths already percent-decoded. The event is therefore sanitized before the conversion, and the exact path
//! is restored after it.

use std::collections::HashMap;
use std::fmt::Write as _;

use axum::body::Body;
use axum::extract::Request;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header::{CONTENT_LENGTH, HOST};
use http::uri::PathAndQuery;
use http::{HeaderMap, HeaderName, HeaderValue};
use lambda_http::RequestExt as _;
use lambda_http::aws_lambda_events::apigw::{ApiGatewayV2httpRequest, ApiGatewayV2httpRequestContext};
use lambda_http::request::LambdaRequest;
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use serde::Deserialize;

/// Characters that RFC 3986 does not allow in a path or a query. Percent signs are kept.
const NOT_IN_PATH: &AsciiSet = &NOT_IN_QUERY.add(b'?').add(b'\\').add(b'^').add(b'`').add(b'{').add(b'|').add(b'}');
const NOT_IN_QUERY: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b'#').add(b'<').add(b'>');

/// An HTTP API event in payload format 2.0, with the fields that this API uses.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GatewayEvent {
    #[serde(default)]
    raw_path: String,
    #[serde(default)]
    raw_query_string: String,
    #[serde(default)]
    headers: HashMap<String, String>,
    /// The gateway moves cookies from the headers to this field.
    cookies: Option<Vec<String>>,
    request_context: ApiGatewayV2httpRequestContext,
    body: Option<String>,
    #[serde(default)]
    is_base64_encoded: bool,
}

impl From<GatewayEvent> for LambdaRequest {
    fn from(event: GatewayEvent) -> Self {
        let (path, query) = target(&event.raw_path, &event.raw_query_string);
        let announced = event.headers.get(CONTENT_LENGTH.as_str()).and_then(|length| length.parse().ok());
        let mut request = ApiGatewayV2httpRequest::default();
        request.raw_path = Some(path);
        request.raw_query_string = Some(query);
        request.headers = headers(event.headers);
        request.cookies = event.cookies;
        request.request_context = event.request_context;
        // lambda_http would build a URI with this host; no handler needs it.
        request.request_context.domain_name = None;
        (request.body, request.is_base64_encoded) = match event.body {
            Some(body) if is_repaired(&body, event.is_base64_encoded, announced) => (Some(as_bytes(&body)), true),
            body => (body, event.is_base64_encoded),
        };
        LambdaRequest::ApiGatewayV2(request)
    }
}

impl GatewayEvent {
    /// Returns the request for the router. Panics if the body is marked as base64 but is not, which the gateway never
    /// sends.
    pub fn into_request(self) -> Request {
        with_exact_path(LambdaRequest::from(self).into())
    }
}

const REPLACEMENT: char = '\u{FFFD}';

/// Returns whether the gateway has replaced bytes of the body that are not UTF-8, as it does if the body's type is
/// text: the length of the body then differs from the announced one. Clients can also send the replacement character
/// itself.
fn is_repaired(body: &str, is_base64: bool, announced: Option<usize>) -> bool {
    !is_base64 && announced.is_some_and(|announced| announced != body.len()) && body.contains(REPLACEMENT)
}

/// Returns the body, as base64, with a byte that is not UTF-8 for each one that the gateway has replaced, so that the handler
/// rejects it for the same reason as a body that arrives as bytes.
fn as_bytes(body: &str) -> String {
    let mut bytes = Vec::with_capacity(body.len());
    for (at, part) in body.split(REPLACEMENT).enumerate() {
        if at > 0 {
            bytes.push(0xff);
        }
        bytes.extend_from_slice(part.as_bytes());
    }
    STANDARD.encode(bytes)
}

/// Restores the path that lambda_http has normalized: here `..` is an ordinary path parameter.
pub(super) fn with_exact_path(mut request: lambda_http::Request) -> Request {
    let mut target = request.raw_http_path().to_owned();
    if let Some(query) = request.uri().query() {
        let _ = write!(target, "?{query}");
    }
    if let Ok(uri) = target.try_into() {
        *request.uri_mut() = uri;
    }
    request.map(Body::new)
}

/// Returns a path and a query that together form a valid request target.
fn target(path: &str, query: &str) -> (String, String) {
    let root = if path.starts_with('/') { "" } else { "/" };
    let path = format!("{root}{}", utf8_percent_encode(path, NOT_IN_PATH));
    let query = utf8_percent_encode(query, NOT_IN_QUERY).to_string();
    // A path that is too long for a URI becomes one that matches no operation.
    if PathAndQuery::try_from(format!("{path}?{query}")).is_err() {
        ("//".to_owned(), String::new())
    } else {
        (path, query)
    }
}

fn headers(sent: HashMap<String, String>) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in sent {
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::try_from(value))
            && name != HOST
        {
            // Cannot fail: the gateway forwards fewer headers than a map can hold.
            let _ = headers.try_append(name, value);
        }
    }
    headers
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use http_body_util::BodyExt as _;
    use lambda_http::request::RequestContext;
    use serde_json::{Value, json};

    use super::*;

    fn event(path: &str, query: &str) -> Value {
        json!({
            "version": "2.0", "rawPath": path, "rawQueryString": query,
            "headers": {"host": "a b", "authorization": "Bearer x", "bad name": "x", "x-bad": "a\nb", "x-ü": "é"},
            "requestContext": {"stage": "$default", "requestId": "id", "http": {"method": "GET", "path": path}},
        })
    }

    fn converted(event: Value) -> Result<Request, String> {
        let event: GatewayEvent = serde_json::from_value(event).map_err(|error| error.to_string())?;
        catch_unwind(AssertUnwindSafe(|| event.into_request())).map_err(|_| "a panic".to_owned())
    }

    fn request(path: &str, query: &str) -> Request {
        converted(event(path, query)).expect("a request")
    }

    async fn body(body: &str, is_base64_encoded: bool) -> Result<Vec<u8>, String> {
        let mut event = event("/", "");
        event["body"] = json!(body);
        event["isBase64Encoded"] = json!(is_base64_encoded);
        let body = converted(event)?.into_body().collect().await.expect("bytes");
        Ok(body.to_bytes().to_vec())
    }

    #[test]
    fn no_path_or_query_can_make_the_conversion_panic() {
        let long = "/".repeat(70_000);
        for path in [
            "",
            "/",
            "no-slash",
            "/a b",
            "/\"",
            "/\u{0}",
            "/%00",
            "/%2F",
            "/%25",
            "/%",
            "/../..",
            "/é",
            "/a?b#c",
            "/{x}",
            "/\\^`|<>",
            "//host/a",
            "http://host/a",
            &long,
        ] {
            for query in ["", "a=b", "a=\"", "a= ", "a=\u{0}", "a=%00&&&=", "é=ü", "#", "?"] {
                let request = request(path, query);
                assert!(request.uri().path().starts_with('/'), "{path}?{query}");
                assert_eq!(request.uri().host(), None, "{path}?{query}");
            }
        }
    }

    #[test]
    fn paths_and_queries_are_as_they_were_sent() {
        assert_eq!(request("/v1/%2e%2E/a%2Fb", "").uri(), "/v1/%2e%2E/a%2Fb");
        assert_eq!(request("/v1/../a b", "a=b c").uri(), "/v1/../a%20b?a=b%20c");
        assert_eq!(request(&"/".repeat(70_000), "a=b").uri(), "//");
    }

    #[test]
    fn invalid_headers_are_left_out() {
        let request = request("/", "");
        let names: Vec<_> = request.headers().keys().collect();
        assert_eq!(names, ["authorization"]);
        let Some(RequestContext::ApiGatewayV2(context)) = request.extensions().get() else { panic!("no context") };
        assert_eq!(context.request_id.as_deref(), Some("id"));
    }

    #[test]
    fn events_with_an_invalid_method_are_rejected() {
        let mut event = event("/", "");
        event["requestContext"]["http"]["method"] = json!("G T");
        assert!(converted(event).is_err());
    }

    #[tokio::test]
    async fn a_body_that_the_gateway_has_repaired_is_not_utf8() {
        let body = async |text: &str, length: Option<usize>| {
            let mut event = event("/", "");
            event["body"] = json!(text);
            if let Some(length) = length {
                event["headers"]["content-length"] = json!(length.to_string());
            }
            let body = converted(event).expect("a request").into_body().collect().await.expect("bytes");
            body.to_bytes().to_vec()
        };
        assert_eq!(body("{\u{FFFD}\u{FFFD}}", Some(4)).await, b"{\xff\xff}");
        // The character itself, a client that announces no length, and text without it.
        for (text, length) in [("{\u{FFFD}}", Some(5)), ("{\u{FFFD}}", None), ("{}", Some(9))] {
            assert_eq!(body(text, length).await, text.as_bytes(), "{text}");
        }
    }

    #[tokio::test]
    async fn bodies_come_as_text_or_encoded() {
        assert_eq!(body("é", false).await, Ok("é".into()));
        assert_eq!(body("/w==", true).await, Ok(vec![0xff]));
        assert!(body("no base64", true).await.is_err());
    }
}
