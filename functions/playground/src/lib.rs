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
    numbers::http::list_user_numbers => PlaygroundRead,
    numbers::http::create_user_number => PlaygroundWrite,
    numbers::http::list_system_numbers => PlaygroundRead,
    chat_inbound::http::simulate_inbound_chat => PlaygroundWrite,
    notifications::http::simulate_notification => PlaygroundWrite,
    scenarios::http::list_scenarios => PlaygroundRead,
    simulations::http::run_simulation => PlaygroundWrite,
    simulations::http::get_simulation => PlaygroundRead,
    sms_inbound::http::simulate_inbound_sms => PlaygroundWrite,
}
