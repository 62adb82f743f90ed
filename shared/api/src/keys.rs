//! What admin keys and app keys have in common: what requests say of them, and what responses show.

use std::time::Duration;

use domain::identity::credential::Secret;
use domain::identity::credential_kind::CredentialKind;
use domain::identity::grant::{Grant, networks_of};
use domain::identity::key::{Actor, ChangedLimits, KeyLimits, KeyState};
use domain::identity::rate::RateLimit;
use domain::identity::scope::{Scope, Scopes};
use domain::schema::{IpNetwork, ObjectName};
use domain::{Failure, Timestamp, text};
use ipnet::IpNet;
use runtime::Context;
use serde::{Deserialize, Deserializer, Serialize};
use store::Change;
use utoipa::ToSchema;

use crate::Admin;
use crate::body::Input;

/// How long the value before a rotation works by default, and at most, in seconds.
pub const GRACE_SECONDS: u32 = 24 * 3600;
pub const MOST_GRACE_SECONDS: u32 = 7 * 24 * 3600;

/// What a key has besides its id and its name.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct KeyStateView {
    /// The last four characters of the value.
    last_four: String,
    created_at: Timestamp,
    /// When the key stops working; absent if it does not expire.
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<Timestamp>,
    /// What the key may do; absent if it has every scope of its kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<Scope>>)]
    scopes: Option<Scopes>,
    /// The networks that the key may be used from; absent if it may be used from anywhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<IpNetwork>>)]
    allowed_ips: Option<Vec<IpNet>>,
    /// How many requests may be made with the key; absent if it has no limit of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    rate_limit: Option<RateLimit>,
    /// Who created the key; absent for keys from before this was recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    created_by: Option<Actor>,
    /// When the key was last used, to the hour. Only in lists; absent if it was not used in the last 400 days.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_used_at: Option<Timestamp>,
    /// Until when the value before the last rotation works; absent if the key was not rotated, or without a grace period.
    #[serde(skip_serializing_if = "Option::is_none")]
    previous_expires_at: Option<Timestamp>,
}

impl From<KeyState> for KeyStateView {
    fn from(state: KeyState) -> Self {
        let KeyState {
            last_four,
            value_hash: _,
            expires_at,
            grant,
            rate_limit,
            created_by,
            identity: _,
            previous,
            ancestor: _,
            created_at,
        } = state;

        let Grant { scopes, allowed_ips } = grant;
        let previous_expires_at = previous.map(|previous| previous.expires_at);
        let last_used_at = None;
        KeyStateView {
            last_four,
            created_at,
            expires_at,
            scopes,
            allowed_ips,
            rate_limit,
            created_by,
            last_used_at,
            previous_expires_at,
        }
    }
}

impl KeyStateView {
    /// Returns the view with the time of the last use.
    #[must_use]
    pub fn used(self, at: Option<Timestamp>) -> Self {
        KeyStateView { last_used_at: at, ..self }
    }
}

/// Reads the limits of a new key.
pub fn limits(
    expires_at: Option<&str>,
    scopes: Option<&[String]>,
    allowed_ips: Option<&[String]>,
    rate_limit: Option<SetRateLimit>,
    kind: CredentialKind,
) -> Result<KeyLimits, Failure> {
    Ok(KeyLimits {
        expires_at: expires_at.map(end_of).transpose()?,
        grant: Grant::of(scopes, allowed_ips, kind)?,
        rate_limit: rate_limit.map(SetRateLimit::check).transpose()?,
    })
}

/// How many requests may be made.
#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SetRateLimit {
    /// The requests per second in the long run.
    #[schema(minimum = 1, maximum = 1000)]
    requests_per_second: i64,
    /// The requests that may be made at once after a pause, up to ten times `requestsPerSecond`. The default is `requestsPerSecond`.
    #[schema(minimum = 1, maximum = 10000)]
    burst: Option<i64>,
}

impl SetRateLimit {
    /// Validates the values.
    pub fn check(self) -> Result<RateLimit, Failure> {
        RateLimit::of(self.requests_per_second, self.burst, "rateLimit")
    }
}

fn end_of(text: &str) -> Result<Timestamp, Failure> {
    Timestamp::parse(text).ok_or_else(|| {
        Failure::invalid("expiresAt", "expiresAt must be an RFC 3339 date-time, such as 2030-01-31T12:00:00Z.")
    })
}

/// The fields of [`UpdateKey`] that `null` removes.
pub const NULLABLE: &[&str] = &["expiresAt", "allowedIps", RATE_LIMIT];
/// A field that `null` removes, of keys and apps.
pub const RATE_LIMIT: &str = "rateLimit";

/// The fields of a key to change, at least one.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(min_properties = 1)]
pub struct UpdateKey {
    /// The key's name.
    #[schema(value_type = Option<ObjectName>)]
    name: Option<String>,
    /// When the key stops working, in the future; `null` lets it work for ever.
    #[serde(default, deserialize_with = "sent")]
    #[schema(value_type = Option<Timestamp>)]
    expires_at: Option<Option<String>>,
    /// The networks that the key may be used from; `null` allows all. If your own key has networks, they must be within those.
    #[serde(default, deserialize_with = "sent")]
    #[schema(value_type = Option<Vec<IpNetwork>>, min_items = 1, max_items = 20)]
    allowed_ips: Option<Option<Vec<String>>>,
    /// How many requests may be made with the key; `null` removes the limit.
    #[serde(default, deserialize_with = "sent")]
    #[schema(value_type = Option<SetRateLimit>)]
    rate_limit: Option<Option<SetRateLimit>>,
}

