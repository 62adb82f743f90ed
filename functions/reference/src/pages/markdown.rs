//! The API reference as Markdown, for programs that read it. `make contract` makes the texts from the OpenAPI document.

use std::sync::OnceLock;

use api::Rejection;
use api::path::{Opaque, Path};
use axum::extract::State;
use axum::response::Response;
use domain::Failure;
use http::header::{CACHE_CONTROL, X_CONTENT_TYPE_OPTIONS};
use http::{HeaderMap, HeaderValue};

use super::KEPT_FOR_A_MINUTE;
use crate::ReferenceContext;
use crate::document::EXAMPLE_ADDRESS;
use crate::encoded::{Encoded, decompressed};

include!(concat!(env!("OUT_DIR"), "/texts.rs"));

const MARKDOWN: HeaderValue = HeaderValue::from_static("text/markdown; charset=utf-8");
const PLAIN: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");

/// The texts with the URL of this installation, each made by the first request for it.
#[derive(Default)]
pub(crate) struct Texts([OnceLock<Encoded>; TEXTS.len()]);

/// Read the introduction as Markdown
///
/// Returns the introduction of the API reference with a list of all operations. Each page of the reference has such a twin for programs that read
/// text.
#[utoipa::path(get, path = "/api_reference.md", operation_id = "pages.introduction", tag = "Reference", security(()),
    responses((status = 200, description = "The text", body = String, content_type = "text/markdown")))]
pub(crate) async fn read_introduction(
    State(reference): State<ReferenceContext>,
    request: HeaderMap,
) -> Result<Response, Rejection> {
    response(&reference, "api_reference.md", MARKDOWN, &request)
}

/// Read a page of the API reference as Markdown
///
/// Returns the operations of one group with the objects that they take and return, such as `messages.md`, or `error-codes.md`.
#[utoipa::path(get, path = "/api_reference/{page}", operation_id = "pages.page", tag = "Reference", security(()),
    params(("page" = String, Path, description = "A name that `/llms.txt` lists, such as `messages.md`.")),
    responses((status = 200, description = "The text", body = String, content_type = "text/markdown")))]
pub(crate) async fn read_page(
    State(reference): State<ReferenceContext>,
    Path(Opaque(name)): Path<Opaque>,
    request: HeaderMap,
) -> Result<Response, Rejection> {
    response(&reference, &format!("api_reference/{name}"), MARKDOWN, &request)
}

/// List the pages for programs
///
/// Returns the addresses of all pages of the API reference as Markdown, in the form of [llms.txt](https://llmstxt.org).
#[utoipa::path(get, path = "/llms.txt", operation_id = "pages.index", tag = "Reference", security(()),
    responses((status = 200, description = "The list", body = String, content_type = "text/plain")))]
pub(crate) async fn list_pages(
    State(reference): State<ReferenceContext>,
    request: HeaderMap,
) -> Result<Response, Rejection> {
    response(&reference, "llms.txt", PLAIN, &request)
}

fn response(
    reference: &ReferenceContext,
    path: &str,
    content_type: HeaderValue,
    request: &HeaderMap,
) -> Result<Response, Rejection> {
    let found = TEXTS.iter().zip(&reference.texts.0).find(|((known, _), _)| *known == path);
    let ((_, packed), text) = found.ok_or_else(no_such_page)?;
    let text = text.get_or_init(|| Encoded::new(decompressed(packed).replace(EXAMPLE_ADDRESS, &reference.api_url)));
    let mut response = text.response(request, content_type);
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, KEPT_FOR_A_MINUTE);
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    Ok(response)
}

fn no_such_page() -> Failure {
    Failure::not_found_with("page", "The API reference has no such page. GET /llms.txt lists them.")
}
