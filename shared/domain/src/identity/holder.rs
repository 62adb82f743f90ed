//! The stored credentials, and who holds them: keys, sessions and links.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::id::{AdminKeyId, AppId, AppKeyId, Identifier as _, MemberId, OnboardingLinkId, OrganizationId, SessionId};
use crate::identity::credential_kind::CredentialKind;
use crate::identity::grant::Grant;
use crate::identity::key::Actor;
use crate::identity::member::{LINK_SECONDS, Member, Role};
use crate::identity::person::Person;
use crate::identity::rate::RateLimit;
use crate::testing::playground::SimulatedChatNumber;
use crate::{Mode, Timestamp};

/// A session of an organization. Its token is not stored.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Session {
    pub id: SessionId,
    /// The hexadecimal SHA-256 of the token, under which its credential is stored.
    pub value_hash: String,
    pub expires_at: Timestamp,
    pub created_at: Timestamp,
}

/// The organization and holder that a credential authenticates, stored under the SHA-256 of its value.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Credential {
    pub organization_id: OrganizationId,
    #[serde(flatten)]
    pub holder: Holder,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    #[serde(flatten)]
    pub grant: Grant,
    /// The rate limit of the key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_limit: Option<RateLimit>,
    /// The rate limit of the key's app, which all its keys share.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub app_rate_limit: Option<RateLimit>,
    /// The hash of the key's first value, if this is another one. Records of requests belong to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identity: Option<String>,
    /// The member from whom the key descends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ancestor: Option<MemberId>,
}

/// The member on whose behalf a session or a key of it works.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OnBehalf {
    pub id: MemberId,
    pub email: String,
    pub role: Role,
    /// How often the role or the status had changed when the credential was made.
    #[serde(default)]
    pub standing: u32,
}

impl OnBehalf {
    pub fn of(member: &Member) -> Self {
        let Member { id, email, role, standing, .. } = member;
        OnBehalf { id: id.clone(), email: email.clone(), role: *role, standing: *standing }
    }
}

/// The holder of a credential.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "holder", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Holder {
    AdminKey {
        key_id: AdminKeyId,
        mode: Mode,
        /// The member whose session has the key.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        member: Option<OnBehalf>,
    },
    AppKey {
        key_id: AppKeyId,
        app_id: AppId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        simulated_chat_number: Option<SimulatedChatNumber>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        member: Option<OnBehalf>,
    },
    Session {
        session_id: SessionId,
    },
    /// The session of a member.
    MemberSession {
        session_id: SessionId,
        member: OnBehalf,
        /// Who the member is to the identity provider, if the session began with it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        person: Option<Person>,
    },
    OnboardingLink {
        link_id: OnboardingLinkId,
    },
    SignInLink {
        member_id: MemberId,
        issued_by: Actor,
        /// The standing of the member who has issued the link, which ends with another one, too.
        #[serde(default)]
        issuers_standing: u32,
        /// The member's standing when the link was issued. Another role or status since then ends the link, because whoever
        /// issued it may not have been allowed to make one for that.
        #[serde(default)]
        standing: u32,
    },
}

impl Holder {
    /// Returns the kind of the holder's credential.
    pub fn kind(&self) -> CredentialKind {
        match self {
            Holder::AdminKey { .. } => CredentialKind::AdminKey,
            Holder::AppKey { app_id, .. } => CredentialKind::AppKey(app_id.mode()),
            Holder::Session { .. } | Holder::MemberSession { .. } => CredentialKind::Session,
            Holder::OnboardingLink { .. } => CredentialKind::OnboardingLink,
            Holder::SignInLink { .. } => CredentialKind::SignInLink,
        }
    }

    /// Returns the id of the holder's key. Sessions and links are no keys, and the keys of sessions are in no list.
    pub fn key_id(&self) -> Option<&str> {
        match self {
            Holder::AdminKey { key_id, member: None, .. } => Some(key_id.as_str()),
            Holder::AppKey { key_id, member: None, .. } => Some(key_id.as_str()),
            _ => None,
        }
    }

    /// Returns the member on whose behalf the credential works.
    pub fn member(&self) -> Option<&OnBehalf> {
        match self {
            Holder::AdminKey { member, .. } | Holder::AppKey { member, .. } => member.as_ref(),
            Holder::MemberSession { member, .. } => Some(member),
            Holder::Session { .. } | Holder::OnboardingLink { .. } | Holder::SignInLink { .. } => None,
        }
    }

    /// Returns the mode of the holder. A session has live access, which includes test objects.
    pub fn mode(&self) -> Mode {
        match self {
            Holder::AdminKey { mode, .. } => *mode,
            Holder::AppKey { app_id, .. } => app_id.mode(),
            Holder::Session { .. } | Holder::MemberSession { .. } | Holder::SignInLink { .. } => Mode::Live,
            Holder::OnboardingLink { link_id } => link_id.mode(),
        }
    }
}

impl Credential {
    /// Returns a credential that may do all that its kind can.
    pub fn without_limits(organization_id: OrganizationId, holder: Holder, expires_at: Option<Timestamp>) -> Self {
        Credential {
            organization_id,
            holder,
            expires_at,
            grant: Grant::default(),
            rate_limit: None,
            app_rate_limit: None,
            identity: None,
            ancestor: None,
        }
    }

    /// Returns the credential of a link with which a member can sign in for a while.
    pub fn of_sign_in_link(
        organization_id: OrganizationId,
        member: &Member,
        (issued_by, issuers_standing): (Actor, u32),
        now: Timestamp,
    ) -> Self {
        let expires_at = now.plus(Duration::from_secs(LINK_SECONDS));
        let holder =
            Holder::SignInLink { member_id: member.id.clone(), issued_by, issuers_standing, standing: member.standing };
        Credential::without_limits(organization_id, holder, Some(expires_at))
    }

    pub fn is_expired(&self, now: Timestamp) -> bool {
        self.expires_at.is_some_and(|at| at <= now)
    }
}
