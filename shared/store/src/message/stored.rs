//! A stored message of either kind: the record of its kind, the state of sending it, and how it is written. One change
//! writes the main item, the list items and the related records: it creates the message before the attempt to send it,
//! and later writes the changes by the outcome or a status.
//!
//! A message has one list item in the list of its number, and one in each conversation that it belongs to. List items
//! hold the attributes by which lists are filtered, so that a filter reads no messages. They are small, however large
//! the message is, so that writing one costs a single write unit. They hold a digest of the caller's reference. An item
//! of a conversation does not hold the outcome, because the outcome changes with almost every message that is sent, and
//! would be written to one more item; the item in the number's list holds it.

use std::ops::{Deref, DerefMut};
use std::time::Duration;

use domain::due::DueClass;
use domain::identity::credential::hex;
use domain::identity::organization::MessageRetention;
use domain::message::step::{Step, add_step};
use domain::message::{Direction, MessageId, Outcome};
use domain::{Failure, Open, Timestamp};
use ring::digest::{SHA256, digest};
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use super::kind::MessageKind;
use super::queued::QueuedContent;
use crate::Reads;
use crate::engine::change::{Change, fail_with, never, stale};
use crate::engine::expression::Update;
use crate::engine::failure_text::{failure_from_text, failure_to_text};
use crate::engine::item::{NewItem, number};
use crate::keys::{self, Key};

/// The age of an attempt without an outcome after which the sweep gives up waiting for it. An attempt takes seconds.
pub const UNRESOLVED_AFTER: Duration = Duration::from_secs(2 * 60);
/// The bytes of a reference's digest: enough that a filter practically never reads a message of another reference.
const DIGEST_BYTES: usize = 12;

/// A message: the record of its kind, to which it dereferences, and the state of sending it.
#[derive(Clone, Debug, PartialEq)]
pub struct Stored<M> {
    pub record: M,
    /// The content of a queued message.
    pub queued: Option<QueuedContent>,
    pub kept: Kept,
    /// When the message ends, by the retention that applied when it was stored. `None` for messages from before there
    /// was one.
    pub ends_at: Option<Timestamp>,
}

/// The state of sending a message, which the API does not show.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Kept {
    /// Identifies the one attempt to send the message; set right before it. A message with an attempt is never sent
    /// again.
    pub attempt_id: Option<String>,
    pub attempted_at: Option<Timestamp>,
    /// The time until which a queued message may be sent; `None` if the message was not queued.
    pub expires_at: Option<Timestamp>,
    /// The time until which the message waits for its next turn; queue messages that arrive earlier are ignored. `None`
    /// until the message has had its first turn.
    pub appointment_at: Option<Timestamp>,
    /// When the sweep queues a waiting message, unless the worker has sent it before.
    pub queue_at: Option<Timestamp>,
    /// If the message was refused, the failure that was the response to its request, as JSON, for repetitions of the
    /// request.
    pub refusal: Option<String>,
    /// What has happened to the message, as far as its other fields do not say it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<Step>,
    #[serde(default)]
    pub revision: u64,
}

/// The main item of a message.
#[skip_serializing_none]
#[derive(Serialize, Deserialize)]
pub(crate) struct MainItem<A> {
    #[serde(flatten)]
    pub(super) attributes: A,
    #[serde(flatten)]
    pub(super) kept: Kept,
    /// The attribute for the table's TTL: when the message ends, in seconds since 1970.
    pub(super) ttl: Option<i64>,
    /// Whether the message counts in the usage. Messages of earlier releases do not, until they are marked as well.
    #[serde(default)]
    pub(super) metered: bool,
}

impl<M> Deref for Stored<M> {
    type Target = M;

    fn deref(&self) -> &M {
        &self.record
    }
}

impl<M> DerefMut for Stored<M> {
    fn deref_mut(&mut self) -> &mut M {
        &mut self.record
    }
}

