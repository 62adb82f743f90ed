use api::answer::JSON;
use api::status;
use axum::extract::State;
use axum::response::Response;
use domain::{ErrorCode, ErrorType};
use http::HeaderMap;
use serde::Serialize;
use utoipa::ToSchema;

use crate::ReferenceContext;
use crate::encoded::Encoded;

/// An error code and its meaning.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ErrorCatalogueEntry)]
pub(crate) struct CatalogueEntry {
    code: ErrorCode,
    #[serde(rename = "type")]
    error_type: ErrorType,
    /// The HTTP status that is returned with the code. `platform_api_error` and `carrier_api_error` are also returned with
    /// 422, if the provider rejected the request.
    status: u16,
    /// Whether the same request can succeed later without a change.
    retryable: bool,
    /// The meaning of the code.
    description: &'static str,
    /// The URL of the code's entry in the error reference.
    #[schema(format = "uri")]
    doc_url: String,
}

/// The catalogue of error codes.
#[derive(Serialize, ToSchema)]
#[schema(as = ErrorCatalogue)]
pub(crate) struct Catalogue {
    /// All codes.
    data: Vec<CatalogueEntry>,
}

/// List the error codes
///
/// Returns all values that `error.code` can have, with their meanings.
#[utoipa::path(get, path = "/v1/errors", operation_id = "errors.list", tag = "Reference",
    security(()),
    responses((status = 200, description = format!("All {} codes", ErrorCode::ALL.len()), body = Catalogue)))]
pub(crate) async fn list_errors(State(reference): State<ReferenceContext>, request: HeaderMap) -> Response {
    let catalogue = reference.catalogue.get_or_init(|| Encoded::new(catalogue(&reference.installation.docs_url)));
    catalogue.response(&request, JSON)
}

fn catalogue(docs_url: &str) -> String {
    let entry = |code: &ErrorCode| {
        let entry = code.entry();
        CatalogueEntry {
            code: *code,
            error_type: entry.error_type,
            status: status::of(entry.kind).as_u16(),
            retryable: entry.retryable,
            description: entry.description,
            doc_url: code.doc_url(docs_url),
        }
    };
    let catalogue = Catalogue { data: ErrorCode::ALL.iter().map(entry).collect() };
    #[expect(clippy::expect_used, reason = "texts and numbers only")]
    serde_json::to_string(&catalogue).expect("JSON")
}
