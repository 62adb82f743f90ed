//! Members: the people of an organization, each with a role, and what they are signed in with.

mod role;
mod session;

use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use crate::id::{MemberId, SessionId};
use crate::identity::person::Person;
use crate::{Failure, Timestamp, text};

pub use role::Role;
pub use session::{
    KEY_SECONDS, KEYS_PER_SESSION, LINK_SECONDS, MemberSession, Proof, SESSION_SECONDS, SESSIONS_PER_MEMBER,
    SessionKey, UNUSED_SECONDS,
};

/// The maximum number of members per organization.
pub const MEMBERS_PER_ORGANIZATION: u32 = 200;
/// The maximum number of memberships of a person that are looked at.
pub const MEMBERSHIPS_PER_PERSON: usize = 20;
/// The longest email address of a member (RFC 5321).
pub const ADDRESS_LENGTH: usize = 254;

/// A member of an organization.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Member {
    pub id: MemberId,
    /// The address in lower case.
    pub email: String,
    pub name: Option<String>,
    pub role: Role,
    pub suspended_at: Option<Timestamp>,
    pub last_signed_in_at: Option<Timestamp>,
    /// Who the member is to the identity provider, once they have signed in with it. It never changes.
    pub person: Option<Person>,
    /// The sessions, oldest first. Some may have ended.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sessions: Vec<MemberSession>,
    /// How often the role or the status has changed.
    #[serde(default)]
    pub standing: u32,
    pub revision: u64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// Whether a member has signed in, and may.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
#[schema(as = MemberStatus)]
pub enum MemberStatus {
    /// Has not signed in yet.
    Invited,
    Active,
    /// May not sign in.
    Suspended,
}

/// Parses the address of a member, which is the same in any letter case. Addresses are ASCII: letters of other scripts can
/// look the same.
pub fn address(sent: &str, param: &str) -> Result<String, Failure> {
    text::email(sent, param, ADDRESS_LENGTH).map(|address| address.to_ascii_lowercase())
}

impl Member {
    /// Returns a new member, who has not signed in yet.
    pub fn invited(id: MemberId, email: &str, name: Option<String>, role: Role, now: Timestamp) -> Self {
        Member {
            id,
            email: email.to_owned(),
            name,
            role,
            suspended_at: None,
            last_signed_in_at: None,
            person: None,
            sessions: Vec::new(),
            standing: 0,
            revision: 1,
            created_at: now,
            updated_at: now,
        }
    }

    pub fn status(&self) -> MemberStatus {
        match (self.suspended_at, self.last_signed_in_at) {
            (Some(_), _) => MemberStatus::Suspended,
            (None, None) => MemberStatus::Invited,
            (None, Some(_)) => MemberStatus::Active,
        }
    }

    /// Whether the member counts as an owner who can let others in. Somebody who was only invited may never come.
    pub fn is_active_owner(&self) -> bool {
        self.role == Role::Owner && self.status() == MemberStatus::Active
    }

    /// Returns the member with another role and status, and the sessions that end with that, because their credentials carry the
    /// role.
    #[must_use]
    pub fn standing_as(&self, role: Role, suspended_at: Option<Timestamp>) -> (Self, Vec<MemberSession>) {
        let mut after = Member { role, suspended_at, ..self.clone() };
        if (self.role, self.suspended_at) == (role, suspended_at) {
            return (after, Vec::new());
        }
        after.standing += 1;
        let ended = std::mem::take(&mut after.sessions);
        (after, ended)
    }

    /// Returns a session that has not ended.
    pub fn session(&self, id: &SessionId, now: Timestamp) -> Option<&MemberSession> {
        self.sessions.iter().find(|session| session.id == *id && session.expires_at() > now)
    }

    /// Returns the member with another revision.
    #[must_use]
    pub fn advanced(&self, now: Timestamp) -> Self {
        Member { revision: self.revision + 1, updated_at: now, ..self.clone() }
    }

    /// Returns the member who has signed in, and the sessions that end with that: those that are over, and the oldest ones
    /// beyond the limit.
    pub fn signed_in(&self, session: MemberSession, now: Timestamp) -> (Self, Vec<MemberSession>) {
        let mut after = Member { last_signed_in_at: Some(now), ..self.advanced(now) };
        let (mut kept, mut ended): (Vec<_>, Vec<_>) =
            after.sessions.into_iter().partition(|session| session.expires_at() > now);
        let beyond = (kept.len() + 1).saturating_sub(SESSIONS_PER_MEMBER);
        ended.extend(kept.drain(..beyond));
        kept.push(session);
        after.sessions = kept;
        (after, ended)
    }

    /// Returns the member without a session, and that session.
    pub fn signed_out(&self, id: &SessionId, now: Timestamp) -> (Self, Option<MemberSession>) {
        let mut after = self.advanced(now);
        let at = after.sessions.iter().position(|session| session.id == *id);
        let ended = at.map(|at| after.sessions.remove(at));
        (after, ended)
    }

    /// Returns the member with another key of a session, the value that the session works with until later, and the key that
    /// ends with that. `None` if the session has ended.
    pub fn with_key(&self, id: &SessionId, key: SessionKey, now: Timestamp) -> Option<(Self, Vec<SessionKey>)> {
        self.session(id, now)?;
        let mut after = self.advanced(now);
        let session = after.sessions.iter_mut().find(|session| session.id == *id)?;
        let ended = session.add_key(key, now);
        Some((after, ended))
    }
}
