//! What needs no credential and no storage: health, the error catalogue, and the gateway's `$default` route.

mod catalogue;
mod health;
mod unknown;

use std::sync::Arc;

use api::context::Installation;
use axum::Router;
use axum::routing::get;
use utoipa::OpenApi;

pub fn routes(installation: Arc<Installation>) -> Router {
    Router::new()
        .route("/v1/health", get(health::get_health))
        .route("/v1/errors", get(catalogue::list_errors))
        // The gateway sends here whatever none of its routes takes: paths of other functions among them.
        .fallback(unknown::answer)
        .method_not_allowed_fallback(unknown::answer)
        .with_state(installation)
}

#[derive(OpenApi)]
#[openapi(paths(health::get_health, catalogue::list_errors))]
pub struct Api;
