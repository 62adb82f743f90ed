//! Playground operations: simulated users, numbers and messages of test apps. Nothing is sent to a real recipient.

mod chat_inbound;
mod context;
mod notifications;
mod numbers;
mod scenarios;
mod simulations;
mod sms_inbound;

pub use context::PlaygroundContext;

api::routes! {
    pub fn routes(PlaygroundContext);
    numbers::http::list_user_numbers,
    numbers::http::create_user_number,
    numbers::http::list_system_numbers,
    chat_inbound::http::simulate_inbound_chat,
    notifications::http::simulate_notification,
    scenarios::http::list_scenarios,
    simulations::http::run_simulation,
    simulations::http::get_simulation,
    sms_inbound::http::simulate_inbound_sms,
}
