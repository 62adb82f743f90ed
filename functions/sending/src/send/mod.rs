//! Sending a message of either kind. The request is checked completely, the message is stored with its attempt, the
//! provider is called once, and the outcome is stored ([ADR 25](../../../../docs/adr/0025-send-once.md)).
//!
//! The record of a request with an `Idempotency-Key` points at the message that the request created. A repeated request
//! responds with the state of that message.

pub(crate) mod chat;
pub(crate) mod sms;

use std::time::Duration;

use api::idempotency::{Attempt, HEADER, REPLAYED};
use api::{Answer, AppCaller, Rejection};
use axum::response::{IntoResponse, Response};
use domain::identity::credential::hex;
use domain::job::{Job, VERSION};
use domain::message::{MessageId, Outcome};
use domain::port::random_bytes;
use domain::{ErrorKind, Failure, Timestamp};
use http::{HeaderName, HeaderValue};
use outbound::{Channel, IdOf, Sent};
use serde::Serialize;
use store::{Budget, Change, Committed, MessageKind, QueuedContent, ResponseRecord, Stored};
use tokio::time::timeout;

use crate::SendingContext;

/// How long the checks and storing the message may take. The provider and the outcome need the rest of the 28 s after
/// which the response is a 500, which would not show whether the message was sent.
const PREPARING: Duration = Duration::from_secs(11);
/// How often a request may find that the message under its key was refused temporarily. Each time, another request has
/// replaced that message.
const ROUNDS: u32 = 4;
/// How long queueing a message may take. The response does not depend on it.
const ENQUEUEING: Duration = Duration::from_secs(5);
/// The header that names the message of a failed request, if it was stored.
const MESSAGE_ID: HeaderName = HeaderName::from_static("x-message-id");

/// A message that has passed all checks, and the data that its attempt needs.
struct Draft<C: Channel> {
    message: Stored<C::Record>,
    ready: C::Ready,
}

/// The result of preparing a request.
enum Prepared<C: Channel> {
    /// The message is stored with its attempt, or waits in the queue.
    Stored(AppCaller, Box<Draft<C>>),
    /// The request was repeated.
    Repeated(Response),
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
        Ok(send_now(sending, &caller, draft).await)
    }
}

/// Makes a new message wait in the queue, or records its attempt, which follows right after the message is stored.
/// `assigned_at` is the time at which the number was assigned to the app.
fn begin<M: MessageKind>(
    sending: &SendingContext,
    caller: &AppCaller,
    message: &mut Stored<M>,
    content: &impl Serialize,
    queued_for: Option<Duration>,
    assigned_at: Option<Timestamp>,
) -> Result<(), Failure> {
    let now = message.created_at();
    message.add_step(sending.context().requested(&caller.trail));
    match queued_for {
        Some(valid_for) => {
            let content = serde_json::to_string(content).map_err(Failure::internal)?;
            message.queue(QueuedContent { content, assigned_at }, now.plus(valid_for), now);
        }
        None => message.begin_attempt(hex(&random_bytes::<16>(sending.context().random())), now),
    }
    Ok(())
}

/// Stores the checked message, or the failure of its checks.
async fn prepared<C: Channel>(
    sending: &SendingContext,
    caller: AppCaller,
    attempt: &Attempt<'_>,
    checked: Result<Draft<C>, Failure>,
) -> Result<Prepared<C>, Rejection> {
    match checked {
        Ok(draft) => stored(sending, caller, attempt, draft).await,
        Err(failure) => refused_before(sending, &caller, attempt, failure).await,
    }
}

/// Stores a message that has passed the checks together with the record of the request, unless an earlier request has the
/// same key.
async fn stored<C: Channel>(
    sending: &SendingContext,
    caller: AppCaller,
    attempt: &Attempt<'_>,
    draft: Draft<C>,
) -> Result<Prepared<C>, Rejection> {
    let mut refused_for_now: Option<MessageId> = None;
    let message = &draft.message;
    let mut budget = Budget::new(ROUNDS, || {
        let message = "Other requests with this Idempotency-Key are in progress. Retry the request.";
        Failure::conflict(message).with_retry_after(1)
    });
    loop {
        let mut change = Change::new(&caller.organization);
        change.create_message(message)?;
        attempt.remember_message(&mut change, &message.id().clone().into(), refused_for_now.as_ref());
        match sending.context().store.commit(&change).await? {
            Committed::Remembered(record) => match earlier::<C>(sending, &caller, attempt, &record).await? {
                Earlier::Answered(response) => return Ok(Prepared::Repeated(response)),
                Earlier::RefusedForNow(message) => refused_for_now = Some(message),
            },
            Committed::Done | Committed::AlreadyDone => return Ok(Prepared::Stored(caller, Box::new(draft))),
            Committed::Stale => return Err(Failure::internal("a new message exists").into()),
        }
        budget.spend().await?;
    }
}

