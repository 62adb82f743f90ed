//! The playground of the test app.

use serde_json::{Value, json};

use super::Case;
use super::Policy::{Member, TestApp, Tester};
use super::chat::number_of_test_app;
use crate::request::{Call, text};
use crate::world::Service;

const CHAT: &str = "/v1/playground/chat/inbound";
const SMS: &str = "/v1/playground/sms/inbound";
const USERS: &str = "/v1/playground/chat/phone-numbers/user";
const USERS_OF_ORGANIZATION: &str = "/v1/organization/playground/chat/phone-numbers/user";
const SYSTEM: &str = "/v1/playground/phone-numbers/system";
const NOTIFICATIONS: &str = "/v1/playground/notifications";
const SCENARIOS: &str = "/v1/playground/scenarios";
const SIMULATIONS: &str = "/v1/playground/simulations";
const SIMULATION: &str = "/v1/playground/simulations/{simulationId}";

pub(super) async fn cases(service: &impl Service, system: &str) -> Vec<Case> {
    let user = new_user(service).await;
    let number = number_of_test_app(service).await;
    let chat = written_by(&user);
    let sms = json!({"from": "+442079460111", "to": system, "text": "Hello"});
    let notification = json!({"field": "account_review_update", "value": {"decision": "APPROVED"}, "target": number});
    let scenario = json!({"scenario": "account_rejected", "target": number});
    let simulation = Call::post(SIMULATIONS).key(&service.org().test_app_key).json(&scenario);
    let simulation = text(&service.send(simulation).await.expect(201), "id");

    [
        Case::post(TestApp, CHAT, &[]).json(&chat).created(),
        Case::get(Member, USERS_OF_ORGANIZATION, &[]),
        Case::post(TestApp, USERS, &[]).created(),
        Case::get(TestApp, SYSTEM, &[]),
        Case::post(Tester, NOTIFICATIONS, &[]).json(&notification).accepted().naming_an_object(),
        Case::get(Tester, SCENARIOS, &[]),
        Case::post(Tester, SIMULATIONS, &[]).json(&scenario).created().naming_an_object(),
        Case::get(Tester, SIMULATION, &[&simulation]),
        Case::post(TestApp, SMS, &[]).json(&sms).created(),
    ]
    .into_iter()
    .map(Case::in_test_mode)
    .collect()
}

/// The first of the numbers that the test app was created with.
pub(super) async fn system_number(service: &impl Service) -> String {
    let system = service.send(Call::get(SYSTEM).key(&service.org().test_app_key)).await.expect(200);
    system["numbers"][0].as_str().unwrap().to_owned()
}

/// Receives a message of a new simulated user. Returns its id.
pub(super) async fn received_message(service: &impl Service) -> String {
    let message = written_by(&new_user(service).await);
    let message = Call::post(CHAT).key(&service.org().test_app_key).json(&message);
    text(&service.send(message).await.expect(201), "id")
}

async fn new_user(service: &impl Service) -> String {
    let user = service.send(Call::post(USERS).key(&service.org().test_app_key)).await;
    text(&user.expect(201), "number")
}

fn written_by(user: &str) -> Value {
    json!({"from": user, "type": "text", "text": {"body": "Hello"}})
}
