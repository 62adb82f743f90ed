//! The operations of an app key on its own app's webhooks and phone numbers.

use serde_json::json;

use super::Policy::App;
use super::organization::NUMBERS;
use super::webhooks::{Recovery, new_webhook, other_url, recover};
use super::{Case, created};
use crate::request::{Call, text};
use crate::world::Service;

const WEBHOOKS: &str = "/v1/webhooks";
const WEBHOOK: &str = "/v1/webhooks/{webhookId}";
const TEST: &str = "/v1/webhooks/{webhookId}/test";
const ROTATE: &str = "/v1/webhooks/{webhookId}/rotate-secret";
const DELIVERIES: &str = "/v1/webhooks/{webhookId}/deliveries";
const DELIVERY: &str = "/v1/webhooks/{webhookId}/deliveries/{deliveryId}";
const REDELIVER: &str = "/v1/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver";
const RECOVER: &str = "/v1/webhooks/{webhookId}/recover";
const RECOVERY: &str = "/v1/webhooks/{webhookId}/recoveries/{recoveryId}";
const OWN_NUMBERS: &str = "/v1/phone-numbers";
const OWN_NUMBER: &str = "/v1/phone-numbers/{phoneNumberId}";

pub(super) async fn cases(service: &impl Service, recovery: &Recovery) -> Vec<Case> {
    let key = &service.org().app_key;
    let hook = service.send(Call::post(WEBHOOKS).key(key).json(&new_webhook())).await;
    let hook = text(&hook.expect(201), "id");
    let delivery = service.send(Call::post(format!("{WEBHOOKS}/{hook}/test")).key(key)).await;
    let delivery = text(&delivery.expect(202), "id");
    let number = created(service, NUMBERS, &json!({"number": "+12015550102"})).await;

    vec![
        Case::get(App, WEBHOOKS, &[]),
        Case::post(App, WEBHOOKS, &[]).json(&new_webhook()).created(),
        Case::get(App, WEBHOOK, &[&hook]),
        Case::put(App, WEBHOOK, &[&hook]).json(&other_url()),
        Case::post(App, TEST, &[&hook]).accepted(),
        Case::post(App, ROTATE, &[&hook]),
        Case::get(App, DELIVERIES, &[&hook]),
        Case::get(App, DELIVERY, &[&hook, &delivery]),
        Case::post(App, REDELIVER, &[&hook, &delivery]).accepted(),
        Case::post(App, RECOVER, &[&hook]).json(&recover()).accepted(),
        Case::get(App, RECOVERY, &[&recovery.webhook, &recovery.id]),
        Case::delete(App, WEBHOOK, &[&hook]),
        Case::get(App, OWN_NUMBERS, &[]),
        Case::post(App, OWN_NUMBERS, &[]).json(&json!({"phoneNumberId": number})).naming_an_object(),
        Case::delete(App, OWN_NUMBER, &[&number]),
    ]
}
