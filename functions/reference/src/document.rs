//! The OpenAPI document, with this installation's address where the committed one has an example.

use api::answer::json;
use axum::extract::State;
use axum::response::Response;
use http::StatusCode;

use crate::ReferenceContext;

/// The address in the committed document.
const EXAMPLE_ADDRESS: &str = "https://api.example.com";
const DOCUMENT: &str = include_str!(concat!(env!("OUT_DIR"), "/openapi.json"));

/// Get this document
///
/// OpenAPI 3.1, with the address of this installation.
#[utoipa::path(get, path = "/v1/openapi.json", tag = "Reference", security(()),
    responses((status = 200, description = "The document", body = Object)))]
pub(crate) async fn get_document(State(reference): State<ReferenceContext>) -> Response {
    let document = reference.document.get_or_init(|| DOCUMENT.replace(EXAMPLE_ADDRESS, &reference.api_url).into());
    json(StatusCode::OK, document.clone())
}
