//! Work for later: messages of the queue between the functions that hear of something and the worker. Readers take every
//! version that a running release may have sent.

mod batch;

use std::sync::Arc;
use std::time::Duration;

use aws_sdk_sqs::Client;
use aws_sdk_sqs::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_sqs::types::SendMessageBatchRequestEntry;
use domain::Failure;
use domain::delivery::Delivery;
use domain::id::{
    AppId, ChatBusinessProfileId, ChatMessageId, ChatPhoneNumberId, DeliveryId, EventId, OrganizationId, WebhookId,
};
use futures_util::future::try_join_all;
use serde::{Deserialize, Serialize};
use store::{Connection, OnDemand, aws_failure, client_config, on_demand};

pub use batch::{ItemFailure, Outcome, QueueEvent, QueueMessage};

/// SQS takes ten messages in one call, and 256 KiB, alone or together.
const BATCH: usize = 10;
const LARGEST_CALL: usize = 256 * 1024;
/// Updates in one job, in number and in bytes.
const UPDATES: usize = 25;
const UPDATES_BYTES: usize = 24 * 1024;
/// What a job adds to its updates.
const FRAME: usize = 100;
const ATTEMPTS: u32 = 3;

/// One unit of the worker's work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "job", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Job {
    /// Updates of the platform that were not applied at once: routed already, each as JSON text of the crate `inbound`.
    Updates { v: u8, updates: Vec<String> },
    /// Run `run` of a template sync.
    SyncTemplates {
        v: u8,
        organization_id: OrganizationId,
        profile_id: ChatBusinessProfileId,
        dry_run: bool,
        run: String,
    },
    /// The bytes of an inbound medium.
    FetchMedia {
        v: u8,
        organization_id: OrganizationId,
        profile_id: ChatBusinessProfileId,
        number_id: ChatPhoneNumberId,
        message_id: ChatMessageId,
    },
}

/// One attempt of a delivery as it was when this was sent: a message that comes again is not a second one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DeliveryJob {
    pub v: u8,
    pub organization_id: OrganizationId,
    pub app_id: AppId,
    pub webhook_id: WebhookId,
    pub delivery_id: DeliveryId,
    pub outbox_id: EventId,
    pub revision: u64,
    #[serde(default)]
    pub lane: Lane,
    /// It was chosen to try whether its receiver is back.
    #[serde(default)]
    pub is_probe: bool,
}

/// Receivers that take their time have a queue of their own, so that nobody waits behind them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Lane {
    #[default]
    Prompt,
    Patient,
}

impl DeliveryJob {
    pub fn of(o: &OrganizationId, delivery: &Delivery) -> Self {
        DeliveryJob {
            v: VERSION,
            organization_id: o.clone(),
            app_id: delivery.app_id.clone(),
            webhook_id: delivery.webhook_id.clone(),
            delivery_id: delivery.id.clone(),
            outbox_id: delivery.outbox_id.clone(),
            revision: delivery.revision,
            lane: Lane::Prompt,
            is_probe: false,
        }
    }
}

/// A message about to be sent.
struct Message {
    body: String,
    delay: Duration,
    /// Messages of one group give way to those of others (SQS fair queues).
    group: Option<String>,
}

pub const VERSION: u8 = 1;

impl Job {
    /// Jobs for updates that wait, several in one.
    pub fn for_updates(updates: Vec<String>) -> Vec<Job> {
        let sizes: Vec<usize> = updates.iter().map(String::len).collect();
        let mut left = updates.into_iter();
        chunks(&sizes, UPDATES, UPDATES_BYTES)
            .into_iter()
            .map(|count| Job::Updates { v: VERSION, updates: left.by_ref().take(count).collect() })
            .collect()
    }
}

/// Whether an update can wait in the queue: as a string of a job each quote and backslash of it takes two bytes.
pub fn fits(update: &str) -> bool {
    let escaped = update.bytes().filter(|byte| matches!(byte, b'"' | b'\\')).count();
    update.len() + escaped + FRAME <= LARGEST_CALL
}

