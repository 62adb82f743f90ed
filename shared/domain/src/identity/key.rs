//! Admin keys, app keys, and the stored credentials that identify their holders.

use serde::{Deserialize, Serialize};

use crate::id::{AdminKeyId, AppId, AppKeyId, OnboardingLinkId, OrganizationId, SessionId};
use crate::identity::credential_kind::CredentialKind;
use crate::testing::playground::SimulatedChatNumber;
use crate::{Mode, Timestamp};

/// The maximum number of admin keys per organization.
pub const ADMIN_KEYS_PER_ORGANIZATION: u32 = 50;
/// The maximum number of keys per app. One transaction deletes an app with all its keys and webhooks, so the limits on
/// both keep it below DynamoDB's limit of 100 items.
pub const KEYS_PER_APP: u32 = 20;
/// How long a session can be at most, and is by default, in seconds.
pub const LONGEST_SESSION_SECONDS: u64 = 12 * 3600;

/// An admin key of an organization. Its value is not stored.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AdminKey {
    pub id: AdminKeyId,
    pub name: String,
    pub last_four: String,
    /// The hexadecimal SHA-256 of the value, under which its credential is stored.
    pub value_hash: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    pub created_at: Timestamp,
}

/// A key of an app. Its value is not stored.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AppKey {
    pub id: AppKeyId,
    pub app_id: AppId,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    pub last_four: String,
    pub value_hash: String,
    pub created_at: Timestamp,
}

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
}

/// The holder of a credential.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "holder", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Holder {
    AdminKey {
        key_id: AdminKeyId,
        mode: Mode,
    },
    AppKey {
        key_id: AppKeyId,
        app_id: AppId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        simulated_chat_number: Option<SimulatedChatNumber>,
    },
    Session {
        session_id: SessionId,
    },
    OnboardingLink {
        link_id: OnboardingLinkId,
    },
}

impl Holder {
    /// Returns the kind of the holder's credential.
    pub fn kind(&self) -> CredentialKind {
        match self {
            Holder::AdminKey { .. } => CredentialKind::AdminKey,
            Holder::AppKey { app_id, .. } => CredentialKind::AppKey(app_id.mode()),
            Holder::Session { .. } => CredentialKind::Session,
            Holder::OnboardingLink { .. } => CredentialKind::OnboardingLink,
        }
    }

    /// Returns the mode of the holder. A session has live access, which includes test objects.
    pub fn mode(&self) -> Mode {
        match self {
            Holder::AdminKey { mode, .. } => *mode,
            Holder::AppKey { app_id, .. } => app_id.mode(),
            Holder::Session { .. } => Mode::Live,
            Holder::OnboardingLink { link_id } => link_id.mode(),
        }
    }
}

impl Credential {
    pub fn is_expired(&self, now: Timestamp) -> bool {
        self.expires_at.is_some_and(|at| at <= now)
    }
}
