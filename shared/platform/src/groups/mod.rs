//! Groups: creating, changing and deleting them, inviting people, deciding who joins, and adding and removing
//! participants.
//!
//! The platform accepts a request for a group or a change, carries it out later, and sends a notification. The
//! simulated platform carries it out immediately, which [`GroupRequest::created`], [`Effect`] and [`Decided::joined`]
//! report. People join by the invite link of a group; in a group whose participants need approval, they ask to join,
//! and each of their requests is approved or rejected. Whether the platform lets a business add people, its
//! documentation and its OpenAPI document disagree about (docs/adr/0054-user-ids-and-opt-outs.md).

mod graph;
mod simulator;
mod wire;

use async_trait::async_trait;
use domain::chat::JoinApprovalMode;
use domain::{E164, Timestamp};

use crate::error::PlatformResult;
use crate::lists::ListPage;
use crate::outcomes::Outcomes;
use crate::vault::AccessToken;

/// The part of the port that manages groups.
#[async_trait]
pub trait GroupManagement: Send + Sync {
    /// Requests the creation of a group.
    async fn create_group(&self, token: &AccessToken, number: &str, group: &NewGroup) -> PlatformResult<GroupRequest>;
    async fn update_group(&self, token: &AccessToken, group: &str, change: &GroupChange) -> PlatformResult<Effect>;
    async fn delete_group(&self, token: &AccessToken, group: &str) -> PlatformResult<Effect>;
    /// Creates a new invite link for a group, and returns it. The previous link becomes invalid.
    async fn replace_invite_link(&self, token: &AccessToken, group: &str) -> PlatformResult<String>;
    /// Returns a page of the open requests to join a group; `after` is the cursor of the previous page.
    async fn join_requests(
        &self,
        token: &AccessToken,
        group: &str,
        limit: usize,
        after: Option<&str>,
    ) -> PlatformResult<ListPage<JoinRequest>>;
    /// Approves or rejects requests to join a group. Each succeeds or fails by itself.
    async fn decide_join_requests(
        &self,
        token: &AccessToken,
        group: &str,
        decision: JoinDecision,
        requests: &[String],
    ) -> PlatformResult<Outcomes<Decided>>;
    /// Adds people to a group: phone numbers with `+`, or the platform's user ids. The simulated platform also accepts
    /// an error code after one of them.
    async fn add_participants(
        &self,
        token: &AccessToken,
        group: &str,
        participants: &[String],
    ) -> PlatformResult<Effect>;
    /// Removes participants of a group, which are named as those to add.
    async fn remove_participants(
        &self,
        token: &AccessToken,
        group: &str,
        participants: &[String],
    ) -> PlatformResult<Effect>;
}

/// The settings of a group to create.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewGroup {
    pub subject: String,
    pub description: Option<String>,
    pub join_approval_mode: JoinApprovalMode,
}

/// An accepted request for a group. The platform creates the group later and sends a notification; the simulator
/// creates it immediately.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupRequest {
    pub request_id: String,
    pub created: Option<CreatedGroup>,
}

/// A group that has been created.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreatedGroup {
    pub id: String,
    pub invite_link: String,
}

/// The settings of a group to change; `None` keeps the setting. An empty description removes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroupChange {
    pub subject: Option<String>,
    pub description: Option<String>,
}

/// When an accepted change takes effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It has taken effect: the simulated platform makes changes immediately.
    Now,
    /// It takes effect later, which the platform reports by a notification.
    Later,
}

/// A request to join a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JoinRequest {
    pub id: String,
    pub phone_number: Option<E164>,
    pub user_id: Option<String>,
    pub created_at: Option<Timestamp>,
}

/// The decision about requests to join a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JoinDecision {
    Approve,
    Reject,
}

/// A request to join a group that has been decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decided {
    pub request: String,
    /// The person who has joined: the simulated platform admits people immediately, the real one sends a notification
    /// later.
    pub joined: Option<E164>,
}
