//! The one attempt to send a message, of either kind. Its caller has recorded the attempt in the table, right before.

use std::time::Duration;

use aws::presign::Presigner;
use aws::queue::Queue;
use carrier::Carriers;
use domain::id::OrganizationId;
use domain::{Failure, Timestamp};
use platform::Platforms;
use runtime::Context;
use store::{Change, MessageKind, Stored};
use tokio::time::timeout;

use crate::channel::Channel;
use crate::waiting::failed;

/// How long recording an outcome may take, so that the caller gets a response in time even if the table is down.
const RECORDING: Duration = Duration::from_secs(5);
/// How long queueing the statuses of a simulated message may take. The simulated provider itself takes no time.
const QUEUEING: Duration = Duration::from_secs(8);

/// Sends messages.
#[derive(Clone)]
pub struct Outbound {
    pub context: Context,
    pub platforms: Platforms,
    pub carriers: Carriers,
    /// The worker's queue, which takes the statuses of simulated messages.
    pub queue: Queue,
    pub presigner: Presigner,
}

/// The result of the call to the provider.
#[derive(Debug)]
pub enum Posted {
    /// The provider took the message and gave it this id.
    Accepted(String),
    /// It is unknown whether the provider took the message.
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
    /// error would tell the caller that the message was not sent.
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
            if after != before {
                after.kept.revision += 1;
                change.update_message(&before, &after)?;
            }
            // The caller of a direct send has the refusal as the response to the request.
            if after.is_refused() && !before.is_refused() && after.kept.expires_at.is_some() {
                change.emit(&failed::<C>(&self.context, &after)?)?;
            }
            Ok((change, after))
        };
        self.context.store.settle_from(Ok(sent), read, decide).await
    }

    /// Carries out what a simulated provider reports of a message. Most of it goes through the worker's queue, where it is
    /// processed like all reports.
    pub(crate) async fn report_simulated(&self, reporting: impl Future<Output = Result<(), Failure>>) {
        let reported = timeout(QUEUEING, Box::pin(reporting)).await;
        if let Err(failure) = reported.unwrap_or_else(|_| Err(Failure::unavailable("no answer in time"))) {
            tracing::error!("the statuses of a simulated message were not queued: {}", failure.log_text());
        }
    }
}

impl Posted {
    fn applied_to<M: MessageKind>(&self, before: &Stored<M>, now: Timestamp) -> Result<Stored<M>, Failure> {
        let mut after = before.clone();
        match self {
            Posted::Accepted(id) => after.accept(id, now),
            Posted::Unknown => after.mark_unknown(now),
            Posted::Refused(failure) => after.refuse(failure, now)?,
        }
        Ok(after)
    }
}
