//! The record of sending a message, and what both kinds of messages supply for it.

use std::fmt::Debug;
use std::time::Duration;

use domain::due::DueClass;
use domain::event::EventName;
use domain::id::{AppId, OrganizationId};
use domain::message::{Direction, MessageId, Outcome};
use domain::number::NumberId;
use domain::{Failure, Timestamp};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use crate::OrganizationStore;
use crate::change::{Change, stale};
use crate::expression::Update;
use crate::item::{NewItem, number};
use crate::keys::{self, Key};

/// The age of an attempt without an outcome after which the sweep gives up waiting for it. An attempt takes seconds.
pub const UNRESOLVED_AFTER: Duration = Duration::from_secs(2 * 60);
/// How long the sweep gives a queue message to reach the worker. Then it queues the message again, which costs nothing
/// but the queue message: the attempt's condition decides who sends it.
pub const QUEUED_AGAIN_AFTER: Duration = Duration::from_secs(60);
/// How long the content of a queued message is kept after the message has expired.
pub(crate) const CONTENT_KEPT: Duration = Duration::from_secs(24 * 3600);

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

/// The internal fields of a message, which the API does not show.
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

/// The main item of a message: the message as lists show it, with its internal fields.
pub trait MainItem: Serialize + DeserializeOwned + Send {
    /// The message as a page of the log has it.
    type Listed: Send;

    fn id(&self) -> MessageId;
    fn direction(&self) -> Direction;
    fn outcome(&self) -> Option<Outcome>;
    fn client_reference(&self) -> Option<&str>;
    /// Returns when the message ends. `None` for messages from before there was a retention.
    fn ends_at(&self) -> Option<Timestamp>;
    fn listed(self) -> Self::Listed;
}

/// A stored message of either kind, with what sending it needs.
pub trait Message: Clone + Debug + PartialEq + Send + Sync {
    type Id: Clone + Into<MessageId> + TryFrom<MessageId> + Send + Sync;
    type Main: MainItem;
    /// The whole message, as responses and events show it.
    type Shown: Serialize + Send;
    /// The event that reports that the message was not sent, or failed.
    const FAILED: EventName;

    fn key(organization: &OrganizationId, id: &Self::Id) -> Key;
    fn part_key(organization: &OrganizationId, id: &Self::Id, part: &str) -> Key;
    /// Reads a message whole.
    fn read(org: &OrganizationStore, id: &Self::Id) -> impl Future<Output = Result<Option<Self>, Failure>> + Send;
    /// Adds the creation of the message to a change.
    fn create(&self, change: &mut Change) -> Result<(), Failure>;
    /// Adds the differences from `before` to a change. Stale if the revision of `before` has changed.
    fn update(&self, before: &Self, change: &mut Change) -> Result<(), Failure>;

    fn id(&self) -> &Self::Id;
    fn number(&self) -> NumberId;
    /// Returns the app that sends the message; `None` if the message was not sent here.
    fn app(&self) -> Option<&AppId>;
    /// Returns the identities of the contact whose conversations the message belongs to.
    fn contacts(&self) -> Vec<&str>;
    fn created_at(&self) -> Timestamp;
    fn ends_at(&self) -> Option<Timestamp>;
    fn main_item(&self) -> Self::Main;
    /// Replaces what the main item holds.
    fn set_main(&mut self, main: Self::Main);
    fn kept(&self) -> &Kept;
    fn kept_mut(&mut self) -> &mut Kept;
    /// What a queued message will send.
    fn queued(&self) -> Option<&QueuedContent>;
    fn set_queued(&mut self, content: QueuedContent);
    fn shown(&self) -> Self::Shown;
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

    /// Returns whether the message has ended. It is hidden from then on, and the table removes it later.
    fn has_ended(&self, now: Timestamp) -> bool {
        self.ends_at().is_some_and(|at| at <= now)
    }

    /// Records the attempt to send the message, right before it.
    fn begin_attempt(&mut self, id: String, now: Timestamp) {
        self.kept_mut().attempt_id = Some(id);
        self.kept_mut().attempted_at = Some(now);
    }

    /// Keeps the failure with which the request was answered.
    fn keep_refusal(&mut self, failure: &Failure) -> Result<(), Failure> {
        if self.is_refused() {
            self.kept_mut().refusal = Some(serde_json::to_string(failure).map_err(Failure::internal)?);
        }
        Ok(())
    }

