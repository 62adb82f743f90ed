//! Organization settings, admin keys, phone numbers and their assignment to apps.

mod admin_keys;
mod phone_numbers;
mod settings;

use axum::Router;
use axum::routing::{delete, get, put};
use runtime::Context;
use utoipa::OpenApi;

pub fn routes(context: Context) -> Router {
    use admin_keys::http as keys;
    use phone_numbers::http as numbers;
    use settings::http as settings;

    Router::new()
        .route("/v1/organization/settings", get(settings::get_settings).patch(settings::update_settings))
        .route("/v1/organization/admin-keys", get(keys::list_admin_keys).post(keys::create_admin_key))
        .route("/v1/organization/admin-keys/{id}", delete(keys::delete_admin_key))
        .route("/v1/organization/phone-numbers", get(numbers::list_phone_numbers).post(numbers::create_phone_number))
        .route(
            "/v1/organization/phone-numbers/{phoneNumberId}",
            get(numbers::get_phone_number).delete(numbers::delete_phone_number),
        )
        .route(
            "/v1/organization/apps/{appId}/phone-numbers/{phoneNumberId}",
            put(numbers::assign_phone_number).delete(numbers::unassign_phone_number),
        )
        .with_state(context)
}

#[derive(OpenApi)]
#[openapi(paths(
    settings::http::get_settings,
    settings::http::update_settings,
    admin_keys::http::list_admin_keys,
    admin_keys::http::create_admin_key,
    admin_keys::http::delete_admin_key,
    phone_numbers::http::list_phone_numbers,
    phone_numbers::http::create_phone_number,
    phone_numbers::http::get_phone_number,
    phone_numbers::http::delete_phone_number,
    phone_numbers::http::assign_phone_number,
    phone_numbers::http::unassign_phone_number,
))]
pub struct Api;
