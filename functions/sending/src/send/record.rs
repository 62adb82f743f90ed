//! The record of a request with an `Idempotency-Key`: it points at the message that the request created, and a repeated
//! request responds with the state of that message.

use api::idempotency::Attempt;
use api::{AppCaller, Rejection};
use axum::response::Response;
use domain::Failure;
use domain::message::MessageId;
use outbound::{Channel, IdOf};
use store::{Budget, Change, Committed, MessageKind, ResponseRecord};

use super::{Draft, answer};
use crate::SendingContext;

/// How often a request may find that the message under its key was refused for now. Each time, another request has
/// replaced that message.
const ROUNDS: u32 = 4;

/// What follows once a request is prepared.
pub(super) enum Prepared<C: Channel> {
    /// The message is stored with its attempt, or waits in the queue.
    Stored(AppCaller, Box<Draft<C>>),
    /// The request was repeated.
    Repeated(Response),
}

/// Stores the checked message, or the failure of its checks.
pub(super) async fn prepared<C: Channel>(
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
    let mut refused: Option<MessageId> = None;
    let message = &draft.message;
    let mut budget = Budget::new(ROUNDS, || {
        let message = "Other requests with this Idempotency-Key are in progress. Retry the request.";
        Failure::conflict(message).with_retry_after(1)
    });
    loop {
        let mut change = Change::new(&caller.organization);
        change.create_message(message)?;
        attempt.remember_message(&mut change, &message.id().clone().into(), refused.as_ref());
        match sending.context().store.commit(&change).await? {
            Committed::Remembered(record) => match of_record::<C>(sending, &caller, attempt, &record).await? {
                Earlier::Answered(response) => return Ok(Prepared::Repeated(response)),
                Earlier::RefusedForNow(message) => refused = Some(message),
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
    match of_record::<C>(sending, caller, attempt, &record).await? {
        Earlier::Answered(response) => Ok(Prepared::Repeated(response)),
        Earlier::RefusedForNow(_) => Err(failure.into()),
    }
}

/// The failure of a repeated request whose message was erased, or lost when the table was restored to an earlier time. Whether
/// it was sent is no longer known, so it must not be sent again.
fn gone() -> Failure {
    let message = "The message of the first request with this Idempotency-Key no longer exists: it was erased, or lost when \
                   this installation was restored. It is not sent again. To send a new message, use a new key.";
    Failure::gone(api::idempotency::HEADER, message)
}

/// The result of an earlier request with the same key.
enum Earlier {
    Answered(Response),
    /// The provider refused its message for now.
    RefusedForNow(MessageId),
}

async fn of_record<C: Channel>(
    sending: &SendingContext,
    caller: &AppCaller,
    attempt: &Attempt<'_>,
    record: &ResponseRecord,
) -> Result<Earlier, Failure> {
    let Some(id) = attempt.earlier_message(record)? else { return Ok(Earlier::Answered(attempt.replay(record))) };
    let own =
        IdOf::<C>::try_from(id.clone()).map_err(|_| Failure::internal("a request has a message of another kind"))?;
    let stored = sending.context().store.of(&caller.organization).message(&own).await?;
    let earlier = answer::repeated::<C>(&stored.ok_or_else(gone)?)?;
    Ok(earlier.map_or_else(|| Earlier::RefusedForNow(id.clone()), Earlier::Answered))
}
