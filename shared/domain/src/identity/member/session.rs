//! Sessions of members, and the keys that they get for a while.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::Timestamp;
use crate::id::SessionId;
use crate::identity::credential_kind::CredentialKind;
use crate::identity::key::Actor;
use crate::identity::person::Person;

/// How long a session lives, in seconds.
pub const SESSION_SECONDS: u64 = 12 * 3600;
/// After how many seconds a session ends in which no key was asked for.
pub const UNUSED_SECONDS: u64 = 2 * 3600;
/// How long a key of a session works, in seconds.
pub const KEY_SECONDS: u64 = 15 * 60;
/// How long a sign-in link works, in seconds.
pub const LINK_SECONDS: u64 = 15 * 60;
/// The maximum number of sessions of a member; the oldest ends. With all keys of all sessions, one transaction can end them.
pub const SESSIONS_PER_MEMBER: usize = 10;
/// The maximum number of keys of a session; the oldest ends.
pub const KEYS_PER_SESSION: usize = 5;

/// How a member has shown who they are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Proof {
    /// With a link that somebody issued.
    Link { issued_by: Actor },
    /// With the identity provider.
    Issuer { person: Person },
}

/// A session of a member. Its value is not stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MemberSession {
    pub id: SessionId,
    /// The hexadecimal SHA-256 of the value, under which its credential is stored.
    pub value_hash: String,
    pub proof: Proof,
    /// When the member signed in. A session that replaces this one keeps it, so that none lives longer.
    pub created_at: Timestamp,
    /// When it ends unless a key is asked for.
    pub unused_at: Timestamp,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<SessionKey>,
}

/// A key of a session: a single credential, which no list shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionKey {
    pub value_hash: String,
    pub expires_at: Timestamp,
}

impl MemberSession {
    pub fn new(id: SessionId, value_hash: String, proof: Proof, now: Timestamp) -> Self {
        let unused_at = now.plus(Duration::from_secs(UNUSED_SECONDS));
        MemberSession { id, value_hash, proof, created_at: now, unused_at, keys: Vec::new() }
    }

    /// Returns the session as the successor of another one: it ends when that one would have.
    #[must_use]
    pub fn instead_of(self, other: &MemberSession) -> Self {
        MemberSession { created_at: other.created_at, unused_at: other.unused_at, ..self }
    }

    /// Returns when the session ends at the latest.
    fn ends_at(&self) -> Timestamp {
        self.created_at.plus(Duration::from_secs(SESSION_SECONDS))
    }

    /// Returns when the session ends, as far as is known.
    pub fn expires_at(&self) -> Timestamp {
        self.unused_at.min(self.ends_at())
    }

    /// Returns when a key ends that the session gets now.
    pub fn end_of_key(&self, now: Timestamp) -> Timestamp {
        now.plus(Duration::from_secs(KEY_SECONDS)).min(self.ends_at())
    }

    /// Returns the kinds and hashes of all credentials of the session. Keys of all kinds have the same class of key.
    pub fn credentials(&self) -> impl Iterator<Item = (CredentialKind, &str)> {
        let keys = self.keys.iter().map(|key| (CredentialKind::AdminKey, key.value_hash.as_str()));
        std::iter::once((CredentialKind::Session, self.value_hash.as_str())).chain(keys)
    }

    /// Adds a key, and returns those that are over, and the oldest one if there are too many.
    pub(super) fn add_key(&mut self, key: SessionKey, now: Timestamp) -> Vec<SessionKey> {
        self.unused_at = now.plus(Duration::from_secs(UNUSED_SECONDS));
        let (mut kept, mut ended): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.keys).into_iter().partition(|key| key.expires_at > now);
        let beyond = (kept.len() + 1).saturating_sub(KEYS_PER_SESSION);
        ended.extend(kept.drain(..beyond));
        kept.push(key);
        self.keys = kept;
        ended
    }
}
