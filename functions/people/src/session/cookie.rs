//! The cookie of a session, and the checks that a request with it comes from the pages of this installation.

use axum::extract::FromRequestParts;
use domain::Failure;
use domain::identity::credential::Secret;
use http::header::{AUTHORIZATION, CONTENT_TYPE, ORIGIN};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method};

use api::Rejection;
use api::caller::SESSION_COOKIE;

/// Returns the header that sets the cookie. Browsers send it to this host only, over https, and not from other sites.
pub(crate) fn set(value: &Secret) -> Result<HeaderValue, Failure> {
    let cookie = format!("{SESSION_COOKIE}={}; Path=/; Secure; HttpOnly; SameSite=Strict", value.expose());
    HeaderValue::try_from(cookie).map_err(Failure::internal)
}

/// Returns the header that removes the cookie.
pub(crate) fn remove() -> HeaderValue {
    HeaderValue::from_static("__Host-session=; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=0")
}

/// Where a request comes from, as its browser says.
pub(crate) struct SameOrigin {
    has_authorization: bool,
    method: Method,
    headers: HeaderMap,
}

impl<S: Send + Sync> FromRequestParts<S> for SameOrigin {
    type Rejection = Rejection;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Rejection> {
        let has_authorization = parts.headers.contains_key(AUTHORIZATION);
        Ok(SameOrigin { has_authorization, method: parts.method.clone(), headers: parts.headers.clone() })
    }
}

impl SameOrigin {
    /// Whether the request has a token instead of the cookie.
    pub(crate) fn has_authorization(&self) -> bool {
        self.has_authorization
    }

    /// Fails with 403 if a request with the cookie does not come from a page of this installation.
    pub(crate) fn expect_with_cookie(&self, api_url: &str) -> Result<(), Failure> {
        if self.has_authorization { Ok(()) } else { self.expect(api_url) }
    }

    /// Fails with 403 if the request does not come from a page of this installation, and with 415 if a form could have sent it.
    pub(crate) fn expect(&self, api_url: &str) -> Result<(), Failure> {
        if self.method == Method::GET {
            let site = self.headers.get("sec-fetch-site").map(HeaderValue::as_bytes);
            return match site {
                None | Some(b"same-origin" | b"none") => Ok(()),
                Some(_) => Err(from_elsewhere("Sec-Fetch-Site")),
            };
        }
        let own = url_origin(api_url);
        let sent = self.headers.get(ORIGIN).and_then(|origin| origin.to_str().ok());
        if sent.is_none_or(|sent| sent != own) {
            return Err(from_elsewhere("Origin"));
        }

        // No form of another site can send this type.
        let sent = self.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let essence = sent.split(';').next().unwrap_or_default().trim();
        if essence.eq_ignore_ascii_case("application/json") {
            return Ok(());
        }
        Err(Failure::unsupported_type("With the cookie of a session, set Content-Type to application/json.")
            .with_param("Content-Type"))
    }
}

fn from_elsewhere(header: &str) -> Failure {
    let message = format!(
        "With the cookie of a session, only the pages of this installation may do this: {header} names another site."
    );
    Failure::forbidden(message).with_param(header)
}

/// Returns the origin of a URL: its scheme and host, without the path.
fn url_origin(url: &str) -> &str {
    let start = url.find("://").map_or(0, |at| at + 3);
    url[start..].find('/').map_or(url, |end| &url[..start + end])
}
