//! The deletion of an organization. In the end, only its record remains: the receipt.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use crate::erasure::ErasureStatus;
use crate::{Open, Timestamp};

/// The shortest time between the end of all access and the completion of a deletion. It is longer than any request or
/// job that began earlier can take, so that nothing is written after the last check.
pub const SETTLING: Duration = Duration::from_secs(15 * 60);

/// How long after the request a deletion waits for the platform to end the subscriptions of the organization's accounts.
pub const PLATFORM_PATIENCE: Duration = Duration::from_secs(24 * 3600);

/// The numbers of objects that a deletion has removed so far. An interrupted invocation may have removed a few objects
/// that are not counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Deleted {
    pub apps: u64,
    pub phone_numbers: u64,
    pub chat_business_profiles: u64,
    pub chat_phone_numbers: u64,
    pub templates: u64,
    pub groups: u64,
    pub messages: u64,
    /// Files in the bucket.
    pub media: u64,
}

/// A step of a deletion. The steps are independent: each one runs even if another failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum DeletionStep {
    AdminKeys,
    AppKeys,
    Sessions,
    /// Members, with their sessions and the keys of these.
    Members,
    OnboardingLinks,
    Apps,
    PhoneNumbers,
    /// Disconnecting the accounts of the chat platform.
    Accounts,
    ChatPhoneNumbers,
    Templates,
    ChatBusinessProfiles,
    Messages,
    Contacts,
    Groups,
    /// The files in the bucket.
    Media,
    /// The rest of the organization's own lists.
    Lists,
}

/// A step that failed in the last invocation. The next one repeats it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FailedStep {
    pub step: Open<DeletionStep>,
    pub reason: String,
}

/// The deletion of an organization: its progress, and then its receipt.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Deletion {
    /// The organization's slug, which becomes free.
    pub slug: String,
    pub status: ErasureStatus,
    pub requested_at: Timestamp,
    /// Since when no credential of the organization has been valid.
    pub access_ended_at: Option<Timestamp>,
    pub finished_at: Option<Timestamp>,
    pub deleted: Deleted,
    /// The steps that failed in the last invocation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<FailedStep>,
    pub revision: u64,
}

impl Deletion {
    pub fn begin(slug: &str, now: Timestamp) -> Deletion {
        Deletion {
            slug: slug.to_owned(),
            status: ErasureStatus::Running,
            requested_at: now,
            access_ended_at: None,
            finished_at: None,
            deleted: Deleted::default(),
            failed: Vec::new(),
            revision: 1,
        }
    }

    pub fn is_running(&self) -> bool {
        self.status == ErasureStatus::Running
    }

    /// Returns whether [`PLATFORM_PATIENCE`] is over.
    pub fn is_past_patience(&self, now: Timestamp) -> bool {
        self.requested_at.plus(PLATFORM_PATIENCE) <= now
    }

    /// Returns whether everything that began before the end of access has ended.
    pub fn has_settled(&self, now: Timestamp) -> bool {
        self.access_ended_at.is_some_and(|at| at.plus(SETTLING) <= now)
    }
}
