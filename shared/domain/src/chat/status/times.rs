//! The times and recipients of a message before the platform has reported anything. They follow from the message's own item,
//! so that storing them costs nothing: `queuedAt` of a message that was sent here is when it was stored, and its recipient
//! is the one it names.

use super::recipient::new_recipient;
use super::{RecipientRef, Tracked};
use crate::chat::{ChatMessage, Recipient, RecipientStatus};
use crate::message::Outcome;
use crate::{Open, Timestamp};

impl ChatMessage {
    fn was_sent_here(&self) -> bool {
        self.outcome.is_some()
    }

    /// Returns whether the message ended without being sent.
    fn was_not_sent(&self) -> bool {
        matches!(self.outcome.as_ref().and_then(Open::known), Some(Outcome::Refused | Outcome::Expired))
    }

    /// Sets the times that are not stored. Messages of earlier versions have no time at which they were refused or expired;
    /// it was their last change.
    #[must_use]
    pub fn with_derived_times(mut self) -> Self {
        if self.was_sent_here() {
            self.queued_at.get_or_insert(self.created_at);
        }
        if self.was_not_sent() {
            self.failed_at.get_or_insert(self.updated_at);
        }
        self
    }

    /// Removes the times that need not be stored.
    #[must_use]
    pub fn without_derived_times(mut self) -> Self {
        self.queued_at = self.queued_at.filter(|at| *at != self.created_at);
        self
    }
}

impl Tracked {
    /// Returns the recipients as the API shows them. Before its first status, a message that was sent here has the one
    /// that it names. Only the platform knows who is in a group, so its members become recipients by their statuses.
    pub fn shown_recipients(&self) -> Vec<Recipient> {
        let message = &self.message;
        if !message.was_sent_here() {
            return self.recipients.clone();
        }
        if self.recipients.is_empty() && message.group_id.is_none() {
            return vec![self.named_recipient()];
        }
        let queued_at = |recipient: &Recipient| recipient.queued_at.or(message.queued_at);
        self.recipients.iter().map(|known| Recipient { queued_at: queued_at(known), ..known.clone() }).collect()
    }

    /// Returns the recipient that the message names, as far as the message itself shows what became of it.
    fn named_recipient(&self) -> Recipient {
        let message = &self.message;
        let named = new_recipient(self.only_recipient_id(), message.created_at);
        let named = Recipient {
            phone_number: message.to_phone_number.clone(),
            user_id: message.to_user_id.clone(),
            queued_at: message.queued_at,
            ..named
        };
        if !message.was_not_sent() {
            return named;
        }
        Recipient {
            status: RecipientStatus::Failed.into(),
            failed_at: message.failed_at,
            error_code: message.error_code.clone(),
            error_message: message.error_message.clone(),
            provider: message.provider.clone(),
            updated_at: message.failed_at.unwrap_or(message.updated_at),
            ..named
        }
    }

    /// Returns the id of the single recipient of a message that was not sent to a group.
    pub(super) fn only_recipient_id(&self) -> String {
        format!("{}_recipient", self.message.id)
    }

    /// Returns the record of a recipient whose first status is being recorded.
    pub(super) fn first_seen(&self, id: String, wanted: &RecipientRef, now: Timestamp) -> Recipient {
        if !self.message.was_sent_here() {
            return new_recipient(id, now);
        }
        let created_at = match wanted {
            RecipientRef::Only(_) => self.message.created_at,
            RecipientRef::Group | RecipientRef::Member(_) => now,
        };
        Recipient { queued_at: self.message.queued_at, ..new_recipient(id, created_at) }
    }
}
