//! Chat operations: business profiles, their signup and check, onboarding links, phone numbers, templates, groups and
//! messages.

mod audit;
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
    pub fn routes(ChatContext) beside ["POST /v1/chat/messages/read", "POST /v1/chat/messages/typing"];
    profiles::http::list_business_profiles as "organization.chat.businessProfiles.list" => AccountsRead,
    profiles::http::complete_signup as "organization.chat.businessProfiles.completeSignup" => AccountsWrite,
    profiles::connect_http::connect_account as "organization.chat.businessProfiles.connect" => AccountsWrite,
    profiles::http::get_business_profile as "organization.chat.businessProfiles.get" => AccountsRead,
    profiles::connect_http::disconnect_account as "organization.chat.businessProfiles.disconnect" => AccountsWrite,
    links::http::list_onboarding_links as "organization.chat.onboardingLinks.list" => AccountsRead,
    links::http::create_onboarding_link as "organization.chat.onboardingLinks.create" => AccountsWrite,
    links::http::get_onboarding_link as "organization.chat.onboardingLinks.get" => AccountsRead,
    links::http::cancel_onboarding_link as "organization.chat.onboardingLinks.cancel" => AccountsWrite,
    links::customer_http::get_onboarding as "onboarding.get",
    links::customer_http::begin_onboarding as "onboarding.beginSignup",
    links::customer_http::complete_onboarding as "onboarding.complete",
    links::customer_http::cancel_onboarding as "onboarding.cancel",
    platform_check::http::check_platform as "organization.chat.platformCheck.get" => AccountsRead,
    numbers::http::list_chat_phone_numbers as "organization.chat.phoneNumbers.list" => NumbersRead,
    numbers::http::register_chat_phone_number as "organization.chat.phoneNumbers.register" => NumbersWrite,
    numbers::http::get_chat_phone_number as "organization.chat.phoneNumbers.get" => NumbersRead,
    numbers::profile_http::get_number_profile as "organization.chat.phoneNumbers.businessProfile.get" => NumbersRead,
    numbers::profile_http::update_number_profile as "organization.chat.phoneNumbers.businessProfile.update" => NumbersWrite,
    numbers::verification_http::request_code as "organization.chat.phoneNumbers.requestCode" => NumbersWrite,
    numbers::verification_http::verify_code as "organization.chat.phoneNumbers.verifyCode" => NumbersWrite,
    numbers::registration_http::register_number_again as "organization.chat.phoneNumbers.registerAgain" => NumbersWrite,
    numbers::registration_http::deregister_number as "organization.chat.phoneNumbers.deregister" => NumbersWrite,
    numbers::pin_http::change_pin as "organization.chat.phoneNumbers.pin.update" => NumbersWrite,
    templates::http::list_templates as "organization.chat.templates.list" => TemplatesRead,
    templates::create_http::create_template as "organization.chat.templates.create" => TemplatesWrite,
    templates::http::sync_templates as "organization.chat.templates.sync" => TemplatesWrite,
    templates::manage_http::get_template as "organization.chat.templates.get" => TemplatesRead,
    templates::manage_http::update_template as "organization.chat.templates.update" => TemplatesWrite,
    templates::manage_http::delete_template as "organization.chat.templates.delete" => TemplatesWrite,
    templates::own_http::list_own_templates as "chat.templates.list" => TemplatesRead,
    messages::http::list_messages as "organization.chat.messages.list" => MessagesRead,
    messages::http::get_message as "organization.chat.messages.get" => MessagesRead,
    messages::own_http::list_own_messages as "chat.messages.list" => MessagesRead,
    messages::own_http::get_own_message as "chat.messages.get" => MessagesRead,
    blocked_users::http::list_blocked_users as "chat.phoneNumbers.blockedUsers.list" => GroupsRead,
    blocked_users::http::block_users as "chat.phoneNumbers.blockedUsers.block" => GroupsWrite,
    blocked_users::http::unblock_users as "chat.phoneNumbers.blockedUsers.unblock" => GroupsWrite,
    groups::manage_http::list_groups as "chat.groups.list" => GroupsRead,
    groups::http::create_group as "chat.groups.create" => GroupsWrite,
    groups::http::get_group as "chat.groups.get" => GroupsRead,
    groups::manage_http::update_group as "chat.groups.update" => GroupsWrite,
    groups::manage_http::delete_group as "chat.groups.delete" => GroupsWrite,
    groups::participants_http::add_participants as "chat.groups.participants.add" => GroupsWrite,
    groups::participants_http::remove_participants as "chat.groups.participants.remove" => GroupsWrite,
    groups::manage_http::replace_invite_link as "chat.groups.replaceInviteLink" => GroupsWrite,
    groups::join_requests_http::list_join_requests as "chat.groups.joinRequests.list" => GroupsRead,
    groups::join_requests_http::approve_join_requests as "chat.groups.joinRequests.approve" => GroupsWrite,
    groups::join_requests_http::reject_join_requests as "chat.groups.joinRequests.reject" => GroupsWrite,
}
