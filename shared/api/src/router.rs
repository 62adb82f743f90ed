//! What stands around a function's router: what holds for every answer, whatever operation gave it.

use std::future::ready;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use domain::Failure;
use futures_util::FutureExt;
use http::header::{CACHE_CONTROL, CONTENT_LENGTH, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderName, HeaderValue, Method, StatusCode};
use lambda_http::request::RequestContext;
use runtime::{Installation, logging};
use tokio::time::timeout;
use tower::Service as _;
use tracing::Instrument as _;

use crate::answer::{Rejection, json};
use crate::error_body::{ErrorBody, PlainErrorBody};
use crate::routes::Routes;
use crate::unknown::Unknown;

pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const WEBHOOK_ID: HeaderName = HeaderName::from_static("webhook-id");

/// The gateway waits 30 s and the function may take 29: our own answer comes first.
const TIME_LIMIT: Duration = Duration::from_secs(28);

/// A function's router, and around it what holds for every answer. No layer of the router: that would be cloned and boxed for
/// every request.
pub struct HttpService {
    router: Router,
    unknown: Arc<Unknown>,
    installation: Arc<Installation>,
}

impl HttpService {
    pub fn new(routes: impl Into<Routes>, installation: Arc<Installation>) -> Self {
        let Routes { router, operations } = routes.into();
        let unknown = Arc::new(Unknown::new(operations));
        let fallback = {
            let unknown = unknown.clone();
            move |request: Request| ready(unknown.answer(&request))
        };
        let router = router.fallback(fallback.clone()).method_not_allowed_fallback(fallback);
        HttpService { router, unknown, installation }
    }

    pub async fn respond(&self, request: Request) -> Response {
        let request_id = request_id(&request);
        let span = logging::request(&request_id);
        let mut response = self.finished(request).instrument(span).await;
        if let Ok(request_id) = HeaderValue::try_from(request_id) {
            response.headers_mut().insert(REQUEST_ID, request_id);
        }
        response
    }

    async fn finished(&self, request: Request) -> Response {
        let is_head = request.method() == Method::HEAD;
        let mut response = if request.headers().contains_key(WEBHOOK_ID) {
            let message = "A request with a webhook-id header is a webhook delivery; no webhook may drive this API.";
            Rejection::from(Failure::invalid(WEBHOOK_ID.as_str(), message)).into_response()
        } else if is_head {
            // axum would answer it with GET; the gateway has no route for it.
            self.unknown.answer(&request)
        } else {
            self.answer_in_time(request).await
        };
        if let Some(rejection) = response.extensions_mut().remove::<Rejection>() {
            log(&rejection);
            render(&rejection, &self.installation, &mut response);
        }
        if is_head {
            // RFC 9110, section 9.3.2.
            *response.body_mut() = Body::empty();
        }
        response.headers_mut().entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
        response
    }

    async fn answer_in_time(&self, request: Request) -> Response {
        let mut router = self.router.clone();
        let answer = AssertUnwindSafe(async { router.call(request).await }).catch_unwind();
        match timeout(TIME_LIMIT, answer).await {
            Ok(Ok(Ok(response))) => response,
            // The log has its place already.
            Ok(Err(_)) => Rejection::from(Failure::internal("panic")).into_response(),
            Err(_) => Rejection::from(Failure::internal("the operation took longer than 28 s")).into_response(),
        }
    }
}

/// The gateway's id of the request, which its access log shows too.
fn request_id(request: &Request) -> String {
    match request.extensions().get() {
        Some(RequestContext::ApiGatewayV2(gateway)) => gateway.request_id.clone().unwrap_or_default(),
        _ => "local".to_owned(),
    }
}

/// Once, here. Only what is our own fault is worth a line; bodies, keys and phone numbers never are.
fn log(rejection: &Rejection) {
    if let Rejection::Failed(failure) = rejection
        && let Some(cause) = failure.cause()
    {
        tracing::error!(status = failure.status(), "request failed: {cause}");
    }
}

fn render(rejection: &Rejection, installation: &Installation, response: &mut Response) {
    let body = match rejection {
        Rejection::Unauthenticated(why) => serde_json::to_vec(&PlainErrorBody { error: why.message().to_owned() }),
        Rejection::Failed(failure) => serde_json::to_vec(&ErrorBody::new(failure, &installation.docs_url)),
    };
    let rendered = json(rejection.status(), body.unwrap_or_default());
    let (rendered_parts, rendered_body) = rendered.into_parts();
    *response.body_mut() = rendered_body;
    let headers = response.headers_mut();
    headers.remove(CONTENT_LENGTH);
    headers.extend(rendered_parts.headers);
    if rejection.status() == StatusCode::UNAUTHORIZED {
        headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    if let Rejection::Failed(failure) = rejection
        && let Some(seconds) = failure.retry_after()
    {
        headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
}
