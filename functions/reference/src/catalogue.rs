use api::answer::json;
use axum::extract::State;
use axum::response::Response;
use domain::{ErrorCode, ErrorType};
use http::StatusCode;
use serde::Serialize;
use utoipa::ToSchema;

use crate::ReferenceContext;

/// An error code and its meaning.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CatalogueEntry {
    code: &'static str,
    #[serde(rename = "type")]
    kind: ErrorType,
    /// The HTTP status that is usually returned with the code.
    status: u16,
    /// Whether the same request can succeed later without a change.
    retryable: bool,
    description: &'static str,
    /// The URL of the code's entry in the error reference.
    #[schema(format = "uri")]
    doc_url: String,
}

/// The catalogue of error codes.
#[derive(Serialize, ToSchema)]
pub(crate) struct Catalogue {
    data: Vec<CatalogueEntry>,
}

/// List the error codes
///
/// Returns every value that `error.code` can have.
#[utoipa::path(get, path = "/v1/errors", tag = "Reference", security(()),
    responses((status = 200, description = "All 44 codes", body = Catalogue)))]
pub(crate) async fn list_errors(State(reference): State<ReferenceContext>) -> Response {
    let catalogue = reference.catalogue.get_or_init(|| catalogue(&reference.installation.docs_url).into());
    json(StatusCode::OK, catalogue.clone())
}

fn catalogue(docs_url: &str) -> String {
    let entry = |code: &ErrorCode| {
        let entry = code.entry();
        CatalogueEntry {
            code: entry.code,
            kind: entry.kind,
            status: entry.status,
            retryable: entry.retryable,
            description: entry.description,
            doc_url: code.doc_url(docs_url),
        }
    };
    let catalogue = Catalogue { data: ErrorCode::ALL.iter().map(entry).collect() };
    #[expect(clippy::expect_used, reason = "texts and numbers only")]
    serde_json::to_string(&catalogue).expect("JSON")
}
