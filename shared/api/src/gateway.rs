//! From the gateway's event to a request, and the runtime around it. The gateway hands over paths already percent-decoded
//! (a space, a quote, a control character as they are). lambda_http would panic on a path that is no URI, and would resolve
//! `..` in one; so what a URI may not hold is encoded again first, and the path is put back as it came.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::Arc;

use axum::Router;
use futures_util::future::LocalBoxFuture;
use http::uri::PathAndQuery;
use http::{HeaderMap, HeaderName, HeaderValue};
use lambda_http::aws_lambda_events::apigw::{ApiGatewayV2httpRequest, ApiGatewayV2httpRequestContext};
use lambda_http::request::LambdaRequest;
use lambda_http::{Adapter, Error, LambdaEvent, RequestExt as _};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use serde::Deserialize;
use tower::ServiceExt as _;

use crate::config::Environment;
use crate::context::Installation;
use crate::router::finish;

pub use crate::logging::start as start_logging;

/// What RFC 3986 does not let stand in a path or a query; a percent sign is left as it came.
const NOT_IN_PATH: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'\\')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');
const NOT_IN_QUERY: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b'#').add(b'<').add(b'>');

/// An HTTP API event of payload format 2.0, as far as it is used.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GatewayEvent {
    #[serde(default)]
    raw_path: String,
    #[serde(default)]
    raw_query_string: String,
    #[serde(default)]
    headers: HashMap<String, String>,
    request_context: ApiGatewayV2httpRequestContext,
    body: Option<String>,
    #[serde(default)]
    is_base64_encoded: bool,
}

impl From<GatewayEvent> for LambdaRequest {
    fn from(event: GatewayEvent) -> Self {
        let mut context = event.request_context;
        // Host and domain would become part of the request's URI; nothing here depends on them.
        context.domain_name = None;
        let mut request = ApiGatewayV2httpRequest::default();
        let (path, query) = target(&event.raw_path, &event.raw_query_string);
        request.raw_path = Some(path);
        request.raw_query_string = Some(query);
        request.headers = headers(event.headers);
        request.request_context = context;
        request.body = event.body;
        request.is_base64_encoded = event.is_base64_encoded;
        LambdaRequest::ApiGatewayV2(request)
    }
}

/// Puts the path back that lambda_http has normalized: `..` is a path parameter like any other.
pub fn with_exact_path<B>(mut request: http::Request<B>) -> http::Request<B> {
    let mut target = request.raw_http_path().to_owned();
    if let Some(query) = request.uri().query() {
        let _ = write!(target, "?{query}");
    }
    if let Ok(uri) = target.parse() {
        *request.uri_mut() = uri;
    }
    request
}

/// Path and query that together are a valid request target.
fn target(raw_path: &str, raw_query: &str) -> (String, String) {
    let mut path = utf8_percent_encode(raw_path, NOT_IN_PATH).to_string();
    if !path.starts_with('/') {
        path.insert(0, '/');
    }
    let query = utf8_percent_encode(raw_query, NOT_IN_QUERY).to_string();
    let mut target = path.clone();
    let _ = write!(target, "?{query}");
    // Too long for a URI: no operation has such a path.
    if target.parse::<PathAndQuery>().is_err() { ("//".to_owned(), String::new()) } else { (path, query) }
}

fn headers(sent: HashMap<String, String>) -> HeaderMap {
    let valid = sent.into_iter().filter_map(|(name, value)| {
        let name = HeaderName::from_bytes(name.as_bytes()).ok()?;
        Some((name, HeaderValue::from_bytes(value.as_bytes()).ok()?))
    });
    valid.filter(|(name, _)| *name != http::header::HOST).collect()
}

/// A function ready to serve.
pub struct Function {
    pub router: Router,
    pub installation: Arc<Installation>,
    /// What is done during initialisation, so that the first request needs not: connections are opened.
    pub warm_up: Option<WarmUp>,
}

pub type WarmUp = LocalBoxFuture<'static, ()>;

/// Reads the environment, builds the function and serves events until the environment ends.
pub fn serve(build: impl FnOnce(&mut Environment) -> Result<Function, String>) -> Result<(), Error> {
    start_logging();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut environment = Environment::default();
        let function = build(&mut environment);
        environment.finish()?;
        let function = function?;
        if let Some(warm_up) = function.warm_up {
            warm_up.await;
        }
        let router = finish(function.router, function.installation);
        let service =
            Adapter::from(router.map_request(with_exact_path)).map_request(|event: LambdaEvent<GatewayEvent>| {
                LambdaEvent::new(LambdaRequest::from(event.payload), event.context)
            });
        lambda_runtime::run(service).await
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(path: &str, query: &str) -> http::Request<lambda_http::Body> {
        let event = serde_json::json!({
            "version": "2.0", "rawPath": path, "rawQueryString": query,
            "headers": {"host": "a b", "authorization": "Bearer x", "bad name": "x", "x-bad": "a\nb", "x-ü": "é"},
            "requestContext": {"stage": "$default", "requestId": "id", "http": {"method": "GET", "path": path}},
        });
        let event: GatewayEvent = serde_json::from_value(event).expect("an event");
        with_exact_path(LambdaRequest::from(event).into())
    }

    #[test]
    fn no_path_or_query_can_make_the_conversion_panic() {
        let long = "/".repeat(70_000);
        for path in [
            "", "/", "no-slash", "/a b", "/\"", "/\u{0}", "/%00", "/%2F", "/%25", "/%", "/../..", "/é", "/a?b#c",
            "/{x}", "/\\^`|<>", &long,
        ] {
            for query in ["", "a=b", "a=\"", "a= ", "a=\u{0}", "a=%00&&&=", "é=ü", "#", "?"] {
                let request = request(path, query);
                assert!(request.uri().path().starts_with('/'), "{path}?{query}");
                assert!(!request.headers().contains_key("x-bad"));
            }
        }
        assert_eq!(request("/v1/%2e%2E/a%2Fb", "").uri().path(), "/v1/%2e%2E/a%2Fb");
    }
}
