//! Operations on organization settings, admin keys, phone numbers and their assignment to apps.

mod admin_keys;
mod phone_numbers;
mod settings;

use runtime::Context;

api::routes! {
    pub fn routes(Context);
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
    phone_numbers::own_http::list_own_phone_numbers,
    phone_numbers::own_http::take_phone_number,
    phone_numbers::own_http::give_back_phone_number,
}
