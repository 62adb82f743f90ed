//! A message with the records that status updates change.

use super::{ChatMessage, ConversationWindow, Recipient, RecipientStatus};
use crate::message::Outcome;
use crate::message::step::{Step, add_step};
use crate::{Open, Timestamp};

/// A message with the records that status updates change.
#[derive(Clone, Debug, PartialEq)]
pub struct Tracked {
    pub message: ChatMessage,
    pub recipients: Vec<Recipient>,
    /// The times of a message to a group that concern no single member. It is not shown among the recipients.
    pub group: Option<Recipient>,
    pub window: Option<ConversationWindow>,
}

impl Tracked {
    /// Returns the recipients as the API shows them. Before its first status, a message that was sent here has the one
    /// that it names. Only the platform knows who is in a group, so its members become recipients by their statuses.
    pub fn shown_recipients(&self) -> Vec<Recipient> {
        let message = &self.message;
        let shown = |recipient: &Recipient| Recipient { steps: Vec::new(), ..recipient.clone() };
        if !message.was_sent_here() {
            return self.recipients.iter().map(shown).collect();
        }
        if self.recipients.is_empty() && message.group_id.is_none() {
            return vec![self.named_recipient()];
        }
        let queued_at = |recipient: &Recipient| recipient.queued_at.or(message.queued_at);
        self.recipients.iter().map(|known| Recipient { queued_at: queued_at(known), ..shown(known) }).collect()
    }

    /// Returns the recipient that the message names, with the status that follows from the message itself.
    fn named_recipient(&self) -> Recipient {
        let message = &self.message;
        let named = Recipient::new(self.only_recipient_id(), message.created_at);
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

    /// Adds the step of an event that has reported a status of a recipient.
    pub fn add_step(&mut self, recipient: &str, step: Option<Step>) {
        let known = self.recipients.iter_mut().chain(&mut self.group).find(|known| known.id == recipient);
        if let Some(known) = known {
            add_step(&mut known.steps, step);
        }
    }

    /// Returns the id of the single recipient of a message that was not sent to a group.
    pub(in crate::chat) fn only_recipient_id(&self) -> String {
        format!("{}_recipient", self.message.id)
    }

    /// Returns the outcome; `None` if the message was not sent here.
    pub fn outcome(&self) -> Option<Outcome> {
        self.message.outcome.as_ref().and_then(Open::known)
    }

    /// Records that the platform accepted the message, as its response or a status shows.
    pub fn accept(&mut self, provider_message_id: &str, now: Timestamp) {
        self.message.provider_message_id.get_or_insert_with(|| provider_message_id.to_owned());
        self.set_outcome(Outcome::Accepted, now);
    }

    /// Sets the outcome to `UNKNOWN` if it is still `PENDING`.
    pub fn mark_unknown(&mut self, now: Timestamp) {
        if self.outcome() == Some(Outcome::Pending) {
            self.set_outcome(Outcome::Unknown, now);
        }
    }

    pub(in crate::chat) fn set_outcome(&mut self, outcome: Outcome, now: Timestamp) {
        if self.outcome() != Some(outcome) {
            self.message.outcome = Some(outcome.into());
            self.message.updated_at = now;
        }
    }
}
