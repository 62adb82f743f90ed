use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use crate::Timestamp;
use crate::id::{ChatGroupId, ChatPhoneNumberId};

pub const SUBJECT_LENGTH: usize = 128;
pub const DESCRIPTION_LENGTH: usize = 2048;
pub const MOST_PARTICIPANTS: usize = 8;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum GroupStatus {
    Pending,
    Active,
    Failed,
    Suspended,
    Deleted,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum JoinApprovalMode {
    AutoApprove,
    ApprovalRequired,
}

impl JoinApprovalMode {
    pub fn as_str(self) -> &'static str {
        match self {
            JoinApprovalMode::AutoApprove => "auto_approve",
            JoinApprovalMode::ApprovalRequired => "approval_required",
        }
    }
}

/// A group chat of a chat phone number. The platform makes it after it has answered: it is pending until then.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Group {
    pub id: ChatGroupId,
    pub chat_phone_number_id: ChatPhoneNumberId,
    pub subject: String,
    pub description: Option<String>,
    pub join_approval_mode: JoinApprovalMode,
    pub status: GroupStatus,
    pub invite_link: Option<String>,
    /// Phone numbers, or the platform's user ids where it gives no number.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub participants: BTreeSet<String>,
    /// The platform's identifiers.
    pub provider_request_id: String,
    pub provider_group_id: Option<String>,
    /// The platform's time of its status: an older notification changes nothing.
    pub status_at: Option<Timestamp>,
    pub revision: u64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}
