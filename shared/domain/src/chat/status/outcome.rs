//! How attempts and statuses decide the outcome of a message.

use super::{StatusError, Tracked};
use crate::message::{EXPIRED, Outcome, error_of};
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
            self.set_outcome(Outcome::Refused, now);
        }
    }

    /// Records that the message could not be sent in time.
    pub fn expire(&mut self, now: Timestamp) {
        self.message.error_message = Some(EXPIRED.to_owned());
        self.set_outcome(Outcome::Expired, now);
    }

    /// Resolves the outcome by a status: the platform took the message. A refusal stays, unless the status shows the
    /// opposite.
    pub(super) fn resolve(&mut self) {
        let is_open = matches!(self.outcome(), Some(Outcome::Pending | Outcome::Unknown));
        if is_open || (self.outcome() == Some(Outcome::Refused) && self.has_reached_the_platform()) {
            self.message.outcome = Some(Outcome::Accepted.into());
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
    /// Returns the failure as a message shows it: the code and text of this API, and the provider's own text.
    pub fn of(failure: &Failure) -> Self {
        let provider = failure.provider_details();
        let text = provider.map(|provider| provider.message.clone());
        let (code, message) = error_of(failure);
        StatusError { code: code.to_owned(), title: text.clone(), message: Some(message.to_owned()), details: text }
    }
}
