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
//! | chat business profile | `WABP#o#<mode>` | `<ksuid>` | E11, list |
//! | live claim on a platform account | `WABA#<platform id>` | `REF` | E2, E3, notification -> organization |
//! | simulated claim on one | `WABASIM#o` | `<platform id>` | E2, E3 in test mode, the organization's own |
//! | chat phone number | `WAPN#o#<mode>` | `<ksuid>` | get, list, assignment, playground |
//! | what a profile shows of a chat phone number | `WAPNOF#o#p` | `<ksuid>` | E11, list of profiles, list by profile |
//! | live claim on a platform number | `PPN#<platform id>` | `REF` | E3, notification -> organization |
//! | simulated claim on one | `PPNSIM#o` | `<platform id>` | E3 in test mode |
//! | onboarding under way | `ONB#o#<hash of the code>` | `ONB` | E2, resumed |
//! | template sync | `SYNC#o#p` | `SYNC`; `DRYRUN` | E7: the run's lease and outcome |
//! | template | `TPL#o#p#<0-15>` | `<platform id>` | E7: 16 partitions, read and written side by side |
//! | group | `GRP#o#g` | `GRP` | get, E8 |
//! | group by the platform's id | `PGRP#o#n` | `<platform id>` | notifications |
//! | group by the platform's request | `PGREQ#o#n` | `<request id>` | the notification that makes it, also one that comes first |
//! | contact, and other names of it | `CONTACT#o#n#<user id or digits>` | `CONTACT` | events |
//! | playground number given out | `PGNUM#o` | `<+n>` | E15, never given out twice |
//! | playground user, by first use | `PGUSED#o` | `<time>#<+n>` | E1 |
//! | chat message and its parts | `MSG#o#m` | `MSG`; `DATA`, `ORDER`, `RCPT#<id>`, `REFERRAL`, `WINDOW` | E12: one query |
//! | chat messages of a number | `MSGLIST#o#n` | `<ksuid>` | list |
//! | message by the platform's id | `WAMID#o#n#<platform id>` | `REF` | statuses, replies, repetitions |
//! | update applied already; template deleted of late | `SEEN#o#<hash>`; `SEEN#o#template#p#<platform id>` | `SEEN` | notifications are applied once |
//! | event to dispatch | `EVT#o#e` | `EVT` | outbox, written with the change |
//! | webhook that listens to events of the organization | `HOOKS#o#<mode>` | `<webhook ksuid>` | dispatch of account and template events |
//! | delivery | `DLV#o#w#<0-7>` | `<ksuid>` | its attempts, the log, redelivery |
//! | health of a webhook's receiver | `HEALTH#o#w` | `HEALTH` | breaker, disabling; only while it fails |
//! | what was spent in an hour or a UTC day | `RATE#o#<whose>` | `<hour>` or `<day>` | quotas |
//! | pending uploads of an app | `RATE#o#<app>` | `PENDING` | their limit |
//! | SMS message | `SMS#o#m` | `SMS` | the playground's record |
//! | media | `MEDIA#o#m` | `MEDIA` | E9, get, delete; one partition each, so that uploads spread |
//! | idempotent answer | `IDEM#o#<hash>` | `IDEM` | retries of a POST |
//!
//! Identifiers and slugs contain no `#`, so no two objects can share a key.

