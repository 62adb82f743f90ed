//! Statuses of outbound messages. A status for an unknown message creates it.

use domain::Failure;
use domain::chat::status::{ConversationNote, RecipientRef, StatusUpdate};
use domain::chat::{Direction, RecipientStatus};
use domain::event::EventName;
use store::{Change, StoredMessage};

use crate::apply::UpdateHandler;
use crate::lenient::TextOrNumber;
use crate::wire::{PlatformError, Status, read, required};

const GROUP: &str = "group";

fn known_status(platform: &str) -> Option<RecipientStatus> {
    match platform {
        "sent" => Some(RecipientStatus::Sent),
        "delivered" => Some(RecipientStatus::Delivered),
        "read" | "played" => Some(RecipientStatus::Read),
        "failed" => Some(RecipientStatus::Failed),
        _ => None,
    }
}

fn recipient(status: &Status) -> RecipientRef {
    if status.recipient_type.as_deref() == Some(GROUP) {
        let participant = status.recipient_participant_id.as_deref().or(status.participant_recipient_id.as_deref());
        return RecipientRef::member(participant, status.recipient_participant_user_id.as_deref());
    }
    RecipientRef::only(status.recipient_id.as_deref())
}

fn conversation(status: &Status) -> Option<ConversationNote> {
    let (conversation, pricing) = (status.conversation.as_ref(), status.pricing.as_ref());
    (conversation.is_some() || pricing.is_some()).then(|| ConversationNote {
        id: conversation.and_then(|conversation| conversation.id.clone()),
        origin_type: conversation.and_then(|conversation| conversation.origin.as_ref()?.kind.clone()),
        expires_at: conversation
            .and_then(|conversation| conversation.expiration_timestamp.as_ref().and_then(TextOrNumber::time)),
        pricing_model: pricing.and_then(|pricing| pricing.pricing_model.clone()),
        pricing_category: pricing.and_then(|pricing| pricing.category.clone()),
        pricing_billable: pricing.and_then(|pricing| pricing.billable),
    })
}

impl UpdateHandler<'_> {
    pub(crate) async fn status(&self) -> Result<Change, Failure> {
        let sent: Status = read(&self.update.body)?;
        let at = required(&sent.timestamp)?;
        let Some(status) = known_status(&sent.status) else {
            tracing::info!(status = %domain::provider::shown(&sent.status), "unknown message status");
            return Ok(self.change());
        };
        let before = self.stored_message(&sent.id).await?;
        let recipient = recipient(&sent);
        let mut after = match &before {
            Some(known) => known.clone(),
            None => self.blank(Direction::Outbound, &sent.id).await?,
        };
        let conversation = conversation(&sent);
        let error = sent.errors.into_iter().next().map(PlatformError::status_error);
        let event = after.tracked.record(&StatusUpdate { recipient, status, at, error, conversation }, self.now);
        self.write(before.as_ref(), &mut after, event)
    }

    /// Returns the change that writes the message, and the event of a status that was reported for the first time.
    pub(crate) fn write(
        &self,
        before: Option<&StoredMessage>,
        after: &mut StoredMessage,
        event: Option<EventName>,
    ) -> Result<Change, Failure> {
        let mut change = self.change();
        match before {
            Some(before) if before == after => return Ok(change),
            Some(before) => {
                after.kept.revision += 1;
                change.update_chat_message(before, after)?;
            }
            None => change.create_chat_message(after)?,
        }
        if let Some(kind) = event {
            change.emit(&self.event_for_apps_of_number(kind, &after.clone().details())?)?;
        }
        Ok(change)
    }
}
