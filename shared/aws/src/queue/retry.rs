//! The retries of messages whose work failed. SQS counts every receipt, and after five the message moves to the
//! dead-letter queue. That is right for faults of this service, but an outage would use up the five attempts of every
//! waiting message. So work that failed through throttling or an outage is put back as a copy, a new message that has
//! all its attempts (docs/adr/0019-fair-queues.md).

use std::time::Duration;

use domain::job::Queued;
use domain::port::{Random, random_index};
use domain::{Failure, Timestamp};

use super::{Message, Queue, QueueMessage, failure};

/// The longest wait of a message that uses up one of its attempts.
const LONGEST_PAUSE: Duration = Duration::from_secs(15 * 60);
/// The first and the longest wait of a message that could not be put back, because SQS did not accept the copy. SQS
/// allows twelve hours.
const SQS_PAUSE: Duration = Duration::from_secs(15 * 60);
const LONGEST_SQS_PAUSE: Duration = Duration::from_secs(11 * 3600);
/// The longest wait of a copy as a multiple of the first pause: five minutes for a first pause of ten seconds.
const LONGEST_IN_PAUSES: u32 = 30;
/// The age from which failures of any kind use up attempts: the retention of the queues. Each copy is a new message
/// with a new retention, so without this limit its work could be put back forever.
const LONGEST_LIFE: Duration = Duration::from_secs(14 * 24 * 3600);

/// The timing of retries.
pub struct Retries<'a> {
    /// The pause before the first retry.
    pub first_pause: Duration,
    pub now: Timestamp,
    pub random: &'a dyn Random,
}

/// The outcome for a message whose work failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retried {
    /// A copy is in the queue, so this message is done.
    PutBack,
    /// SQS delivers the message again, which uses up one of its attempts.
    UsesTry,
}

impl Queue {
    /// Arranges the retry of a message whose work failed. `left` is the part of its work that is still to be done, or
    /// `None` if the message is malformed. If the failure is temporary, a copy is sent, which waits as long as the work
    /// has waited already, at most five minutes. Otherwise the message stays in the queue, with exponential backoff.
    pub async fn retry(
        &self,
        message: &QueueMessage,
        left: Option<&impl Queued>,
        cause: &Failure,
        retries: &Retries<'_>,
    ) -> Retried {
        let Some(left) = left.filter(|_| cause.is_temporary() && message.age(retries.now) < LONGEST_LIFE) else {
            self.show_after(message, message.pause(retries.first_pause, LONGEST_PAUSE)).await;
            return Retried::UsesTry;
        };
        match self.put_back(message, left, retries).await {
            Ok(()) => Retried::PutBack,
            Err(failure) => {
                let cause = failure.log_text();
                tracing::warn!(queueMessage = message.message_id, cause, "a message could not be put back");
                self.show_after(message, message.pause(SQS_PAUSE, LONGEST_SQS_PAUSE)).await;
                Retried::UsesTry
            }
        }
    }

    async fn put_back(&self, message: &QueueMessage, left: &impl Queued, retries: &Retries<'_>) -> Result<(), Failure> {
        let wait = retries.wait(message.age(retries.now));
        let first_sent_at = message.first_sent_at().unwrap_or(retries.now);
        self.send_all(vec![Message { first_sent_at: Some(first_sent_at), ..Message::of(left, wait)? }]).await
    }

    /// Lets SQS deliver the message again after a pause. Otherwise it would only come back after the queue's long
    /// visibility timeout.
    async fn show_after(&self, message: &QueueMessage, pause: Duration) {
        let seconds = i32::try_from(pause.as_secs()).unwrap_or(i32::MAX);
        let call =
            self.client.change_message_visibility().queue_url(&*self.url).receipt_handle(&message.receipt_handle);
        if let Err(error) = call.visibility_timeout(seconds).send().await {
            let cause = failure(&error).cause().map(ToString::to_string);
            tracing::warn!(
                queueMessage = message.message_id,
                cause,
                "The retry of a queue message could not be scheduled; it waits for the visibility timeout."
            );
        }
    }
}

impl Retries<'_> {
    /// Returns the wait of work that has waited for `age`: as long again, within limits, minus a random part of up to
    /// half of it, so that the messages that an outage has stopped do not all come back at once.
    fn wait(&self, age: Duration) -> Duration {
        let longest = age.clamp(self.first_pause, self.first_pause * LONGEST_IN_PAUSES);
        let millis = usize::try_from(longest.as_millis()).unwrap_or(usize::MAX);
        longest - Duration::from_millis(random_index(self.random, millis / 2 + 1) as u64)
    }
}

impl QueueMessage {
    /// Returns how long the work has waited since it was first queued, including as a copy.
    fn age(&self, now: Timestamp) -> Duration {
        let sent = self.first_sent_at().unwrap_or(now);
        Duration::from_millis(u64::try_from(now.millis() - sent.millis()).unwrap_or(0))
    }

    /// Returns the pause before the next retry: exponential backoff from `first`, by a factor of five.
    fn pause(&self, first: Duration, longest: Duration) -> Duration {
        first.saturating_mul(5_u32.saturating_pow(self.received() - 1)).min(longest)
    }
}

#[cfg(test)]
mod tests {
    use domain::port::Random;
    use serde_json::json;

    use super::*;

    struct Bytes(u8);

    impl Random for Bytes {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill(self.0);
        }
    }

    fn message(attributes: serde_json::Value, copy: serde_json::Value) -> QueueMessage {
        let message = json!({"messageId": "1", "receiptHandle": "1", "body": "{}", "attributes": attributes, "messageAttributes": copy});
        serde_json::from_value(message).expect("a message")
    }

    #[test]
    fn the_longer_work_has_waited_the_longer_it_waits_again() {
        let seconds = Duration::from_secs;
        for (age, longest) in [(0, 10), (4, 10), (10, 10), (60, 60), (299, 299), (301, 300), (100_000, 300)] {
            for byte in [0, 1, 127, 255] {
                let random = Bytes(byte);
                let retries = Retries { first_pause: seconds(10), now: Timestamp::from_millis(0), random: &random };
                let wait = retries.wait(seconds(age));
                assert!(seconds(longest) / 2 <= wait && wait <= seconds(longest), "{age}: {wait:?}");
            }
        }
    }

    #[test]
    fn a_copy_has_the_age_of_the_first_message() {
        let now = Timestamp::from_millis(1_000_000);
        let first = message(json!({"SentTimestamp": "400000"}), json!({}));
        assert_eq!(first.age(now), Duration::from_secs(600));
        let copy = json!({"FirstSentAt": {"stringValue": "100000", "dataType": "Number"}});
        assert_eq!(message(json!({"SentTimestamp": "900000"}), copy).age(now), Duration::from_secs(900));
        assert_eq!(message(json!({}), json!({})).age(now), Duration::ZERO);
    }
}
