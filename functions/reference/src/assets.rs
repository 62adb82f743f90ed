//! The files that the pages use, served by this API: the pages load nothing from other hosts.

use axum::body::Body;
use axum::response::{IntoResponse as _, Response};
use domain::Failure;
use http::HeaderValue;
use http::header::{CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE};

use api::Rejection;
use api::path::{Opaque, Path};

use crate::encoded::GZIP;

/// For files whose names contain a hash of their content.
pub(crate) const KEPT_FOR_EVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");

/// A file, compressed with gzip.
pub(crate) struct Asset {
    pub name: &'static str,
    content_type: &'static str,
    gzipped: &'static [u8],
}

include!(concat!(env!("OUT_DIR"), "/assets.rs"));

const ALL: [&Asset; 6] = [&RENDERER, &START, &ONBOARDING, &SIGN_IN, &CONSENT, &STYLE];

/// Get a file of the pages
///
/// Returns a script or style sheet of the pages. The name contains a hash of the content, so a response can be cached
/// permanently.
#[utoipa::path(get, path = "/api_reference/assets/{asset}", operation_id = "pages.asset", tag = "Reference",
    security(()),
    params(("asset" = String, Path)),
    responses((status = 200, description = "The file, compressed with gzip",
        content((String = "text/javascript"), (String = "text/css")))))]
pub(crate) async fn get_asset(Path(Opaque(name)): Path<Opaque>) -> Result<Response, Rejection> {
    let asset = ALL.into_iter().find(|asset| asset.name == name);
    let asset = asset.ok_or_else(|| Failure::not_found("asset", "file"))?;
    let mut response = Body::from(asset.gzipped).into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(asset.content_type));
    headers.insert(CONTENT_ENCODING, GZIP);
    headers.insert(CACHE_CONTROL, KEPT_FOR_EVER);
    Ok(response)
}