impl Reads {
    /// Returns the retention of messages that are stored now.
    pub async fn message_retention(&self) -> Result<MessageRetention, Failure> {
        let organization = self.organization().await?;
        let missing = || Failure::internal("the organization of a message does not exist");
        Ok(organization.ok_or_else(missing)?.message_retention)
    }
}

impl<M: MessageKind> Stored<M> {
    /// Returns a message at revision 1, which ends with the organization's retention.
    pub fn new(record: M, retention: MessageRetention) -> Self {
        Stored {
            ends_at: Some(retention.end_of(record.created_at())),
            record,
            queued: None,
            kept: Kept { revision: 1, ..Kept::default() },
        }
    }

    /// Records the attempt to send the message, right before it.
    pub fn begin_attempt(&mut self, id: String, now: Timestamp) {
        self.kept.attempt_id = Some(id);
        self.kept.attempted_at = Some(now);
    }

    /// Records that the message was refused, and keeps the failure for repetitions of the request.
    pub fn refuse(&mut self, failure: &Failure, now: Timestamp) -> Result<(), Failure> {
        self.record.set_refused(failure, now);
        if self.is_refused() {
            self.kept.refusal = Some(failure_to_text(failure)?);
        }
        Ok(())
    }

    /// Returns the failure that the request returned; `None` if the message was not refused.
    pub fn refusal(&self) -> Result<Option<Failure>, Failure> {
        let text = self.kept.refusal.as_deref().filter(|_| self.is_refused());
        text.map(failure_from_text).transpose()
    }

    /// Adds what has happened to the message.
    pub fn add_step(&mut self, step: impl Into<Option<Step>>) {
        add_step(&mut self.kept.steps, step);
    }

    /// Adds the step of the outcome, if it was another one before.
    pub fn note_outcome(&mut self, before: Option<&Self>, now: Timestamp) {
        let outcome = self.outcome();
        if outcome != before.and_then(|before| before.outcome()) {
            self.add_step(outcome.and_then(|outcome| Step::outcome(outcome, now)));
        }
    }

    pub fn is_accepted(&self) -> bool {
        self.outcome() == Some(Outcome::Accepted)
    }

    pub fn is_refused(&self) -> bool {
        self.outcome() == Some(Outcome::Refused)
    }

    /// Returns whether the message is being sent: its attempt has begun, and its outcome is not recorded.
    pub fn is_being_sent(&self) -> bool {
        self.outcome() == Some(Outcome::Pending) && self.kept.attempt_id.is_some()
    }

    /// Returns when the sweep must act on the message, and in which class of due work.
    pub fn due(&self) -> Option<(DueClass, Timestamp)> {
        let attempted_at = self.kept.attempted_at.filter(|_| self.is_being_sent());
        let unresolved = attempted_at.map(|at| (DueClass::Sends, at.plus(UNRESOLVED_AFTER)));
        let waiting = self.waits_until().map(|end| (DueClass::Sends, self.kept.queue_at.unwrap_or(end).min(end)));
        unresolved.or(waiting).or_else(|| self.other_due())
    }

    pub(crate) fn main_item(&self) -> MainItem<M::Attributes> {
        MainItem {
            attributes: self.record.attributes(),
            kept: self.kept.clone(),
            ttl: self.ends_at.map(Timestamp::seconds),
            metered: true,
        }
    }

    /// Replaces the attributes of the main item, except the end of the message.
    pub(crate) fn set_main(&mut self, main: MainItem<M::Attributes>) {
        self.record.set_attributes(main.attributes);
        self.kept = main.kept;
    }
}

impl Change {
    /// Creates a message with all related records. Stale if a chat message with the same platform id has been created
    /// concurrently.
    pub fn create_message<M: MessageKind>(&mut self, message: &Stored<M>) -> Result<(), Failure> {
        // Added first, because the failure of the first write is the one that is reported, and a message with the same
        // platform id makes the change stale.
        M::write_name(self, None, message)?;
        self.create_main(message)?;
        M::write_related(self, None, message)
    }