/// Stores the failure of a request that created no message, unless an earlier request with the same key did.
async fn refused_before<C: Channel>(
    sending: &SendingContext,
    caller: &AppCaller,
    attempt: &Attempt<'_>,
    failure: Failure,
) -> Result<Prepared<C>, Rejection> {
    let Some(record) = attempt.note_refusal(&failure).await? else { return Err(failure.into()) };
    match earlier::<C>(sending, caller, attempt, &record).await? {
        Earlier::Answered(response) => Ok(Prepared::Repeated(response)),
        Earlier::RefusedForNow(_) => Err(failure.into()),
    }
}

/// The result of an earlier request with the same key.
enum Earlier {
    Answered(Response),
    /// The provider refused its message temporarily: the repeated request sends a new one.
    RefusedForNow(MessageId),
}

/// Returns the result of the earlier request with this record, according to the state of the message that it created.
async fn earlier<C: Channel>(
    sending: &SendingContext,
    caller: &AppCaller,
    attempt: &Attempt<'_>,
    record: &ResponseRecord,
) -> Result<Earlier, Failure> {
    let Some(id) = attempt.earlier_message(record)? else { return Ok(Earlier::Answered(attempt.replay(record))) };
    let own =
        IdOf::<C>::try_from(id.clone()).map_err(|_| Failure::internal("a request has a message of another kind"))?;
    let message = sending.context().store.of(&caller.organization).message(&own).await?.ok_or_else(gone)?;

    let mut response = match (message.outcome(), message.refusal()?) {
        (_, Some(failure)) if is_refused_for_now(&failure) => return Ok(Earlier::RefusedForNow(id.clone())),
        (_, Some(failure)) => refused(&message, failure),
        (Some(Outcome::Accepted | Outcome::Expired), None) => Answer::ok(C::shown(&message)).into_response(),
        _ => undecided::<C>(&message),
    };
    response.headers_mut().insert(REPLAYED, HeaderValue::from_static("true"));
    Ok(Earlier::Answered(response))
}

/// Returns whether the same message can be accepted later.
fn is_refused_for_now(failure: &Failure) -> bool {
    matches!(failure.kind(), ErrorKind::TooManyRequests | ErrorKind::Unavailable)
}

/// The failure of a repeated request whose message was erased, or lost when the table was restored to an earlier time.
/// It is no longer known whether it was sent, so it must not be sent again.
fn gone() -> Failure {
    let message = "The message of the first request with this Idempotency-Key no longer exists: it was erased, or lost when \
                   this installation was restored. It is not sent again. To send a new message, use a new key.";
    Failure::gone(HEADER, message)
}

/// Makes the one attempt to send a stored message, and returns the response.
async fn send_now<C: Channel>(sending: &SendingContext, caller: &AppCaller, draft: Draft<C>) -> Response {
    let sent = sending.outbound.send::<C>(&caller.organization, draft.message, draft.ready);
    match Box::pin(sent).await {
        Sent::Accepted(message) => Answer::created(C::shown(&message)).into_response(),
        Sent::Unknown(message) => undecided::<C>(&message),
        Sent::Refused(message, failure) => refused(&message, failure),
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
    undecided::<C>(message)
}

/// Returns the response for a message that waits in the queue, or whose outcome is unknown.
fn undecided<C: Channel>(message: &Stored<C::Record>) -> Response {
    Answer::accepted(C::shown(message)).into_response()
}

/// Returns the response for a message that was refused.
fn refused<M: MessageKind>(message: &Stored<M>, failure: Failure) -> Response {
    let mut response = Rejection::from(failure).into_response();
    let id: MessageId = message.id().clone().into();
    if let Ok(id) = HeaderValue::try_from(id.as_str()) {
        response.headers_mut().insert(MESSAGE_ID, id);
    }
    response
}
