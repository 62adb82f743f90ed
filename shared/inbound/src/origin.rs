//! The messages that statuses are about. Every message that is sent here carries its organization and id as callback
//! data, which the platform repeats in all statuses. So a status finds its message even if the response to the message
//! is late, lost or unreadable.

use domain::Failure;
use domain::id::{ChatMessageId, OrganizationId};
use runtime::Metric;
use store::StoredChat;

use crate::apply::UpdateHandler;
use crate::wire::Status;

/// The origin of the message that a status is about.
pub(crate) enum Origin {
    /// It was sent here.
    Here(Box<StoredChat>),
    /// It was not sent here, or not with callback data.
    Elsewhere,
    /// Its callback data have this API's format, but contradict the stored message. Every app that is connected to the
    /// account can read and repeat them.
    Contradictory,
}

/// Returns the organization and the message that callback data in this API's format name.
fn named(data: &str) -> Option<(OrganizationId, ChatMessageId)> {
    let (organization, message) = data.split_once(':')?;
    Some((organization.parse().ok()?, message.parse().ok()?))
}

impl UpdateHandler<'_> {
    /// Finds the message of a status by its callback data. A status with contradictory data is counted.
    pub(crate) async fn origin(&self, status: &Status, platform_id: &str) -> Result<Origin, Failure> {
        let Some((organization, id)) = status.callback_data.as_deref().and_then(named) else {
            return Ok(Origin::Elsewhere);
        };
        if organization == *self.organization()
            && let Some(message) = self.store.message(&id).await?
            && self.agrees(platform_id, &message)?
        {
            return Ok(Origin::Here(Box::new(message)));
        }
        if self.is_observed {
            tracing::warn!("a status names a message that is not the one that was sent");
            self.inbox.context.publish(Metric::DroppedStatuses, 1);
        }
        Ok(Origin::Contradictory)
    }

    /// Returns whether the status can be about the message: an attempt to send it from this number has begun, and the
    /// platform's id is the same if it is known.
    fn agrees(&self, platform_id: &str, stored: &StoredChat) -> Result<bool, Failure> {
        let message = stored.message();
        let is_same_id = message.provider_message_id.as_ref().is_none_or(|known| known == platform_id);
        let is_of_number = message.chat_phone_number_id == *self.number_id()?;
        Ok(is_same_id && is_of_number && stored.kept.attempt_id.is_some())
    }
}
