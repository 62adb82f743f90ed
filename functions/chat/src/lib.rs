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
    profiles::http::list_business_profiles => AccountsRead,
    profiles::http::complete_signup => AccountsWrite,
    profiles::connect_http::connect_account => AccountsWrite,
    profiles::http::get_business_profile => AccountsRead,
    profiles::connect_http::disconnect_account => AccountsWrite,
    links::http::list_onboarding_links => AccountsRead,
    links::http::create_onboarding_link => AccountsWrite,
    links::http::get_onboarding_link => AccountsRead,
    links::http::cancel_onboarding_link => AccountsWrite,
    links::customer_http::get_onboarding,
    links::customer_http::begin_onboarding,
    links::customer_http::complete_onboarding,
    links::customer_http::cancel_onboarding,
    platform_check::http::check_platform => AccountsRead,
    numbers::http::list_chat_phone_numbers => NumbersRead,
    numbers::http::register_chat_phone_number => NumbersWrite,
    numbers::http::get_chat_phone_number => NumbersRead,
    numbers::profile_http::get_number_profile => NumbersRead,
    numbers::profile_http::update_number_profile => NumbersWrite,
    numbers::verification_http::request_code => NumbersWrite,
    numbers::verification_http::verify_code => NumbersWrite,
    numbers::registration_http::register_number_again => NumbersWrite,
    numbers::registration_http::deregister_number => NumbersWrite,
    numbers::pin_http::change_pin => NumbersWrite,
    templates::http::list_templates => TemplatesRead,
    templates::create_http::create_template => TemplatesWrite,
    templates::http::sync_templates => TemplatesWrite,
    templates::manage_http::get_template => TemplatesRead,
    templates::manage_http::update_template => TemplatesWrite,
    templates::manage_http::delete_template => TemplatesWrite,
    templates::own_http::list_own_templates => TemplatesRead,
    messages::http::list_messages => MessagesRead,
    messages::http::get_message => MessagesRead,
    messages::own_http::list_own_messages => MessagesRead,
    messages::own_http::get_own_message => MessagesRead,
    blocked_users::http::list_blocked_users => GroupsRead,
    blocked_users::http::block_users => GroupsWrite,
    blocked_users::http::unblock_users => GroupsWrite,
    groups::manage_http::list_groups => GroupsRead,
    groups::http::create_group => GroupsWrite,
    groups::http::get_group => GroupsRead,
    groups::manage_http::update_group => GroupsWrite,
    groups::manage_http::delete_group => GroupsWrite,
    groups::participants_http::add_participants => GroupsWrite,
    groups::participants_http::remove_participants => GroupsWrite,
    groups::manage_http::replace_invite_link => GroupsWrite,
    groups::join_requests_http::list_join_requests => GroupsRead,
    groups::join_requests_http::approve_join_requests => GroupsWrite,
    groups::join_requests_http::reject_join_requests => GroupsWrite,
}
