//! What needs no credential and no storage: health and the error catalogue. The gateway's `$default` route ends here too.

mod catalogue;
mod health;

use std::sync::Arc;

use api::context::Installation;
use axum::Router;
use axum::routing::get;
use utoipa::OpenApi;

pub fn routes(installation: Arc<Installation>) -> Router {
    Router::new()
        .route("/v1/health", get(health::get_health))
        .route("/v1/errors", get(catalogue::list_errors))
        .with_state(installation)
}

#[derive(OpenApi)]
#[openapi(paths(health::get_health, catalogue::list_errors))]
pub struct Api;
