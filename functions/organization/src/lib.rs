//! Operations on organization settings, admin keys, phone numbers and their assignment to apps.

mod admin_keys;
mod phone_numbers;
mod rate_card;
mod settings;

use runtime::Context;

api::routes! {
    pub fn routes(Context);
    settings::http::get_settings as "organization.settings.get" => SettingsRead,
    settings::http::update_settings as "organization.settings.update" => SettingsWrite,
    rate_card::http::get_rate_card as "organization.rateCard.get" => SettingsRead,
    rate_card::http::set_rate_card as "organization.rateCard.update" => SettingsWrite,
    admin_keys::http::list_admin_keys as "organization.adminKeys.list" => KeysRead,
    admin_keys::http::create_admin_key as "organization.adminKeys.create" => KeysWrite,
    admin_keys::http::update_admin_key as "organization.adminKeys.update" => KeysWrite,
    admin_keys::http::rotate_admin_key as "organization.adminKeys.rotate" => KeysWrite,
    admin_keys::http::delete_admin_key as "organization.adminKeys.delete" => KeysWrite,
    phone_numbers::http::list_phone_numbers as "organization.phoneNumbers.list" => NumbersRead,
    phone_numbers::http::create_phone_number as "organization.phoneNumbers.create" => NumbersWrite,
    phone_numbers::http::get_phone_number as "organization.phoneNumbers.get" => NumbersRead,
    phone_numbers::http::delete_phone_number as "organization.phoneNumbers.delete" => NumbersWrite,
    phone_numbers::http::assign_phone_number as "organization.apps.phoneNumbers.assign" => NumbersWrite,
    phone_numbers::http::unassign_phone_number as "organization.apps.phoneNumbers.unassign" => NumbersWrite,
    phone_numbers::own_http::list_own_phone_numbers as "phoneNumbers.list" => NumbersRead,
    phone_numbers::own_http::take_phone_number as "phoneNumbers.assign" => NumbersWrite,
    phone_numbers::own_http::give_back_phone_number as "phoneNumbers.unassign" => NumbersWrite,
}
