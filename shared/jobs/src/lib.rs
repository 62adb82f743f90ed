//! Work for later: messages of the queue between the functions that hear of something and the worker. Readers take every
//! version that a running release may have sent.

use aws_sdk_sqs::Client;
use aws_sdk_sqs::config::{BehaviorVersion, Region, SharedCredentialsProvider};
use aws_sdk_sqs::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_sqs::types::SendMessageBatchRequestEntry;
use aws_smithy_async::rt::sleep::TokioSleep;
use domain::Failure;
use domain::id::{ChatBusinessProfileId, ChatMessageId, ChatPhoneNumberId, OrganizationId};
use futures_util::future::try_join_all;
use serde::{Deserialize, Serialize};
use store::Connection;

/// SQS takes ten messages and a MiB in one call; a job is at most a tenth of it.
const BATCH: usize = 10;
pub const LARGEST_JOB: usize = 100 * 1024;
const ATTEMPTS: u32 = 3;

/// One unit of the worker's work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "job", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Job {
    /// Updates of the platform that were not applied at once, each with the organization it was routed to.
    Updates { v: u8, updates: Vec<DeferredUpdate> },
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

/// An update as the platform sent it, with what was found out about it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DeferredUpdate {
    /// The parts of its notification, as JSON text.
    pub update: String,
}

pub const VERSION: u8 = 1;

#[derive(Clone)]
pub struct Queue {
    client: Client,
    url: String,
}

#[derive(Debug, thiserror::Error)]
#[error("SQS: code {0}")]
struct QueueError(String);

/// What the log may know of an SDK error is its code.
fn failure<E: ProvideErrorMetadata>(error: &SdkError<E>) -> Failure {
    let code = error.as_service_error().and_then(ProvideErrorMetadata::code);
    let cause = QueueError(code.unwrap_or("none: not reached or not understood").to_owned());
    match code {
        Some("RequestThrottled" | "ThrottlingException") => Failure::throttled(1).with_cause(cause),
        _ => Failure::internal(cause),
    }
}

impl Queue {
    pub fn new(connection: &Connection, url: String) -> Self {
        let mut config = aws_sdk_sqs::Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(Region::new(connection.region.clone()))
            .credentials_provider(SharedCredentialsProvider::new(connection.credentials.clone()))
            .http_client(connection.http_client.clone())
            .sleep_impl(TokioSleep::new())
            .timeout_config(Connection::timeouts());
        config.set_endpoint_url(connection.endpoint_url.clone());
        Queue { client: Client::from_conf(config.build()), url }
    }

    /// Sends all, several calls side by side. Where it fails some may have been sent: jobs can be done twice.
    pub async fn send(&self, jobs: &[Job]) -> Result<(), Failure> {
        let bodies: Vec<String> =
            jobs.iter().map(serde_json::to_string).collect::<Result<_, _>>().map_err(Failure::internal)?;
        if bodies.iter().any(|body| body.len() > LARGEST_JOB * 2) {
            return Err(Failure::internal("a job is larger than a message of the queue may be"));
        }
        try_join_all(bodies.chunks(BATCH).map(|chunk| self.send_batch(chunk))).await.map(|_| ())
    }

    /// The call succeeds even where single messages were not taken; those are sent again.
    async fn send_batch(&self, bodies: &[String]) -> Result<(), Failure> {
        let mut left: Vec<(String, &String)> =
            bodies.iter().enumerate().map(|(at, body)| (at.to_string(), body)).collect();
        for _ in 0..ATTEMPTS {
            let entries = left.iter().map(|(id, body)| {
                SendMessageBatchRequestEntry::builder().id(id).message_body(*body).build().map_err(Failure::internal)
            });
            let entries: Vec<_> = entries.collect::<Result<_, _>>()?;
            let call = self.client.send_message_batch().queue_url(&self.url).set_entries(Some(entries));
            let answer = call.send().await.map_err(|error| failure(&error))?;
            left.retain(|(id, _)| answer.failed().iter().any(|failed| failed.id() == id));
            if left.is_empty() {
                return Ok(());
            }
        }
        Err(Failure::internal(format!("the queue did not take {} of {} messages", left.len(), bodies.len())))
    }
}
