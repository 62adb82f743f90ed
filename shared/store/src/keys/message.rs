//! Keys that messages of both kinds have: their lists, and the pace of their numbers.

use std::fmt::Display;

use domain::Mode;
use domain::id::{ChatPhoneNumberId, Identifier as _, OrganizationId};
use domain::message::MessageId;
use domain::number::NumberId;

use super::class::KeyClass;
use super::key::{Key, spread};

/// The sort key of a queued message's content, among the related records of the message.
pub(crate) const SEND_PART: &str = "SEND";

pub(crate) fn messages_of_number(organization: &OrganizationId, number: &NumberId) -> String {
    KeyClass::MessageOfNumber.partition(&[organization, &number.as_str()])
}

pub(crate) fn message_of_number(organization: &OrganizationId, number: &NumberId, id: &MessageId) -> Key {
    Key::new(messages_of_number(organization, number), id.ksuid())
}

/// The partition of the messages between a number and a contact, by one of the contact's identities. The identity comes
/// last, so that no other part of the key can be mistaken for a part of it.
pub(crate) fn messages_of_contact(organization: &OrganizationId, number: &NumberId, identity: &str) -> String {
    KeyClass::MessageOfContact.partition(&[organization, &number.as_str(), &identity])
}

pub(crate) fn message_of_contact(
    organization: &OrganizationId,
    number: &NumberId,
    identity: &str,
    id: &MessageId,
) -> Key {
    Key::new(messages_of_contact(organization, number, identity), id.ksuid())
}

/// The number of partitions over which the failed messages of a mode are spread: a broadcast can fail as fast as it is sent.
pub(crate) const FAILURE_PARTITIONS: u32 = 8;

pub(crate) fn failed_messages(organization: &OrganizationId, mode: Mode, partition: u32) -> String {
    KeyClass::FailedMessage.partition(&[organization, &mode.as_str(), &partition])
}

pub(crate) fn failed_message(organization: &OrganizationId, id: &MessageId) -> Key {
    let partition = spread(id.ksuid(), FAILURE_PARTITIONS);
    Key::new(failed_messages(organization, id.mode(), partition), id.ksuid())
}

/// The class of the keys of a message's items.
pub(crate) fn class_of(id: &MessageId) -> KeyClass {
    match id {
        MessageId::Chat(_) => KeyClass::Message,
        MessageId::Sms(_) => KeyClass::SmsMessage,
    }
}

/// The partition of a message with its related records.
pub(crate) fn message_items(class: KeyClass, organization: &OrganizationId, id: &impl Display) -> String {
    class.partition(&[organization, id])
}

/// The key of a message's main item.
pub(crate) fn message(class: KeyClass, organization: &OrganizationId, id: &impl Display) -> Key {
    Key::alone(class, &[organization, id])
}

/// The key of one of a message's related records.
pub(crate) fn message_part(class: KeyClass, organization: &OrganizationId, id: &impl Display, part: &str) -> Key {
    Key::new(message_items(class, organization, id), part)
}

/// The key of the record of a message's conversation, beside its main item.
pub(crate) fn conversation_of(message: &Key) -> Key {
    Key::new(message.partition.clone(), "WINDOW")
}

pub(crate) fn pace(organization: &OrganizationId, number: &NumberId) -> Key {
    Key::alone(KeyClass::Pace, &[organization, &number.as_str()])
}

pub(crate) fn recipient_pause(organization: &OrganizationId, number: &NumberId, recipient: &str) -> Key {
    Key::new(KeyClass::Pace.partition(&[organization, &number.as_str()]), format!("TO#{recipient}"))
}

/// The beginning of the sort keys of a history's parts. It follows the line's.
pub(crate) const HISTORY_PART: &str = "PART#";

/// The partition of a number's history that waits to be imported.
pub(crate) fn history(organization: &OrganizationId, number: &ChatPhoneNumberId) -> String {
    KeyClass::History.partition(&[organization, number])
}

pub(crate) fn history_line(organization: &OrganizationId, number: &ChatPhoneNumberId) -> Key {
    Key::new(history(organization, number), "LINE")
}

pub(crate) fn history_part(organization: &OrganizationId, number: &ChatPhoneNumberId, id: &str) -> Key {
    Key::new(history(organization, number), format!("{HISTORY_PART}{id}"))
}
