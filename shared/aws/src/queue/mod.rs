//! The SQS queues between the functions that accept requests and those that process them later.

mod batch;
mod characters;
mod chunks;
mod destination;
mod notice;
mod retry;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use aws_sdk_sqs::Client;
use aws_sdk_sqs::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_sqs::types::{
    BatchResultErrorEntry, MessageAttributeValue, QueueAttributeName, SendMessageBatchRequestEntry,
};
use domain::id::OrganizationId;
use domain::job::Queued;
use domain::{Failure, Timestamp};
use futures_util::future::try_join_all;

use crate::connection::{Connection, OnDemand, on_demand};
use crate::failure::aws_failure;
use crate::{client_config, origin};
use batch::FIRST_SENT_AT;
use chunks::BATCH;

pub use batch::{ItemFailure, MessageAttribute, Outcome, QueueEvent, QueueMessage};
pub use characters::{acceptable, growth};
pub use chunks::{LARGEST_CALL, chunks};
pub use destination::{DESTINATION_LIMIT, DestinationMessage, Destinations, NotAccepted};
pub use notice::Notice;
pub use retry::{Retried, Retries};

/// The maximum number of times that a message is sent, because SQS can reject some messages of a batch.
const ATTEMPTS: u32 = 3;

/// The message attribute of a dead message with the reason why its work can never succeed.
const REASON: &str = "Reason";

/// A message about to be sent.
struct Message {
    body: String,
    delay: Duration,
    /// The message group of SQS fair queues: a group that keeps the consumers busy does not delay the others.
    group: Option<String>,
    /// When the work was first queued; set only in a message that a retry puts back.
    first_sent_at: Option<Timestamp>,
    /// Why the work can never succeed; set only in a dead message.
    reason: Option<String>,
}

impl Message {
    fn of(job: &impl Queued, delay: Duration) -> Result<Self, Failure> {
        let body = job.body(origin::current()).map_err(Failure::internal)?;
        Ok(Message {
            body: acceptable(&body).into_owned(),
            delay,
            group: job.group(),
            first_sent_at: None,
            reason: None,
        })
    }
}

/// An SQS queue with its client, which is created on first use.
#[derive(Clone)]
pub struct Queue {
    client: OnDemand<Client>,
    url: Arc<str>,
}

fn failure<E: ProvideErrorMetadata>(error: &SdkError<E>) -> Failure {
    aws_failure("SQS", error)
}

impl Queue {
    pub fn new(connection: &Connection, url: String) -> Self {
        let connection = connection.clone();
        Queue {
            client: on_demand(move || Client::from_conf(client_config!(aws_sdk_sqs, &connection).build())),
            url: url.into(),
        }
    }

    /// Returns whether the message comes from this queue: its name is the last part of the URL and of the ARN. All
    /// queues that a function reads belong to one account and region.
    pub fn has_delivered(&self, message: &QueueMessage) -> bool {
        message.source.as_ref().is_some_and(|arn| arn.rsplit(':').next() == self.url.rsplit('/').next())
    }

    /// Sends jobs. If this fails, some of them may have been sent.
    pub async fn send(&self, jobs: &[impl Queued]) -> Result<(), Failure> {
        let messages: Result<_, Failure> = jobs.iter().map(|job| Message::of(job, Duration::ZERO)).collect();
        self.send_all(messages?).await
    }

    /// Sends jobs, each after a delay of at most 15 minutes. If this fails, some of them may have been sent.
    pub async fn send_later(&self, jobs: &[(impl Queued, Duration)]) -> Result<(), Failure> {
        let messages: Result<_, Failure> = jobs.iter().map(|(job, delay)| Message::of(job, *delay)).collect();
        self.send_all(messages?).await
    }

    /// Sends jobs, all after the same delay of at most 15 minutes. If this fails, some of them may have been sent.
    pub async fn send_after(&self, jobs: &[impl Queued], delay: Duration) -> Result<(), Failure> {
        let messages: Result<_, Failure> = jobs.iter().map(|job| Message::of(job, delay)).collect();
        self.send_all(messages?).await
    }

