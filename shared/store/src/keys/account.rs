//! Keys of organizations and their apps, credentials, webhooks, phone numbers, media, quotas and stored responses.

use domain::events::webhook::QueueArn;
use domain::id::{
    AdminKeyId, AppId, AppKeyId, AuditEntryId, Identifier as _, MediaId, MemberId, OrganizationId, PhoneNumberId,
    SessionId, WebhookId,
};
use domain::identity::credential::Secret;
use domain::identity::credential_kind::CredentialKind;
use domain::identity::holder::Holder;
use domain::identity::person::Person;
use domain::{E164, Mode, Timestamp};

use super::class::KeyClass;
use super::key::Key;

/// A key under which nothing is ever stored.
pub(crate) fn warm_up() -> Key {
    Key::alone(KeyClass::Credential, &[&"warm-up"])
}

/// Returns the key of a credential. The tokens of onboarding links have a class of keys of their own, so that the
/// function that creates them is not permitted to create credentials of other kinds.
pub(crate) fn credential(kind: CredentialKind, sha256: &str) -> Key {
    let class = match kind {
        CredentialKind::OnboardingLink => KeyClass::OnboardingToken,
        CredentialKind::SignInLink => KeyClass::SignInToken,
        CredentialKind::AdminKey | CredentialKind::AppKey(_) | CredentialKind::Session => KeyClass::Credential,
    };
    Key::alone(class, &[&sha256])
}

pub(crate) fn organization(organization: &OrganizationId) -> Key {
    Key::alone(KeyClass::Organization, &[organization])
}

pub(crate) fn counters(organization: &OrganizationId) -> Key {
    Key::new(KeyClass::Organization.partition(&[organization]), "COUNT")
}

pub(crate) fn organization_slug(slug: &str) -> Key {
    Key::alone(KeyClass::OrganizationSlug, &[&slug])
}

pub(crate) fn operator_request(request_id: &str) -> Key {
    Key::alone(KeyClass::OperatorRequest, &[&request_id])
}

pub(crate) fn admin_keys(organization: &OrganizationId, mode: Mode) -> String {
    KeyClass::AdminKey.partition(&[organization, &mode.as_str()])
}

pub(crate) fn admin_key(organization: &OrganizationId, id: &AdminKeyId) -> Key {
    Key::new(admin_keys(organization, id.mode()), id.ksuid())
}

pub(crate) fn sessions(organization: &OrganizationId) -> String {
    KeyClass::Session.partition(&[organization])
}

pub(crate) fn session(organization: &OrganizationId, id: &SessionId) -> Key {
    Key::new(sessions(organization), id.ksuid())
}

/// Returns the partition of an organization's members.
pub(crate) fn members(organization: &OrganizationId) -> String {
    KeyClass::Member.partition(&[organization])
}

pub(crate) fn member(organization: &OrganizationId, id: &MemberId) -> Key {
    Key::new(members(organization), id.ksuid())
}

/// Returns the key of the claim on an address, which is unique in the organization. The partition is that of the address in
/// all organizations.
pub(crate) fn member_address(organization: &OrganizationId, email: &str) -> Key {
    Key::new(members_with_address(email), organization.as_str())
}

/// Returns the partition of the claims on an address.
pub(crate) fn members_with_address(email: &str) -> String {
    KeyClass::MemberAddress.partition(&[&Secret::new(email).sha256()])
}

/// Returns the partition of a person's memberships, in all organizations.
pub(crate) fn memberships(person: &Person) -> String {
    KeyClass::Person.partition(&[&person.as_str()])
}

/// Returns the key of a person's membership of an organization.
pub(crate) fn membership(organization: &OrganizationId, person: &Person) -> Key {
    Key::new(memberships(person), organization.as_str())
}

pub(crate) fn apps(organization: &OrganizationId, mode: Mode) -> String {
    KeyClass::App.partition(&[organization, &mode.as_str()])
}

pub(crate) fn app(organization: &OrganizationId, id: &AppId) -> Key {
    Key::new(apps(organization, id.mode()), id.ksuid())
}

