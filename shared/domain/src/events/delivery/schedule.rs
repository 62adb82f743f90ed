//! The changes of a delivery by attempts, redeliveries and skips, and the schedule of its retries.

use std::time::Duration;

use super::{Attempt, Delivery, DeliveryStatus};
use crate::Timestamp;
use crate::testing::playground::BYTES_POSTED_A_DAY;

/// The waits after the first to the ninth failed attempt. The tenth attempt is the last.
const WAITS: [Duration; 9] = [
    Duration::from_secs(5),
    Duration::from_secs(5 * 60),
    Duration::from_secs(30 * 60),
    Duration::from_secs(2 * 3600),
    Duration::from_secs(5 * 3600),
    Duration::from_secs(10 * 3600),
    Duration::from_secs(14 * 3600),
    Duration::from_secs(20 * 3600),
    Duration::from_secs(24 * 3600),
];
/// The highest number of attempts per round.
pub const ATTEMPTS: usize = WAITS.len() + 1;
/// The longest `Retry-After` of a receiver that is honoured.
pub const LONGEST_RETRY_AFTER: Duration = Duration::from_secs(24 * 3600);
/// How many attempts of a delivery are kept, the latest ones. Redeliveries may make more.
pub const ATTEMPTS_SHOWN: usize = 30;

/// Returns the error of a delivery that was held back because the daily bytes of test mode are used up.
pub fn test_mode_has_posted_enough() -> String {
    format!(
        "An organization may post at most {BYTES_POSTED_A_DAY} bytes per day (UTC) to webhooks in test mode. Redeliver on \
         another day."
    )
}

impl Delivery {
    /// Records an attempt that was stopped because the receiver is slow. It is repeated now, with more time, and does
    /// not count towards the attempts of the schedule.
    pub fn note_stopped(&mut self, attempt: Attempt, now: Timestamp) {
        self.keep(attempt);
        self.revision += 1;
        self.next_attempt_at = Some(now);
    }

    fn keep(&mut self, attempt: Attempt) {
        self.attempts.push(attempt);
        if self.attempts.len() > ATTEMPTS_SHOWN {
            self.attempts.remove(0);
        }
    }

    /// Records an attempt and schedules the next one: after the wait of the schedule plus up to a fifth of it (`jitter`
    /// from 0 to 1,000), or after the `Retry-After` of the receiver, whichever is later.
    pub fn note(&mut self, attempt: Attempt, retry_after: Option<Duration>, jitter: u32, now: Timestamp) {
        let wait = WAITS.get(self.round as usize).copied();
        let (succeeded, gone) = (attempt.has_succeeded(), attempt.is_gone());
        self.keep(attempt);
        self.round += 1;
        self.revision += 1;
        self.next_attempt_at = None;
        match wait {
            _ if succeeded => self.status = DeliveryStatus::Delivered.into(),
            Some(wait) if !gone => {
                let wait = wait + wait / 5 * jitter.min(1000) / 1000;
                let asked = retry_after.unwrap_or_default().min(LONGEST_RETRY_AFTER);
                self.next_attempt_at = Some(now.plus(wait.max(asked)));
            }
            _ => self.status = DeliveryStatus::Failed.into(),
        }
    }

    /// Skips the delivery, because its webhook is disabled or deleted.
    pub fn skip(&mut self) {
        self.status = DeliveryStatus::Skipped.into();
        self.next_attempt_at = None;
        self.revision += 1;
    }

    /// Skips the delivery of a test app, because the organization has used up its daily bytes. An attempt without a
    /// request shows the reason in the log.
    pub fn hold_back(&mut self, now: Timestamp) {
        self.keep(Attempt {
            attempted_at: now,
            status_code: None,
            error: Some(format!("The event was not sent. {}", test_mode_has_posted_enough())),
            duration_ms: 0,
            response_body: None,
            header_names: Vec::new(),
            to_queue: false,
        });
        self.skip();
    }

    /// Restarts the schedule for a redelivery. The earlier attempts are kept.
    pub fn again(&mut self, now: Timestamp) {
        self.status = DeliveryStatus::Pending.into();
        self.round = 0;
        self.next_attempt_at = Some(now);
        self.revision += 1;
    }
}
