//! The end of queued messages that are not sent.

use domain::Failure;
use domain::event::{Audience, OutboxEvent};
use domain::id::OrganizationId;
use domain::message::MessageId;
use runtime::{Context, event};
use store::{Change, Message};

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
pub async fn end_waiting<M: Message>(
    context: &Context,
    organization: &OrganizationId,
    seen: M,
    why: &Unsent,
) -> Result<(), Failure> {
    let id = &seen.id().clone();
    let read = || async move { M::read(&context.store.of(organization), id).await };
    let decide = |before: Result<Option<M>, Failure>| async move {
        let mut change = Change::new(organization);
        let waiting = before?.filter(|message| message.waits_until().is_some());
        if let Some(before) = waiting {
            let after = why.applied_to(&before, context)?;
            after.update(&before, &mut change)?;
            change.emit(&failed(context, &after)?)?;
        }
        Ok((change, ()))
    };
    context.store.settle_from(Ok(Some(seen)), read, decide).await
}

impl Unsent {
    fn applied_to<M: Message>(&self, before: &M, context: &Context) -> Result<M, Failure> {
        let mut after = before.clone();
        match self {
            Unsent::Refused(failure) => {
                after.refuse(failure, context.now());
                after.keep_refusal(failure)?;
            }
            Unsent::Expired => after.expire(context.now()),
        }
        after.kept_mut().revision += 1;
        Ok(after)
    }
}

/// Returns the event that reports that a queued message was not sent.
pub(crate) fn failed<M: Message>(context: &Context, message: &M) -> Result<OutboxEvent, Failure> {
    let id: MessageId = message.id().clone().into();
    let audience = Audience::AppsOfNumber(message.number().to_string());
    event(context, M::FAILED, id.mode(), audience, &message.shown())
}
