//! Every key of the table. The partition key begins with its class and then the organization, so that a function's
//! policy can list the classes it may touch (`dynamodb:LeadingKeys`).
//!
//! | class | partition key | sort key | serves |
//! |---|---|---|---|
//! | credential, session | `CRED#<sha256>` | `CRED` | every request |
//! | organization; its counters | `ORG#o` | `ORG`; `COUNT` | E14, limits |
//! | organization slug | `ORGSLUG#<slug>` | `ORGSLUG` | unique over the installation |
//! | operator's request | `ORGREQ#<request id>` | `ORGREQ` | a repeated request makes no second organization |
//! | admin key | `AKEY#o#<mode>` | `<ksuid>` | list, E17 |
//! | app | `APP#o#<mode>` | `<ksuid>` | list, get, calling, E16 |
//! | app slug | `APPSLUG#o` | `<slug>` | unique in the organization |
//! | app key | `APPKEY#o#a` | `<ksuid>` | list, deletion of key and app |
//! | webhook | `HOOK#o#a` | `<ksuid>` | E4 to E6, list |
//! | webhook secret and header values | `SEC#o#a` | `<webhook ksuid>` | E4, E5, delivery |
//! | deleted app, until what hung under it is gone | `GONE#o` | `<app ksuid>` | sweep |
//! | phone number | `NUM#o#<mode>` | `<ksuid>` | list, get, E13, `affectedApps` |
//! | phone number's claim on its digits | `NUMCLAIM#o` | `<+n>` | unique in the organization |
//! | chat business profile | `WABP#o#<mode>` | `<id>` | E11 |
//! | chat phone number | `WAPN#o#<mode>` | `<ksuid>` | get, assignment, playground |
//! | playground number given out | `PGNUM#o` | `<+n>` | E15, never given out twice |
//! | playground user, by first use | `PGUSED#o` | `<time>#<+n>` | E1 |
//! | chat message | `MSG#o#m` | `MSG` | E12 |
//! | chat messages of a number | `MSGLIST#o#n` | `<ksuid>` | list |
//! | SMS message | `SMS#o#m` | `SMS` | the playground's record |
//! | media | `MEDIA#o#m` | `MEDIA` | E9, get, delete; one partition each, so that uploads spread |
//! | idempotent answer | `IDEM#o#<hash>` | `IDEM` | retries of a POST |
//!
//! Identifiers and slugs contain no `#`, so no two objects can share a key.

use domain::id::{
    AdminKeyId, AppId, AppKeyId, ChatBusinessProfileId, ChatMessageId, ChatPhoneNumberId, Identifier as _, MediaId,
    OrganizationId, PhoneNumberId, SmsMessageId, WebhookId,
};
use domain::number::NumberId;
use domain::{E164, Mode, Timestamp};

/// The primary key of one item.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    pub partition: String,
    pub sort: String,
}

impl Key {
    fn new(partition: String, sort: impl Into<String>) -> Self {
        Key { partition, sort: sort.into() }
    }
}

type Org = OrganizationId;

pub(crate) fn warm_up() -> Key {
    Key::new("CRED#warm-up".to_owned(), "CRED")
}

pub(crate) fn credential(sha256: &str) -> Key {
    Key::new(format!("CRED#{sha256}"), "CRED")
}

pub(crate) fn organization(o: &Org) -> Key {
    Key::new(format!("ORG#{o}"), "ORG")
}

pub(crate) fn counters(o: &Org) -> Key {
    Key::new(format!("ORG#{o}"), "COUNT")
}

pub(crate) fn organization_slug(slug: &str) -> Key {
    Key::new(format!("ORGSLUG#{slug}"), "ORGSLUG")
}

pub(crate) fn operator_request(request_id: &str) -> Key {
    Key::new(format!("ORGREQ#{request_id}"), "ORGREQ")
}

pub(crate) fn admin_keys(o: &Org, mode: Mode) -> String {
    format!("AKEY#{o}#{}", mode.as_str())
}