/// How many go together, so that none exceeds a limit; what is larger by itself goes alone.
fn chunks(sizes: &[usize], most: usize, most_bytes: usize) -> Vec<usize> {
    let mut counts: Vec<usize> = Vec::new();
    let mut bytes = 0;
    for size in sizes {
        match counts.last_mut() {
            Some(count) if *count < most && bytes + size <= most_bytes => {
                *count += 1;
                bytes += size;
            }
            _ => {
                counts.push(1);
                bytes = *size;
            }
        }
    }
    counts
}

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

    pub async fn send(&self, jobs: &[Job]) -> Result<(), Failure> {
        let message = |job: &Job| Ok(Message { body: serde_json::to_string(job)?, delay: Duration::ZERO, group: None });
        let messages: Result<_, serde_json::Error> = jobs.iter().map(message).collect();
        self.send_all(messages.map_err(Failure::internal)?).await
    }

    /// Attempts to be made after a delay of at most 15 minutes.
    pub async fn send_deliveries(&self, jobs: &[DeliveryJob], delay: Duration) -> Result<(), Failure> {
        let message = |job: &DeliveryJob| {
            Ok(Message { body: serde_json::to_string(job)?, delay, group: Some(job.webhook_id.to_string()) })
        };
        let messages: Result<_, serde_json::Error> = jobs.iter().map(message).collect();
        self.send_all(messages.map_err(Failure::internal)?).await
    }

    /// Sends all, several calls side by side. Where it fails some may have been sent: jobs can be done twice.
    async fn send_all(&self, messages: Vec<Message>) -> Result<(), Failure> {
        let sizes: Vec<usize> = messages.iter().map(|message| message.body.len()).collect();
        if sizes.iter().any(|size| *size > LARGEST_CALL) {
            return Err(Failure::internal("a job is larger than a message of the queue may be"));
        }
        let mut left = messages.as_slice();
        let batches = chunks(&sizes, BATCH, LARGEST_CALL).into_iter().map(|count| {
            let (batch, rest) = left.split_at(count);
            left = rest;
            self.send_batch(batch)
        });
        try_join_all(batches.collect::<Vec<_>>()).await.map(|_| ())
    }

    /// Has a message that failed come again after a pause, which grows with each try from `first`. Without this it would come
    /// back when the queue's long visibility time-out is over.
    pub async fn try_again(&self, message: &QueueMessage, first: Duration) {
        let seconds = i32::try_from(message.pause(first).as_secs()).unwrap_or(i32::MAX);
        let call =
            self.client.change_message_visibility().queue_url(&*self.url).receipt_handle(&message.receipt_handle);
        if let Err(error) = call.visibility_timeout(seconds).send().await {
            let cause = failure(&error).cause().map(ToString::to_string);
            tracing::warn!(queueMessage = message.message_id, cause, "the next try could not be brought forward");
        }
    }

    /// The call succeeds even where single messages were not taken; those are sent again.
    async fn send_batch(&self, messages: &[Message]) -> Result<(), Failure> {
        let mut left: Vec<(String, &Message)> =
            messages.iter().enumerate().map(|(at, message)| (at.to_string(), message)).collect();
        for _ in 0..ATTEMPTS {
            let entries: Vec<_> = left.iter().map(|(id, message)| entry(id, message)).collect::<Result<_, _>>()?;
            let call = self.client.send_message_batch().queue_url(&*self.url).set_entries(Some(entries));
            let answer = call.send().await.map_err(|error| failure(&error))?;
            left.retain(|(id, _)| answer.failed().iter().any(|failed| failed.id() == id));
            if left.is_empty() {
                return Ok(());
            }
        }
        Err(Failure::internal(format!("the queue did not take {} of {} messages", left.len(), messages.len())))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_exceeds_a_limit_and_nothing_is_left_out() {
        assert_eq!(chunks(&[], 10, 100), Vec::<usize>::new());
        assert_eq!(chunks(&[1; 25], 10, 100), [10, 10, 5]);
        assert_eq!(chunks(&[60, 60, 30, 10, 1], 10, 100), [1, 3, 1]);
        assert_eq!(chunks(&[500, 1], 10, 100), [1, 1]);
        let updates: Vec<String> = (0..975).map(|n| "x".repeat(n % 700)).collect();
        let jobs = Job::for_updates(updates.clone());
        let all: Vec<String> = jobs
            .into_iter()
            .flat_map(|job| match job {
                Job::Updates { updates, .. } => updates,
                _ => vec![],
            })
            .collect();
        assert_eq!(all, updates);
    }
}
