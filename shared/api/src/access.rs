//! The log line of a request: one per request, whatever its outcome, and the only record of which caller wrote which
//! object. The gateway's access log has the same request id, the source address and the latency, but no organization,
//! key or object.

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::response::Response;
use http::Method;
use http::header::{CONTENT_TYPE, USER_AGENT};
use lambda_http::request::RequestContext;
use serde::Deserialize;

use crate::answer::JSON;
use crate::idempotency::REPLAYED;

/// Prefixes of `User-Agent` values, each with the class of such clients; the first match wins.
const CLIENTS: [(&str, &str); 29] = [
    ("Mozilla/5.0 (compatible;", "bot"),
    ("Mozilla/", "browser"),
    ("curl/", "curl"),
    ("Wget/", "curl"),
    ("PostmanRuntime/", "postman"),
    ("python-requests/", "python"),
    ("python-httpx/", "python"),
    ("Python-urllib/", "python"),
    ("python-urllib3/", "python"),
    ("Python/", "python"),
    ("node", "node"),
    ("undici", "node"),
    ("axios/", "node"),
    ("got ", "node"),
    ("Go-http-client/", "go"),
    ("okhttp/", "java"),
    ("Java", "java"),
    ("Apache-HttpClient/", "java"),
    ("GuzzleHttp/", "php"),
    ("Ruby", "ruby"),
    ("Faraday", "ruby"),
    ("reqwest/", "rust"),
    ("ureq/", "rust"),
    ("hyper/", "rust"),
    ("facebook", "platform"),
    ("Amazon CloudFront", "cdn"),
    ("Amazon-Route53-Health-Check-Service", "monitor"),
    ("ELB-HealthChecker/", "monitor"),
    ("messaging-api/", "messaging-api"),
];

/// The part of the line that comes from the request, read before the request is consumed.
pub(crate) struct Access {
    is_write: bool,
    /// The gateway's route key, such as `POST /v1/organization/apps/{appId}/keys`.
    route: Option<String>,
    path: String,
    client: &'static str,
}

/// The part of a response that identifies the object. A playground number has no other id.
#[derive(Deserialize)]
struct Written {
    id: Option<String>,
    number: Option<String>,
}

impl Access {
    pub(crate) fn of(request: &Request) -> Self {
        let route = match request.extensions().get() {
            Some(RequestContext::ApiGatewayV2(gateway)) => gateway.route_key.clone(),
            _ => None,
        };
        let client = request.headers().get(USER_AGENT).map(|agent| class(agent.as_bytes()));
        Access {
            is_write: !matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS),
            route,
            path: request.uri().path().to_owned(),
            client: client.unwrap_or("none"),
        }
    }

    /// Writes the line, which names the object if the request was a successful write. Returns the response unchanged.
    pub(crate) async fn log(self, response: Response) -> Response {
        let (status, client, route) = (response.status(), self.client, self.route.as_deref());
        if !self.is_write || !status.is_success() {
            tracing::info!(route, status = status.as_u16(), client, "request");
            return response;
        }
        let replayed = response.headers().contains_key(REPLAYED).then_some(true);
        let (response, written) = id_in_body(response).await;
        let object = written.as_deref().or_else(|| self.id_in_path());
        tracing::info!(route, status = status.as_u16(), client, object, replayed, "write");
        response
    }

    /// Returns the last path parameter.
    fn id_in_path(&self) -> Option<&str> {
        let (_, template) = self.route.as_deref()?.split_once(' ')?;
        let mut segments = template.rsplit('/').zip(self.path.rsplit('/'));
        segments.find(|(name, _)| name.starts_with('{')).map(|(_, value)| value)
    }
}

/// Returns the class of a `User-Agent`. The value itself is not logged: it can contain anything.
fn class(agent: &[u8]) -> &'static str {
    CLIENTS.iter().find(|(start, _)| agent.starts_with(start.as_bytes())).map_or("other", |(_, class)| class)
}

/// Reads the id of the object that a JSON response shows.
async fn id_in_body(response: Response) -> (Response, Option<String>) {
    if response.headers().get(CONTENT_TYPE) != Some(&JSON) {
        return (response, None);
    }
    let (parts, body) = response.into_parts();
    // Cannot fail: the body is in memory.
    let bytes = to_bytes(body, usize::MAX).await.unwrap_or_default();
    let id = serde_json::from_slice::<Written>(&bytes).ok().and_then(|written| written.id.or(written.number));
    (Response::from_parts(parts, Body::from(bytes)), id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_has_one_of_few_classes() {
        for (agent, expected) in [
            ("Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36", "browser"),
            ("Mozilla/5.0 (compatible; bingbot/2.0)", "bot"),
            ("curl/8.5.0", "curl"),
            ("python-requests/2.32.3", "python"),
            ("Python/3.12 aiohttp/3.9.1", "python"),
            ("node", "node"),
            ("Go-http-client/2.0", "go"),
            ("Java-http-client/21", "java"),
            ("facebookexternalua", "platform"),
            ("", "other"),
            ("\"},{\"organization\":\"org_", "other"),
        ] {
            assert_eq!(class(agent.as_bytes()), expected, "{agent}");
        }
    }

    #[test]
    fn the_object_in_a_path_is_its_last_parameter() {
        let id = |route: &str, path: &str| {
            let access = Access { is_write: true, route: Some(route.to_owned()), path: path.to_owned(), client: "" };
            access.id_in_path().map(str::to_owned)
        };
        assert_eq!(id("DELETE /v1/apps/{appId}/keys/{keyId}", "/v1/apps/a/keys/k").as_deref(), Some("k"));
        assert_eq!(id("POST /v1/media/{mediaId}/complete", "/v1/media/m/complete").as_deref(), Some("m"));
        assert_eq!(id("PATCH /v1/organization/settings", "/v1/organization/settings"), None);
        assert_eq!(id("$default", "/v1/x"), None);
    }
}
