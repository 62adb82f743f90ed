//! The operations of the platform that manage what belongs to a connected number: the users that it has blocked, its
//! profile, and its groups.

mod graph;
mod simulator;

use async_trait::async_trait;
use domain::chat::{NumberProfile, NumberProfileChange};
use domain::{E164, Timestamp};

use crate::error::{PlatformError, PlatformResult};
use crate::types::{AccessToken, SourceFile};

/// The operations of the platform that manage what belongs to a connected number.
#[async_trait]
pub trait Management: Send + Sync {
    /// Returns a page of the users that a number has blocked: their phone numbers, or the platform's user ids of those
    /// without one. `after` is the cursor of the previous page.
    async fn blocked_users(
        &self,
        token: &AccessToken,
        number: &str,
        limit: usize,
        after: Option<&str>,
    ) -> PlatformResult<ListPage<String>>;
    /// Blocks users, or unblocks them. Each succeeds or fails by itself.
    async fn change_blocked_users(
        &self,
        token: &AccessToken,
        number: &str,
        change: BlockChange,
        users: &[E164],
    ) -> PlatformResult<Outcomes<E164>>;
    /// Returns the profile of a number.
    async fn number_profile(&self, token: &AccessToken, number: &str) -> PlatformResult<NumberProfile>;
    async fn change_number_profile(
        &self,
        token: &AccessToken,
        number: &str,
        change: &NumberProfileChange,
    ) -> PlatformResult<()>;
    /// Uploads a file, and returns the handle by which a profile or a template names it.
    async fn upload(&self, token: &AccessToken, file: &SourceFile) -> PlatformResult<String>;
    async fn update_group(&self, token: &AccessToken, group: &str, change: &GroupChange) -> PlatformResult<Effect>;
    async fn delete_group(&self, token: &AccessToken, group: &str) -> PlatformResult<Effect>;
    /// Makes a new invite link for a group, and returns it. The previous link is invalid then.
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
}

/// A page of a list that the platform keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListPage<T> {
    pub items: Vec<T>,
    /// The cursor of the next page; `None` on the last page.
    pub after: Option<String>,
}

/// Whether users are blocked or unblocked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockChange {
    Block,
    Unblock,
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
    /// It has been made: the simulated platform makes changes immediately.
    Now,
    /// The platform makes it later and sends a notification.
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

/// What is decided about requests to join a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JoinDecision {
    Approve,
    Reject,
}

/// A request to join a group that has been decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decided {
    pub request: String,
    /// Who has joined already: the simulated platform lets people in immediately, the real one sends a notification.
    pub joined: Option<E164>,
}

/// What became of each part of a request whose parts succeed or fail by themselves.
#[derive(Debug)]
pub struct Outcomes<T> {
    pub done: Vec<T>,
    pub failed: Vec<(T, PlatformError)>,
}

impl<T> FromIterator<(T, Result<(), PlatformError>)> for Outcomes<T> {
    fn from_iter<I: IntoIterator<Item = (T, Result<(), PlatformError>)>>(parts: I) -> Self {
        let mut outcomes = Outcomes { done: Vec::new(), failed: Vec::new() };
        for (part, outcome) in parts {
            match outcome {
                Ok(()) => outcomes.done.push(part),
                Err(error) => outcomes.failed.push((part, error)),
            }
        }
        outcomes
    }
}
