//! The messages of the worker's queues.

use serde::{Deserialize, Serialize};

use super::{Queued, VERSION};
use crate::Timestamp;
use crate::id::{ChatBusinessProfileId, ChatMessageId, ChatPhoneNumberId, OrganizationId, PhoneNumberId, SimulationId};
use crate::message::MessageId;
use crate::number::NumberId;

/// A job as it is in the queue: with the id of the request from which it originates.
#[derive(Serialize, Deserialize)]
pub struct QueuedJob {
    #[serde(flatten)]
    pub job: Job,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
}

/// A job of the worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "job", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Job {
    /// Platform updates that were not applied at once. They are already routed; each is JSON text that the crate
    /// `inbound` reads.
    Updates {
        v: u8,
        /// The organization of all these updates. `None` in a message from a release that mixed organizations.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        organization_id: Option<OrganizationId>,
        updates: Vec<String>,
    },
    /// Syncs the templates of a profile; `run` identifies the run of the sync.
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
    /// Sends a queued message if it still waits. The message's item in the table decides everything: the job repeats
    /// nothing that the item shows as done.
    Send { v: u8, organization_id: OrganizationId, number_id: NumberId, message_id: MessageId },
    /// Processes the messages that wait in the line of a number, which is renewed. `before` is the ksuid of the message
    /// at which an earlier job stopped.
    RenewLine {
        v: u8,
        organization_id: OrganizationId,
        number_id: NumberId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        before: Option<String>,
    },
    /// A report of the carrier: the receipt of a sent message, or a received message.
    CarrierUpdate {
        v: u8,
        /// The organization whose simulated carrier reported it. `None` for the real carrier, which serves all
        /// organizations: the report itself identifies one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        organization_id: Option<OrganizationId>,
        /// When it was published. A received message has no other time.
        at: Timestamp,
        /// The carrier's JSON, which the crate `inbound` reads.
        update: String,
    },
    /// Unlinks a phone number from the carrier if it still waits for that.
    ReleaseNumber { v: u8, organization_id: OrganizationId, number_id: PhoneNumberId },
    /// Continues the disconnection of an account if it is still in progress.
    DisconnectAccount { v: u8, organization_id: OrganizationId, profile_id: ChatBusinessProfileId },
    /// Continues a simulation: applies the steps that are due. The simulation's item decides which ones are.
    Simulate { v: u8, organization_id: OrganizationId, simulation_id: SimulationId },
    /// Reports statuses of a message that the simulated platform has accepted.
    ReportStatuses(Box<StatusReports>),
    /// Checks a live business profile at the platform, and stores the findings with the profile.
    CheckProfile { v: u8, organization_id: OrganizationId, profile_id: ChatBusinessProfileId },
    /// Continues the erasure of a contact. The job does not name the contact: the erasure's item does while it runs.
    EraseContact { v: u8, organization_id: OrganizationId, reference: String },
    /// Imports the parts of a number's history that wait.
    ImportHistory { v: u8, organization_id: OrganizationId, number_id: ChatPhoneNumberId },
}

/// The statuses of a message that the simulated platform has accepted. The message's recipient decides which ones they
/// are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StatusReports {
    pub v: u8,
    pub organization_id: OrganizationId,
    pub number_id: ChatPhoneNumberId,
    pub message_id: ChatMessageId,
    /// The platform's id of the message.
    pub platform_id: String,
    /// When the platform accepted the message.
    pub at: Timestamp,
    /// The index of the status that is due.
    pub next: usize,
}

impl Job {
    /// Returns the name of the job's kind, for the log.
    pub fn kind(&self) -> &'static str {
        match self {
            Job::Updates { .. } => "updates",
            Job::SyncTemplates { .. } => "syncTemplates",
            Job::FetchMedia { .. } => "fetchMedia",
            Job::Send { .. } => "send",
            Job::RenewLine { .. } => "renewLine",
            Job::CarrierUpdate { .. } => "carrierUpdate",
            Job::ReleaseNumber { .. } => "releaseNumber",
            Job::DisconnectAccount { .. } => "disconnectAccount",
            Job::Simulate { .. } => "simulate",
            Job::ReportStatuses(_) => "reportStatuses",
            Job::CheckProfile { .. } => "checkProfile",
            Job::EraseContact { .. } => "eraseContact",
            Job::ImportHistory { .. } => "importHistory",
        }
    }

    /// Returns the job that applies these updates of one organization.
    pub fn updates(organization_id: Option<OrganizationId>, updates: Vec<String>) -> Job {
        Job::Updates { v: VERSION, organization_id, updates }
    }

    /// Returns the organization that the job is for; `None` if the job has yet to find it.
    pub fn organization(&self) -> Option<&OrganizationId> {
        match self {
            Job::SyncTemplates { organization_id, .. }
            | Job::FetchMedia { organization_id, .. }
            | Job::Send { organization_id, .. }
            | Job::RenewLine { organization_id, .. }
            | Job::ReleaseNumber { organization_id, .. }
            | Job::DisconnectAccount { organization_id, .. }
            | Job::Simulate { organization_id, .. }
            | Job::CheckProfile { organization_id, .. }
            | Job::EraseContact { organization_id, .. }
            | Job::ImportHistory { organization_id, .. } => Some(organization_id),
            Job::ReportStatuses(reports) => Some(&reports.organization_id),
            Job::Updates { organization_id, .. } | Job::CarrierUpdate { organization_id, .. } => {
                organization_id.as_ref()
            }
        }
    }
}

impl Queued for Job {
    fn body(&self, origin: Option<String>) -> serde_json::Result<String> {
        serde_json::to_string(&QueuedJob { job: self.clone(), origin })
    }

    fn group(&self) -> Option<String> {
        self.organization().map(ToString::to_string)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Jobs of an earlier release do not name the organization of their updates.
    #[test]
    fn a_job_of_the_previous_version_is_read() {
        let job: Job = serde_json::from_str(r#"{"job": "updates", "v": 1, "updates": ["{}"]}"#).expect("a job");
        assert_eq!((job.organization(), &job), (None, &Job::updates(None, vec!["{}".to_owned()])));
    }
}
