//! The end of queued messages that are not sent.

use domain::event::{Audience, OutboxEvent};
use domain::id::OrganizationId;
use domain::message::MessageId;
use domain::{Failure, Timestamp};
use runtime::{Context, event};
use store::{Change, MessageKind, Stored};

use crate::channel::Channel;

/// Why a queued message is not sent.
#[derive(Debug)]
pub enum Unsent {
    /// What was checked when it was queued no longer holds.
    Refused(Failure),
    /// Its time is over.
    Expired,
}

/// Ends a waiting message without sending it, and emits the event that reports this. Does nothing if its attempt has
/// begun or its outcome is known: the function that began the attempt records its outcome.
pub async fn end_waiting<C: Channel>(
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
            let after = why.applied_to(&before, context.now())?;
            change.update_message(&before, &after)?;
            change.emit(&failed::<C>(context, &after)?)?;
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
        after.kept.revision += 1;
        Ok(after)
    }
}

/// Returns the event that reports that a queued message was not sent.
pub(crate) fn failed<C: Channel>(context: &Context, message: &Stored<C::Record>) -> Result<OutboxEvent, Failure> {
    let id: MessageId = message.id().clone().into();
    let audience = Audience::AppsOfNumber(message.number().to_string());
    event(context, C::FAILED, id.mode(), audience, &C::shown(message))
}
