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
    numbers::http::list_user_numbers as "organization.playground.chat.userNumbers.list" => PlaygroundRead,
    numbers::http::create_user_number as "playground.chat.userNumbers.create" => PlaygroundWrite,
    numbers::http::list_system_numbers as "playground.systemNumbers.list" => PlaygroundRead,
    chat_inbound::http::simulate_inbound_chat as "playground.chat.simulateInbound" => PlaygroundWrite,
    notifications::http::simulate_notification as "playground.notifications.simulate" => PlaygroundWrite,
    scenarios::http::list_scenarios as "playground.scenarios.list" => PlaygroundRead,
    simulations::http::run_simulation as "playground.simulations.run" => PlaygroundWrite,
    simulations::http::get_simulation as "playground.simulations.get" => PlaygroundRead,
    sms_inbound::http::simulate_inbound_sms as "playground.sms.simulateInbound" => PlaygroundWrite,
}
