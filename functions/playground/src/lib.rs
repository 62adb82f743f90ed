//! Playground operations: simulated users, numbers and messages of test apps. Nothing is sent to a real recipient.

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
