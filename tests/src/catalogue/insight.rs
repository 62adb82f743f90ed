//! What has happened to messages, in test mode.

use serde_json::json;

use super::Case;
use super::Policy::{Admin, AppInTestMode, Member};
use crate::request::{Call, text};
use crate::world::Service;

pub(super) async fn cases(service: &impl Service, system: &str) -> Vec<Case> {
    let key = &service.org().test_app_key;
    let sms = |to: &str| Call::post("/v1/sms").key(key).json(&json!({"from": system, "to": to, "text": "Hello"}));
    let sent = text(&service.send(sms("+12025550123")).await.expect(201), "id");
    // A number of the simulation whose carrier refuses the message.
    service.send(sms("+99940001")).await;

    [
        Case::get(AppInTestMode, "/v1/sms/{messageId}/timeline", &[&sent]),
        Case::get(Admin, "/v1/organization/sms/messages/{messageId}/timeline", &[&sent]),
        Case::get(AppInTestMode, "/v1/failures", &[]),
        Case::get(Member, "/v1/organization/failures", &[]),
        Case::get(AppInTestMode, "/v1/usage", &[]),
        Case::get(Member, "/v1/organization/usage", &[]),
        Case::get(Member, "/v1/organization/attention", &[]),
    ]
    .into_iter()
    .map(Case::in_test_mode)
    .collect()
}
