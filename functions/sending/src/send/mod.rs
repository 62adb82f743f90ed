//! Sending a message of either kind: everything is checked first, then the message is stored with its attempt, then the
//! provider is called once, then the outcome is stored ([ADR 25](../../../../docs/adr/0025-send-once.md)).

mod answer;
pub(crate) mod chat;
mod record;
pub(crate) mod sms;

use std::time::Duration;

use api::{AppCaller, Rejection};
use aws::queue::{Job, VERSION};
use axum::response::Response;
use domain::credential::hex;
use domain::port::random_bytes;
use domain::{Failure, Timestamp};
use outbound::{Channel, Sent};
use serde::Serialize;
use store::{MessageKind, QueuedContent, Stored};
use tokio::time::timeout;

use self::record::{Prepared, prepared};
use crate::SendingContext;

/// How long the checks and storing the message may take. The provider and the outcome need the rest of the 28 s after
/// which a request is answered with 500. That says only that the message may be stored; the caller is to get the outcome.
const PREPARING: Duration = Duration::from_secs(11);
/// How long queueing a message may take. The request has an answer without it.
const ENQUEUEING: Duration = Duration::from_secs(5);

/// A message that has passed all checks, and what its attempt needs.
struct Draft<C: Channel> {
    message: Stored<C::Record>,
    ready: C::Ready,
}

/// Prepares a request within the time for it, then sends its message or queues it.
async fn send<C: Channel>(
    sending: &SendingContext,
    preparing: impl Future<Output = Result<Prepared<C>, Rejection>>,
) -> Result<Response, Rejection> {
    let late = |_| Failure::unavailable("a message was not prepared in time");
    let (caller, draft) = match timeout(PREPARING, preparing).await.map_err(late)?? {
        Prepared::Repeated(response) => return Ok(response),
        Prepared::Stored(caller, draft) => (caller, *draft),
    };

    if draft.message.waits_until().is_some() {
        Ok(enqueue::<C>(sending, &caller, &draft.message).await)
    } else {
        Ok(attempt(sending, &caller, draft).await)
    }
}

/// Lets a new message wait in the queue, or records its attempt, which follows right after the message is stored.
/// `assigned_at` is since when the number has been assigned to the app.
fn begin<M: MessageKind>(
    sending: &SendingContext,
    message: &mut Stored<M>,
    content: &impl Serialize,
    queued_for: Option<Duration>,
    assigned_at: Option<Timestamp>,
) -> Result<(), Failure> {
    let now = message.created_at();
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
async fn attempt<C: Channel>(sending: &SendingContext, caller: &AppCaller, draft: Draft<C>) -> Response {
    let sent = sending.outbound.send::<C>(&caller.organization, draft.message, draft.ready);
    match Box::pin(sent).await {
        Sent::Accepted(message) => answer::accepted::<C>(&message),
        Sent::Unknown(message) => answer::undecided::<C>(&message),
        Sent::Refused(message, failure) => answer::refused(&message, failure),
    }
}

/// Queues a stored message and returns the response. If queueing fails, the sweep queues the message later.
async fn enqueue<C: Channel>(sending: &SendingContext, caller: &AppCaller, message: &Stored<C::Record>) -> Response {
    let job = Job::Send {
        v: VERSION,
        organization_id: caller.organization.clone(),
        number_id: message.number(),
        message_id: message.id().clone().into(),
    };
    let queued = timeout(ENQUEUEING, sending.sends.send(&[job])).await;
    if let Err(failure) = queued.unwrap_or_else(|_| Err(Failure::unavailable("no answer in time"))) {
        tracing::error!(message = %message.id(), "a message was not queued: {}", failure.log_text());
    }
    answer::undecided::<C>(message)
}