pub(crate) fn app_slug(organization: &OrganizationId, slug: &str) -> Key {
    Key::new(KeyClass::AppSlug.partition(&[organization]), slug)
}

pub(crate) fn app_keys(organization: &OrganizationId, app: &AppId) -> String {
    KeyClass::AppKey.partition(&[organization, app])
}

pub(crate) fn app_key(organization: &OrganizationId, app: &AppId, id: &AppKeyId) -> Key {
    Key::new(app_keys(organization, app), id.ksuid())
}

/// Returns the partition of the last uses of an organization's keys.
pub(crate) fn key_uses(organization: &OrganizationId) -> String {
    KeyClass::KeyUse.partition(&[organization])
}

/// Returns the first and the first later sort key of the last uses of an app's keys, or of the admin keys.
pub(crate) fn key_uses_of(app: Option<&AppId>) -> [String; 2] {
    let holder = app.map_or("ADMIN", |app| app.as_str());
    // `$` follows `#`.
    [format!("{holder}#"), format!("{holder}$")]
}

/// Returns the key of the last use of a holder's key; `None` if the holder has none.
pub(crate) fn key_use(organization: &OrganizationId, holder: &Holder) -> Option<Key> {
    let (app, ksuid) = match holder {
        Holder::AdminKey { key_id, member: None, .. } => (None, key_id.ksuid()),
        Holder::AppKey { key_id, app_id, member: None, .. } => (Some(app_id), key_id.ksuid()),
        _ => return None,
    };
    let [first, _] = key_uses_of(app);
    Some(Key::new(key_uses(organization), format!("{first}{ksuid}")))
}

/// Returns the key of the count of a credential's refusals in an hour, beside the last uses of keys.
pub(crate) fn denials(organization: &OrganizationId, actor: &str, hour: Timestamp) -> Key {
    Key::new(key_uses(organization), format!("DENIED#{actor}#{}", hour.seconds()))
}

/// Returns the partition of the audit log's entries of a mode.
pub(crate) fn audit_entries(organization: &OrganizationId, mode: Mode) -> String {
    KeyClass::AuditEntry.partition(&[organization, &mode.as_str()])
}

pub(crate) fn audit_entry(organization: &OrganizationId, mode: Mode, id: &AuditEntryId) -> Key {
    Key::new(audit_entries(organization, mode), id.ksuid())
}

/// Returns the key of the bucket of a rate limit.
pub(crate) fn bucket(organization: &OrganizationId, of: &str) -> Key {
    Key::new(KeyClass::Bucket.partition(&[organization]), of)
}

/// Returns the key of the rate limits of all organizations.
pub(crate) fn organization_limits() -> Key {
    Key::alone(KeyClass::OrganizationLimits, &[&"ALL"])
}

pub(crate) fn webhooks(organization: &OrganizationId, app: &AppId) -> String {
    KeyClass::Webhook.partition(&[organization, app])
}

pub(crate) fn webhook(organization: &OrganizationId, app: &AppId, id: &WebhookId) -> Key {
    Key::new(webhooks(organization, app), id.ksuid())
}

pub(crate) fn webhooks_secrets(organization: &OrganizationId, app: &AppId) -> String {
    KeyClass::WebhookSecrets.partition(&[organization, app])
}

pub(crate) fn webhook_secrets(organization: &OrganizationId, app: &AppId, id: &WebhookId) -> Key {
    Key::new(webhooks_secrets(organization, app), id.ksuid())
}

pub(crate) fn destinations(organization: &OrganizationId) -> String {
    KeyClass::Destination.partition(&[organization])
}

pub(crate) fn destination(organization: &OrganizationId, queue: &QueueArn) -> Key {
    Key::new(destinations(organization), queue.as_str())
}

pub(crate) fn deleted_apps(organization: &OrganizationId) -> String {
    KeyClass::DeletedApp.partition(&[organization])
}

pub(crate) fn deleted_app(organization: &OrganizationId, app: &AppId) -> Key {
    Key::new(deleted_apps(organization), app.ksuid())
}

