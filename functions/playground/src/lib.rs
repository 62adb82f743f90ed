//! The playground: simulated users, numbers and traffic of test apps. Nothing here leaves the service.

mod chat_messages;
mod numbers;
mod sms_messages;

use axum::Router;
use axum::routing::{get, post};
use runtime::Context;
use utoipa::OpenApi;

pub fn routes(context: Context) -> Router {
    use crate::{chat_messages::http as chat, numbers::http as numbers, sms_messages::http as sms};

    Router::new()
        .route("/v1/organization/playground/chat/phone-numbers/user", get(numbers::list_user_numbers))
        .route("/v1/playground/chat/phone-numbers/user", post(numbers::create_user_number))
        .route("/v1/playground/phone-numbers/system", get(numbers::list_system_numbers))
        .route("/v1/playground/chat/messages", post(chat::simulate_chat_message))
        .route("/v1/playground/sms/messages", post(sms::simulate_sms_message))
        .with_state(context)
}

#[derive(OpenApi)]
#[openapi(paths(
    numbers::http::list_user_numbers,
    numbers::http::create_user_number,
    numbers::http::list_system_numbers,
    chat_messages::http::simulate_chat_message,
    sms_messages::http::simulate_sms_message,
))]
pub struct Api;
