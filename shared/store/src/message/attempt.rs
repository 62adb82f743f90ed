//! The attempt to send a message, and the states of a queued message before it. Each change is one conditional write,
//! which leaves a message alone whose attempt has begun or whose outcome is known.

use domain::id::first_ksuid_at;
use domain::message::{Direction, MessageId, Outcome};
use domain::number::NumberId;
use domain::{Failure, Open, Timestamp};

use super::kind::MessageKind;
use super::listed::ListItem;
use super::stored::{QUEUED_AGAIN_AFTER, Stored};
use crate::expression::Update;
use crate::item::{entities, entity, value};
use crate::table::Range;
use crate::{OrganizationStore, keys};

/// A page of the messages of a number that wait.
#[derive(Debug)]
pub struct WaitingPage {
    pub waiting: Vec<MessageId>,
    /// The ksuid of the last message that was looked at, if there are more.
    pub next: Option<String>,
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

    /// Returns how many messages a number has received since then.
    pub async fn received_since(&self, number: &NumberId, since: Timestamp) -> Result<u32, Failure> {
        let (partition, from) = (keys::messages_of_number(&self.organization, number), first_ksuid_at(since));
        let range = Range { partition, from: Some(&from), before: None, newest_first: false, limit: None };
        let listed: Vec<ListItem> = entities(self.table.query(range).await?)?;
        let received = listed.iter().filter(|item| item.direction == Some(Direction::Inbound)).count();
        Ok(u32::try_from(received).unwrap_or(u32::MAX))
    }

    /// Lets a message wait until `appointment`; the sweep queues it at `queue_at`, unless the worker has sent it before.
    /// Returns `false` if the message does not wait any more, or if a concurrent turn gave it another appointment.
    pub async fn wait<M: MessageKind>(
        &self,
        message: &Stored<M>,
        appointment: Timestamp,
        queue_at: Timestamp,
    ) -> Result<bool, Failure> {
        let update = self.to_waiting(message, appointment, queue_at)?.when("attribute_not_exists(#attemptId)");
        let update = match &message.kept.appointment_at {
            None => update.when("attribute_not_exists(#appointmentAt)"),
            Some(seen) => update.when("#appointmentAt = :seenAppointment").value(":seenAppointment", value(seen)?),
        };
        Ok(self.table.try_update(update).await?.is_ok())
    }

    /// Lets a waiting message come to its turn now, as one without an appointment. Returns `false` if it does not wait any
    /// more, or if it has another appointment.
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

    /// Takes back an attempt that certainly did not send the message, and lets the message wait, in one write. Returns
    /// `false` if the attempt has another outcome meanwhile: a status has shown that the message was sent.
    pub async fn wait_after_attempt<M: MessageKind>(
        &self,
        attempted: &Stored<M>,
        appointment: Timestamp,
        queue_at: Timestamp,
    ) -> Result<bool, Failure> {
        let update = self
            .to_waiting(attempted, appointment, queue_at)?
            .remove("attemptId")
            .remove("attemptedAt")
            .when("#attemptId = :attempt")
            .value(":attempt", value(&attempted.kept.attempt_id)?);
        Ok(self.table.try_update(update).await?.is_ok())
    }

    /// Returns those of a number's messages that wait, newest first: of a page of `limit` list items before the ksuid
    /// `before`, down to the ksuid `oldest`.
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