/// Reads a field that was sent, which may be null.
pub fn sent<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// The validated fields of a key to change.
pub struct KeyFields {
    pub name: Option<String>,
    limits: ChangedLimits,
}

impl Input for UpdateKey {
    const AT_LEAST_ONE: bool = true;
    const NULLABLE: &'static [&'static str] = NULLABLE;
    type Checked = KeyFields;

    fn check(self, _context: &Context) -> Result<KeyFields, Failure> {
        Ok(KeyFields {
            name: self.name.map(|name| text::name(&name, "name")).transpose()?,
            limits: ChangedLimits {
                expires_at: self.expires_at.map(|end| end.as_deref().map(end_of).transpose()).transpose()?,
                allowed_ips: self.allowed_ips.map(|texts| texts.as_deref().map(networks_of).transpose()).transpose()?,
                rate_limit: self.rate_limit.map(|limit| limit.map(SetRateLimit::check).transpose()).transpose()?,
            },
        })
    }
}

/// How a key is rotated.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RotateKey {
    /// How long the value of before still works, in seconds.
    #[schema(minimum = 0, maximum = 604800, default = 86400)]
    grace_period_seconds: Option<i64>,
}

impl Input for RotateKey {
    type Checked = Duration;

    fn check(self, _context: &Context) -> Result<Duration, Failure> {
        let seconds = self.grace_period_seconds.unwrap_or(GRACE_SECONDS.into());
        let seconds = u32::try_from(seconds).ok().filter(|seconds| *seconds <= MOST_GRACE_SECONDS);
        let seconds = seconds.ok_or_else(|| {
            let message = format!("gracePeriodSeconds must be from 0 to {MOST_GRACE_SECONDS} seconds.");
            Failure::invalid("gracePeriodSeconds", message)
        })?;
        Ok(Duration::from_secs(seconds.into()))
    }
}

impl Admin {
    /// Returns who creates a key: the member whose session has the caller's key, or the key itself.
    fn maker(&self) -> Actor {
        self.member.as_ref().map_or_else(|| Actor::key(&self.key_id), |member| Actor::member(&member.id))
    }

    /// Returns the state of a new key. Fails if it could do more than the caller, or has ended already.
    pub fn new_key(
        &self,
        value: &Secret,
        limits: KeyLimits,
        kind: CredentialKind,
        now: Timestamp,
    ) -> Result<KeyState, Failure> {
        if self.grant.scopes.is_some() && limits.grant.scopes.is_none() {
            let message = "scopes is required, because your key has scopes itself. Name those that the new key needs.";
            return Err(Failure::invalid("scopes", message));
        }
        self.grant.expect_covers(&limits.grant, kind)?;
        // Not checked with the body, because a repetition with the same `Idempotency-Key` can arrive after this time.
        if limits.expires_at.is_some_and(|at| at <= now) {
            return Err(Failure::invalid("expiresAt", "expiresAt must be in the future."));
        }
        Ok(KeyState::new(value, limits, self.maker(), self.ancestor.clone(), now))
    }

    /// Requires that the caller is still there when the change is made, so that nobody who is removed meanwhile leaves a key
    /// behind.
    pub fn require_maker(&self, change: &mut Change) {
        match &self.member {
            Some(member) => change.require_standing(member),
            None => change.require_admin_key(&self.key_id),
        }
    }

    /// Returns the state of a key with other limits. Fails if the key could do more than the caller before or afterwards, or
    /// would end at once.
    pub fn changed_key(
        &self,
        state: &KeyState,
        fields: &KeyFields,
        kind: CredentialKind,
        now: Timestamp,
    ) -> Result<KeyState, Failure> {
        self.grant.expect_covers(&state.grant, kind)?;
        let after = state.changed(fields.limits.clone());
        self.grant.expect_covers(&after.grant, kind)?;
        if fields.limits.expires_at.flatten().is_some_and(|at| at <= now) {
            return Err(Failure::invalid("expiresAt", "expiresAt must be in the future."));
        }
        expect_working(state, now)?;
        Ok(after)
    }

    /// Returns the state of a key with another value. Fails if the key could do more than the caller, who gets the value.
    pub fn rotated_key(
        &self,
        state: &KeyState,
        value: &Secret,
        grace: Duration,
        kind: CredentialKind,
        now: Timestamp,
    ) -> Result<KeyState, Failure> {
        self.grant.expect_covers(&state.grant, kind)?;
        expect_working(state, now)?;
        Ok(state.rotated(value, grace, now))
    }
}

/// Fails with 409 for a key that has ended: its credential may be gone.
fn expect_working(state: &KeyState, now: Timestamp) -> Result<(), Failure> {
    match state.expires_at {
        Some(at) if at <= now => Err(Failure::conflict("This key has ended. Create another one.")),
        _ => Ok(()),
    }
}
