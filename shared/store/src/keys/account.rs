//! Keys of organizations, their apps, credentials, webhooks and phone numbers, and of what is counted or remembered for them.

use domain::id::{AdminKeyId, AppId, AppKeyId, MediaId, OrganizationId, PhoneNumberId, SmsMessageId, WebhookId};
use domain::{E164, Mode};

use super::class::KeyClass;
use super::key::Key;

type Org = OrganizationId;

pub(crate) fn warm_up() -> Key {
    Key::alone(KeyClass::Credential, &[&"warm-up"])
}

pub(crate) fn credential(sha256: &str) -> Key {
    Key::alone(KeyClass::Credential, &[&sha256])
}

pub(crate) fn organization(o: &Org) -> Key {
    Key::alone(KeyClass::Organization, &[o])
}

pub(crate) fn counters(o: &Org) -> Key {
    Key::new(KeyClass::Organization.partition(&[o]), "COUNT")
}

pub(crate) fn organization_slug(slug: &str) -> Key {
    Key::alone(KeyClass::OrganizationSlug, &[&slug])
}

pub(crate) fn operator_request(request_id: &str) -> Key {
    Key::alone(KeyClass::OperatorRequest, &[&request_id])
}

pub(crate) fn admin_keys(o: &Org, mode: Mode) -> String {
    KeyClass::AdminKey.partition(&[o, &mode.as_str()])
}

pub(crate) fn admin_key(o: &Org, id: &AdminKeyId) -> Key {
    Key::new(admin_keys(o, id.mode()), id.ksuid())
}

pub(crate) fn apps(o: &Org, mode: Mode) -> String {
    KeyClass::App.partition(&[o, &mode.as_str()])
}

pub(crate) fn app(o: &Org, id: &AppId) -> Key {
    Key::new(apps(o, id.mode()), id.ksuid())
}

pub(crate) fn app_slug(o: &Org, slug: &str) -> Key {
    Key::new(KeyClass::AppSlug.partition(&[o]), slug)
}

pub(crate) fn app_keys(o: &Org, app: &AppId) -> String {
    KeyClass::AppKey.partition(&[o, app])
}

pub(crate) fn app_key(o: &Org, app: &AppId, id: &AppKeyId) -> Key {
    Key::new(app_keys(o, app), id.ksuid())
}

pub(crate) fn webhooks(o: &Org, app: &AppId) -> String {
    KeyClass::Webhook.partition(&[o, app])
}

pub(crate) fn webhook(o: &Org, app: &AppId, id: &WebhookId) -> Key {
    Key::new(webhooks(o, app), id.ksuid())
}

pub(crate) fn webhook_secrets(o: &Org, app: &AppId, id: &WebhookId) -> Key {
    Key::new(KeyClass::WebhookSecrets.partition(&[o, app]), id.ksuid())
}

pub(crate) fn deleted_apps(o: &Org) -> String {
    KeyClass::DeletedApp.partition(&[o])
}

pub(crate) fn deleted_app(o: &Org, app: &AppId) -> Key {
    Key::new(deleted_apps(o), app.ksuid())
}

pub(crate) fn phone_numbers(o: &Org, mode: Mode) -> String {
    KeyClass::PhoneNumber.partition(&[o, &mode.as_str()])
}

pub(crate) fn phone_number(o: &Org, id: &PhoneNumberId) -> Key {
    Key::new(phone_numbers(o, id.mode()), id.ksuid())
}

pub(crate) fn phone_number_claim(o: &Org, number: &E164) -> Key {
    Key::new(KeyClass::PhoneNumberClaim.partition(&[o]), number.as_str())
}

/// `period` counts hours or days since the epoch.
pub(crate) fn spent(o: &Org, scope: &str, period: i64) -> Key {
    Key::new(KeyClass::Spent.partition(&[o, &scope]), format!("{period:010}"))
}

const PENDING: &str = "PENDING";

pub(crate) fn pending_uploads(o: &Org, app: &AppId) -> Key {
    Key::new(KeyClass::Spent.partition(&[o, app]), PENDING)
}

pub(crate) fn is_pending_uploads(key: &Key) -> bool {
    key.class() == Some(KeyClass::Spent) && key.sort == PENDING
}

pub(crate) fn media(o: &Org, id: &MediaId) -> Key {
    Key::alone(KeyClass::Media, &[o, id])
}

pub(crate) fn sms_message(o: &Org, id: &SmsMessageId) -> Key {
    Key::alone(KeyClass::SmsMessage, &[o, id])
}

pub(crate) fn idempotent_answer(o: &Org, hash: &str) -> Key {
    Key::alone(KeyClass::IdempotentAnswer, &[o, &hash])
}
