//! The interface that chat and SMS messages implement for the code that they share.

use std::collections::HashMap;
use std::fmt::{Debug, Display};

use domain::due::DueClass;
use domain::id::AppId;
use domain::message::status::MessageStatus;
use domain::message::{Direction, MessageId, Outcome};
use domain::number::NumberId;
use domain::{Failure, Timestamp};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::stored::Stored;
use super::usage::Facts;
use crate::engine::change::Change;
use crate::engine::item::Item;
use crate::keys::KeyClass;

/// The related records of a message, by their sort keys.
pub(crate) type Related = HashMap<String, Item>;

/// The parts of a kind of messages that the table needs. The implementing type holds the stored data of a message
/// beside the state of sending it.
pub trait MessageKind: Clone + Debug + PartialEq + Send + Sync {
    type Id: MessageKindId<Kind = Self>;
    /// The kind's attributes of the main item.
    type Attributes: Serialize + DeserializeOwned + Send;
    /// The class of the keys of a message's items.
    const CLASS: KeyClass;

    /// Assembles the kind's part of a message. `related` lacks records that were not read.
    fn from_parts(attributes: Self::Attributes, related: Related) -> Result<Self, Failure>;
    fn attributes(&self) -> Self::Attributes;
    /// Replaces the attributes of the main item.
    fn set_attributes(&mut self, attributes: Self::Attributes);
    /// Returns what a message says for its usage.
    fn facts(attributes: &Self::Attributes) -> Facts;
    /// Adds the reference from the provider's id to the message to a change, if the reference is new and the kind has
    /// such references.
    fn write_name(_: &mut Change, _: Option<&Stored<Self>>, _: &Stored<Self>) -> Result<(), Failure> {
        Ok(())
    }
    /// Adds the kind's related records to a change, as far as they differ.
    fn write_related(_: &mut Change, _: Option<&Stored<Self>>, _: &Stored<Self>) -> Result<(), Failure> {
        Ok(())
    }

    fn id(&self) -> &Self::Id;
    fn number(&self) -> NumberId;
    /// Returns the app that sends the message; `None` if the message was not sent here.
    fn app(&self) -> Option<&AppId>;
    /// Returns the identities of the contact whose conversations the message belongs to.
    fn contacts(&self) -> Vec<&str>;
    fn direction(&self) -> Direction;
    fn client_reference(&self) -> Option<&str>;
    fn created_at(&self) -> Timestamp;
    /// Returns when the message failed, if it did.
    fn failed_at(&self) -> Option<Timestamp>;
    fn error_code(&self) -> Option<&str>;
    fn status(&self) -> MessageStatus;
    /// Whether anybody has got the message.
    fn has_reached(&self) -> bool;
    /// Returns the due time of work other than sending.
    fn other_due(&self) -> Option<(DueClass, Timestamp)> {
        None
    }

    /// Returns the outcome; `None` if the message was not sent here.
    fn outcome(&self) -> Option<Outcome>;
    /// Records that the provider accepted the message and gave it this id.
    fn accept(&mut self, provider_id: &str, now: Timestamp);
    /// Sets the outcome to `UNKNOWN` if it is still `PENDING`.
    fn mark_unknown(&mut self, now: Timestamp);
    /// Records that the message was refused. Evidence that it was sent wins over a refusal, in whichever order they arrive.
    fn set_refused(&mut self, failure: &Failure, now: Timestamp);
    /// Records that the message could not be sent in time.
    fn expire(&mut self, now: Timestamp);
}

/// An id of one kind of messages.
pub trait MessageKindId: Clone + Display + Into<MessageId> + TryFrom<MessageId> + Send + Sync {
    type Kind: MessageKind<Id = Self>;
}
