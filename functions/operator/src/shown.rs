//! The objects in the operator's replies.

use domain::Timestamp;
use domain::deletion::{Deleted, FailedStep};
use domain::erasure::{Erased, ErasureStatus};
use domain::id::{ChatBusinessProfileId, OrganizationId, SessionId};
use serde::Serialize;

/// A session as the list shows it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListedSession {
    pub(crate) id: SessionId,
    pub(crate) created_at: Timestamp,
    pub(crate) expires_at: Timestamp,
}

/// The state of an account after a request to release it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum AccountStatus {
    /// It was released by this request.
    Released,
    /// No organization has it.
    NotConnected,
}

/// The organization that had a released account.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReleasedAccount {
    pub(crate) organization_id: OrganizationId,
    pub(crate) profile_id: ChatBusinessProfileId,
    /// How many numbers were released with it.
    pub(crate) phone_numbers: usize,
    pub(crate) released_at: Option<Timestamp>,
}

/// An erasure, as the operator's replies show it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ShownErasure {
    pub(crate) organization_id: OrganizationId,
    /// The digest that names the erasure in logs and in the table.
    pub(crate) reference: String,
    pub(crate) contact_ends_with: String,
    pub(crate) status: ErasureStatus,
    pub(crate) runs: u32,
    pub(crate) requested_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) finished_at: Option<Timestamp>,
    pub(crate) erased: Erased,
    /// The data that still names the person, and until when at the latest; the times are known once the erasure is
    /// done.
    pub(crate) remaining: Vec<Remaining>,
    /// The data that is kept on purpose.
    pub(crate) kept: &'static [&'static str],
}

/// Data that still names an erased person.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Remaining {
    pub(crate) what: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) until: Option<Timestamp>,
}

/// A deletion, as the operator's replies show it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ShownDeletion {
    pub(crate) organization_id: OrganizationId,
    pub(crate) slug: String,
    pub(crate) status: ErasureStatus,
    pub(crate) requested_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) access_ended_at: Option<Timestamp>,
    /// The earliest time at which the deletion can be complete; only while it runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) not_before: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) finished_at: Option<Timestamp>,
    pub(crate) deleted: Deleted,
    /// The steps that failed in this invocation and are repeated by the next one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) failed: Vec<FailedStep>,
    /// The platform's ids of the accounts whose subscription it has not ended yet; only while the deletion runs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) still_connected: Vec<String>,
    pub(crate) remaining: Vec<Remaining>,
    pub(crate) kept: &'static [&'static str],
}
