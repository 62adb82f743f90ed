//! Keys of chat: profiles, numbers, templates, groups, contacts, messages and the playground.

use domain::chat::ChatUser;
use domain::id::{
    ChatBusinessProfileId, ChatGroupId, ChatPhoneNumberId, OnboardingLinkId, OrganizationId, SimulationId,
};
use domain::number::NumberId;
use domain::{E164, Mode, Timestamp};

use super::account::phone_number;
use super::class::KeyClass;
use super::key::{Key, spread};

pub(crate) fn chat_business_profiles(organization: &OrganizationId, mode: Mode) -> String {
    KeyClass::Profile.partition(&[organization, &mode.as_str()])
}

pub(crate) fn chat_business_profile(organization: &OrganizationId, id: &ChatBusinessProfileId) -> Key {
    Key::new(chat_business_profiles(organization, id.mode()), id.ksuid())
}

/// Returns the key of the claim on a platform account. Live platform ids are unique across the installation, simulated
/// ones within their organization.
pub(crate) fn platform_account(organization: &OrganizationId, mode: Mode, platform_id: &str) -> Key {
    match mode {
        Mode::Live => Key::new(KeyClass::LiveAccount.partition(&[&platform_id]), "REF"),
        Mode::Test => Key::new(KeyClass::SimulatedAccount.partition(&[organization]), platform_id),
    }
}

pub(crate) fn platform_number(organization: &OrganizationId, mode: Mode, platform_id: &str) -> Key {
    match mode {
        Mode::Live => Key::new(KeyClass::LiveNumber.partition(&[&platform_id]), "REF"),
        Mode::Test => Key::new(KeyClass::SimulatedNumber.partition(&[organization]), platform_id),
    }
}

pub(crate) fn live_account(platform_id: &str) -> Key {
    Key::new(KeyClass::LiveAccount.partition(&[&platform_id]), "REF")
}

/// Returns the key of the last release of a live platform account.
pub(crate) fn last_release(platform_id: &str) -> Key {
    Key::new(KeyClass::LiveAccount.partition(&[&platform_id]), "RELEASED")
}

pub(crate) fn live_number(platform_id: &str) -> Key {
    Key::new(KeyClass::LiveNumber.partition(&[&platform_id]), "REF")
}

pub(crate) fn chat_phone_numbers(organization: &OrganizationId, mode: Mode) -> String {
    KeyClass::ChatNumber.partition(&[organization, &mode.as_str()])
}

pub(crate) fn chat_phone_number(organization: &OrganizationId, id: &ChatPhoneNumberId) -> Key {
    Key::new(chat_phone_numbers(organization, id.mode()), id.ksuid())
}

pub(crate) fn number(organization: &OrganizationId, id: &NumberId) -> Key {
    match id {
        NumberId::Phone(id) => phone_number(organization, id),
        NumberId::Chat(id) => chat_phone_number(organization, id),
    }
}

pub(crate) fn chat_phone_numbers_of_profile(organization: &OrganizationId, profile: &ChatBusinessProfileId) -> String {
    KeyClass::ChatNumberOfProfile.partition(&[organization, profile])
}

pub(crate) fn chat_phone_number_of_profile(
    organization: &OrganizationId,
    profile: &ChatBusinessProfileId,
    id: &ChatPhoneNumberId,
) -> Key {
    Key::new(chat_phone_numbers_of_profile(organization, profile), id.ksuid())
}

pub(crate) fn onboarding(organization: &OrganizationId, code_hash: &str) -> Key {
    Key::alone(KeyClass::Onboarding, &[organization, &code_hash])
}

/// Returns the key of a disconnection in progress.
pub(crate) fn disconnection(organization: &OrganizationId, profile: &ChatBusinessProfileId) -> Key {
    Key::alone(KeyClass::Disconnection, &[organization, profile])
}

/// Returns the key of the profile that a released platform account had in this organization.
pub(crate) fn former_account(organization: &OrganizationId, mode: Mode, platform_id: &str) -> Key {
    let partition = KeyClass::Disconnection.partition(&[organization, &mode.as_str()]);
    Key::new(partition, format!("ACCOUNT#{platform_id}"))
}

/// Returns the key of this organization's former number for a released platform number.
pub(crate) fn former_number(organization: &OrganizationId, mode: Mode, platform_id: &str) -> Key {
    let partition = KeyClass::Disconnection.partition(&[organization, &mode.as_str()]);
    Key::new(partition, format!("NUMBER#{platform_id}"))
}

