//! The effect of the carrier's receipts on a message. The carrier repeats and reorders receipts, so the result does not
//! depend on their order. A status never goes back, except that a delivery outranks a failure.

use super::{Price, SmsMessage, SmsStatus};
use crate::Timestamp;
use crate::events::event::EventName;
use crate::message::Outcome;
use crate::message::reason::Reason;

/// The names under which the carrier repeats the organization and the message of a request in its receipts.
pub const ORGANIZATION: &str = "organization";
pub const MESSAGE: &str = "message";

/// The progress of a message at the carrier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    /// The carrier accepted it.
    Taken,
    /// The carrier has sent it.
    Sent,
    Delivered,
    /// It was not delivered, and will not be.
    Failed(Reason),
}

/// A receipt of the carrier.
#[derive(Clone, Debug, PartialEq)]
pub struct Receipt {
    pub progress: Progress,
    /// When it happened.
    pub at: Timestamp,
    pub parts: Option<u32>,
    pub price: Option<Price>,
}

impl SmsMessage {
    /// Records a receipt, which also shows that the carrier accepted the message. Returns the event for progress that
    /// the message did not show yet.
    pub fn record(&mut self, receipt: &Receipt, now: Timestamp) -> Option<EventName> {
        let before = self.clone();
        if self.outcome() != Some(Outcome::Accepted) {
            // A receipt disproves an earlier refusal.
            self.forget_failure();
            self.accept(now);
        }
        self.parts = self.parts.max(receipt.parts);
        if let Some(price) = &receipt.price
            && self.price.as_ref().is_none_or(|known| known.value() < price.value())
        {
            self.price = Some(price.clone());
        }

        let is_new = self.apply(&receipt.progress, receipt.at);
        self.status = self.reached().into();
        if *self != before {
            self.updated_at = now;
        }

        let event = match &receipt.progress {
            Progress::Taken => None,
            Progress::Sent => Some(EventName::MessagesSmsSent),
            Progress::Delivered => Some(EventName::MessagesSmsDelivered),
            Progress::Failed(_) => Some(EventName::MessagesSmsFailed),
        };
        event.filter(|_| is_new)
    }

    /// Applies the progress, and returns whether it is the first of its kind. Of several, the earliest counts.
    fn apply(&mut self, progress: &Progress, at: Timestamp) -> bool {
        match progress {
            Progress::Taken => false,
            Progress::Sent => earliest(&mut self.sent_at, at),
            Progress::Delivered => {
                self.forget_failure();
                earliest(&mut self.delivered_at, at)
            }
            Progress::Failed(_) if self.delivered_at.is_some() => false,
            Progress::Failed(reason) => {
                let known = self.failed_at.map(|at| (at, self.reason().unwrap_or_default()));
                if known.is_none_or(|(since, known)| at < since || at == since && reason.is_preferred_to(&known)) {
                    self.show(Some(reason.clone()));
                }
                earliest(&mut self.failed_at, at)
            }
        }
    }

    fn forget_failure(&mut self) {
        self.failed_at = None;
        self.show(None);
    }

    /// Returns the status of a sent message by its times.
    fn reached(&self) -> SmsStatus {
        match (self.delivered_at, self.failed_at, self.sent_at) {
            (Some(_), ..) => SmsStatus::Delivered,
            (None, Some(_), _) => SmsStatus::Failed,
            (None, None, Some(_)) => SmsStatus::Sent,
            (None, None, None) => SmsStatus::Queued,
        }
    }
}

impl Price {
    fn value(&self) -> f64 {
        self.amount.parse().unwrap_or_default()
    }
}

/// Sets a time if it is earlier than the known one. Returns whether none was known.
fn earliest(known: &mut Option<Timestamp>, at: Timestamp) -> bool {
    let is_first = known.is_none();
    *known = Some(known.map_or(at, |known| known.min(at)));
    is_first
}

#[cfg(test)]
mod tests;
