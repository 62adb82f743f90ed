//! A stored message of either kind, with the state of sending it.

use std::ops::{Deref, DerefMut};
use std::time::Duration;

use domain::due::DueClass;
use domain::message::Outcome;
use domain::organization::MessageRetention;
use domain::{Failure, Timestamp};
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use super::kind::{MessageKind, Related};
use crate::item::{Item, SORT, ends_at, entity};
use crate::keys;

/// The age of an attempt without an outcome after which the sweep gives up waiting for it. An attempt takes seconds.
pub const UNRESOLVED_AFTER: Duration = Duration::from_secs(2 * 60);
/// How long the sweep gives a queue message to reach the worker. Then it queues the message again, which costs nothing
/// but the queue message: the attempt's condition decides who sends it.
pub const QUEUED_AGAIN_AFTER: Duration = Duration::from_secs(60);

/// A message: the record of its kind, to which it dereferences, and the state of sending it.
#[derive(Clone, Debug, PartialEq)]
pub struct Stored<M> {
    pub record: M,
    /// What a queued message will send.
    pub queued: Option<QueuedContent>,
    pub kept: Kept,
    /// When the message ends, by the retention that applied when it was stored. `None` for messages from before there
    /// was one.
    pub ends_at: Option<Timestamp>,
}

/// The content of a queued message. It has an item of its own, which ends some time after the message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct QueuedContent {
    /// The content as JSON. Only the code that sends the message reads it.
    pub content: String,
    /// Since when the number was assigned to the app when the message was queued. An assignment that ends ends the
    /// message, whatever is assigned later. `None` in messages of an earlier release.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assigned_at: Option<Timestamp>,
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
    /// The time until which a waiting message waits for its next turn. Before that, no queue message gives it one. `None`
    /// until the message has had its first turn.
    pub appointment_at: Option<Timestamp>,
    /// When the sweep queues a waiting message, unless the worker has sent it before.
    pub queue_at: Option<Timestamp>,
    /// The failure that was the response to a request whose message was refused, as JSON, for repetitions of the
    /// request.
    pub refusal: Option<String>,
    #[serde(default)]
    pub revision: u64,
}

/// The main item of a message.
#[skip_serializing_none]
#[derive(Serialize, Deserialize)]
pub(crate) struct MainItem<A> {
    #[serde(flatten)]
    attributes: A,
    #[serde(flatten)]
    kept: Kept,
    /// The attribute for the table's TTL: when the message ends, in seconds since 1970.
    ttl: Option<i64>,
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

    /// Reads a message from its items, or from its main item alone. `None` without the main item.
    pub(crate) fn from_items(items: Vec<Item>) -> Result<Option<Self>, Failure> {
        let mut related = Related::new();
        let mut main = None;
        for item in items {
            let sort = item.get(SORT).and_then(|key| key.as_s().ok()).cloned().unwrap_or_default();
            if sort == M::CLASS.as_str() {
                main = Some(entity::<MainItem<M::Attributes>>(item)?);
            } else {
                related.insert(sort, item);
            }
        }
        let Some(MainItem { attributes, kept, ttl }) = main else { return Ok(None) };
        Ok(Some(Stored {
            queued: related.remove(keys::SEND_PART).map(entity).transpose()?,
            record: M::from_parts(attributes, related)?,
            kept,
            ends_at: ttl.map(ends_at),
        }))
    }

    /// Reads messages from their main items alone.
    pub(crate) fn from_main_items(items: Vec<Item>) -> Result<Vec<Self>, Failure> {
        items.into_iter().filter_map(|item| Stored::from_items(vec![item]).transpose()).collect()
    }

    pub(crate) fn main_item(&self) -> MainItem<M::Attributes> {
        MainItem {
            attributes: self.record.attributes(),
            kept: self.kept.clone(),
            ttl: self.ends_at.map(Timestamp::seconds),
        }
    }

    /// Replaces what the main item holds, except when the message ends.
    pub(crate) fn set_main(&mut self, main: MainItem<M::Attributes>) {
        self.record.set_attributes(main.attributes);
        self.kept = main.kept;
    }

    /// Returns whether the message has ended. It is hidden from then on, and the table removes it later.
    pub fn has_ended(&self, now: Timestamp) -> bool {
        self.ends_at.is_some_and(|at| at <= now)
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
            self.kept.refusal = Some(serde_json::to_string(failure).map_err(Failure::internal)?);
        }
        Ok(())
    }

    /// Returns the failure that the request returned; `None` if the message was not refused.
    pub fn refusal(&self) -> Result<Option<Failure>, Failure> {
        let text = self.kept.refusal.as_deref().filter(|_| self.is_refused());
        text.map(|text| serde_json::from_str(text).map_err(Failure::internal)).transpose()
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

    /// Queues a new message: it is sent by the worker, at `expires_at` at the latest.
    pub fn queue(&mut self, content: QueuedContent, expires_at: Timestamp, now: Timestamp) {
        self.queued = Some(content);
        self.kept.expires_at = Some(expires_at);
        self.kept.queue_at = Some(now.plus(QUEUED_AGAIN_AFTER));
    }

    /// Returns until when the message may be sent if it waits in the queue; `None` if it was not queued, if its attempt
    /// has begun, or if its outcome is known.
    pub fn waits_until(&self) -> Option<Timestamp> {
        let is_pending = self.outcome() == Some(Outcome::Pending);
        self.kept.expires_at.filter(|_| is_pending && self.kept.attempt_id.is_none())
    }

    /// Returns whether the message can never be sent, because the number is not assigned to its app any more. `since` is
    /// since when it is.
    pub fn has_lost_number(&self, since: Option<Timestamp>) -> bool {
        let queued = self.queued.as_ref().and_then(|content| content.assigned_at);
        since.is_none_or(|since| queued.is_some_and(|queued| queued != since))
    }

    /// Returns when the sweep must act on the message, and in which class of due work.
    pub fn due(&self) -> Option<(DueClass, Timestamp)> {
        let attempted_at = self.kept.attempted_at.filter(|_| self.is_being_sent());
        let unresolved = attempted_at.map(|at| (DueClass::Sends, at.plus(UNRESOLVED_AFTER)));
        let waiting = self.waits_until().map(|end| (DueClass::Sends, self.kept.queue_at.unwrap_or(end).min(end)));
        unresolved.or(waiting).or_else(|| self.other_due())
    }
}
