//! Admin keys, app keys, and the stored credentials that identify their holders.

use serde::{Deserialize, Serialize};

use crate::id::{AdminKeyId, AppId, AppKeyId, OrganizationId, SessionId};
use crate::playground::SimulatedChatNumber;
use crate::{Mode, Timestamp};

/// The specification sets no limit. This one and the next bound the number of items that one transaction may have to
/// write.
pub const ADMIN_KEYS_PER_ORGANIZATION: u32 = 50;
pub const KEYS_PER_APP: u32 = 20;

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
}

impl Credential {
    pub fn is_expired(&self, now: Timestamp) -> bool {
        self.expires_at.is_some_and(|at| at <= now)
    }
}
