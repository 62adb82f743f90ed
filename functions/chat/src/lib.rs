//! Chat operations: business profiles, their signup and check, onboarding links, phone numbers, templates, groups and
//! messages.

mod blocked_users;
mod context;
mod groups;
mod links;
mod messages;
mod numbers;
mod parts;
mod platform_check;
mod profiles;
mod templates;
mod uploads;

pub use context::{ChatContext, SYNC_PATIENCE};
pub use profiles::SIGNUP_BUDGET;

api::routes! {
    pub fn routes(ChatContext);
    profiles::http::list_business_profiles,
    profiles::http::complete_signup,
    profiles::connect_http::connect_account,
    profiles::http::get_business_profile,
    profiles::connect_http::disconnect_account,
    links::http::list_onboarding_links,
    links::http::create_onboarding_link,
    links::http::get_onboarding_link,
    links::http::cancel_onboarding_link,
    links::customer_http::get_onboarding,
    links::customer_http::begin_onboarding,
    links::customer_http::complete_onboarding,
    links::customer_http::cancel_onboarding,
    platform_check::http::check_platform,
    numbers::http::list_chat_phone_numbers,
    numbers::http::register_chat_phone_number,
    numbers::http::get_chat_phone_number,
    numbers::profile_http::get_number_profile,
    numbers::profile_http::update_number_profile,
    numbers::verification_http::request_code,
    numbers::verification_http::verify_code,
    numbers::registration_http::register_number_again,
    numbers::registration_http::deregister_number,
    numbers::pin_http::change_pin,
    templates::http::list_templates,
    templates::create_http::create_template,
    templates::http::sync_templates,
    templates::manage_http::get_template,
    templates::manage_http::update_template,
    templates::manage_http::delete_template,
    templates::own_http::list_own_templates,
    messages::http::list_messages,
    messages::http::get_message,
    messages::own_http::list_own_messages,
    messages::own_http::get_own_message,
    blocked_users::http::list_blocked_users,
    blocked_users::http::block_users,
    blocked_users::http::unblock_users,
    groups::manage_http::list_groups,
    groups::http::create_group,
    groups::http::get_group,
    groups::manage_http::update_group,
    groups::manage_http::delete_group,
    groups::participants_http::add_participants,
    groups::participants_http::remove_participants,
    groups::manage_http::replace_invite_link,
    groups::join_requests_http::list_join_requests,
    groups::join_requests_http::approve_join_requests,
    groups::join_requests_http::reject_join_requests,
}