pub(crate) fn template_sync(organization: &OrganizationId, profile: &ChatBusinessProfileId, dry_run: bool) -> Key {
    Key::new(KeyClass::TemplateSync.partition(&[organization, profile]), if dry_run { "DRYRUN" } else { "SYNC" })
}

/// The limit of a sort key is 1024 bytes, of a partition key 2048.
const LONGEST_KEY_PART: usize = 1024;

pub(crate) const TEMPLATE_PARTITIONS: u32 = 16;

pub(crate) fn templates(organization: &OrganizationId, profile: &ChatBusinessProfileId, partition: u32) -> String {
    KeyClass::Template.partition(&[organization, profile, &partition])
}

pub(crate) fn template(organization: &OrganizationId, profile: &ChatBusinessProfileId, platform_id: &str) -> Key {
    let partition = spread(platform_id, TEMPLATE_PARTITIONS);
    Key::new(templates(organization, profile, partition), platform_id)
}

/// The partition of the templates of one name, which differ in language. The name comes last, so that no other part of
/// the key can be mistaken for a part of it.
pub(crate) fn templates_named(organization: &OrganizationId, profile: &ChatBusinessProfileId, name: &str) -> String {
    KeyClass::TemplateNamed.partition(&[organization, profile, &name])
}

/// Returns the key of a template by its name and language; `None` if one of them is empty or too long for a key.
pub(crate) fn template_named(
    organization: &OrganizationId,
    profile: &ChatBusinessProfileId,
    name: &str,
    language: &str,
) -> Option<Key> {
    let is_part = |text: &str| !text.is_empty() && text.len() <= LONGEST_KEY_PART;
    let is_key = is_part(name) && is_part(language);
    is_key.then(|| Key::new(templates_named(organization, profile, name), language))
}

pub(crate) fn group(organization: &OrganizationId, id: &ChatGroupId) -> Key {
    Key::alone(KeyClass::Group, &[organization, id])
}

pub(crate) fn group_of_platform(organization: &OrganizationId, number: &ChatPhoneNumberId, platform_id: &str) -> Key {
    Key::new(KeyClass::GroupOfPlatform.partition(&[organization, number]), platform_id)
}

pub(crate) fn group_of_request(organization: &OrganizationId, number: &ChatPhoneNumberId, request_id: &str) -> Key {
    Key::new(KeyClass::GroupOfRequest.partition(&[organization, number]), request_id)
}

/// The groups of a number, the newest last.
pub(crate) fn groups_of_number(organization: &OrganizationId, number: &ChatPhoneNumberId) -> String {
    KeyClass::GroupOfNumber.partition(&[organization, number])
}

pub(crate) fn group_of_number(organization: &OrganizationId, number: &ChatPhoneNumberId, id: &ChatGroupId) -> Key {
    Key::new(groups_of_number(organization, number), id.ksuid())
}

pub(crate) fn contact(organization: &OrganizationId, number: &ChatPhoneNumberId, identity: &str) -> Key {
    Key::alone(KeyClass::Contact, &[organization, number, &identity])
}

/// The contacts of a number that its business app has supplied. Nothing else leads to those that never wrote.
pub(crate) fn contacts_of_number(organization: &OrganizationId, number: &ChatPhoneNumberId) -> String {
    KeyClass::ContactOfNumber.partition(&[organization, number])
}

pub(crate) fn contact_of_number(organization: &OrganizationId, number: &ChatPhoneNumberId, identity: &str) -> Key {
    Key::new(contacts_of_number(organization, number), identity)
}

const RECIPIENT: &str = "RCPT#";

/// The sort key of a recipient among the related records of a message.
pub(crate) fn recipient_part(id: &str) -> String {
    format!("{RECIPIENT}{id}")
}

pub(crate) fn is_recipient_part(sort: &str) -> bool {
    sort.starts_with(RECIPIENT)
}

pub(crate) fn message_of_platform(organization: &OrganizationId, number: &ChatPhoneNumberId, platform_id: &str) -> Key {
    Key::new(KeyClass::MessageOfPlatform.partition(&[organization, number, &platform_id]), "REF")
}

pub(crate) fn seen(organization: &OrganizationId, hash: &str) -> Key {
    Key::alone(KeyClass::Seen, &[organization, &hash])
}

pub(crate) fn buried_template(
    organization: &OrganizationId,
    profile: &ChatBusinessProfileId,
    platform_id: &str,
) -> Key {
    Key::alone(KeyClass::Seen, &[organization, &"template", profile, &platform_id])
}

