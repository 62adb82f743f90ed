//! Apps with their keys, webhooks and calling configuration.

mod apps;
mod calling;
mod keys;
mod webhooks;

use aws::queue::Queue;
use axum::Router;
use axum::extract::FromRef;
use axum::routing::{delete, get, post};
use runtime::{Context, Environment};
use utoipa::OpenApi;

#[derive(Clone)]
pub struct AppsContext {
    pub context: Context,
    /// The deliveries'.
    pub queue: Queue,
}

impl AppsContext {
    pub fn from_environment(environment: &mut Environment) -> Result<Self, String> {
        let connection = environment.connection()?;
        let context = environment.context(&connection);
        Ok(AppsContext { context, queue: Queue::new(&connection, environment.required("DELIVERY_QUEUE_URL")) })
    }
}

impl FromRef<AppsContext> for Context {
    fn from_ref(apps: &AppsContext) -> Self {
        apps.context.clone()
    }
}

pub fn routes(context: AppsContext) -> Router {
    use crate::webhooks::{deliveries::http as deliveries, http as webhooks};
    use crate::{apps::http as apps, calling::http as calling, keys::http as keys};

    Router::new()
        .route("/v1/organization/apps", get(apps::list_apps).post(apps::create_app))
        .route("/v1/organization/apps/{appId}", get(apps::get_app).patch(apps::update_app).delete(apps::delete_app))
        .route("/v1/organization/apps/{appId}/keys", get(keys::list_app_keys).post(keys::create_app_key))
        .route("/v1/organization/apps/{appId}/keys/{keyId}", delete(keys::delete_app_key))
        .route("/v1/organization/apps/{appId}/webhooks", get(webhooks::list_webhooks).post(webhooks::create_webhook))
        .route(
            "/v1/organization/apps/{appId}/webhooks/{webhookId}",
            get(webhooks::get_webhook).put(webhooks::update_webhook).delete(webhooks::delete_webhook),
        )
        .route("/v1/organization/apps/{appId}/webhooks/{webhookId}/test", post(deliveries::test_webhook))
        .route("/v1/organization/apps/{appId}/webhooks/{webhookId}/rotate-secret", post(webhooks::rotate_secret))
        .route("/v1/organization/apps/{appId}/webhooks/{webhookId}/deliveries", get(deliveries::list_deliveries))
        .route(
            "/v1/organization/apps/{appId}/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver",
            post(deliveries::redeliver),
        )
        .route("/v1/organization/apps/{appId}/calling", get(calling::get_calling).put(calling::set_calling))
        .with_state(context)
}

#[derive(OpenApi)]
#[openapi(paths(
    apps::http::list_apps,
    apps::http::create_app,
    apps::http::get_app,
    apps::http::update_app,
    apps::http::delete_app,
    keys::http::list_app_keys,
    keys::http::create_app_key,
    keys::http::delete_app_key,
    webhooks::http::list_webhooks,
    webhooks::http::create_webhook,
    webhooks::http::get_webhook,
    webhooks::http::update_webhook,
    webhooks::http::delete_webhook,
    webhooks::deliveries::http::test_webhook,
    webhooks::http::rotate_secret,
    webhooks::deliveries::http::list_deliveries,
    webhooks::deliveries::http::redeliver,
    calling::http::get_calling,
    calling::http::set_calling,
))]
pub struct Api;