pub(crate) fn admin_key(o: &Org, id: &AdminKeyId) -> Key {
    Key::new(admin_keys(o, id.mode()), id.ksuid())
}

pub(crate) fn apps(o: &Org, mode: Mode) -> String {
    format!("APP#{o}#{}", mode.as_str())
}

pub(crate) fn app(o: &Org, id: &AppId) -> Key {
    Key::new(apps(o, id.mode()), id.ksuid())
}

pub(crate) fn app_slug(o: &Org, slug: &str) -> Key {
    Key::new(format!("APPSLUG#{o}"), slug)
}

pub(crate) fn app_keys(o: &Org, app: &AppId) -> String {
    format!("APPKEY#{o}#{app}")
}

pub(crate) fn app_key(o: &Org, app: &AppId, id: &AppKeyId) -> Key {
    Key::new(app_keys(o, app), id.ksuid())
}

pub(crate) fn webhooks(o: &Org, app: &AppId) -> String {
    format!("HOOK#{o}#{app}")
}

pub(crate) fn webhook(o: &Org, app: &AppId, id: &WebhookId) -> Key {
    Key::new(webhooks(o, app), id.ksuid())
}

pub(crate) fn webhook_secrets(o: &Org, app: &AppId, id: &WebhookId) -> Key {
    Key::new(format!("SEC#{o}#{app}"), id.ksuid())
}

pub(crate) fn deleted_app(o: &Org, app: &AppId) -> Key {
    Key::new(format!("GONE#{o}"), app.ksuid())
}

pub(crate) fn phone_numbers(o: &Org, mode: Mode) -> String {
    format!("NUM#{o}#{}", mode.as_str())
}

pub(crate) fn phone_number(o: &Org, id: &PhoneNumberId) -> Key {
    Key::new(phone_numbers(o, id.mode()), id.ksuid())
}

pub(crate) fn phone_number_claim(o: &Org, number: &E164) -> Key {
    Key::new(format!("NUMCLAIM#{o}"), number.as_str())
}

pub(crate) fn chat_business_profile(o: &Org, mode: Mode, id: &ChatBusinessProfileId) -> Key {
    Key::new(format!("WABP#{o}#{}", mode.as_str()), id.as_str())
}

pub(crate) fn chat_phone_number(o: &Org, id: &ChatPhoneNumberId) -> Key {
    Key::new(format!("WAPN#{o}#{}", id.mode().as_str()), id.ksuid())
}

pub(crate) fn number(o: &Org, id: &NumberId) -> Key {
    match id {
        NumberId::Phone(id) => phone_number(o, id),
        NumberId::Chat(id) => chat_phone_number(o, id),
    }
}

pub(crate) fn playground_number(o: &Org, number: &E164) -> Key {
    Key::new(format!("PGNUM#{o}"), number.as_str())
}

pub(crate) fn playground_users_by_first_use(o: &Org) -> String {
    format!("PGUSED#{o}")
}

pub(crate) fn playground_user_used(o: &Org, first_use: Timestamp, number: &E164) -> Key {
    Key::new(playground_users_by_first_use(o), format!("{first_use}#{number}"))
}

pub(crate) fn chat_message(o: &Org, id: &ChatMessageId) -> Key {
    Key::new(format!("MSG#{o}#{id}"), "MSG")
}

pub(crate) fn chat_message_of_number(o: &Org, number: &ChatPhoneNumberId, id: &ChatMessageId) -> Key {
    Key::new(format!("MSGLIST#{o}#{number}"), id.ksuid())
}

pub(crate) fn sms_message(o: &Org, id: &SmsMessageId) -> Key {
    Key::new(format!("SMS#{o}#{id}"), "SMS")
}

pub(crate) fn media(o: &Org, id: &MediaId) -> Key {
    Key::new(format!("MEDIA#{o}#{id}"), "MEDIA")
}

pub(crate) fn idempotent_answer(o: &Org, hash: &str) -> Key {
    Key::new(format!("IDEM#{o}#{hash}"), "IDEM")
}