    /// Writes the differences between two states of a message. Stale if its revision has changed.
    pub fn update_message<M: MessageKind>(&mut self, before: &Stored<M>, after: &Stored<M>) -> Result<(), Failure> {
        self.update_main(before, after)?;
        M::write_name(self, Some(before), after)?;
        M::write_related(self, Some(before), after)
    }

    /// Creates the main item of a message, its list items, and the item of its queued content.
    pub(crate) fn create_main<M: MessageKind>(&mut self, message: &Stored<M>) -> Result<(), Failure> {
        let mut main = NewItem::new(&keys::message(M::CLASS, &self.organization, message.id()), &message.main_item())?;
        if let Some((class, at)) = message.due() {
            main = main.due(class, at);
        }
        self.create(main, fail_with(|| Failure::internal("a newly minted message id already exists")));
        self.list_message(None, message)?;
        self.list_failure(None, message)?;
        self.write_queued(None, message)
    }

    /// Writes the differences between two states of a message's main item, due time and list items.
    fn update_main<M: MessageKind>(&mut self, before: &Stored<M>, after: &Stored<M>) -> Result<(), Failure> {
        let key = keys::message(M::CLASS, &self.organization, before.id());
        let mut update = Update::between(key, &before.main_item(), &after.main_item(), &[])?
            .when("#revision = :seenRevision")
            .value(":seenRevision", number(before.kept.revision));
        match (before.due(), after.due()) {
            (before, after) if before == after => {}
            (_, None) => update = update.not_due(),
            (_, Some((class, at))) => update = update.due(class, at),
        }
        self.update(update, stale());
        self.list_message(Some(before), after)?;
        self.list_failure(Some(before), after)?;
        self.write_queued(Some(before), after)
    }

    /// Writes the list items of a message, as far as they differ. They need no conditions: the main item's revision
    /// guards them. They are written with all their attributes, so that an item that the table has removed at its end
    /// does not return in part; those of a new message are put, because no release can have written them before.
    fn list_message<M: MessageKind>(&mut self, before: Option<&Stored<M>>, after: &Stored<M>) -> Result<(), Failure> {
        let number = after.number();
        let item = ListItem::of(after);
        if before.map(ListItem::of).as_ref() != Some(&item) {
            let key = keys::message_of_number(&self.organization, &number, &item.message_id);
            self.write_list_item(key, &item, before.is_none())?;
        }
        let item = ListItem { outcome: None, ..item };
        let known = before.map(|before| before.contacts()).unwrap_or_default();
        for contact in after.contacts().into_iter().filter(|contact| !known.contains(contact)) {
            let key = keys::message_of_contact(&self.organization, &number, contact, &item.message_id);
            self.write_list_item(key, &item, before.is_none())?;
        }
        Ok(())
    }

    fn write_list_item(&mut self, key: Key, item: &ListItem, is_new: bool) -> Result<(), Failure> {
        if is_new {
            self.put(NewItem::new(&key, item)?);
        } else {
            self.update(Update::overwriting(key, item, &["outcome", "reference", "ttl"])?, never());
        }
        Ok(())
    }
}

/// A message in the list of its number or in a conversation.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ListItem {
    pub(crate) message_id: MessageId,
    /// `None` in items from before lists had filters.
    pub(super) direction: Option<Direction>,
    pub(super) outcome: Option<Open<Outcome>>,
    pub(super) reference: Option<String>,
    pub(super) ttl: Option<i64>,
}

impl ListItem {
    fn of<M: MessageKind>(message: &Stored<M>) -> Self {
        ListItem {
            message_id: message.id().clone().into(),
            direction: Some(message.direction()),
            outcome: message.outcome().map(Open::from),
            reference: message.client_reference().map(reference_digest),
            ttl: message.ends_at.map(Timestamp::seconds),
        }
    }
}

pub(super) fn reference_digest(reference: &str) -> String {
    hex(&digest(&SHA256, reference.as_bytes()).as_ref()[..DIGEST_BYTES])
}
