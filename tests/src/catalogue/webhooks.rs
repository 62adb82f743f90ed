//! The webhooks of the live app, for admin keys.

use serde_json::{Value, json};

use super::Policy::{Admin, Member};
use super::{Case, created};
use crate::request::{Call, text};
use crate::world::Service;

const WEBHOOKS: &str = "/v1/organization/apps/{appId}/webhooks";
const WEBHOOK: &str = "/v1/organization/apps/{appId}/webhooks/{webhookId}";
const TEST: &str = "/v1/organization/apps/{appId}/webhooks/{webhookId}/test";
const ROTATE: &str = "/v1/organization/apps/{appId}/webhooks/{webhookId}/rotate-secret";
const DELIVERIES: &str = "/v1/organization/apps/{appId}/webhooks/{webhookId}/deliveries";
const DELIVERY: &str = "/v1/organization/apps/{appId}/webhooks/{webhookId}/deliveries/{deliveryId}";
const REDELIVER: &str = "/v1/organization/apps/{appId}/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver";
const RECOVER: &str = "/v1/organization/apps/{appId}/webhooks/{webhookId}/recover";
const RECOVERY: &str = "/v1/organization/apps/{appId}/webhooks/{webhookId}/recoveries/{recoveryId}";
const EVENT: &str = "/v1/organization/events/{eventId}";

/// The value of the header of the webhook in the cases.
pub const HEADER_VALUE: &str = "blue-team-secret";

/// A recovery, and the webhook that it belongs to.
pub(super) struct Recovery {
    pub(super) webhook: String,
    pub(super) id: String,
}

/// The body that creates a webhook.
pub(super) fn new_webhook() -> Value {
    json!({"url": "https://example.com/a", "events": ["messages.sms.sent"], "headers": {"X-Team": HEADER_VALUE}})
}

/// The body that changes a webhook.
pub(super) fn other_url() -> Value {
    json!({"url": "https://example.com/b"})
}

/// The body of a recovery.
pub(super) fn recover() -> Value {
    json!({"since": "2026-01-01T00:00:00Z"})
}

/// The cases, and a recovery of another webhook of the app.
pub(super) async fn cases(service: &impl Service) -> (Vec<Case>, Recovery) {
    let app = &service.org().app;
    let path = format!("/v1/organization/apps/{app}/webhooks");
    let hook = created(service, &path, &new_webhook()).await;
    let delivery = service.admin(Call::post(format!("{path}/{hook}/test"))).await.expect(202);
    let (delivery, event) = (text(&delivery, "id"), text(&delivery, "eventId"));
    let webhook = created(service, &path, &new_webhook()).await;
    let recovery = service.admin(Call::post(format!("{path}/{webhook}/recover")).json(&recover())).await;
    let recovery = Recovery { webhook, id: text(&recovery.expect(202), "id") };

    let cases = vec![
        Case::get(Member, WEBHOOKS, &[app]),
        Case::post(Admin, WEBHOOKS, &[app]).json(&new_webhook()).created(),
        Case::get(Member, WEBHOOK, &[app, &hook]),
        Case::put(Admin, WEBHOOK, &[app, &hook]).json(&other_url()),
        Case::post(Admin, TEST, &[app, &hook]).accepted(),
        Case::post(Admin, ROTATE, &[app, &hook]),
        Case::get(Member, DELIVERIES, &[app, &hook]),
        Case::get(Member, DELIVERY, &[app, &hook, &delivery]),
        Case::get(Admin, EVENT, &[&event]),
        Case::post(Admin, REDELIVER, &[app, &hook, &delivery]).accepted(),
        Case::post(Admin, RECOVER, &[app, &hook]).json(&recover()).accepted(),
        Case::get(Member, RECOVERY, &[app, &recovery.webhook, &recovery.id]),
        Case::delete(Admin, WEBHOOK, &[app, &hook]),
    ];
    (cases, recovery)
}
