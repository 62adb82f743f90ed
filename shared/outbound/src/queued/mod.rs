//! Queued messages: the interface of each kind for their turn, and their end if they are not sent.

mod chat;
mod sms;

use domain::id::{AppId, OrganizationId};
use domain::{Failure, Timestamp};
use runtime::Context;
use serde::de::DeserializeOwned;
use store::{Change, MessageKind, OrganizationStore, Stored};

use crate::attempt::{Channel, Outbound, emit_failed};

/// The part of a channel that queued messages need: reading the number and its pace, and checking a message when its
/// turn comes.
pub trait QueuedChannel: Channel {
    type NumberId: Send + Sync;
    type Number: Send + Sync;

    fn number_id(message: &Self::Record) -> &Self::NumberId;
    fn number(
        org: &OrganizationStore,
        id: &Self::NumberId,
    ) -> impl Future<Output = Result<Option<Self::Number>, Failure>> + Send;

    /// Returns why a queued message can never be sent: its number is deleted, or no longer assigned to its app. This
    /// needs only the number, so it is checked before the message takes a slot.
    fn lost(number: Option<&Self::Number>, message: &Stored<Self::Record>) -> Option<Failure>;

    /// Returns when the line of the number was last renewed.
    fn line_reset_at(number: &Self::Number) -> Option<Timestamp>;

    /// Returns how many queued messages may be sent in the current second.
    fn slots(
        org: &OrganizationStore,
        number: &Self::Number,
        now: Timestamp,
    ) -> impl Future<Output = Result<u32, Failure>> + Send;

    /// Checks a queued message again, right before it is sent. The inner error is the reason why it must not be sent
    /// any more.
    fn check_again(
        outbound: &Outbound,
        org: &OrganizationStore,
        number: &Self::Number,
        message: &Stored<Self::Record>,
    ) -> impl Future<Output = Result<Result<Self::Ready, Failure>, Failure>> + Send;

    /// Returns the recipient as the key of a recipient's pause; `None` if this kind has no such pauses.
    fn recipient(message: &Self::Record) -> Option<String>;
}

/// Why a queued message is not sent.
#[derive(Debug)]
pub enum Unsent {
    /// A precondition that held when it was queued no longer holds.
    Refused(Failure),
    /// Its time is over.
    Expired,
}

/// Ends a waiting message without sending it, and emits the event that reports this. Does nothing if its attempt has
/// begun or its outcome is known: the function that began the attempt records its outcome.
pub async fn end_waiting<C: QueuedChannel>(
    context: &Context,
    organization: &OrganizationId,
    seen: Stored<C::Record>,
    why: &Unsent,
) -> Result<(), Failure> {
    let id = &seen.id().clone();
    let read = || async move { context.store.of(organization).message(id).await };
    let decide = |before: Result<Option<Stored<C::Record>>, Failure>| async move {
        let mut change = Change::new(organization);
        let waiting = before?.filter(|message| message.waits_until().is_some());
        if let Some(before) = waiting {
            let mut after = why.applied_to(&before, context.now())?;
            emit_failed::<C>(context, &mut change, &mut after)?;
            change.update_message(&before, &after)?;
        }
        Ok((change, ()))
    };
    context.store.settle_from(Ok(Some(seen)), read, decide).await
}

impl Unsent {
    fn applied_to<M: MessageKind>(&self, before: &Stored<M>, now: Timestamp) -> Result<Stored<M>, Failure> {
        let mut after = before.clone();
        match self {
            Unsent::Refused(failure) => after.refuse(failure, now)?,
            Unsent::Expired => after.expire(now),
        }
        after.note_outcome(Some(before), now);
        after.kept.revision += 1;
        Ok(after)
    }
}

/// Returns the content of a queued message, and the app that sends it.
fn queued_content<T: DeserializeOwned, M: MessageKind>(message: &Stored<M>) -> Result<(T, &AppId), Failure> {
    let content = message.queued.as_ref().ok_or_else(|| Failure::internal("a queued message has no content"))?;
    let outgoing = serde_json::from_str(&content.content).map_err(Failure::internal)?;
    let app = message.app().ok_or_else(|| Failure::internal("a queued message has no app"))?;
    Ok((outgoing, app))
}
