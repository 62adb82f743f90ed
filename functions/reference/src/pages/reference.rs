//! The API reference page: the OpenAPI document, rendered in the browser.

use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use http::header::LOCATION;
use http::{HeaderMap, HeaderValue, StatusCode};
use maud::html;

use super::{html_response, page};
use crate::ReferenceContext;
use crate::assets::{RENDERER, START};
use crate::encoded::Encoded;

const ASSETS: &str = "api_reference/assets/";
/// The page as Markdown.
const INTRODUCTION: &str = "api_reference.md";

/// Read the API reference
///
/// Returns a page that renders the OpenAPI document.
#[utoipa::path(get, path = "/api_reference", operation_id = "pages.reference", tag = "Reference",
    security(()),
    responses((status = 200, description = "The page", body = String, content_type = "text/html")))]
pub(crate) async fn read_reference(State(context): State<ReferenceContext>, request: HeaderMap) -> Response {
    let api = context.origin_behind_docs();
    html_response(context.reference.get_or_init(|| render(&context)), &request, api.as_deref())
}

/// Renders the page. The API serves it at each of its addresses, and "Test request" uses the address of the page. Only
/// the documentation's own address, if there is one, does not serve the API: there, "Test request" uses the API's URL.
fn render(context: &ReferenceContext) -> Encoded {
    let elsewhere = context.origin_behind_docs().map(|_| (&context.installation.docs_url, &context.api_url));
    let (docs, api) = elsewhere.unzip();
    let body = html! {
        div #reference data-document="v1/openapi.json" data-docs=[docs] data-api=[api] {}
        noscript {
            main .page {
                h1 { "API reference" }
                p {
                    "This page needs JavaScript. Without it: "
                    a href=(INTRODUCTION) { "the same as text" }
                    ", "
                    a href="v1/openapi.json" { "the OpenAPI document" }
                    " and "
                    a href="api_reference/error-codes" { "the error codes" }
                    "."
                }
            }
        }
        script src={ (ASSETS) (RENDERER.name) } {}
        script src={ (ASSETS) (START.name) } {}
    };
    page("Messaging API reference", ASSETS, Some(INTRODUCTION), &body)
}

/// Redirect to the API reference
///
/// Redirects the root URL to the API reference.
#[utoipa::path(get, path = "/", operation_id = "pages.root", tag = "Reference",
    security(()),
    responses((status = 302, description = "A redirect to the API reference")))]
pub(crate) async fn find_reference(State(reference): State<ReferenceContext>) -> Response {
    let mut response = StatusCode::FOUND.into_response();
    if let Ok(location) = HeaderValue::from_str(&format!("{}/api_reference", reference.api_url)) {
        response.headers_mut().insert(LOCATION, location);
    }
    response
}
