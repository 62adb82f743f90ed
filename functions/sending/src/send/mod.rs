//! Sending a message of either kind: everything is checked first, then the message is stored with its attempt, then the
//! provider is called once, then the outcome is stored ([ADR 25](../../../../docs/adr/0025-send-once.md)).

mod answer;
pub(crate) mod chat;
mod record;
pub(crate) mod sms;

use std::time::Duration;

use api::AppCaller;
use aws::queue::{Job, VERSION};
use axum::response::Response;
use domain::credential::hex;
use domain::message::MessageId;
use domain::port::random_bytes;
use domain::{Failure, Timestamp};
use outbound::{Outbound, Ready, Sent};
use serde::Serialize;
use store::{Message, QueuedContent};
use tokio::time::timeout;

use self::record::{Prepared, prepared, refused_before};
use crate::SendingContext;

/// How long the checks and storing the message may take. The provider and the outcome need the rest of the 28 s after
/// which a request is answered with 500. That says only that the message may be stored; the caller is to get the outcome.
const PREPARING: Duration = Duration::from_secs(11);
/// How long queueing a message may take. The request has an answer without it.
const ENQUEUEING: Duration = Duration::from_secs(5);

/// Prepares a request within the time for it.
async fn in_time<C>(
    preparing: impl Future<Output = Result<Prepared<C>, api::Rejection>>,
) -> Result<Prepared<C>, api::Rejection> {
    let late = || Failure::unavailable("a message was not prepared in time");
    timeout(PREPARING, preparing).await.map_err(|_| late())?
}

/// `assigned_at` is since when the number has been assigned to the app. Lets the message wait in the queue, or records its attempt, which follows right after the message is stored.
fn begin<M: Message>(
    sending: &SendingContext,
    message: &mut M,
    (content, queued_for): (&impl Serialize, Option<Duration>),
    assigned_at: Option<Timestamp>,
    now: Timestamp,
) -> Result<(), Failure> {
    match queued_for {
        Some(valid_for) => {
            let content = serde_json::to_string(content).map_err(Failure::internal)?;
            message.queue(QueuedContent { content, assigned_at }, now.plus(valid_for), now);
        }
        None => message.begin_attempt(hex(&random_bytes::<16>(sending.context().random())), now),
    }
    Ok(())
}

/// Makes the one attempt to send a stored message, and returns the response.
async fn attempt<R: Ready>(outbound: &Outbound, ready: R) -> Response {
    match Box::pin(outbound.send(ready)).await {
        Sent::Accepted(message) => answer::accepted(&message),
        Sent::Unknown(message) => answer::undecided(&message),
        Sent::Refused(message, failure) => answer::refused(&message, failure),
    }
}

/// Queues a stored message and returns the response. If queueing fails, the sweep queues the message later.
async fn enqueue<M: Message>(sending: &SendingContext, caller: &AppCaller, message: M) -> Response {
    let job = Job::Send {
        v: VERSION,
        organization_id: caller.organization.clone(),
        number_id: message.number(),
        message_id: message.id().clone().into(),
    };
    let queued = timeout(ENQUEUEING, sending.sends.send(&[job])).await;
    if let Err(failure) = queued.unwrap_or_else(|_| Err(Failure::unavailable("no answer in time"))) {
        let id: MessageId = message.id().clone().into();
        tracing::error!(message = %id, "a message was not queued: {}", failure.log_text());
    }
    answer::undecided(&message)
}
