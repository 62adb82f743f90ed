//! The messages of the queues. Readers accept every version that a running release may have sent.

use domain::delivery::Delivery;
use domain::id::{
    AppId, ChatBusinessProfileId, ChatMessageId, ChatPhoneNumberId, DeliveryId, EventId, OrganizationId, WebhookId,
};
use serde::{Deserialize, Serialize};

use super::chunks::{LARGEST_CALL, chunks};

pub const VERSION: u8 = 1;

/// Updates in one job, in number and in bytes.
const UPDATES: usize = 25;
const UPDATES_BYTES: usize = 24 * 1024;
/// What a job adds to its updates.
const FRAME: usize = 100;

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