/// Returns the key of the marker that a message was erased, by the digest of the platform's id, in which platforms hide the
/// recipient's phone number.
pub(crate) fn erased_message(organization: &OrganizationId, number: &ChatPhoneNumberId, id_digest: &str) -> Key {
    Key::alone(KeyClass::Seen, &[organization, &"erased", number, &id_digest])
}

pub(crate) fn playground_numbers(organization: &OrganizationId) -> String {
    KeyClass::PlaygroundNumber.partition(&[organization])
}

pub(crate) fn playground_number(organization: &OrganizationId, number: &E164) -> Key {
    Key::new(KeyClass::PlaygroundNumber.partition(&[organization]), number.as_str())
}

pub(crate) fn playground_users_by_first_use(organization: &OrganizationId) -> String {
    KeyClass::PlaygroundUse.partition(&[organization])
}

/// The beginning of the sort keys of the simulated platform's contacts, that of user ids, which follow them, and the
/// first sort key after both.
pub(crate) const SIMULATED_CONTACT: &str = "+";
const SIMULATED_USER_ID: &str = ",";
pub(crate) const AFTER_SIMULATED_USER_ID: &str = "-";

/// The partition of the simulated platform's state of one of its numbers, groups or accounts.
pub(crate) fn simulated_state(organization: &OrganizationId, platform_number: &str) -> String {
    KeyClass::SimulatedState.partition(&[organization, &platform_number])
}

pub(crate) fn simulated_contact(organization: &OrganizationId, platform_number: &str, contact: &E164) -> Key {
    Key::new(simulated_state(organization, platform_number), contact.as_str())
}

/// The key of the simulated platform's record of a user.
pub(crate) fn simulated_user(organization: &OrganizationId, platform_number: &str, user: &ChatUser) -> Key {
    match user {
        ChatUser::Number(number) => simulated_contact(organization, platform_number, number),
        ChatUser::Id(id) => {
            Key::new(simulated_state(organization, platform_number), format!("{SIMULATED_USER_ID}{id}"))
        }
    }
}

/// Returns the user whose record has this sort key.
pub(crate) fn simulated_user_of(sort: &str) -> Option<ChatUser> {
    sort.strip_prefix(SIMULATED_USER_ID).unwrap_or(sort).parse().ok()
}

pub(crate) fn simulated_number_profile(organization: &OrganizationId, platform_number: &str) -> Key {
    Key::new(simulated_state(organization, platform_number), "PROFILE")
}

pub(crate) fn simulated_joins(organization: &OrganizationId, platform_group: &str) -> Key {
    Key::new(simulated_state(organization, platform_group), "JOINS")
}

/// The beginning of the sort keys of an account's templates, and the first sort key after them.
pub(crate) const SIMULATED_TEMPLATE: &str = "TPL#";
pub(crate) const AFTER_SIMULATED_TEMPLATE: &str = "TPL$";

/// The key of a template of the simulated platform. The API accepts only short names and language codes without `#`.
pub(crate) fn simulated_template(organization: &OrganizationId, account: &str, name: &str, language: &str) -> Key {
    Key::new(simulated_state(organization, account), format!("{SIMULATED_TEMPLATE}{name}#{language}"))
}

pub(crate) fn playground_user_used(organization: &OrganizationId, first_use: Timestamp, number: &E164) -> Key {
    Key::new(playground_users_by_first_use(organization), format!("{first_use}#{number}"))
}

pub(crate) fn simulation(organization: &OrganizationId, id: &SimulationId) -> Key {
    Key::alone(KeyClass::Simulation, &[organization, id])
}

/// Returns the key of the places of an organization's running simulations.
pub(crate) fn running_simulations(organization: &OrganizationId) -> Key {
    Key::new(KeyClass::Simulation.partition(&[organization]), "RUNNING")
}

pub(crate) fn onboarding_links(organization: &OrganizationId, mode: Mode) -> String {
    KeyClass::OnboardingLink.partition(&[organization, &mode.as_str()])
}

pub(crate) fn onboarding_link(organization: &OrganizationId, id: &OnboardingLinkId) -> Key {
    Key::new(onboarding_links(organization, id.mode()), id.ksuid())
}

/// Returns the key of the item with the places of the organization's open links.
pub(crate) fn open_onboarding_links(organization: &OrganizationId) -> Key {
    Key::new(KeyClass::OnboardingLink.partition(&[organization]), "OPEN")
}
