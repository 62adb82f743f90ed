//! Serves a function behind the HTTP API gateway: it is built once, then handles one request per invocation.

mod event;
mod response;

use std::convert::Infallible;
use std::fmt::Debug;
use std::sync::Arc;

use futures_util::future::LocalBoxFuture;
use lambda_http::request::LambdaRequest;
use lambda_http::{Adapter, Error, LambdaEvent, Service as _, lambda_runtime, service_fn};
use runtime::{Environment, Installation, start};
use serde::Serialize;

pub use event::GatewayEvent;

use crate::router::HttpService;
use crate::routes::Routes;
use event::with_exact_path;
use response::for_gateway;

/// A function that is ready to serve requests.
pub struct Function {
    pub routes: Routes,
    pub installation: Arc<Installation>,
    /// Opens connections during initialization, so that the first request does not have to.
    pub warm_up: Option<WarmUp>,
}

/// Work to do during initialization.
pub type WarmUp = LocalBoxFuture<'static, ()>;

/// Builds the function and serves the gateway's requests until the execution environment shuts down.
pub fn serve(build: impl FnOnce(&mut Environment) -> Result<Function, String>) -> Result<(), Error> {
    start(build, async |function: Function| {
        if let Some(warm_up) = function.warm_up {
            warm_up.await;
        }
        let service = HttpService::new(function.routes, function.installation);
        lambda_runtime::run(service_fn(|event| handle(&service, event))).await
    })
}

/// Handles one gateway event, using lambda_http's conversions for the request and the response.
pub async fn handle(
    service: &HttpService,
    event: LambdaEvent<GatewayEvent>,
) -> Result<impl Serialize + Debug + use<>, Infallible> {
    let mut adapter = Adapter::from(service_fn(async |request| {
        Ok::<_, Infallible>(for_gateway(service.respond(with_exact_path(request)).await))
    }));
    adapter.call(LambdaEvent::new(LambdaRequest::from(event.payload), event.context)).await
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::body::Body;
    use axum::response::Response;
    use axum::routing::get;
    use domain::events::webhook::AddressPolicy;
    use http::HeaderValue;
    use lambda_http::Context;
    use serde_json::{Value, json};

    use super::*;

    async fn reply(body: &'static [u8], headers: &'static [(&'static str, &'static str)]) -> Value {
        let respond = async move || {
            let mut response = Response::new(Body::from(body));
            for (name, value) in headers {
                response.headers_mut().append(*name, HeaderValue::from_static(value));
            }
            response
        };
        let webhook_addresses = AddressPolicy { own: Vec::new(), allow_local: false };
        let installation = Installation { docs_url: String::new(), webhook_addresses };
        let service = HttpService::new(Router::new().route("/", get(respond)), Arc::new(installation));
        let event = json!({"rawPath": "/", "requestContext": {"http": {"method": "GET"}}});
        let event = LambdaEvent::new(serde_json::from_value(event).expect("an event"), Context::default());
        let reply = handle(&service, event).await.expect("a reply");
        serde_json::to_value(reply).expect("JSON")
    }

    #[tokio::test]
    async fn text_travels_as_it_is_and_anything_else_encoded() {
        let reply_of = async |body, headers| {
            let reply = reply(body, headers).await;
            (reply["statusCode"].clone(), reply["body"].clone(), reply["isBase64Encoded"].clone())
        };
        let text = (json!(200), json!("é\"\u{0}"), json!(false));
        assert_eq!(reply_of("é\"\u{0}".as_bytes(), &[]).await, text);
        assert_eq!(reply_of("é\"\u{0}".as_bytes(), &[("content-type", "application/json")]).await, text);
        let binary = (json!(200), json!("/w=="), json!(true));
        assert_eq!(reply_of(b"\xff", &[("content-type", "image/png")]).await, binary);
        assert_eq!(reply_of(b"\xff", &[("content-type", "text/css"), ("content-encoding", "gzip")]).await, binary);
    }

    #[tokio::test]
    async fn values_of_one_name_are_a_list() {
        let reply =
            reply(b"", &[("vary", "accept"), ("vary", "origin"), ("link", "<a>"), ("content-length", "3")]).await;
        assert_eq!((&reply["headers"]["vary"], &reply["headers"]["link"]), (&json!("accept, origin"), &json!("<a>")));
        assert_eq!(reply["headers"].get("content-length"), None);
    }
}
