//! Admin keys and app keys: their values, limits and makers.

use std::time::Duration;

use ipnet::IpNet;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::Timestamp;
use crate::id::{AdminKeyId, AppId, AppKeyId, MemberId};
use crate::identity::credential::Secret;
use crate::identity::grant::Grant;
use crate::identity::rate::RateLimit;

/// The maximum number of admin keys per organization.
pub const ADMIN_KEYS_PER_ORGANIZATION: u32 = 50;
/// The maximum number of keys per app. One transaction deletes an app with all its keys and webhooks, so the limits on
/// both keep it below DynamoDB's limit of 100 items.
pub const KEYS_PER_APP: u32 = 20;
/// For how many days the last use of a key is remembered.
pub const DAYS_OF_USE: u32 = 400;
/// How long a session can be at most, and is by default, in seconds.
pub const LONGEST_SESSION_SECONDS: u64 = 12 * 3600;

/// An admin key of an organization. Its value is not stored.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AdminKey {
    pub id: AdminKeyId,
    pub name: String,
    #[serde(flatten)]
    pub state: KeyState,
}

/// A key of an app. Its value is not stored.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AppKey {
    pub id: AppKeyId,
    pub app_id: AppId,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(flatten)]
    pub state: KeyState,
}

/// What both kinds of keys have: the value, and its limits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct KeyState {
    pub last_four: String,
    /// The hexadecimal SHA-256 of the value, under which its credential is stored.
    pub value_hash: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    #[serde(flatten)]
    pub grant: Grant,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_limit: Option<RateLimit>,
    /// Who created the key; unknown for keys from before this was recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_by: Option<Actor>,
    /// The member from whom the key descends: who created it, or the key that created it, and so on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ancestor: Option<MemberId>,
    /// The hash of the key's first value, if it has another one now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identity: Option<String>,
    /// The value before the last rotation, which may have ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous: Option<PreviousValue>,
    pub created_at: Timestamp,
}

/// A value of a key that still works until it ends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PreviousValue {
    pub value_hash: String,
    pub expires_at: Timestamp,
}

/// The limits of a new key.
#[derive(Clone, Debug, Default)]
pub struct KeyLimits {
    pub grant: Grant,
    pub expires_at: Option<Timestamp>,
    pub rate_limit: Option<RateLimit>,
}

/// The limits of a key to change: for each, `None` to keep it, and `Some(None)` to remove it.
#[derive(Clone, Debug, Default)]
pub struct ChangedLimits {
    pub expires_at: Option<Option<Timestamp>>,
    pub allowed_ips: Option<Option<Vec<IpNet>>>,
    pub rate_limit: Option<Option<RateLimit>>,
}

impl KeyState {
    /// Returns the state of a new key.
    pub fn new(
        value: &Secret,
        limits: KeyLimits,
        created_by: Actor,
        ancestor: Option<MemberId>,
        now: Timestamp,
    ) -> Self {
        KeyState {
            last_four: value.last_four().to_owned(),
            value_hash: value.sha256(),
            expires_at: limits.expires_at,
            grant: limits.grant,
            rate_limit: limits.rate_limit,
            created_by: Some(created_by),
            ancestor,
            identity: None,
            previous: None,
            created_at: now,
        }
    }

    /// Returns the state with other limits. The value before a rotation does not outlive the key.
    pub fn changed(&self, limits: ChangedLimits) -> Self {
        let mut after = self.clone();
        after.expires_at = limits.expires_at.unwrap_or(after.expires_at);
        after.grant.allowed_ips = limits.allowed_ips.unwrap_or(after.grant.allowed_ips);
        after.rate_limit = limits.rate_limit.unwrap_or(after.rate_limit);
        if let (Some(previous), Some(end)) = (&mut after.previous, after.expires_at) {
            previous.expires_at = previous.expires_at.min(end);
        }
        after
    }

    /// Returns the hashes of the values that may work.
    pub fn into_hashes(self) -> impl Iterator<Item = String> {
        [Some(self.value_hash), self.previous.map(|previous| previous.value_hash)].into_iter().flatten()
    }

    /// Returns the state with another value. The value of before ends after the grace period, but not after the key.
    pub fn rotated(&self, value: &Secret, grace: Duration, now: Timestamp) -> Self {
        let end = now.plus(grace);
        let ends = PreviousValue {
            value_hash: self.value_hash.clone(),
            expires_at: self.expires_at.map_or(end, |at| at.min(end)),
        };
        KeyState {
            last_four: value.last_four().to_owned(),
            value_hash: value.sha256(),
            identity: Some(self.identity.clone().unwrap_or_else(|| self.value_hash.clone())),
            previous: Some(ends).filter(|_| !grace.is_zero()),
            ..self.clone()
        }
    }
}

/// Who did something.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Actor {
    pub kind: ActorKind,
    /// The id of the key or member. The operator has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
}

/// The kind of who did something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ActorKind {
    /// A key of the organization.
    Key,
    /// A member, with a key of a session.
    Member,
    /// Whoever operates the installation.
    Operator,
}

impl Actor {
    pub fn key(id: impl ToString) -> Self {
        Actor { kind: ActorKind::Key, id: Some(id.to_string()) }
    }

    pub fn member(id: &MemberId) -> Self {
        Actor { kind: ActorKind::Member, id: Some(id.to_string()) }
    }

    pub fn operator() -> Self {
        Actor { kind: ActorKind::Operator, id: None }
    }
}
