//! The playground: simulated users, numbers and traffic of test apps. Nothing here leaves the service.

mod chat_messages;
mod numbers;
mod sms_messages;

use runtime::Context;

api::routes! {
    pub fn routes(Context);
    numbers::http::list_user_numbers,
    numbers::http::create_user_number,
    numbers::http::list_system_numbers,
    chat_messages::http::simulate_chat_message,
    sms_messages::http::simulate_sms_message,
}
