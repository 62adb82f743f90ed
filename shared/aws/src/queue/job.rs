//! The messages of the queues. Consumers accept every version that a running release may have sent.

use std::collections::BTreeMap;

use domain::Timestamp;
use domain::due::DueClass;
use domain::id::{
    ChatBusinessProfileId, ChatMessageId, ChatPhoneNumberId, OrganizationId, PhoneNumberId, SimulationId,
};
use domain::message::MessageId;
use domain::number::NumberId;
use serde::{Deserialize, Serialize};

use super::characters::growth;
use super::chunks::{LARGEST_CALL, chunks};
use crate::origin;

/// The version of messages that this release sends.
pub const VERSION: u8 = 1;

/// The highest number of updates in one job, and their highest total size in bytes. A larger update has a job of its
/// own.
const UPDATES: usize = 25;
const UPDATES_BYTES: usize = 24 * 1024;
/// The number of bytes that a job adds to its updates at most, including its organization and its origin.
const FRAME: usize = 200;

/// A job as it is in the queue: with the id of the request from which it originates ([`crate::origin`]).
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
    /// Sends a queued message if it still waits. The message's item in the table decides everything; whatever this job
    /// finds done stays as it is.
    Send { v: u8, organization_id: OrganizationId, number_id: NumberId, message_id: MessageId },
    /// Works on the messages that wait in the line of a number, which begins anew; `before` is the ksuid of the message at
    /// which an earlier job stopped.
    RenewLine {
        v: u8,
        organization_id: OrganizationId,
        number_id: NumberId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        before: Option<String>,
    },
    /// What the carrier reported: the receipt of a sent message, or a received message.
    CarrierUpdate {
        v: u8,
        /// The organization whose simulated carrier reported it. `None` if the real carrier did, which serves all
        /// organizations: what it reported leads to one.
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
    /// Goes on with a simulation: what the simulated platform has to report by now. The simulation's item decides what
    /// that is.
    Simulate { v: u8, organization_id: OrganizationId, simulation_id: SimulationId },
    /// Reports statuses of a message that the simulated platform has taken.
    ReportStatuses(Box<StatusReports>),
    /// Checks a live business profile at the platform, and stores what was found with it.
    CheckProfile { v: u8, organization_id: OrganizationId, profile_id: ChatBusinessProfileId },
    /// Goes on with the erasure of a contact. The job does not name the contact: the erasure's item does while it runs.
    EraseContact { v: u8, organization_id: OrganizationId, reference: String },
}

/// The statuses of a message that the simulated platform has taken. Which ones follows from the message's recipient.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StatusReports {
    pub v: u8,
    pub organization_id: OrganizationId,
    pub number_id: ChatPhoneNumberId,
    pub message_id: ChatMessageId,
    /// The platform's id of the message.
    pub platform_id: String,
    /// When the platform took the message.
    pub at: Timestamp,
    /// The index of the status that is due.
    pub next: usize,
}

/// A message of a queue.
pub trait Queued {
    /// Returns the body.
    fn body(&self) -> serde_json::Result<String>;

    /// Returns the organization, which is the message's group in SQS.
    fn organization(&self) -> Option<&OrganizationId>;
}

impl Queued for Job {
    fn body(&self) -> serde_json::Result<String> {
        serde_json::to_string(&QueuedJob { job: self.clone(), origin: origin::current() })
    }

    fn organization(&self) -> Option<&OrganizationId> {
        match self {
            Job::SyncTemplates { organization_id, .. }
            | Job::FetchMedia { organization_id, .. }
            | Job::Send { organization_id, .. }
            | Job::RenewLine { organization_id, .. }
            | Job::ReleaseNumber { organization_id, .. }
            | Job::DisconnectAccount { organization_id, .. }
            | Job::Simulate { organization_id, .. }
            | Job::CheckProfile { organization_id, .. }
            | Job::EraseContact { organization_id, .. } => Some(organization_id),
            Job::ReportStatuses(reports) => Some(&reports.organization_id),
            Job::Updates { organization_id, .. } | Job::CarrierUpdate { organization_id, .. } => {
                organization_id.as_ref()
            }
        }
    }
}

/// One round of due work: a class and a shard of the due index.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SweepJob {
    pub v: u8,
    pub class: DueClass,
    pub shard: u32,
    /// When the next run of the schedule sends a message for the same class and shard. From then on, this one does
    /// nothing, so however many rounds a run takes, runs do not add up.
    pub until: Timestamp,
    /// The number of rounds of this run that came before this one.
    pub round: u32,
    /// The cursor at which the previous round stopped reading.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
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
        }
    }

    /// Returns jobs that carry these updates: several updates per job, all of them of one organization.
    pub fn for_updates(updates: Vec<(OrganizationId, String)>) -> Vec<Job> {
        let mut of_organization: BTreeMap<OrganizationId, Vec<String>> = BTreeMap::new();
        for (organization, update) in updates {
            of_organization.entry(organization).or_default().push(update);
        }
        let jobs = of_organization.into_iter().flat_map(|(organization, updates)| {
            let sizes: Vec<usize> = updates.iter().map(|update| update.len() + growth(update)).collect();
            let mut left = updates.into_iter();
            chunks(&sizes, UPDATES, UPDATES_BYTES)
                .into_iter()
                .map(move |count| Job::updates(Some(organization.clone()), left.by_ref().take(count).collect()))
        });
        jobs.collect()
    }

    /// Returns the job that applies these updates of one organization.
    pub fn updates(organization_id: Option<OrganizationId>, updates: Vec<String>) -> Job {
        Job::Updates { v: VERSION, organization_id, updates }
    }
}

/// Returns whether an update fits into a message of the queue, as a string inside a job.
pub fn fits(update: &str) -> bool {
    update.len() + growth(update) + FRAME <= LARGEST_CALL
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_update_is_left_out_and_no_job_mixes_organizations() {
        let organizations: Vec<OrganizationId> = ["org_0ujtsYcgvSTl8PAuAdqWYSMnLOv", "org_1ujtsYcgvSTl8PAuAdqWYSMnLOv"]
            .iter()
            .map(|id| id.parse().expect("an id"))
            .collect();
        let update = |n: usize| (organizations[n % 2].clone(), format!("{n} {}", "x".repeat(n % 700)));
        let updates: Vec<_> = (0..975).map(update).collect();
        let jobs = Job::for_updates(updates.clone());
        let mut all = Vec::new();
        for job in &jobs {
            assert!(job.organization().is_some());
            if let Job::Updates { organization_id: Some(organization), updates, .. } = job {
                all.extend(updates.iter().map(|update| (organization.clone(), update.clone())));
            }
        }
        let sorted = |mut updates: Vec<(OrganizationId, String)>| {
            updates.sort();
            updates
        };
        assert_eq!(sorted(all), sorted(updates));
    }

    /// Jobs of an earlier release do not name the organization of their updates.
    #[test]
    fn a_job_of_the_previous_version_is_read() {
        let job: Job = serde_json::from_str(r#"{"job": "updates", "v": 1, "updates": ["{}"]}"#).expect("a job");
        assert_eq!((job.organization(), &job), (None, &Job::updates(None, vec!["{}".to_owned()])));
    }
}
