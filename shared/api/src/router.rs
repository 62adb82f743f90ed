//! A function's router as a service, with the handling that applies to every request and response.

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

use crate::access::Access;
use crate::answer::{Rejection, json};
use crate::caller::Findings;
use crate::error_body::{ErrorBody, PlainErrorBody};
use crate::routes::Routes;
use crate::unknown::Unknown;

pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const WEBHOOK_ID: HeaderName = HeaderName::from_static("webhook-id");

/// The time limit of a request: below the function's timeout of 29 s and the gateway's of 30 s, so that callers get
/// this API's own error response.
pub const TIME_LIMIT: Duration = Duration::from_secs(28);

/// A function's router, wrapped with a time limit, panic handling, error rendering and the common response headers.
/// This is not a tower layer of the router, because the router would clone and box it for every request.
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
            move |request: Request| ready(unknown.respond(&request))
        };
        let router = router.fallback(fallback.clone()).method_not_allowed_fallback(fallback);
        HttpService { router, unknown, installation }
    }

    /// Returns the response to a request. It carries an `X-Request-Id` header.
    pub async fn respond(&self, request: Request) -> Response {
        let request_id = request_id(&request);
        let access = Access::of(&request);
        // Boxed, because each future that awaits this one would otherwise contain all of it, several times over.
        let respond = Box::pin(async { access.log(self.respond_without_id(request).await).await });
        let mut response = logging::traced(&request_id, respond).await;
        if let Ok(request_id) = HeaderValue::try_from(request_id) {
            response.headers_mut().insert(REQUEST_ID, request_id);
        }
        response
    }

    async fn respond_without_id(&self, request: Request) -> Response {
        let is_head = request.method() == Method::HEAD;
        let mut response = if request.headers().contains_key(WEBHOOK_ID) {
            let message = "This API does not accept webhook deliveries. Remove the webhook-id header.";
            Rejection::from(Failure::invalid(WEBHOOK_ID.as_str(), message)).into_response()
        } else if is_head {
            // axum would run the GET handler, but the gateway has no route for HEAD.
            self.unknown.respond(&request)
        } else {
            self.route_with_time_limit(request).await
        };
        if let Some(rejection) = response.extensions_mut().remove::<Rejection>() {
            log(&rejection);
            render(&rejection, &self.installation, &mut response);
        }
        if is_head {
            // A response to HEAD has no content (RFC 9110, section 9.3.2).
            *response.body_mut() = Body::empty();
        }
        response.headers_mut().entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
        response
    }

    async fn route_with_time_limit(&self, mut request: Request) -> Response {
        let findings = Findings::default();
        request.extensions_mut().insert(findings.clone());
        let mut response = self.routed(request).await;
        findings.tell(response.headers_mut());
        findings.recorded().await;
        response
    }

    async fn routed(&self, request: Request) -> Response {
        let mut router = self.router.clone();
        let response = AssertUnwindSafe(async { router.call(request).await }).catch_unwind();
        match timeout(TIME_LIMIT, response).await {
            Ok(Ok(Ok(response))) => response,
            // The panic hook already logged the location.
            Ok(Err(_)) => Rejection::from(Failure::internal("panic")).into_response(),
            Err(_) => {
                let cause = format!("the operation took longer than {} s", TIME_LIMIT.as_secs());
                Rejection::from(Failure::internal(cause)).into_response()
            }
        }
    }
}

/// Returns the gateway's request id, which its access log also contains.
fn request_id(request: &Request) -> String {
    match request.extensions().get() {
        Some(RequestContext::ApiGatewayV2(gateway)) => gateway.request_id.clone().unwrap_or_default(),
        _ => "local".to_owned(),
    }
}

/// Logs the internal cause of a failure, if it has one; this is the only place that does. The message of a rejection is
/// not logged, and neither are bodies, credentials or phone numbers.
fn log(rejection: &Rejection) {
    if let Rejection::Failed(failure) = rejection
        && let Some(cause) = failure.cause()
    {
        tracing::error!(status = rejection.status().as_u16(), "request failed: {cause}");
    }
}

fn render(rejection: &Rejection, installation: &Installation, response: &mut Response) {
    let body = match rejection {
        Rejection::Unauthenticated(why) => serde_json::to_vec(&PlainErrorBody { error: why.message().into_owned() }),
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