pub(crate) fn phone_numbers(organization: &OrganizationId, mode: Mode) -> String {
    KeyClass::PhoneNumber.partition(&[organization, &mode.as_str()])
}

pub(crate) fn phone_number(organization: &OrganizationId, id: &PhoneNumberId) -> Key {
    Key::new(phone_numbers(organization, id.mode()), id.ksuid())
}

pub(crate) fn phone_number_claim(organization: &OrganizationId, number: &E164) -> Key {
    Key::new(KeyClass::PhoneNumberClaim.partition(&[organization]), number.as_str())
}

/// The partition of an organization's former numbers, by the number or app that was deleted.
pub(crate) fn former_numbers(organization: &OrganizationId) -> String {
    KeyClass::FormerNumbers.partition(&[organization])
}

pub(crate) fn former_numbers_of(organization: &OrganizationId, deleted: &str) -> Key {
    Key::new(former_numbers(organization), deleted)
}

/// Returns the key of the claim on a number of the carrier's, which is unique across the installation.
pub(crate) fn carrier_number(number: &E164) -> Key {
    Key::new(KeyClass::CarrierNumber.partition(&[&number.digits()]), "REF")
}

/// Returns the key of the use of a quota in one period; `period` counts hours or days since the epoch.
pub(crate) fn spent(organization: &OrganizationId, scope: &str, period: i64) -> Key {
    Key::new(KeyClass::Spent.partition(&[organization, &scope]), format!("{period:010}"))
}

const PENDING: &str = "PENDING";

pub(crate) fn pending_uploads(organization: &OrganizationId, app: &AppId) -> Key {
    Key::new(KeyClass::Spent.partition(&[organization, app]), PENDING)
}

pub(crate) fn is_pending_uploads(key: &Key) -> bool {
    key.class() == Some(KeyClass::Spent) && key.sort == PENDING
}

pub(crate) fn media(organization: &OrganizationId, id: &MediaId) -> Key {
    Key::alone(KeyClass::Media, &[organization, id])
}

pub(crate) fn idempotent_response(organization: &OrganizationId, hash: &str) -> Key {
    Key::alone(KeyClass::IdempotentResponse, &[organization, &hash])
}

/// Returns the key of the deletion of the organization, beside the erasures of its contacts, whose sort keys are digests.
pub(crate) fn deletion(organization: &OrganizationId) -> Key {
    Key::new(KeyClass::Erasure.partition(&[organization]), "ORGANIZATION")
}

/// Returns the partitions that are emptied when the organization is deleted. The items of its other lists expire.
pub(crate) fn lists_of_organization(organization: &OrganizationId) -> Vec<String> {
    use KeyClass::{
        AppSlug, AuditEntry, Bucket, Destination, Disconnection, KeyUse, Need, OrganizationWebhook, PhoneNumberClaim,
        PlaygroundNumber, PlaygroundUse, RateCard, SimulatedAccount, SimulatedNumber,
    };
    // `Disconnection` here: the former profile and numbers of released accounts.
    let of_modes = [OrganizationWebhook, Disconnection, AuditEntry]
        .into_iter()
        .flat_map(|class| Mode::ALL.map(|mode| class.partition(&[organization, &mode.as_str()])));
    let own = [
        AppSlug,
        KeyUse,
        Bucket,
        Destination,
        Need,
        PhoneNumberClaim,
        PlaygroundUse,
        RateCard,
        SimulatedAccount,
        SimulatedNumber,
        PlaygroundNumber,
    ];
    let own = own.map(|class| class.partition(&[organization]));
    of_modes.chain(own).chain(super::usage::all_usage(organization)).collect()
}

/// The partition of what needs attention.
pub(crate) fn needs(organization: &OrganizationId) -> String {
    KeyClass::Need.partition(&[organization])
}

/// Something that needs attention, by its place in the list.
pub(crate) fn need(organization: &OrganizationId, place: &str) -> Key {
    Key::new(needs(organization), place)
}

pub(crate) fn erasure(organization: &OrganizationId, reference: &str) -> Key {
    Key::new(KeyClass::Erasure.partition(&[organization]), reference)
}
