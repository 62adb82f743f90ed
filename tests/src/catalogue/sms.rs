//! SMS, in test mode, which need no carrier.

use serde_json::json;

use super::Case;
use super::Policy::{Admin, AppInTestMode, Member};
use crate::request::{Call, text};
use crate::world::Service;

const SMS: &str = "/v1/sms";
const LOG: &str = "/v1/organization/sms/messages";

pub(super) async fn cases(service: &impl Service, system: &str) -> Vec<Case> {
    let body = |from: &str| json!({"from": from, "to": "+12025550123", "text": "Your order is on its way."});
    let sent = service.send(Call::post(SMS).key(&service.org().test_app_key).json(&body(system))).await.expect(201);
    let (message, number) = (text(&sent, "id"), text(&sent, "phoneNumberId"));
    let of_number = format!("phoneNumberId={number}");

    [
        Case::post(AppInTestMode, SMS, &[]).json(&body(&number)).created().naming_an_object(),
        Case::get(AppInTestMode, SMS, &[]).query(&of_number).naming_an_object(),
        Case::get(AppInTestMode, "/v1/sms/{messageId}", &[&message]),
        Case::get(Member, LOG, &[]).query(&of_number).naming_an_object(),
        Case::get(Admin, "/v1/organization/sms/messages/{messageId}", &[&message]),
    ]
    .into_iter()
    .map(Case::in_test_mode)
    .collect()
}
