//! The OpenAPI document, with the URL of this installation instead of the example in the committed document.

use api::answer::json;
use axum::extract::State;
use axum::response::Response;
use http::StatusCode;

use crate::ReferenceContext;

/// The base URL in the committed document.
const EXAMPLE_ADDRESS: &str = "https://api.example.com";
const DOCUMENT: &str = include_str!(concat!(env!("OUT_DIR"), "/openapi.json"));

/// Get this document
///
/// Returns the OpenAPI 3.1 document of this API, with the URL of this installation.
#[utoipa::path(get, path = "/v1/openapi.json", tag = "Reference", security(()),
    responses((status = 200, description = "The document", body = Object)))]
pub(crate) async fn get_document(State(reference): State<ReferenceContext>) -> Response {
    let document = reference.document.get_or_init(|| DOCUMENT.replace(EXAMPLE_ADDRESS, &reference.api_url).into());
    json(StatusCode::OK, document.clone())
}
