//! The API reference page: the OpenAPI document, rendered in the browser.

use std::sync::OnceLock;

use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use http::header::LOCATION;
use http::{HeaderValue, StatusCode};
use maud::html;

use super::{html_response, page};
use crate::ReferenceContext;
use crate::assets::{RENDERER, START};

const ASSETS: &str = "api_reference/assets/";

/// Read the API reference
///
/// Returns a page that renders this document.
#[utoipa::path(get, path = "/api_reference", tag = "Reference", security(()),
    responses((status = 200, description = "The page", body = String, content_type = "text/html")))]
pub(crate) async fn read_reference() -> Response {
    static PAGE: OnceLock<Bytes> = OnceLock::new();
    html_response(PAGE.get_or_init(render))
}

fn render() -> Bytes {
    let body = html! {
        div #reference data-document="v1/openapi.json" {}
        noscript {
            main .page {
                h1 { "API reference" }
                p {
                    "This page needs JavaScript. Without it: "
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
    page("Messaging API reference", ASSETS, &body)
}

/// Find the API reference
///
/// Redirects the root URL to the API reference.
#[utoipa::path(get, path = "/", tag = "Reference", security(()),
    responses((status = 302, description = "A redirect to the API reference")))]
pub(crate) async fn find_reference(State(reference): State<ReferenceContext>) -> Response {
    let mut response = StatusCode::FOUND.into_response();
    if let Ok(location) = HeaderValue::from_str(&format!("{}/api_reference", reference.api_url)) {
        response.headers_mut().insert(LOCATION, location);
    }
    response
}
