//! Chat operations: business profiles and their signup, phone numbers, templates, groups and messages.

mod context;
mod groups;
mod messages;
mod numbers;
mod profiles;
mod templates;

pub use context::{ChatContext, SYNC_PATIENCE};
pub use profiles::SIGNUP_BUDGET;

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
