//! An entry of the audit log.

use std::borrow::Cow;
use std::fmt::Display;
use std::net::IpAddr;

use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use super::audited::Audited;
use super::changes::{FieldChange, between};
use super::target::{Target, TargetKind};
use super::trail::{Actor, Trail, shortened_agent};
use crate::id::AuditEntryId;
use crate::port::Random;
use crate::{Mode, Timestamp};

/// How long entries are kept, unless the installation says otherwise.
pub const DEFAULT_RETENTION_DAYS: u32 = 400;
/// The largest size of the part of an entry that varies, in bytes of JSON, so that its item stays below 1 KiB.
const MOST_BYTES: usize = 880;

/// How long entries are kept.
#[derive(Clone, Copy, Debug)]
pub struct Retention {
    pub days: u32,
}

impl Default for Retention {
    fn default() -> Self {
        Retention { days: DEFAULT_RETENTION_DAYS }
    }
}

/// Whether something was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[schema(as = AuditOutcome)]
pub enum Outcome {
    Done,
    /// The credential was valid, but had no right to do it.
    Denied,
    /// WhatsApp refused it, or it is unknown whether it was done.
    Failed,
}

/// What somebody did.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    pub id: AuditEntryId,
    pub actor: Actor,
    pub source_ip: Option<IpAddr>,
    pub user_agent: Option<String>,
    /// The id of the operation.
    pub action: Cow<'static, str>,
    pub target: Option<Target>,
    /// `None` while a change at the platform is under way.
    pub outcome: Option<Outcome>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<FieldChange>,
    pub request_id: Option<String>,
    /// The mode of the target: whoever sees test objects only does not see the others. It is part of the key.
    pub mode: Mode,
    /// When the entry ends, which the item has as its time to live.
    #[serde(skip)]
    pub ends_at: Option<Timestamp>,
}

impl Entry {
    /// Returns an entry that says that something was done.
    pub fn new(
        trail: &Trail,
        mode: Mode,
        now: Timestamp,
        random: &dyn Random,
        retention: Retention,
        request_id: Option<String>,
    ) -> Self {
        Entry {
            id: AuditEntryId::mint(now, random),
            actor: trail.actor.clone(),
            source_ip: trail.source_ip,
            user_agent: trail.user_agent.as_deref().map(shortened_agent),
            action: trail.action.into(),
            target: None,
            outcome: Some(Outcome::Done),
            changes: Vec::new(),
            request_id,
            mode,
            ends_at: Some(now.plus_days(retention.days)),
        }
    }

    /// Names the target, of which no fields are shown.
    #[must_use]
    pub fn about(self, kind: TargetKind, id: impl Display) -> Self {
        Entry { target: Some(Target { kind, id: id.to_string() }), ..self }
    }

    #[must_use]
    pub fn created<T: Audited>(self, object: &T) -> Self {
        self.between(object, None, Some(object))
    }

    #[must_use]
    pub fn changed<T: Audited>(self, before: &T, after: &T) -> Self {
        self.between(after, Some(before), Some(after))
    }

    #[must_use]
    pub fn deleted<T: Audited>(self, object: &T) -> Self {
        self.between(object, Some(object), None)
    }

    fn between<T: Audited>(self, object: &T, before: Option<&T>, after: Option<&T>) -> Self {
        Entry { target: Some(object.target()), changes: between(before, after), ..self }.fitting()
    }

    /// Adds a field.
    #[must_use]
    pub fn field(mut self, field: &str, from: Option<&str>, to: Option<&str>) -> Self {
        self.changes.push(FieldChange::new(field, from, to));
        self.fitting()
    }

    #[must_use]
    pub fn with_outcome(self, outcome: Option<Outcome>) -> Self {
        Entry { outcome, ..self }
    }

    /// Returns what a caller of this mode sees. A test key sees no ids of live keys, and not where their holders are.
    #[must_use]
    pub fn seen_by(self, mode: Mode) -> Self {
        let is_live = |id: &String| !id.contains(&format!("_{}", Mode::Test.infix()));
        if mode.sees(Mode::Live) || !self.actor.id.as_ref().is_some_and(is_live) {
            return self;
        }
        let actor = Actor { id: None, email: None, ..self.actor };
        Entry { actor, source_ip: None, user_agent: None, ..self }
    }

    /// Returns when it was done.
    pub fn at(&self) -> Timestamp {
        self.id.time()
    }

    /// Removes the values of the last fields, and then these fields, until the entry is small enough.
    fn fitting(mut self) -> Self {
        while serde_json::to_vec(&self).map_or(0, |json| json.len()) > MOST_BYTES {
            if !self.changes.iter_mut().rev().any(FieldChange::forget_values) && self.changes.pop().is_none() {
                break;
            }
        }
        self
    }
}
