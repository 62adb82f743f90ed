//! Log lines name the request or object that they are about, and contain no values from requests.

mod dependencies;
mod later_work;
mod requests;
mod updates;
mod writes;

use api::HttpService;
use aws::queue::QueueEvent;
use http::Request;
use lambda_http::aws_lambda_events::apigw::ApiGatewayV2httpRequestContext;
use lambda_http::request::RequestContext;
use lambda_runtime::{Context, LambdaEvent};
use serde_json::{Value, json};
use tests::Call;
use tests::logs::Captured;

const BODY: &str = "a-recognisable-body";
const HEADER: &str = "a-recognisable-header";

/// The call in the gateway's format.
fn through_gateway(call: Call, id: &str, route: Option<String>) -> Request<axum::body::Body> {
    let mut request = call.request();
    let mut gateway = ApiGatewayV2httpRequestContext::default();
    gateway.request_id = Some(id.to_owned());
    gateway.route_key = route;
    request.extensions_mut().insert(RequestContext::ApiGatewayV2(gateway));
    request
}

/// The call in the gateway's format, with a recognizable value wherever one is possible.
fn recognisable(call: Call, id: &str) -> Request<axum::body::Body> {
    let agent = format!("curl/8 {HEADER}");
    let call = call.header("x-something", HEADER).header("idempotency-key", HEADER).header("user-agent", &agent);
    through_gateway(call, id, None)
}

/// Sends a request with recognizable values. Returns the status.
async fn answer(api: &HttpService, call: Call, id: &str) -> u16 {
    api.respond(recognisable(call, id)).await.status().as_u16()
}

/// Returns the only log line of a request or an invocation.
#[track_caller]
fn only_line(captured: &Captured, request: &str) -> Value {
    let lines = captured.lines_of(request);
    assert_eq!(lines.len(), 1, "{lines:?}");
    lines[0].clone()
}

/// Checks that these values were not logged.
#[track_caller]
fn says_nothing_of(captured: &Captured, secrets: &[&str]) {
    for secret in secrets {
        assert!(!captured.text().contains(secret), "logged {secret}");
        assert!(!captured.everything().contains(secret), "logged {secret}, but for the filter");
    }
}

fn invocation<T>(id: &str, payload: T) -> LambdaEvent<T> {
    let mut context = Context::default();
    context.request_id = id.to_owned();
    LambdaEvent::new(payload, context)
}

/// An invocation with one message of a queue.
fn message(body: &str) -> QueueEvent {
    let record = json!({"messageId": "message-1", "receiptHandle": "1", "body": body, "attributes": {}});
    serde_json::from_value(json!({"Records": [record]})).unwrap()
}
