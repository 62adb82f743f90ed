//! The common parts of SMS and chat messages: direction, outcome, and the identifier of a message of either kind.

pub mod contents;
pub mod ending;
pub mod pace;
pub mod reason;
pub mod status;
pub mod step;

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use utoipa::ToSchema;

use crate::Mode;
use crate::id::{ChatMessageId, Identifier as _, InvalidId, SmsMessageId};

/// The shortest time that a caller may let a message wait in the queue.
pub const SHORTEST_WAIT: Duration = Duration::from_secs(30);
/// The longest time that a queued message may wait.
pub const LONGEST_WAIT: Duration = Duration::from_secs(86_400);
/// The limit on messages per day in test mode: chat messages by an app, and parts of SMS and MMS messages by an
/// organization.
pub const TEST_SENDS_A_DAY: u64 = 10_000;

/// The direction of a message, from the organization's point of view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
#[schema(as = MessageDirection)]
pub enum Direction {
    Inbound,
    Outbound,
}

/// Whether the provider (WhatsApp or the carrier) accepted a message that was sent through this API: `PENDING` while
/// the message waits to be sent or is being sent, `ACCEPTED` once the provider has accepted it, `UNKNOWN` if it was
/// sent but the provider's response is not known, `REFUSED` if the provider rejected it or could not be reached,
/// `EXPIRED` if its time in the queue ran out. The status of the message reports what happens after that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
#[schema(as = MessageOutcome)]
pub enum Outcome {
    /// The message waits to be sent, or is being sent.
    Pending,
    /// The provider accepted the message.
    Accepted,
    /// The message was sent, but the provider's response is not known. It is never sent again; any later status shows
    /// that the provider accepted it.
    Unknown,
    /// The message was not sent: the provider rejected it, or could not be reached.
    Refused,
    /// The message waited in the queue until its time ran out, and was not sent.
    Expired,
}

/// The error of an expired message.
pub const EXPIRED: &str = "The message was not sent, because its time in the queue ran out. Messages wait if their number sends more than its \
    provider allows, or pauses after a rate limit.";

/// The identifier of a message of either kind.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MessageId {
    Chat(ChatMessageId),
    Sms(SmsMessageId),
}

impl MessageId {
    pub fn as_str(&self) -> &str {
        match self {
            MessageId::Chat(id) => id.as_str(),
            MessageId::Sms(id) => id.as_str(),
        }
    }

    pub fn mode(&self) -> Mode {
        match self {
            MessageId::Chat(id) => id.mode(),
            MessageId::Sms(id) => id.mode(),
        }
    }

    /// Returns the part of the id that sorts by creation.
    pub fn ksuid(&self) -> &str {
        match self {
            MessageId::Chat(id) => id.ksuid(),
            MessageId::Sms(id) => id.ksuid(),
        }
    }
}

impl From<ChatMessageId> for MessageId {
    fn from(id: ChatMessageId) -> Self {
        MessageId::Chat(id)
    }
}

impl From<SmsMessageId> for MessageId {
    fn from(id: SmsMessageId) -> Self {
        MessageId::Sms(id)
    }
}

impl TryFrom<MessageId> for ChatMessageId {
    type Error = InvalidId;

    fn try_from(id: MessageId) -> Result<Self, InvalidId> {
        match id {
            MessageId::Chat(id) => Ok(id),
            MessageId::Sms(id) => id.as_str().parse(),
        }
    }
}

impl TryFrom<MessageId> for SmsMessageId {
    type Error = InvalidId;

    fn try_from(id: MessageId) -> Result<Self, InvalidId> {
        match id {
            MessageId::Sms(id) => Ok(id),
            MessageId::Chat(id) => id.as_str().parse(),
        }
    }
}

impl FromStr for MessageId {
    type Err = InvalidId;

    fn from_str(text: &str) -> Result<Self, InvalidId> {
        text.parse().map(MessageId::Chat).or_else(|_| text.parse().map(MessageId::Sms))
    }
}

impl fmt::Display for MessageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for MessageId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for MessageId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identifier_keeps_its_kind() {
        let chat = "msg_wa_test_0ujtsYcgvSTl8PAuAdqWYSMnLOv";
        let sms = "msg_sms_0ujtsYcgvSTl8PAuAdqWYSMnLOv";
        let parse = |text: &str| text.parse::<MessageId>().expect("an id");
        assert!(matches!(parse(chat), MessageId::Chat(_)) && matches!(parse(sms), MessageId::Sms(_)));
        assert_eq!((parse(chat).mode(), parse(sms).mode()), (Mode::Test, Mode::Live));
        assert_eq!(serde_json::to_value(parse(sms)).expect("a value"), sms);
        assert!("ph_0ujtsYcgvSTl8PAuAdqWYSMnLOv".parse::<MessageId>().is_err());
    }
}
