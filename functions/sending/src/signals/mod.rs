//! Signals about inbound messages: that a message was read, and that a reply is being written. Nothing is stored.

pub(crate) mod http;

use api::AppCaller;
use domain::Failure;
use domain::chat::Direction;
use domain::id::ChatMessageId;
use outbound::connected;

use crate::SendingContext;

/// Marks an inbound message of one of the app's numbers as read and, if `is_typing`, shows that a reply is being
/// written.
async fn mark_read(
    sending: &SendingContext,
    caller: &AppCaller,
    id: &ChatMessageId,
    is_typing: bool,
) -> Result<(), Failure> {
    let org = sending.context().store.of(&caller.organization);
    let no_such_message = || Failure::not_found("messageId", "inbound chat message of the app's numbers");
    let now = sending.context().now();
    let message = org.unended_message(id, now).await?.map(|stored| stored.record.into_message());
    let message = message.filter(|message| message.direction == Direction::Inbound).ok_or_else(no_such_message)?;
    let number = org.chat_phone_number(&message.chat_phone_number_id).await?;
    let number = number.filter(|number| number.shows(&caller.app_id, &message)).ok_or_else(no_such_message)?;
    let profile = org.chat_business_profile(&number.business_profile.id).await?;
    let profile = connected(&number, profile.as_ref(), now)?;
    let line = sending.outbound.line(&org, profile).await?;

    // A message from the playground has no platform id.
    let platform_id = message.provider_message_id.unwrap_or_else(|| id.to_string());
    let node = &number.provider_phone_number_id;
    match line.mark_read(node, &platform_id, is_typing).await {
        Ok(()) => Ok(()),
        Err(error) => Err(line.failure(error, node).await),
    }
}