    /// Sends work that can never succeed to this dead-message queue, with the reason as the attribute `Reason`. `body`
    /// is the message in the format of the work's own queue, so that it can be moved back there.
    pub async fn bury(
        &self,
        body: String,
        organization: Option<&OrganizationId>,
        reason: &Failure,
    ) -> Result<(), Failure> {
        let group = organization.map(ToString::to_string);
        let reason = Some(characters::plain(&reason.log_text()));
        let body = acceptable(&body).into_owned();
        self.send_all(vec![Message { body, delay: Duration::ZERO, group, first_sent_at: None, reason }]).await
    }

    /// Returns the approximate number of messages that can be received.
    pub async fn waiting(&self) -> Result<u64, Failure> {
        const COUNT: QueueAttributeName = QueueAttributeName::ApproximateNumberOfMessages;
        let call = self.client.get_queue_attributes().queue_url(&*self.url).attribute_names(COUNT);
        let response = call.send().await.map_err(|error| failure(&error))?;
        let count = response.attributes.and_then(|attributes| attributes.get(&COUNT)?.parse().ok());
        count.ok_or_else(|| Failure::unavailable("SQS did not say how many messages are in a queue"))
    }

    /// Sends all messages, in concurrent calls. If this fails, some may have been sent: jobs must be idempotent.
    async fn send_all(&self, messages: Vec<Message>) -> Result<(), Failure> {
        let sizes: Vec<usize> = messages.iter().map(|message| message.body.len()).collect();
        if sizes.iter().any(|size| *size > LARGEST_CALL) {
            return Err(Failure::internal("a job exceeds the size limit of SQS messages"));
        }
        let mut left = messages.as_slice();
        let batches = chunks(&sizes, BATCH, LARGEST_CALL).into_iter().map(|count| {
            let (batch, rest) = left.split_at(count);
            left = rest;
            self.send_batch(batch)
        });
        try_join_all(batches.collect::<Vec<_>>()).await.map(|_| ())
    }

    /// Sends one batch. The call succeeds even if SQS rejects some of its messages, so those are sent again.
    async fn send_batch(&self, messages: &[Message]) -> Result<(), Failure> {
        let mut left: Vec<(String, &Message)> =
            messages.iter().enumerate().map(|(at, message)| (at.to_string(), message)).collect();
        let mut is_malformed = false;
        for _ in 0..ATTEMPTS {
            let entries: Vec<_> = left.iter().map(|(id, message)| entry(id, message)).collect::<Result<_, _>>()?;
            let call = self.client.send_message_batch().queue_url(&*self.url).set_entries(Some(entries));
            let response = call.send().await.map_err(|error| failure(&error))?;
            left.retain(|(id, _)| response.failed().iter().any(|failed| failed.id() == id));
            is_malformed = response.failed().iter().any(BatchResultErrorEntry::sender_fault);
            if left.is_empty() {
                return Ok(());
            }
        }
        let cause = format!("SQS rejected {} of {} messages", left.len(), messages.len());
        Err(if is_malformed { Failure::internal(cause) } else { Failure::unavailable(cause) })
    }
}

fn entry(id: &str, message: &Message) -> Result<SendMessageBatchRequestEntry, Failure> {
    let delay = i32::try_from(message.delay.as_secs()).unwrap_or(i32::MAX);
    let mut attributes = HashMap::new();
    let first_sent_at = message.first_sent_at.map(|at| at.millis().to_string());
    for (name, kind, value) in [(FIRST_SENT_AT, "Number", &first_sent_at), (REASON, "String", &message.reason)] {
        if let Some(value) = value {
            let value = MessageAttributeValue::builder().data_type(kind).string_value(value).build();
            attributes.insert(name.to_owned(), value.map_err(Failure::internal)?);
        }
    }
    SendMessageBatchRequestEntry::builder()
        .id(id)
        .message_body(&message.body)
        .set_delay_seconds((delay > 0).then_some(delay))
        .set_message_group_id(message.group.clone())
        .set_message_attributes((!attributes.is_empty()).then_some(attributes))
        .build()
        .map_err(Failure::internal)
}