    /// Returns the failure with which the request was answered; `None` if the message was not refused.
    fn refusal(&self) -> Result<Option<Failure>, Failure> {
        let text = self.kept().refusal.as_deref().filter(|_| self.is_refused());
        text.map(|text| serde_json::from_str(text).map_err(Failure::internal)).transpose()
    }

    fn is_accepted(&self) -> bool {
        self.outcome() == Some(Outcome::Accepted)
    }

    fn is_refused(&self) -> bool {
        self.outcome() == Some(Outcome::Refused)
    }

    /// Returns whether the message is being sent: its attempt has begun, and its outcome is not recorded.
    fn is_being_sent(&self) -> bool {
        self.outcome() == Some(Outcome::Pending) && self.kept().attempt_id.is_some()
    }

    /// Queues a new message: it is sent by the worker, at `expires_at` at the latest.
    fn queue(&mut self, content: QueuedContent, expires_at: Timestamp, now: Timestamp) {
        self.set_queued(content);
        self.kept_mut().expires_at = Some(expires_at);
        self.kept_mut().queue_at = Some(now.plus(QUEUED_AGAIN_AFTER));
    }

    /// Returns until when the message may be sent if it waits in the queue; `None` if it was not queued, if its attempt
    /// has begun, or if its outcome is known.
    fn waits_until(&self) -> Option<Timestamp> {
        let is_pending = self.outcome() == Some(Outcome::Pending);
        self.kept().expires_at.filter(|_| is_pending && self.kept().attempt_id.is_none())
    }

    /// Returns whether the message can never be sent, because the number is not assigned to its app any more. `since` is
    /// since when it is.
    fn has_lost_number(&self, since: Option<Timestamp>) -> bool {
        let queued = self.queued().and_then(|content| content.assigned_at);
        since.is_none_or(|since| queued.is_some_and(|queued| queued != since))
    }

    /// Returns when the sweep must act on the message, and in which class of due work.
    fn due(&self) -> Option<(DueClass, Timestamp)> {
        let attempted_at = self.kept().attempted_at.filter(|_| self.is_being_sent());
        let unresolved = attempted_at.map(|at| (DueClass::Sends, at.plus(UNRESOLVED_AFTER)));
        let waiting = self.waits_until().map(|end| (DueClass::Sends, self.kept().queue_at.unwrap_or(end).min(end)));
        unresolved.or(waiting).or_else(|| self.other_due())
    }
}

impl Change {
    /// Creates the main item of a message, its list items, and the item of its queued content.
    pub(crate) fn create_record<M: Message>(&mut self, message: &M) -> Result<(), Failure> {
        let mut main = NewItem::new(&M::key(&self.organization, message.id()), &message.main_item())?;
        if let Some((class, at)) = message.due() {
            main = main.due(class, at);
        }
        self.create(main, crate::change::fail_with(|| Failure::internal("a newly minted message id already exists")));
        self.list_message(None, message)?;
        self.write_queued(None, message)
    }

    /// Writes the differences between two states of a message's main item, due time and list items. Stale if its revision
    /// has changed.
    pub(crate) fn update_record<M: Message>(&mut self, before: &M, after: &M) -> Result<(), Failure> {
        let key = M::key(&self.organization, before.id());
        let mut update = Update::between(key, &before.main_item(), &after.main_item(), &[])?
            .when("#revision = :seenRevision")
            .value(":seenRevision", number(before.kept().revision));
        match (before.due(), after.due()) {
            (before, after) if before == after => {}
            (_, None) => update = update.not_due(),
            (_, Some((class, at))) => update = update.due(class, at),
        }
        self.update(update, stale());
        self.list_message(Some(before), after)?;
        self.write_queued(Some(before), after)
    }

    fn write_queued<M: Message>(&mut self, before: Option<&M>, after: &M) -> Result<(), Failure> {
        if let (Some(queued), Some(expires_at)) = (after.queued(), after.kept().expires_at)
            && before.is_none_or(|before| before.queued().is_none())
        {
            let item = NewItem::new(&M::part_key(&self.organization, after.id(), keys::SEND_PART), queued)?;
            self.put(item.expiring(expires_at.plus(CONTENT_KEPT)));
        }
        Ok(())
    }
}
