//! The SQS queues between the functions that accept requests and those that process them later.

mod batch;
mod chunks;
mod job;

use std::sync::Arc;
use std::time::Duration;

use aws_sdk_sqs::Client;
use aws_sdk_sqs::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_sqs::types::SendMessageBatchRequestEntry;
use domain::Failure;
use futures_util::future::try_join_all;

use crate::client_config;
use crate::connection::{Connection, OnDemand, on_demand};
use crate::failure::aws_failure;
use chunks::{BATCH, LARGEST_CALL, chunks};

pub use batch::{ItemFailure, Outcome, QueueEvent, QueueMessage};
pub use job::{DeliveryJob, Job, Lane, VERSION, fits};

const ATTEMPTS: u32 = 3;

/// A message about to be sent.
struct Message {
    body: String,
    delay: Duration,
    /// The message group of SQS fair queues: a group with many messages does not delay the others.
    group: Option<String>,
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

    /// Sends jobs for the worker. If this fails, some of them may have been sent.
    pub async fn send(&self, jobs: &[Job]) -> Result<(), Failure> {
        let message = |job: &Job| Ok(Message { body: serde_json::to_string(job)?, delay: Duration::ZERO, group: None });
        let messages: Result<_, serde_json::Error> = jobs.iter().map(message).collect();
        self.send_all(messages.map_err(Failure::internal)?).await
    }

    /// Sends delivery attempts, to be made after a delay of at most 15 minutes. If this fails, some of them may have
    /// been sent.
    pub async fn send_deliveries(&self, jobs: &[DeliveryJob], delay: Duration) -> Result<(), Failure> {
        let message = |job: &DeliveryJob| {
            Ok(Message { body: serde_json::to_string(job)?, delay, group: Some(job.webhook_id.to_string()) })
        };
        let messages: Result<_, serde_json::Error> = jobs.iter().map(message).collect();
        self.send_all(messages.map_err(Failure::internal)?).await
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

    /// Schedules the retry of a failed message with exponential backoff from `first`. Otherwise the message would only
    /// come back after the queue's long visibility timeout.
    pub async fn retry_later(&self, message: &QueueMessage, first: Duration) {
        let seconds = i32::try_from(message.pause(first).as_secs()).unwrap_or(i32::MAX);
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

    /// Sends one batch. The call succeeds even if SQS rejects some of its messages, so those are sent again.
    async fn send_batch(&self, messages: &[Message]) -> Result<(), Failure> {
        let mut left: Vec<(String, &Message)> =
            messages.iter().enumerate().map(|(at, message)| (at.to_string(), message)).collect();
        for _ in 0..ATTEMPTS {
            let entries: Vec<_> = left.iter().map(|(id, message)| entry(id, message)).collect::<Result<_, _>>()?;
            let call = self.client.send_message_batch().queue_url(&*self.url).set_entries(Some(entries));
            let response = call.send().await.map_err(|error| failure(&error))?;
            left.retain(|(id, _)| response.failed().iter().any(|failed| failed.id() == id));
            if left.is_empty() {
                return Ok(());
            }
        }
        Err(Failure::internal(format!("SQS rejected {} of {} messages", left.len(), messages.len())))
    }
}

fn entry(id: &str, message: &Message) -> Result<SendMessageBatchRequestEntry, Failure> {
    let delay = i32::try_from(message.delay.as_secs()).unwrap_or(i32::MAX);
    SendMessageBatchRequestEntry::builder()
        .id(id)
        .message_body(&message.body)
        .set_delay_seconds((delay > 0).then_some(delay))
        .set_message_group_id(message.group.clone())
        .build()
        .map_err(Failure::internal)
}
