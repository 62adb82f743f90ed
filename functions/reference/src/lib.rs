//! What needs no credential and no storage: health, the error catalogue, the OpenAPI document and the pages. The gateway's
//! `$default` route ends here too.

mod assets;
mod catalogue;
mod document;
mod health;
mod pages;

use std::sync::{Arc, OnceLock};

use axum::Router;
use axum::routing::get;
use bytes::Bytes;
use runtime::{Environment, Installation};
use utoipa::OpenApi;

#[derive(Clone)]
pub struct ReferenceContext {
    pub installation: Arc<Installation>,
    /// The API's own address, without a slash at its end.
    api_url: String,
    /// With that address; made when it is first asked for.
    document: Arc<OnceLock<Bytes>>,
    /// The same of the error codes.
    catalogue: Arc<OnceLock<Bytes>>,
}

impl ReferenceContext {
    pub fn new(installation: Arc<Installation>, api_url: &str) -> Self {
        let api_url = api_url.trim_end_matches('/').to_owned();
        ReferenceContext { installation, api_url, document: Arc::default(), catalogue: Arc::default() }
    }

    pub fn from_environment(environment: &mut Environment) -> Self {
        let api_url = environment.required("API_URL");
        Self::new(Arc::new(environment.installation()), &api_url)
    }
}

pub fn routes(context: ReferenceContext) -> Router {
    use crate::pages::{errors, reference};

    Router::new()
        .route("/", get(reference::find_reference))
        .route("/v1/health", get(health::get_health))
        .route("/v1/errors", get(catalogue::list_errors))
        .route("/v1/openapi.json", get(document::get_document))
        .route("/api_reference", get(reference::read_reference))
        .route("/api_reference/error-codes", get(errors::read_errors))
        .route("/api_reference/assets/{asset}", get(assets::get_asset))
        .with_state(context)
}

#[derive(OpenApi)]
#[openapi(paths(
    pages::reference::find_reference,
    health::get_health,
    catalogue::list_errors,
    document::get_document,
    pages::reference::read_reference,
    pages::errors::read_errors,
    assets::get_asset,
))]
pub struct Api;
