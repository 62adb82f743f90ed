//! The messages of the queues. Consumers accept every version that a running release may have sent.

use domain::delivery::Delivery;
use domain::id::{
    AppId, ChatBusinessProfileId, ChatMessageId, ChatPhoneNumberId, DeliveryId, EventId, OrganizationId, WebhookId,
};
use serde::{Deserialize, Serialize};

use super::chunks::{LARGEST_CALL, chunks};

/// The version of messages that this release sends.
pub const VERSION: u8 = 1;

/// The highest number of updates in one job, and their highest size in bytes.
const UPDATES: usize = 25;
const UPDATES_BYTES: usize = 24 * 1024;
/// The bytes that a job adds to its updates.
const FRAME: usize = 100;

/// A job of the worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "job", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Job {
    /// Platform updates that were not applied at once. They are already routed; each is JSON text that the crate
    /// `inbound` reads.
    Updates { v: u8, updates: Vec<String> },
    /// The run `run` of a template sync.
    SyncTemplates {
        v: u8,
        organization_id: OrganizationId,
        profile_id: ChatBusinessProfileId,
        dry_run: bool,
        run: String,
    },
    /// Fetches the bytes of an inbound medium from the platform.
    FetchMedia {
        v: u8,
        organization_id: OrganizationId,
        profile_id: ChatBusinessProfileId,
        number_id: ChatPhoneNumberId,
        message_id: ChatMessageId,
    },
}

/// One attempt of a delivery. The revision identifies the attempt, so that a message that SQS delivers twice does not
/// cause a second attempt.
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
    /// Whether this attempt probes if a failing receiver has recovered.
    #[serde(default)]
    pub is_probe: bool,
}

/// The queue of a delivery attempt. Slow receivers have a queue of their own, so that they do not delay the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Lane {
    #[default]
    Prompt,
    Patient,
}

impl DeliveryJob {
    /// Returns the job for the next attempt of `delivery`.
    pub fn of(organization: &OrganizationId, delivery: &Delivery) -> Self {
        DeliveryJob {
            v: VERSION,
            organization_id: organization.clone(),
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

impl Job {
    /// Returns jobs that carry these updates, several per job.
    pub fn for_updates(updates: Vec<String>) -> Vec<Job> {
        let sizes: Vec<usize> = updates.iter().map(String::len).collect();
        let mut left = updates.into_iter();
        chunks(&sizes, UPDATES, UPDATES_BYTES)
            .into_iter()
            .map(|count| Job::Updates { v: VERSION, updates: left.by_ref().take(count).collect() })
            .collect()
    }
}

/// Returns whether an update fits into a message of the queue. As a string inside a job, each of its quotes and
/// backslashes takes two bytes.
pub fn fits(update: &str) -> bool {
    let escaped = update.bytes().filter(|byte| matches!(byte, b'"' | b'\\')).count();
    update.len() + escaped + FRAME <= LARGEST_CALL
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_update_is_left_out() {
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
