//! Keys that messages of both kinds have: their lists, and the pace of their numbers.

use domain::id::{Identifier as _, OrganizationId, SmsMessageId};
use domain::message::MessageId;
use domain::number::NumberId;

use super::class::KeyClass;
use super::key::Key;

/// The sort key of a queued message's content, among the related records of the message.
pub(crate) const SEND_PART: &str = "SEND";

pub(crate) fn messages_of_number(organization: &OrganizationId, number: &NumberId) -> String {
    KeyClass::MessageOfNumber.partition(&[organization, &number.as_str()])
}

pub(crate) fn message_of_number(organization: &OrganizationId, number: &NumberId, id: &MessageId) -> Key {
    Key::new(messages_of_number(organization, number), id.ksuid())
}

/// The partition of the messages between a number and a contact, by one of the contact's identities. The identity comes
/// last, so that no other text in the key can be taken for part of it.
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

pub(crate) fn sms_parts(organization: &OrganizationId, id: &SmsMessageId) -> String {
    KeyClass::SmsMessage.partition(&[organization, id])
}

pub(crate) fn sms_message(organization: &OrganizationId, id: &SmsMessageId) -> Key {
    Key::alone(KeyClass::SmsMessage, &[organization, id])
}

/// The key of one of an SMS message's related records.
pub(crate) fn sms_part(organization: &OrganizationId, id: &SmsMessageId, part: &str) -> Key {
    Key::new(sms_parts(organization, id), part)
}

pub(crate) fn pace(organization: &OrganizationId, number: &NumberId) -> Key {
    Key::alone(KeyClass::Pace, &[organization, &number.as_str()])
}

pub(crate) fn recipient_pause(organization: &OrganizationId, number: &NumberId, recipient: &str) -> Key {
    Key::new(KeyClass::Pace.partition(&[organization, &number.as_str()]), format!("TO#{recipient}"))
}
