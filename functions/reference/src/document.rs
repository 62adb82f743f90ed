//! The OpenAPI document, with the URL of this installation instead of the example in the committed document.

use api::answer::JSON;
use axum::extract::State;
use axum::response::Response;
use http::HeaderMap;

use crate::ReferenceContext;
use crate::encoded::{Encoded, decompressed};

/// The base URL in the committed document, and in the texts that are made from it.
pub(crate) const EXAMPLE_ADDRESS: &str = "https://api.example.com";
const DOCUMENT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/openapi.json.gz"));

/// Get the OpenAPI document
///
/// Returns the OpenAPI 3.1 document of this API, with the URL of this installation. It is compressed with gzip if
/// `Accept-Encoding` allows it.
#[utoipa::path(get, path = "/v1/openapi.json", operation_id = "openapi.get", tag = "Reference",
    security(()),
    responses((status = 200, description = "The document", body = Object)))]
pub(crate) async fn get_document(State(reference): State<ReferenceContext>, request: HeaderMap) -> Response {
    let document = reference
        .document
        .get_or_init(|| Encoded::new(decompressed(DOCUMENT).replace(EXAMPLE_ADDRESS, &reference.api_url)));
    document.response(&request, JSON)
}
