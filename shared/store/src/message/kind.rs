//! What distinguishes the kinds of messages, chat and SMS, in the table. What they have in common is [`Stored`].

use std::collections::HashMap;
use std::fmt::{Debug, Display};

use domain::due::DueClass;
use domain::id::AppId;
use domain::message::{Direction, MessageId, Outcome};
use domain::number::NumberId;
use domain::{Failure, Timestamp};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::stored::Stored;
use crate::change::Change;
use crate::item::Item;
use crate::keys::KeyClass;

/// The related records of a message, by their sort keys.
pub(crate) type Related = HashMap<String, Item>;

/// A kind of messages: what is stored of one beside the record of sending it.
pub trait Kind: Clone + Debug + PartialEq + Send + Sync {
    type Id: IdOf<Kind = Self>;
    /// The kind's part of the main item.
    type Item: Serialize + DeserializeOwned + Send;
    /// The class of the keys of a message's items.
    const CLASS: KeyClass;

    /// Reads the kind's part of a message. `related` lacks what was not read.
    fn from_items(main: Self::Item, related: Related) -> Result<Self, Failure>;
    fn to_item(&self) -> Self::Item;
    /// Replaces what the main item holds.
    fn set_item(&mut self, main: Self::Item);
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
    /// Returns the due time of work other than sending.
    fn other_due(&self) -> Option<(DueClass, Timestamp)> {
        None
    }

    /// Returns the outcome; `None` if the message was not sent here.
    fn outcome(&self) -> Option<Outcome>;
    /// Records that the provider took the message and gave it this id.
    fn accept(&mut self, provider_id: &str, now: Timestamp);
    /// Sets the outcome to `UNKNOWN` if it is still `PENDING`.
    fn mark_unknown(&mut self, now: Timestamp);
    /// Records that the message was refused. What shows the opposite prevails, whichever comes first.
    fn refuse(&mut self, failure: &Failure, now: Timestamp);
    /// Records that the message could not be sent in time.
    fn expire(&mut self, now: Timestamp);
}

/// The id of a message, which tells the message's kind.
pub trait IdOf: Clone + Display + Into<MessageId> + TryFrom<MessageId> + Send + Sync {
    type Kind: Kind<Id = Self>;
}
