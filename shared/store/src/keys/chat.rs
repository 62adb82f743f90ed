//! Keys of chat: profiles, numbers, templates, groups, contacts, messages and the playground.

use domain::id::{ChatBusinessProfileId, ChatGroupId, ChatMessageId, ChatPhoneNumberId, OrganizationId};
use domain::number::NumberId;
use domain::{E164, Mode, Timestamp};

use super::account::phone_number;
use super::class::KeyClass;
use super::key::{Key, spread};

type Org = OrganizationId;

pub(crate) fn chat_business_profiles(o: &Org, mode: Mode) -> String {
    KeyClass::Profile.partition(&[o, &mode.as_str()])
}

pub(crate) fn chat_business_profile(o: &Org, id: &ChatBusinessProfileId) -> Key {
    Key::new(chat_business_profiles(o, id.mode()), id.ksuid())
}

/// Simulated ids belong to their organization.
pub(crate) fn platform_account(o: &Org, mode: Mode, platform_id: &str) -> Key {
    match mode {
        Mode::Live => Key::new(KeyClass::LiveAccount.partition(&[&platform_id]), "REF"),
        Mode::Test => Key::new(KeyClass::SimulatedAccount.partition(&[o]), platform_id),
    }
}

pub(crate) fn platform_number(o: &Org, mode: Mode, platform_id: &str) -> Key {
    match mode {
        Mode::Live => Key::new(KeyClass::LiveNumber.partition(&[&platform_id]), "REF"),
        Mode::Test => Key::new(KeyClass::SimulatedNumber.partition(&[o]), platform_id),
    }
}

pub(crate) fn live_account(platform_id: &str) -> Key {
    Key::new(KeyClass::LiveAccount.partition(&[&platform_id]), "REF")
}

pub(crate) fn live_number(platform_id: &str) -> Key {
    Key::new(KeyClass::LiveNumber.partition(&[&platform_id]), "REF")
}

pub(crate) fn chat_phone_numbers(o: &Org, mode: Mode) -> String {
    KeyClass::ChatNumber.partition(&[o, &mode.as_str()])
}

pub(crate) fn chat_phone_number(o: &Org, id: &ChatPhoneNumberId) -> Key {
    Key::new(chat_phone_numbers(o, id.mode()), id.ksuid())
}

pub(crate) fn number(o: &Org, id: &NumberId) -> Key {
    match id {
        NumberId::Phone(id) => phone_number(o, id),
        NumberId::Chat(id) => chat_phone_number(o, id),
    }
}

pub(crate) fn chat_phone_numbers_of_profile(o: &Org, profile: &ChatBusinessProfileId) -> String {
    KeyClass::ChatNumberOfProfile.partition(&[o, profile])
}

pub(crate) fn chat_phone_number_of_profile(o: &Org, profile: &ChatBusinessProfileId, id: &ChatPhoneNumberId) -> Key {
    Key::new(chat_phone_numbers_of_profile(o, profile), id.ksuid())
}

pub(crate) fn onboarding(o: &Org, code_hash: &str) -> Key {
    Key::alone(KeyClass::Onboarding, &[o, &code_hash])
}

pub(crate) fn template_sync(o: &Org, profile: &ChatBusinessProfileId, dry_run: bool) -> Key {
    Key::new(KeyClass::TemplateSync.partition(&[o, profile]), if dry_run { "DRYRUN" } else { "SYNC" })
}

pub(crate) const TEMPLATE_PARTITIONS: u32 = 16;

pub(crate) fn templates(o: &Org, profile: &ChatBusinessProfileId, partition: u32) -> String {
    KeyClass::Template.partition(&[o, profile, &partition])
}

pub(crate) fn template(o: &Org, profile: &ChatBusinessProfileId, platform_id: &str) -> Key {
    let partition = spread(platform_id, TEMPLATE_PARTITIONS);
    Key::new(templates(o, profile, partition), platform_id)
}

pub(crate) fn group(o: &Org, id: &ChatGroupId) -> Key {
    Key::alone(KeyClass::Group, &[o, id])
}

pub(crate) fn group_of_platform(o: &Org, number: &ChatPhoneNumberId, platform_id: &str) -> Key {
    Key::new(KeyClass::GroupOfPlatform.partition(&[o, number]), platform_id)
}

pub(crate) fn group_of_request(o: &Org, number: &ChatPhoneNumberId, request_id: &str) -> Key {
    Key::new(KeyClass::GroupOfRequest.partition(&[o, number]), request_id)
}

pub(crate) fn contact(o: &Org, number: &ChatPhoneNumberId, identity: &str) -> Key {
    Key::alone(KeyClass::Contact, &[o, number, &identity])
}

pub(crate) fn message_parts(o: &Org, id: &ChatMessageId) -> String {
    KeyClass::Message.partition(&[o, id])
}

pub(crate) fn chat_message(o: &Org, id: &ChatMessageId) -> Key {
    Key::alone(KeyClass::Message, &[o, id])
}

/// One of the parts beside the message itself.
pub(crate) fn message_part(o: &Org, id: &ChatMessageId, part: &str) -> Key {
    Key::new(message_parts(o, id), part)
}

const RECIPIENT: &str = "RCPT#";

/// The sort key of a recipient among the parts of a message.
pub(crate) fn recipient_part(id: &str) -> String {
    format!("{RECIPIENT}{id}")
}

pub(crate) fn is_recipient_part(sort: &str) -> bool {
    sort.starts_with(RECIPIENT)
}

pub(crate) fn chat_messages_of_number(o: &Org, number: &ChatPhoneNumberId) -> String {
    KeyClass::MessageOfNumber.partition(&[o, number])
}

pub(crate) fn chat_message_of_number(o: &Org, number: &ChatPhoneNumberId, id: &ChatMessageId) -> Key {
    Key::new(chat_messages_of_number(o, number), id.ksuid())
}

pub(crate) fn message_of_platform(o: &Org, number: &ChatPhoneNumberId, platform_id: &str) -> Key {
    Key::new(KeyClass::MessageOfPlatform.partition(&[o, number, &platform_id]), "REF")
}

pub(crate) fn seen(o: &Org, hash: &str) -> Key {
    Key::alone(KeyClass::Seen, &[o, &hash])
}

pub(crate) fn buried_template(o: &Org, profile: &ChatBusinessProfileId, platform_id: &str) -> Key {
    Key::alone(KeyClass::Seen, &[o, &"template", profile, &platform_id])
}

pub(crate) fn playground_number(o: &Org, number: &E164) -> Key {
    Key::new(KeyClass::PlaygroundNumber.partition(&[o]), number.as_str())
}

pub(crate) fn playground_users_by_first_use(o: &Org) -> String {
    KeyClass::PlaygroundUse.partition(&[o])
}

pub(crate) fn playground_user_used(o: &Org, first_use: Timestamp, number: &E164) -> Key {
    Key::new(playground_users_by_first_use(o), format!("{first_use}#{number}"))
}
