//! The chat group: business profiles and their onboarding, phone numbers, templates, groups and messages.

mod groups;
mod messages;
mod numbers;
mod profiles;
mod templates;

use aws::presign::Presigner;
use aws::queue::Queue;
use axum::Router;
use axum::extract::FromRef;
use axum::routing::{delete, get, post};
use platform::Platforms;
use runtime::{Context, Environment};
use utoipa::OpenApi;

pub use profiles::SIGNUP_BUDGET;
pub use templates::SYNC_PATIENCE;

#[derive(Clone)]
pub struct ChatContext {
    pub context: Context,
    pub platforms: Platforms,
    pub presigner: Presigner,
    pub queue: Queue,
    /// How long E7 waits for its job.
    pub sync_patience: std::time::Duration,
}

impl ChatContext {
    pub fn from_environment(environment: &mut Environment) -> Result<Self, String> {
        let connection = environment.connection()?;
        Ok(ChatContext {
            context: environment.context(&connection),
            platforms: platform::from_environment(&connection, |name| environment.required(name))?,
            presigner: Presigner::new(&connection, &environment.required("BUCKET_NAME")),
            queue: Queue::new(&connection, environment.required("QUEUE_URL")),
            sync_patience: SYNC_PATIENCE,
        })
    }
}

impl FromRef<ChatContext> for Context {
    fn from_ref(chat: &ChatContext) -> Self {
        chat.context.clone()
    }
}

pub fn routes(chat: ChatContext) -> Router {
    use crate::groups::http as groups;
    use crate::messages::http as messages;
    use crate::numbers::http as numbers;
    use crate::profiles::http as profiles;
    use crate::templates::http as templates;

    Router::new()
        .route("/v1/organization/chat/business-profiles", get(profiles::list_business_profiles))
        .route("/v1/organization/chat/business-profiles/callback", post(profiles::complete_signup))
        .route("/v1/organization/chat/business-profiles/{profileId}", get(profiles::get_business_profile))
        .route(
            "/v1/organization/chat/phone-numbers",
            get(numbers::list_chat_phone_numbers).post(numbers::register_chat_phone_number),
        )
        .route("/v1/organization/chat/phone-numbers/{chatPhoneNumberId}", get(numbers::get_chat_phone_number))
        .route("/v1/organization/chat/templates", get(templates::list_templates))
        .route("/v1/organization/chat/templates/sync", post(templates::sync_templates))
        .route("/v1/organization/chat/messages", get(messages::list_messages))
        .route("/v1/organization/chat/messages/{messageId}", get(messages::get_message))
        .route("/v1/chat/groups", post(groups::create_group))
        .route("/v1/chat/groups/{groupId}", get(groups::get_group))
        .route("/v1/chat/groups/{groupId}/participants", delete(groups::remove_participants))
        .with_state(chat)
}

#[derive(OpenApi)]
#[openapi(paths(
    profiles::http::list_business_profiles,
    profiles::http::complete_signup,
    profiles::http::get_business_profile,
    numbers::http::list_chat_phone_numbers,
    numbers::http::register_chat_phone_number,
    numbers::http::get_chat_phone_number,
    templates::http::list_templates,
    templates::http::sync_templates,
    messages::http::list_messages,
    messages::http::get_message,
    groups::http::create_group,
    groups::http::get_group,
    groups::http::remove_participants,
))]
pub struct Api;