use domain::id::{
    AdminKeyId, AppId, AppKeyId, ChatBusinessProfileId, ChatGroupId, ChatMessageId, ChatPhoneNumberId, DeliveryId,
    EventId, MediaId, OrganizationId, PhoneNumberId, SmsMessageId, WebhookId,
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

pub(crate) fn deleted_apps(o: &Org) -> String {
    format!("GONE#{o}")
}

pub(crate) fn deleted_app(o: &Org, app: &AppId) -> Key {
    Key::new(deleted_apps(o), app.ksuid())
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

pub(crate) fn chat_business_profiles(o: &Org, mode: Mode) -> String {
    format!("WABP#{o}#{}", mode.as_str())
}

pub(crate) fn chat_business_profile(o: &Org, id: &ChatBusinessProfileId) -> Key {
    Key::new(chat_business_profiles(o, id.mode()), id.ksuid())
}

/// Simulated ids belong to their organization.
pub(crate) fn platform_account(o: &Org, mode: Mode, platform_id: &str) -> Key {
    match mode {
        Mode::Live => Key::new(format!("WABA#{platform_id}"), "REF"),
        Mode::Test => Key::new(format!("WABASIM#{o}"), platform_id),
    }
}

pub(crate) fn platform_number(o: &Org, mode: Mode, platform_id: &str) -> Key {
    match mode {
        Mode::Live => Key::new(format!("PPN#{platform_id}"), "REF"),
        Mode::Test => Key::new(format!("PPNSIM#{o}"), platform_id),
    }
}

pub(crate) fn live_account(platform_id: &str) -> Key {
    Key::new(format!("WABA#{platform_id}"), "REF")
}

pub(crate) fn live_number(platform_id: &str) -> Key {
    Key::new(format!("PPN#{platform_id}"), "REF")
}

pub(crate) fn chat_phone_numbers(o: &Org, mode: Mode) -> String {
    format!("WAPN#{o}#{}", mode.as_str())
}

pub(crate) fn chat_phone_number(o: &Org, id: &ChatPhoneNumberId) -> Key {
    Key::new(chat_phone_numbers(o, id.mode()), id.ksuid())
}

pub(crate) fn chat_phone_numbers_of_profile(o: &Org, profile: &ChatBusinessProfileId) -> String {
    format!("WAPNOF#{o}#{profile}")
}

pub(crate) fn chat_phone_number_of_profile(o: &Org, profile: &ChatBusinessProfileId, id: &ChatPhoneNumberId) -> Key {
    Key::new(chat_phone_numbers_of_profile(o, profile), id.ksuid())
}

pub(crate) fn onboarding(o: &Org, code_hash: &str) -> Key {
    Key::new(format!("ONB#{o}#{code_hash}"), "ONB")
}

pub(crate) fn template_sync(o: &Org, profile: &ChatBusinessProfileId, dry_run: bool) -> Key {
    Key::new(format!("SYNC#{o}#{profile}"), if dry_run { "DRYRUN" } else { "SYNC" })
}

pub(crate) const TEMPLATE_PARTITIONS: u32 = 16;

pub(crate) fn templates(o: &Org, profile: &ChatBusinessProfileId, partition: u32) -> String {
    format!("TPL#{o}#{profile}#{partition}")
}

pub(crate) fn template(o: &Org, profile: &ChatBusinessProfileId, platform_id: &str) -> Key {
    let partition = crate::item::spread(platform_id, TEMPLATE_PARTITIONS);
    Key::new(templates(o, profile, partition), platform_id)
}

pub(crate) fn group(o: &Org, id: &ChatGroupId) -> Key {
    Key::new(format!("GRP#{o}#{id}"), "GRP")
}

pub(crate) fn group_of_platform(o: &Org, number: &ChatPhoneNumberId, platform_id: &str) -> Key {
    Key::new(format!("PGRP#{o}#{number}"), platform_id)
}

pub(crate) fn group_of_request(o: &Org, number: &ChatPhoneNumberId, request_id: &str) -> Key {
    Key::new(format!("PGREQ#{o}#{number}"), request_id)
}

pub(crate) fn contact(o: &Org, number: &ChatPhoneNumberId, identity: &str) -> Key {
    Key::new(format!("CONTACT#{o}#{number}#{identity}"), "CONTACT")
}

pub(crate) fn message_of_platform(o: &Org, number: &ChatPhoneNumberId, platform_id: &str) -> Key {
    Key::new(format!("WAMID#{o}#{number}#{platform_id}"), "REF")
}

pub(crate) fn seen(o: &Org, hash: &str) -> Key {
    Key::new(format!("SEEN#{o}#{hash}"), "SEEN")
}

pub(crate) fn buried_template(o: &Org, profile: &ChatBusinessProfileId, platform_id: &str) -> Key {
    Key::new(format!("SEEN#{o}#template#{profile}#{platform_id}"), "SEEN")
}

pub(crate) fn event(o: &Org, id: &EventId) -> Key {
    Key::new(format!("EVT#{o}#{id}"), "EVT")
}

/// The event in a partition key, as the table's stream names it.
pub fn event_of(partition: &str) -> Option<(OrganizationId, EventId)> {
    let (organization, event) = partition.strip_prefix("EVT#")?.split_once('#')?;
    Some((organization.parse().ok()?, event.parse().ok()?))
}

pub(crate) fn organization_webhooks(o: &Org, mode: Mode) -> String {
    format!("HOOKS#{o}#{}", mode.as_str())
}

pub(crate) fn organization_webhook(o: &Org, id: &WebhookId) -> Key {
    Key::new(organization_webhooks(o, id.mode()), id.ksuid())
}

pub(crate) const DELIVERY_PARTITIONS: u32 = 8;

pub(crate) fn deliveries(o: &Org, webhook: &WebhookId, partition: u32) -> String {
    format!("DLV#{o}#{webhook}#{partition}")
}

pub(crate) fn delivery(o: &Org, webhook: &WebhookId, id: &DeliveryId) -> Key {
    let partition = crate::item::spread(id.ksuid(), DELIVERY_PARTITIONS);
    Key::new(deliveries(o, webhook, partition), id.ksuid())
}

pub(crate) fn receiver_health(o: &Org, webhook: &WebhookId) -> Key {
    Key::new(format!("HEALTH#{o}#{webhook}"), "HEALTH")
}

/// `period` counts hours or days since the epoch.
pub(crate) fn spent(o: &Org, scope: &str, period: i64) -> Key {
    Key::new(format!("RATE#{o}#{scope}"), format!("{period:010}"))
}

pub(crate) fn pending_uploads(o: &Org, app: &AppId) -> Key {
    Key::new(format!("RATE#{o}#{app}"), "PENDING")
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

pub(crate) fn message_parts(o: &Org, id: &ChatMessageId) -> String {
    format!("MSG#{o}#{id}")
}

pub(crate) fn chat_message(o: &Org, id: &ChatMessageId) -> Key {
    Key::new(message_parts(o, id), "MSG")
}

/// One of the parts beside the message itself.
pub(crate) fn message_part(o: &Org, id: &ChatMessageId, part: &str) -> Key {
    Key::new(message_parts(o, id), part)
}

pub(crate) fn chat_messages_of_number(o: &Org, number: &ChatPhoneNumberId) -> String {
    format!("MSGLIST#{o}#{number}")
}

pub(crate) fn chat_message_of_number(o: &Org, number: &ChatPhoneNumberId, id: &ChatMessageId) -> Key {
    Key::new(chat_messages_of_number(o, number), id.ksuid())
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
