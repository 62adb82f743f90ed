//! Operations on organization settings, admin keys, phone numbers and their assignment to apps.

mod admin_keys;
mod phone_numbers;
mod settings;

use runtime::Context;

api::routes! {
    pub fn routes(Context);
    settings::http::get_settings => SettingsRead,
    settings::http::update_settings => SettingsWrite,
    admin_keys::http::list_admin_keys => KeysRead,
    admin_keys::http::create_admin_key => KeysWrite,
    admin_keys::http::update_admin_key => KeysWrite,
    admin_keys::http::rotate_admin_key => KeysWrite,
    admin_keys::http::delete_admin_key => KeysWrite,
    phone_numbers::http::list_phone_numbers => NumbersRead,
    phone_numbers::http::create_phone_number => NumbersWrite,
    phone_numbers::http::get_phone_number => NumbersRead,
    phone_numbers::http::delete_phone_number => NumbersWrite,
    phone_numbers::http::assign_phone_number => NumbersWrite,
    phone_numbers::http::unassign_phone_number => NumbersWrite,
    phone_numbers::own_http::list_own_phone_numbers => NumbersRead,
    phone_numbers::own_http::take_phone_number => NumbersWrite,
    phone_numbers::own_http::give_back_phone_number => NumbersWrite,
}
