//! How attempts and statuses decide the outcome of a message.

use super::recipient::keep_lower;
use super::{StatusError, Tracked};
use crate::message::{EXPIRED, Outcome};
use crate::reason::Reason;
use crate::{Failure, Open, Timestamp};

impl Tracked {
    /// Returns the outcome; `None` if the message was not sent here.
    pub fn outcome(&self) -> Option<Outcome> {
        self.message.outcome.as_ref().and_then(Open::known)
    }

    fn has_reached_the_platform(&self) -> bool {
        let message = &self.message;
        message.sent_at.is_some() || message.delivered_at.is_some() || message.read_at.is_some()
    }

    /// Records that the platform took the message, as its response or a status shows.
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

    /// Records that the message was refused. A status that shows the opposite prevails, whichever comes first.
    pub fn refuse(&mut self, failure: &Failure, now: Timestamp) {
        self.note_message_error(&StatusError::of(failure));
        if !self.has_reached_the_platform() {
            keep_lower(&mut self.message.failed_at, Some(&now));
            self.set_outcome(Outcome::Refused, now);
        }
    }

    /// Records that the message could not be sent in time.
    pub fn expire(&mut self, now: Timestamp) {
        self.message.error_message = Some(EXPIRED.to_owned());
        self.message.failed_at.get_or_insert(now);
        self.set_outcome(Outcome::Expired, now);
    }

    /// Resolves the outcome by a status: the platform took the message. A refusal stays, unless the status shows the
    /// opposite.
    pub(super) fn resolve(&mut self) {
        match self.outcome() {
            Some(Outcome::Pending | Outcome::Unknown) => self.message.outcome = Some(Outcome::Accepted.into()),
            Some(Outcome::Refused) if self.has_reached_the_platform() => {
                self.message.outcome = Some(Outcome::Accepted.into());
                // The refusal was none; what is left are failures that the platform has reported.
                self.message.failed_at =
                    self.recipients.iter().chain(&self.group).filter_map(|one| one.failed_at).min();
            }
            _ => {}
        }
    }

    fn set_outcome(&mut self, outcome: Outcome, now: Timestamp) {
        if self.outcome() != Some(outcome) {
            self.message.outcome = Some(outcome.into());
            self.message.updated_at = now;
        }
    }
}

impl StatusError {
    /// Returns the failure as a message shows it: the reason, and the provider's own text.
    pub fn of(failure: &Failure) -> Self {
        let text = failure.provider_details().map(|provider| provider.message.clone());
        StatusError { reason: Reason::of(failure), title: text.clone(), details: text }
    }
}
