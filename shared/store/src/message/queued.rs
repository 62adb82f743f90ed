//! Queued messages: their content, and their states from storage to the attempt. The content has an item of its own.
//! Each change of state is one conditional write, which does not change a message whose attempt has begun or whose
//! outcome is known.

use std::time::Duration;

use domain::id::first_ksuid_at;
use domain::message::step::{Step, add_step};
use domain::message::{Direction, MessageId, Outcome};
use domain::number::NumberId;
use domain::{Failure, Open, Timestamp};
use serde::{Deserialize, Serialize};

use super::kind::MessageKind;
use super::stored::{ListItem, Stored};
use crate::engine::change::Change;
use crate::engine::expression::Update;
use crate::engine::item::{NewItem, entities, entity, value};
use crate::engine::table::Range;
use crate::{OrganizationStore, keys};

/// How long the sweep gives a queue message to reach the worker. Then it queues the message again, which costs nothing
/// but the queue message: the attempt's condition decides who sends it.
pub const QUEUED_AGAIN_AFTER: Duration = Duration::from_secs(60);
/// How long the content of a queued message is kept after the message has expired.
const CONTENT_KEPT: Duration = Duration::from_secs(24 * 3600);

/// The content of a queued message. It has an item of its own, which ends some time after the message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct QueuedContent {
    /// The content as JSON. Only the code that sends the message reads it.
    pub content: String,
    /// Since when the number had been assigned to the app when the message was queued. When this assignment ends, the
    /// message can no longer be sent, even if the number is assigned again. `None` in messages of an earlier release.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assigned_at: Option<Timestamp>,
}

/// A page of the waiting messages of a number.
#[derive(Debug)]
pub struct WaitingPage {
    pub waiting: Vec<MessageId>,
    /// The ksuid of the last message that was read, if there are more.
    pub next: Option<String>,
}

impl<M: MessageKind> Stored<M> {
    /// Queues a new message: the worker sends it, at `expires_at` at the latest.
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

    /// Returns whether the message can never be sent, because the number's assignment to its app has ended. `since` is
    /// the start of the current assignment.
    pub fn has_lost_number(&self, since: Option<Timestamp>) -> bool {
        let queued = self.queued.as_ref().and_then(|content| content.assigned_at);
        since.is_none_or(|since| queued.is_some_and(|queued| queued != since))
    }
}

impl Change {
    /// Writes the content of a queued message, once.
    pub(super) fn write_queued<M: MessageKind>(
        &mut self,
        before: Option<&Stored<M>>,
        after: &Stored<M>,
    ) -> Result<(), Failure> {
        if let (Some(queued), Some(expires_at)) = (&after.queued, after.kept.expires_at)
            && before.is_none_or(|before| before.queued.is_none())
        {
            let key = keys::message_part(M::CLASS, &self.organization, after.id(), keys::SEND_PART);
            let item = NewItem::new(&key, queued)?;
            self.put(item.expiring(expires_at.plus(CONTENT_KEPT)));
        }
        Ok(())
    }
}

impl OrganizationStore {
    /// Records the attempt to send a message, right before it: on condition that the message is pending and has no
    /// attempt yet. `None` if it has one, or is no longer pending: it must not be sent.
    pub async fn begin_attempt<M: MessageKind>(
        &self,
        message: &Stored<M>,
        attempt_id: String,
        now: Timestamp,
    ) -> Result<Option<Stored<M>>, Failure> {
        let mut begun = message.clone();
        begun.begin_attempt(attempt_id, now);
        let key = keys::message(M::CLASS, &self.organization, message.id());
        let mut update = Update::between(key, &message.main_item(), &begun.main_item(), &["revision"])?
            .add("revision", 1)
            .when("attribute_not_exists(#attemptId) AND #outcome = :pending")
            .value(":pending", value(&Outcome::Pending)?);
        if let Some((class, at)) = begun.due() {
            update = update.due(class, at);
        }
        // The SDK retries a call whose response was lost; the retry then finds the attempt that it has written itself.
        let (Ok(main) | Err(Some(main))) = self.table.try_update(update).await? else { return Ok(None) };
        let attempt_id = begun.kept.attempt_id.clone();
        begun.set_main(entity(main)?);
        Ok((begun.kept.attempt_id == attempt_id).then_some(begun))
    }

    /// Returns how many messages a number has received since `since`.
    pub async fn received_since(&self, number: &NumberId, since: Timestamp) -> Result<u32, Failure> {
        let (partition, from) = (keys::messages_of_number(&self.organization, number), first_ksuid_at(since));
        let range = Range { partition, from: Some(&from), before: None, newest_first: false, limit: None };
        let listed: Vec<ListItem> = entities(self.table.query(range).await?)?;
        let received = listed.iter().filter(|item| item.direction == Some(Direction::Inbound)).count();
        Ok(u32::try_from(received).unwrap_or(u32::MAX))
    }

