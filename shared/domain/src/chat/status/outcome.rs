//! The outcome of a message after a refusal, after the end of its wait in the queue, and after statuses. The response
//! with which the platform accepts the message is handled in `chat/message`.

use super::StatusError;
use super::recipient::keep_lower;
use crate::chat::Tracked;
use crate::message::reason::Reason;
use crate::message::{EXPIRED, Outcome};
use crate::{Failure, Timestamp};

impl Tracked {
    /// Records that the message was refused. Evidence that it was sent wins over the refusal, in whichever order they
    /// arrive.
    pub fn refuse(&mut self, failure: &Failure, now: Timestamp) {
        if self.has_reached_the_platform() {
            return;
        }
        // What the platform reports of a recipient says more than the refusal.
        if !self.has_failed() {
            self.note_message_error(&StatusError::of(failure));
        }
        keep_lower(&mut self.message.failed_at, Some(&now));
        self.set_outcome(Outcome::Refused, now);
    }

    /// Records that the message could not be sent in time.
    pub fn expire(&mut self, now: Timestamp) {
        self.message.error_message = Some(EXPIRED.to_owned());
        self.message.failed_at.get_or_insert(now);
        self.set_outcome(Outcome::Expired, now);
    }

    /// Resolves the outcome by a status, which shows that the platform accepted the message. A refusal stays unless the
    /// message was sent, delivered or read.
    pub(super) fn resolve(&mut self) {
        match self.outcome() {
            Some(Outcome::Pending | Outcome::Unknown) => self.message.outcome = Some(Outcome::Accepted.into()),
            Some(Outcome::Refused) if self.has_reached_the_platform() => {
                self.message.outcome = Some(Outcome::Accepted.into());
                // The message was not refused after all, so only failures that the platform reported remain.
                self.message.failed_at =
                    self.recipients.iter().chain(&self.group).filter_map(|one| one.failed_at).min();
                if !self.has_failed() {
                    self.forget_error();
                }
            }
            _ => {}
        }
    }

    /// Returns whether the platform has reported that the message failed for a recipient.
    pub(super) fn has_failed(&self) -> bool {
        self.recipients.iter().chain(&self.group).any(|one| one.failed_at.is_some())
    }

    pub(super) fn forget_error(&mut self) {
        let message = &mut self.message;
        (message.error_code, message.error_message, message.provider) = (None, None, None);
        (message.error_title, message.error_details) = (None, None);
    }

    fn has_reached_the_platform(&self) -> bool {
        let message = &self.message;
        message.sent_at.is_some() || message.delivered_at.is_some() || message.read_at.is_some()
    }
}

impl StatusError {
    /// Returns the failure as a message shows it: the reason, and the provider's own text.
    pub fn of(failure: &Failure) -> Self {
        let text = failure.provider_details().map(|provider| provider.message.clone());
        StatusError { reason: Reason::of(failure), title: text.clone(), details: text }
    }
}
