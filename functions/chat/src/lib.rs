//! The chat group: business profiles and their onboarding, phone numbers, templates, groups and messages.

mod groups;
mod messages;
mod numbers;
mod profiles;
mod templates;

use aws::presign::Presigner;
use aws::queue::Queue;
use axum::extract::FromRef;
use platform::Platforms;
use runtime::{Context, Environment};

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

api::routes! {
    pub fn routes(ChatContext);
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
}