    /// Makes a message wait until `appointment`, which `steps` say, too; the sweep queues it at `queue_at`, unless the worker has sent it
    /// before. Returns `false` if the message no longer waits, or if it got another appointment concurrently.
    pub async fn wait<M: MessageKind>(
        &self,
        message: &Stored<M>,
        appointment: Timestamp,
        queue_at: Timestamp,
        steps: &[Step],
    ) -> Result<bool, Failure> {
        let update = self.to_waiting(message, appointment, queue_at)?.when("attribute_not_exists(#attemptId)");
        let update = with_steps(update, message, steps)?;
        let update = match &message.kept.appointment_at {
            None => update.when("attribute_not_exists(#appointmentAt)"),
            Some(seen) => update.when("#appointmentAt = :seenAppointment").value(":seenAppointment", value(seen)?),
        };
        Ok(self.table.try_update(update).await?.is_ok())
    }

    /// Removes the appointment of a waiting message, so that it can take its turn now. Returns `false` if it no longer
    /// waits, or if it has another appointment.
    pub async fn forget_appointment<M: MessageKind>(
        &self,
        message: &Stored<M>,
        now: Timestamp,
    ) -> Result<bool, Failure> {
        let Some(seen) = &message.kept.appointment_at else { return Ok(false) };
        let update = self
            .to_waiting(message, now, now.plus(QUEUED_AGAIN_AFTER))?
            .remove("appointmentAt")
            .when("attribute_not_exists(#attemptId) AND #appointmentAt = :seenAppointment")
            .value(":seenAppointment", value(seen)?);
        Ok(self.table.try_update(update).await?.is_ok())
    }

    /// Withdraws an attempt that certainly did not send the message, and makes the message wait, in one write. Returns
    /// `false` if the outcome has become known in the meantime: a status has shown that the message was sent.
    pub async fn wait_after_attempt<M: MessageKind>(
        &self,
        attempted: &Stored<M>,
        appointment: Timestamp,
        queue_at: Timestamp,
        steps: &[Step],
    ) -> Result<bool, Failure> {
        let update = with_steps(self.to_waiting(attempted, appointment, queue_at)?, attempted, steps)?
            .remove("attemptId")
            .remove("attemptedAt")
            .when("#attemptId = :attempt")
            .value(":attempt", value(&attempted.kept.attempt_id)?);
        Ok(self.table.try_update(update).await?.is_ok())
    }

    /// Returns the waiting messages of a number, newest first, from a page of `limit` list items before the ksuid
    /// `before` and down to the ksuid `oldest`.
    pub async fn waiting_messages(
        &self,
        number: &NumberId,
        oldest: &str,
        before: Option<&str>,
        limit: usize,
    ) -> Result<WaitingPage, Failure> {
        let partition = keys::messages_of_number(&self.organization, number);
        let range = Range { partition, from: Some(oldest), before, newest_first: true, limit: Some(limit) };
        let listed: Vec<ListItem> = entities(self.table.query(range).await?)?;
        let next = listed.last().filter(|_| listed.len() == limit).map(|item| item.message_id.ksuid().to_owned());
        let is_pending = |item: &ListItem| item.outcome.as_ref().and_then(Open::known) == Some(Outcome::Pending);
        Ok(WaitingPage { waiting: listed.into_iter().filter(is_pending).map(|item| item.message_id).collect(), next })
    }

    fn to_waiting<M: MessageKind>(
        &self,
        message: &Stored<M>,
        appointment: Timestamp,
        queue_at: Timestamp,
    ) -> Result<Update, Failure> {
        let mut waiting = message.clone();
        let kept = &mut waiting.kept;
        (kept.attempt_id, kept.attempted_at) = (None, None);
        kept.queue_at = Some(queue_at);
        let key = keys::message(M::CLASS, &self.organization, waiting.id());
        let update = Update::new(key).set("appointmentAt", &appointment)?.set("queueAt", &queue_at)?.add("revision", 1);
        let update = match waiting.due() {
            Some((class, at)) => update.due(class, at),
            None => update,
        };
        Ok(update.when("#outcome = :pending").value(":pending", value(&Outcome::Pending)?))
    }
}

/// Adds steps to a write of a waiting message. Nothing else adds steps while a message waits, except for what makes the write's
/// condition fail.
fn with_steps<M: MessageKind>(update: Update, message: &Stored<M>, added: &[Step]) -> Result<Update, Failure> {
    let mut steps = message.kept.steps.clone();
    added.iter().cloned().for_each(|step| add_step(&mut steps, step));
    update.set("steps", &steps)
}
