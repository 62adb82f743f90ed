//! The pages, as HTML and as Markdown.

pub(crate) mod console;
mod error_codes;
mod error_words;
pub(crate) mod errors;
pub(crate) mod markdown;
pub(crate) mod onboarding;
mod producers;
pub(crate) mod reference;
pub(crate) mod sign_in;

use axum::response::Response;
use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS};
use http::{HeaderMap, HeaderValue};
use maud::{DOCTYPE, Markup, html};

use crate::assets::STYLE;
use crate::encoded::Encoded;

pub use error_codes::error_codes;

const KEPT_FOR_A_MINUTE: HeaderValue = HeaderValue::from_static("public, max-age=60");

/// Returns the content security policy. It allows nothing from other hosts, except that requests may go to the origin
/// `api`. Inline styles are allowed because the renderer writes its styles into the page.
fn policy(api: Option<&str>) -> Option<HeaderValue> {
    let api = api.unwrap_or_default();
    let policy = format!(
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
         font-src 'self' data:; connect-src 'self' {api}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    );
    HeaderValue::try_from(policy).ok()
}

/// Renders a complete page. `assets` is the relative path to the files of the pages, and `twin` that of the page as Markdown, if
/// there is one.
fn page(title: &str, assets: &str, twin: Option<&str>, body: &Markup) -> Encoded {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
                link rel="icon" href="data:,";
                link rel="stylesheet" href={ (assets) (STYLE.name) };
                @if let Some(twin) = twin { link rel="alternate" type="text/markdown" href=(twin); }
            }
            body { (body) }
        }
    };
    Encoded::new(page.into_string())
}

/// Returns the response with a page. `api` is the origin of the API if the page may have come from another one.
fn html_response(page: &Encoded, request: &HeaderMap, api: Option<&str>) -> Response {
    let mut response = page.response(request, HeaderValue::from_static("text/html; charset=utf-8"));
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, KEPT_FOR_A_MINUTE);
    headers.extend(policy(api).map(|policy| (CONTENT_SECURITY_POLICY, policy)));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    response
}
