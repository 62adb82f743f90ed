//! Deliveries to SQS queues of customers.

use std::borrow::Cow;
use std::sync::LazyLock;

use aws::queue::{DESTINATION_LIMIT, DestinationMessage, NotAccepted};
use bytes::Bytes;
use domain::Failure;
use domain::events::delivery::Delivery;
use domain::events::webhook::QueueArn;
use domain::id::OrganizationId;

use super::{Deliverer, ReceiverResponse};

const NOT_ALLOWED: &str =
    "This organization may no longer use the queue. Ask the operator of this installation to allow it again.";
static SILENT: LazyLock<String> =
    LazyLock::new(|| format!("SQS did not respond within {} seconds.", DESTINATION_LIMIT.as_secs()));

impl Deliverer {
    /// Sends an event to a queue, if the organization is still allowed to use it. The inner error is the reason why the
    /// queue did not accept it, and is shown to users.
    pub(super) async fn send_to_queue(
        &self,
        queue: &QueueArn,
        organization: &OrganizationId,
        delivery: &Delivery,
        attributes: Vec<(&'static str, String)>,
        body: &[u8],
    ) -> Result<Result<ReceiverResponse, &'static str>, Failure> {
        if !self.context.store.of(organization).may_use(queue).await? {
            return Ok(Err(NOT_ALLOWED));
        }

        let message = DestinationMessage {
            queue,
            body: String::from_utf8(body.to_vec()).map_err(Failure::internal)?,
            attributes,
            group: delivery.app_id.to_string(),
            // The revision identifies the attempt: a job that SQS delivers twice leads to one message. Two webhooks may have
            // the same queue.
            deduplication_id: format!("{}-{}-{}", delivery.event_id, delivery.webhook_id, delivery.revision),
        };
        Ok(self.destinations.send(message).await?.map(accepted).map_err(shown))
    }
}

/// Returns the response that the log shows for a queue that accepted the message with this id.
fn accepted(message_id: String) -> ReceiverResponse {
    let body = format!("{{\"MessageId\": \"{message_id}\"}}");
    ReceiverResponse { status: 200, body, retry_after: None, is_incomplete: false }
}

fn shown(reason: NotAccepted) -> &'static str {
    match reason {
        NotAccepted::Missing => "The queue does not exist, or its policy hides it from this installation.",
        NotAccepted::Denied => {
            "Access to the queue was denied. The installation must list it in its parameter EventDestinations, and no \
             policy may forbid it."
        }
        NotAccepted::Throttled => "SQS throttled the queue.",
        NotAccepted::Encrypted => "The KMS key of the queue cannot be used. Encrypt the queue with SSE-SQS instead.",
        NotAccepted::TooLarge => {
            "The event is larger than the maximum message size of the queue. Raise MaximumMessageSize to 1048576 (1 MiB)."
        }
        NotAccepted::Silent => SILENT.as_str(),
        NotAccepted::Other => "SQS did not accept the message.",
    }
}

/// Returns a body that SQS accepts: JSON of the same value, without the two characters of JSON that SQS rejects.
pub(super) fn acceptable(body: Bytes) -> Result<Bytes, Failure> {
    let text = std::str::from_utf8(&body).map_err(Failure::internal)?;
    match aws::queue::acceptable(text) {
        Cow::Borrowed(_) => Ok(body),
        Cow::Owned(escaped) => Ok(escaped.into()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn a_body_has_the_same_value_without_characters_that_sqs_rejects() {
        let value = json!({"text": "a\u{FFFE}b\u{FFFF}\u{FFFD}\u{1F600}\u{0}\u{B}"});
        let body = acceptable(serde_json::to_vec(&value).expect("JSON").into()).expect("a body");
        assert_eq!(serde_json::from_slice::<Value>(&body).expect("JSON"), value);
        let text = String::from_utf8(body.to_vec()).expect("text");
        assert!(text.chars().all(|c| matches!(c, '\t' | '\n' | '\r' | ' '..='\u{FFFD}' | '\u{10000}'..)), "{text}");
        let plain = Bytes::from_static(b"{}");
        assert_eq!(acceptable(plain.clone()).expect("a body"), plain);
    }
}
