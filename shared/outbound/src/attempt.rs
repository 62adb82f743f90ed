//! The one attempt to send a message, of either kind. Its caller has recorded the attempt in the table, right before.

use std::fmt::Display;
use std::time::Duration;

use aws::presign::Presigner;
use aws::queue::Queue;
use carrier::Carriers;
use domain::events::event::{Audience, EventName};
use domain::id::OrganizationId;
use domain::message::MessageId;
use domain::message::step::Step;
use domain::{Failure, Timestamp};
use platform::Platforms;
use runtime::{Context, event};
use serde::Serialize;
use store::{Change, MessageKind, Stored};
use tokio::time::timeout;

/// How long recording an outcome may take, so that the caller gets a response in time even if the table is down.
const RECORDING: Duration = Duration::from_secs(5);
/// How long queueing the statuses of a simulated message may take. The simulated provider itself takes no time.
const QUEUEING: Duration = Duration::from_secs(8);

/// A kind of messages to send: chat or SMS.
pub trait Channel: Sized + Send {
    type Record: MessageKind;
    /// The data that the attempt needs beside the message.
    type Ready: Send;
    /// The event that reports that a message was not sent, or failed.
    const FAILED: EventName;

    /// Returns the whole message, as responses and events show it.
    fn shown(message: &Stored<Self::Record>) -> impl Serialize + Send + use<Self>;

    /// Calls the provider once.
    fn post(
        outbound: &Outbound,
        organization: &OrganizationId,
        message: &Stored<Self::Record>,
        ready: Self::Ready,
    ) -> impl Future<Output = Posted> + Send;
}

/// The id of a message of a channel.
pub type IdOf<C> = <<C as Channel>::Record as MessageKind>::Id;

/// Sends messages.
#[derive(Clone)]
pub struct Outbound {
    pub context: Context,
    pub platforms: Platforms,
    pub carriers: Carriers,
    /// The worker's queue, to which the statuses of simulated messages are sent.
    pub queue: Queue,
    pub presigner: Presigner,
}

/// The result of the call to the provider.
#[derive(Debug)]
pub enum Posted {
    /// The provider accepted the message and gave it this id.
    Accepted(String),
    /// It is unknown whether the provider accepted the message.
    Unknown,
    /// The message was not sent.
    Refused(Failure),
}

/// A message after its attempt.
#[derive(Debug)]
pub enum Sent<M> {
    Accepted(Stored<M>),
    /// The outcome is unknown, or could not be recorded.
    Unknown(Stored<M>),
    Refused(Stored<M>, Failure),
}

impl Outbound {
    /// Makes the one attempt to send a message and records its outcome. Never fails: once the attempt has begun, an
    /// error would mean to the caller that the message was not sent.
    pub async fn send<C: Channel>(
        &self,
        organization: &OrganizationId,
        message: Stored<C::Record>,
        ready: C::Ready,
    ) -> Sent<C::Record> {
        let posted = C::post(self, organization, &message, ready).await;
        let recorded = timeout(RECORDING, self.record::<C>(organization, message.clone(), &posted)).await;
        let recorded = match recorded {
            Ok(Ok(recorded)) => recorded,
            Ok(Err(failure)) => {
                tracing::error!(message = %message.id(), "an outcome was not recorded: {}", failure.log_text());
                return Sent::Unknown(message);
            }
            Err(_) => {
                tracing::error!(message = %message.id(), "an outcome was not recorded in time");
                return Sent::Unknown(message);
            }
        };
        match posted {
            Posted::Refused(failure) if recorded.is_refused() => Sent::Refused(recorded, failure),
            _ if recorded.is_accepted() => Sent::Accepted(recorded),
            _ => Sent::Unknown(recorded),
        }
    }

    /// Records the result of an attempt, by the attempt's id. The message may have changed since the attempt was
    /// recorded: a status can come before the response.
    pub async fn record<C: Channel>(
        &self,
        organization: &OrganizationId,
        sent: Stored<C::Record>,
        posted: &Posted,
    ) -> Result<Stored<C::Record>, Failure> {
        let (id, attempt) = (sent.id().clone(), sent.kept.attempt_id.clone());
        let (id, attempt) = (&id, &attempt);
        let read = || async move {
            let stored = self.context.store.of(organization).message(id).await?;
            stored.ok_or_else(|| Failure::internal("a message was deleted while it was sent"))
        };
        let decide = |before: Result<Stored<C::Record>, Failure>| async move {
            let before = before?;
            if before.kept.attempt_id != *attempt {
                return Err(Failure::internal("the attempt of a message was replaced"));
            }

            let mut change = Change::new(organization);
            let mut after = posted.applied_to(&before, self.context.now())?;
            // The caller of a direct send gets the refusal in the response, so only queued messages emit the event.
            if after.is_refused() && !before.is_refused() && after.kept.expires_at.is_some() {
                emit_failed::<C>(&self.context, &mut change, &mut after)?;
            }
            if after != before {
                after.kept.revision += 1;
                change.update_message(&before, &after)?;
            }
            Ok((change, after))
        };
        self.context.store.settle_from(Ok(sent), read, decide).await
    }

    /// Runs the reporting of a simulated provider about a message. Most reports go through the worker's queue, where
    /// they are processed like all others.
    pub(crate) async fn report_simulated(&self, reporting: impl Future<Output = Result<(), Failure>>) {
        let reported = timeout(QUEUEING, Box::pin(reporting)).await;
        if let Err(failure) = reported.unwrap_or_else(|_| Err(Failure::unavailable("no answer in time"))) {
            tracing::error!("the statuses of a simulated message were not queued: {}", failure.log_text());
        }
    }
}

impl Posted {
    /// Interprets the response to a call. An error means that the message was not sent.
    pub(crate) fn of_response<E: Display>(
        message: &impl Display,
        response: Result<String, E>,
        is_outcome_unknown: impl Fn(&E) -> bool,
    ) -> Result<Self, E> {
        match response {
            Ok(id) => Ok(Posted::Accepted(id)),
            Err(error) if is_outcome_unknown(&error) => {
                tracing::warn!(message = %message, "the outcome of an attempt is unknown: {error}");
                Ok(Posted::Unknown)
            }
            Err(error) => Err(error),
        }
    }

    fn applied_to<M: MessageKind>(&self, before: &Stored<M>, now: Timestamp) -> Result<Stored<M>, Failure> {
        let mut after = before.clone();
        match self {
            Posted::Accepted(id) => after.accept(id, now),
            Posted::Unknown => after.mark_unknown(now),
            Posted::Refused(failure) => after.refuse(failure, now)?,
        }
        after.note_outcome(Some(before), now);
        Ok(after)
    }
}

/// Emits the event that reports that a queued message was not sent.
pub(crate) fn emit_failed<C: Channel>(
    context: &Context,
    change: &mut Change,
    message: &mut Stored<C::Record>,
) -> Result<(), Failure> {
    let id: MessageId = message.id().clone().into();
    let audience = Audience::AppsOfNumber(message.number().to_string());
    let event = event(context, C::FAILED, id.mode(), audience, &C::shown(message))?;
    message.add_step(Step::event(C::FAILED, &event.id));
    change.emit(&event)
}
