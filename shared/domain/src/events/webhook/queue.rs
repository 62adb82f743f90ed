//! SQS queues as addresses of webhooks, and the queues that each organization may use.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::{Failure, Timestamp};

/// An example of a queue's ARN, for messages.
const EXAMPLE: &str = "arn:aws:sqs:eu-central-1:123456789012:events";
/// The longest name of a queue, with its suffix.
const NAME_LENGTH: usize = 80;
/// Longer than any name of a partition or region.
const PLACE_LENGTH: usize = 32;
/// The suffix of the names of FIFO queues.
const FIFO: &str = ".fifo";

/// The ARN of an SQS queue.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct QueueArn(String);

/// The text is not the ARN of an SQS queue.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("not the ARN of an SQS queue, which has the form {EXAMPLE}")]
pub struct NotAQueue;

impl QueueArn {
    /// Returns whether a text is meant as an ARN, well-formed or not.
    pub(super) fn looks_like_arn(text: &str) -> bool {
        text.starts_with("arn:")
    }

    /// Parses the ARN in the field `param`.
    pub fn in_field(text: &str, param: &str) -> Result<Self, Failure> {
        let message =
            format!("{param} is not the ARN of an SQS queue. Such an ARN has the form {EXAMPLE}, without spaces.");
        text.parse().map_err(|_| Failure::invalid(param, message))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns one of the parts that colons separate. The parser has made sure that there are six.
    fn part(&self, index: usize) -> &str {
        self.0.split(':').nth(index).unwrap_or_default()
    }

    pub fn partition(&self) -> &str {
        self.part(1)
    }

    pub fn region(&self) -> &str {
        self.part(3)
    }

    pub fn account(&self) -> &str {
        self.part(4)
    }

    pub fn name(&self) -> &str {
        self.part(5)
    }

    pub fn is_fifo(&self) -> bool {
        self.name().ends_with(FIFO)
    }
}

impl FromStr for QueueArn {
    type Err = NotAQueue;

    fn from_str(text: &str) -> Result<Self, NotAQueue> {
        let parts: Vec<&str> = text.split(':').collect();
        let ["arn", partition, "sqs", region, account, name] = parts[..] else { return Err(NotAQueue) };
        let is_place = |text: &str| {
            (1..=PLACE_LENGTH).contains(&text.len())
                && text.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'))
        };
        let is_account = account.len() == 12 && account.bytes().all(|byte| byte.is_ascii_digit());
        let base = name.strip_suffix(FIFO).unwrap_or(name);
        let is_name = !base.is_empty()
            && name.len() <= NAME_LENGTH
            && base.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));

        let is_partition = partition.starts_with("aws") && is_place(partition);
        if is_partition && is_place(region) && is_account && is_name {
            Ok(QueueArn(text.to_owned()))
        } else {
            Err(NotAQueue)
        }
    }
}

impl fmt::Display for QueueArn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A queue that an organization may use as an address of webhooks, because the operator of the installation allowed it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Destination {
    pub arn: String,
    pub allowed_at: Timestamp,
}

/// The queues to which an installation can send events: those of its parameter `EventDestinations`.
#[derive(Clone, Debug, Default)]
pub struct ListedQueues {
    region: String,
    arns: BTreeSet<String>,
}

impl ListedQueues {
    /// Reads the parameter, a list separated by commas, of an installation in this region.
    pub fn new(region: &str, parameter: &str) -> Self {
        let arns = parameter.split(',').map(str::trim).filter(|arn| !arn.is_empty()).map(str::to_owned).collect();
        ListedQueues { region: region.to_owned(), arns }
    }

    /// Fails unless the installation can send to the queue of the field `param`.
    pub fn expect(&self, queue: &QueueArn, param: &str) -> Result<(), Failure> {
        if queue.region() != self.region {
            let message = format!(
                "This queue is in {}. This installation is in {} and sends to queues of its own region only.",
                queue.region(),
                self.region
            );
            return Err(Failure::invalid(param, message));
        }
        if !self.arns.contains(queue.as_str()) {
            let message = "The parameter EventDestinations of this installation does not list the queue. Add it, deploy, \
                           and repeat the request.";
            return Err(Failure::invalid(param, message));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_an_arn_are_read() {
        let arn: QueueArn = EXAMPLE.parse().expect("an ARN");
        let parts = (arn.partition(), arn.region(), arn.account(), arn.name(), arn.is_fifo());
        assert_eq!(parts, ("aws", "eu-central-1", "123456789012", "events", false));
        let fifo: QueueArn = "arn:aws-cn:sqs:cn-north-1:123456789012:A_b-9.fifo".parse().expect("an ARN");
        assert_eq!((fifo.partition(), fifo.name(), fifo.is_fifo()), ("aws-cn", "A_b-9.fifo", true));
        assert_eq!(fifo.to_string(), "arn:aws-cn:sqs:cn-north-1:123456789012:A_b-9.fifo");
    }

    #[test]
    fn texts_that_are_no_queue_arn_are_rejected() {
        let long = format!("arn:aws:sqs:eu-central-1:123456789012:{}", "a".repeat(81));
        for text in [
            "",
            "arn:",
            "arn:aws:sqs:eu-central-1:123456789012",
            "arn:aws:sqs:eu-central-1:123456789012:",
            "arn:aws:sqs:eu-central-1:123456789012:.fifo",
            "arn:aws:sqs:eu-central-1:123456789012:a.b",
            "arn:aws:sqs:eu-central-1:123456789012:a/b",
            "arn:aws:sqs:eu-central-1:123456789012:a#b",
            "arn:aws:sqs:eu-central-1:123456789012:a:b",
            "arn:aws:sqs:eu-central-1:12345678901:events",
            "arn:aws:sqs:eu-central-1:12345678901x:events",
            "arn:aws:sqs::123456789012:events",
            "arn:aws:sqs:*:123456789012:events",
            "arn:aws:sns:eu-central-1:123456789012:events",
            "arn:evil:sqs:eu-central-1:123456789012:events",
            "ARN:aws:sqs:eu-central-1:123456789012:events",
            " arn:aws:sqs:eu-central-1:123456789012:events",
            &long,
        ] {
            assert_eq!(text.parse::<QueueArn>(), Err(NotAQueue), "{text}");
        }
        assert_eq!(QueueArn::in_field("x", "arn").expect_err("no ARN").param(), Some("arn"));
    }

    #[test]
    fn only_listed_queues_of_the_region_may_be_allowed() {
        let other = "arn:aws:sqs:eu-west-1:123456789012:events";
        let listed = ListedQueues::new("eu-central-1", &format!("{EXAMPLE}, {other},"));
        let message = |arn: &str| {
            let refused = listed.expect(&arn.parse().expect("an ARN"), "arn").err();
            refused.map(|failure| failure.message().to_owned())
        };
        assert_eq!(message(EXAMPLE), None);
        assert!(message(other).expect("refused").contains("in eu-west-1"));
        assert!(message(&format!("{EXAMPLE}2")).expect("refused").contains("EventDestinations"));
        let none = ListedQueues::new("eu-central-1", "");
        assert!(none.expect(&EXAMPLE.parse().expect("an ARN"), "arn").is_err());
    }
}
