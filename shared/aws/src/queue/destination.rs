//! Messages to queues that do not belong to this service: those that customers use as addresses of webhooks.

use std::collections::HashMap;
use std::time::Duration;

use aws_sdk_sqs::Client;
use aws_sdk_sqs::error::{ProvideErrorMetadata as _, SdkError};
use aws_sdk_sqs::operation::send_message::SendMessageError;
use aws_sdk_sqs::types::MessageAttributeValue;
use aws_smithy_types::timeout::TimeoutConfig;
use domain::Failure;
use domain::events::webhook::QueueArn;

use crate::client_config;
use crate::connection::{Connection, OnDemand, on_demand};
use crate::failure::{AwsError, THROTTLED, aws_code};

/// The time limit of one call, and of a call with its retries. SQS normally accepts a message within milliseconds.
const CALL: Duration = Duration::from_secs(2);
pub const DESTINATION_LIMIT: Duration = Duration::from_secs(5);

/// A message for a queue of a customer.
pub struct DestinationMessage<'a> {
    pub queue: &'a QueueArn,
    pub body: String,
    pub attributes: Vec<(&'static str, String)>,
    /// The message group in a FIFO queue.
    pub group: String,
    /// A FIFO queue ignores a message whose id it has received within the last five minutes.
    pub deduplication_id: String,
}

/// Why a queue did not accept a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotAccepted {
    /// There is no such queue, or its policy hides it.
    Missing,
    /// No policy allows it, or one forbids it.
    Denied,
    Throttled,
    /// The key that encrypts the queue cannot be used.
    Encrypted,
    /// The message is larger than the queue allows.
    TooLarge,
    /// No response in time.
    Silent,
    Other,
}

/// Sends messages to queues by their ARNs.
#[derive(Clone)]
pub struct Destinations {
    client: OnDemand<Client>,
    endpoint_url: Option<String>,
}

impl Destinations {
    pub fn new(connection: &Connection) -> Self {
        let endpoint_url = connection.endpoint_url.clone();
        let connection = connection.clone();
        let client = on_demand(move || {
            let timeouts =
                TimeoutConfig::builder().operation_attempt_timeout(CALL).operation_timeout(DESTINATION_LIMIT);
            Client::from_conf(client_config!(aws_sdk_sqs, &connection).timeout_config(timeouts.build()).build())
        });
        Destinations { client, endpoint_url }
    }

    /// Sends a message and returns its id. The SDK repeats calls that failed or got no response, so a standard queue
    /// can receive the message twice; a FIFO queue recognizes it.
    pub async fn send(&self, message: DestinationMessage<'_>) -> Result<Result<String, NotAccepted>, Failure> {
        let DestinationMessage { queue, body, attributes, group, deduplication_id } = message;
        let attributes: Result<HashMap<_, _>, Failure> =
            attributes.into_iter().map(|(name, value)| Ok((name.to_owned(), attribute(value)?))).collect();
        let call = self.client.send_message().queue_url(self.url(queue)).message_body(body);
        let call = call.set_message_attributes(Some(attributes?));
        let call = if queue.is_fifo() {
            call.message_group_id(group).message_deduplication_id(deduplication_id)
        } else {
            call
        };
        Ok(match call.send().await {
            Ok(sent) => Ok(sent.message_id.unwrap_or_default()),
            Err(error) => {
                tracing::info!(cause = %AwsError::new("SQS", &error), "a queue did not accept an event");
                Err(not_accepted(&error))
            }
        })
    }

    /// Returns the URL of a queue, which follows from its ARN.
    fn url(&self, queue: &QueueArn) -> String {
        let host = self.endpoint_url.as_ref().map_or_else(
            || {
                let suffix = if queue.partition() == "aws-cn" { "amazonaws.com.cn" } else { "amazonaws.com" };
                format!("https://sqs.{}.{suffix}", queue.region())
            },
            |endpoint| endpoint.trim_end_matches('/').to_owned(),
        );
        format!("{host}/{}/{}", queue.account(), queue.name())
    }
}

fn attribute(value: String) -> Result<MessageAttributeValue, Failure> {
    MessageAttributeValue::builder().data_type("String").string_value(value).build().map_err(Failure::internal)
}

fn not_accepted<R>(error: &SdkError<SendMessageError, R>) -> NotAccepted {
    use SendMessageError as E;
    let code = aws_code(error).unwrap_or_default();
    match error {
        SdkError::TimeoutError(_) | SdkError::DispatchFailure(_) => NotAccepted::Silent,
        SdkError::ServiceError(context) => match context.err() {
            E::QueueDoesNotExist(_) | E::InvalidAddress(_) => NotAccepted::Missing,
            E::RequestThrottled(_) | E::KmsThrottled(_) => NotAccepted::Throttled,
            _ if THROTTLED.contains(&code) => NotAccepted::Throttled,
            _ if code.starts_with("Kms") || code.starts_with("KMS") => NotAccepted::Encrypted,
            _ if code.starts_with("AccessDenied") => NotAccepted::Denied,
            _ if code.ends_with("NonExistentQueue") => NotAccepted::Missing,
            // SQS has no code of its own for it.
            refused if refused.message().is_some_and(|text| text.contains("must be shorter than")) => {
                NotAccepted::TooLarge
            }
            _ => NotAccepted::Other,
        },
        _ => NotAccepted::Other,
    }
}

#[cfg(test)]
mod tests {
    use aws_credential_types::Credentials;

    use super::*;

    #[test]
    fn the_url_of_a_queue_follows_from_its_arn() {
        let destinations = |endpoint: Option<&str>| {
            let credentials = Credentials::new("test", "test", None, None, "test");
            let endpoint = endpoint.map(str::to_owned);
            Destinations::new(&Connection::new("eu-central-1".to_owned(), credentials, endpoint).expect("a connection"))
        };
        for (endpoint, arn, url) in [
            (
                None,
                "arn:aws:sqs:eu-central-1:123456789012:events.fifo",
                "https://sqs.eu-central-1.amazonaws.com/123456789012/events.fifo",
            ),
            (
                None,
                "arn:aws-cn:sqs:cn-north-1:123456789012:events",
                "https://sqs.cn-north-1.amazonaws.com.cn/123456789012/events",
            ),
            (
                Some("http://127.0.0.1:4566/"),
                "arn:aws:sqs:us-east-1:000000000000:events",
                "http://127.0.0.1:4566/000000000000/events",
            ),
        ] {
            assert_eq!(destinations(endpoint).url(&arn.parse().expect("an ARN")), url);
        }
    }
}
