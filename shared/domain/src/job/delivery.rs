//! The messages of the delivery queues: attempts of deliveries, and rounds of recoveries.

use serde::{Deserialize, Serialize};

use super::{Queued, VERSION};
use crate::events::delivery::Delivery;
use crate::events::recovery::Recovery;
use crate::id::{AppId, DeliveryId, EventId, OrganizationId, RecoveryId, WebhookId};

/// A message of the delivery queues.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum DeliveryMessage {
    Attempt(DeliveryJob),
    Recovery(RecoveryJob),
}

/// A round of a recovery, which belongs in the patient queue. The revision identifies the round, so that a message that
/// the queue delivers twice does not cause a second one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RecoveryJob {
    pub v: u8,
    pub organization_id: OrganizationId,
    pub app_id: AppId,
    pub webhook_id: WebhookId,
    pub recovery_id: RecoveryId,
    pub revision: u64,
    #[serde(default)]
    pub lane: Lane,
    /// How often the recovery has waited for a slot since its last round.
    #[serde(default)]
    pub waits: u32,
}

/// One attempt of a delivery. The revision identifies the attempt, so that a message that the queue delivers twice does
/// not cause a second attempt.
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

impl RecoveryJob {
    /// Returns the job for the next round of a recovery.
    pub fn of(organization: &OrganizationId, recovery: &Recovery) -> Self {
        RecoveryJob {
            v: VERSION,
            organization_id: organization.clone(),
            app_id: recovery.app_id.clone(),
            webhook_id: recovery.webhook_id.clone(),
            recovery_id: recovery.id.clone(),
            revision: recovery.revision,
            lane: Lane::Prompt,
            waits: 0,
        }
    }
}

impl DeliveryMessage {
    /// Returns the queue that the message is in.
    pub fn lane(&self) -> Lane {
        match self {
            DeliveryMessage::Attempt(job) => job.lane,
            DeliveryMessage::Recovery(job) => job.lane,
        }
    }

    /// Returns the organization whose webhook it is about.
    pub fn organization(&self) -> &OrganizationId {
        match self {
            DeliveryMessage::Attempt(job) => &job.organization_id,
            DeliveryMessage::Recovery(job) => &job.organization_id,
        }
    }

    /// Returns the app whose webhook it is about.
    pub fn app(&self) -> &AppId {
        match self {
            DeliveryMessage::Attempt(job) => &job.app_id,
            DeliveryMessage::Recovery(job) => &job.app_id,
        }
    }
}

impl Queued for DeliveryJob {
    fn group(&self) -> Option<String> {
        Some(self.organization_id.to_string())
    }
}

impl Queued for RecoveryJob {
    fn group(&self) -> Option<String> {
        Some(self.organization_id.to_string())
    }
}

impl Queued for DeliveryMessage {
    fn group(&self) -> Option<String> {
        Some(self.organization().to_string())
    }
}
