//! The console: its page, and the files that the page loads. It is a client of this API, so neither needs a credential.

use axum::body::Body;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use domain::Failure;
use http::header::{CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use http::{HeaderMap, HeaderValue};

use api::Rejection;
use api::path::{Opaque, Path};

use super::html_response;
use crate::ReferenceContext;
use crate::assets::KEPT_FOR_EVER;
use crate::console::Files;
use crate::encoded::GZIP;

/// Open the console
///
/// Returns the page of the console, in which members of an organization use this API in their browser. It loads everything else from
/// `/console/{file}`.
#[utoipa::path(get, path = "/console", operation_id = "pages.console", tag = "Reference", security(()),
    responses((status = 200, description = "The page", body = String, content_type = "text/html"),
        (status = 404, description = "This installation has no console")))]
pub(crate) async fn open_console(
    State(reference): State<ReferenceContext>,
    request: HeaderMap,
) -> Result<Response, Rejection> {
    let mut response = html_response(&files(&reference)?.page, &request, None);
    let headers = response.headers_mut();
    // The names of its files change with every deployment.
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    if let Some(policy) = reference.console.policy() {
        headers.insert(CONTENT_SECURITY_POLICY, policy);
    }
    Ok(response)
}

/// Get a file of the console
///
/// Returns a script, style sheet or other file of the console. The name contains a hash of the content, so a response can be cached
/// permanently.
#[utoipa::path(get, path = "/console/{file}", operation_id = "pages.consoleFile", tag = "Reference", security(()),
    params(("file" = String, Path)),
    responses((status = 200, description = "The file, compressed with gzip",
        content((String = "text/javascript"), (String = "text/css"), (String = "image/svg+xml"),
            (String = "font/woff2")))))]
pub(crate) async fn get_console_file(
    State(reference): State<ReferenceContext>,
    Path(Opaque(name)): Path<Opaque>,
) -> Result<Response, Rejection> {
    let file = files(&reference)?.asset(&name).ok_or_else(no_such_file)?;
    let mut response = Body::from(file.gzip.clone()).into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(file.content_type));
    headers.insert(CONTENT_ENCODING, GZIP);
    headers.insert(CACHE_CONTROL, KEPT_FOR_EVER);
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    Ok(response)
}

fn files(reference: &ReferenceContext) -> Result<&Files, Failure> {
    reference.console.files().ok_or_else(|| Failure::no_such_path(&[]))
}

fn no_such_file() -> Failure {
    Failure::not_found_with("file", "The console has no such file. Reload its page: a deployment replaces its files.")
}
