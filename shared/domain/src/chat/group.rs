use std::collections::BTreeSet;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use crate::id::{ChatGroupId, ChatPhoneNumberId};
use crate::{E164, Open, Timestamp};

pub const SUBJECT_LENGTH: usize = 128;
pub const DESCRIPTION_LENGTH: usize = 2048;
pub const MOST_PARTICIPANTS: usize = 8;
const LEFT_KEPT: Duration = Duration::from_secs(14 * 24 * 3600);

/// What the platform says of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum GroupStatus {
    Pending,
    Active,
    Failed,
    Suspended,
    Deleted,
}

/// Who lets people in.
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

/// Somebody who has joined, as the platform names them.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Member {
    pub phone_number: Option<E164>,
    pub user_id: Option<String>,
    pub is_in: bool,
    /// The platform's time of joining or leaving.
    pub at: Timestamp,
}

impl Member {
    fn is_same(&self, other: &Member) -> bool {
        let both = |a: &Option<String>, b: &Option<String>| a.is_some() && a == b;
        let number = |member: &Member| member.phone_number.as_ref().map(ToString::to_string);
        both(&number(self), &number(other)) || both(&self.user_id, &other.user_id)
    }

    fn name(&self) -> Option<String> {
        self.phone_number.as_ref().map(ToString::to_string).or_else(|| self.user_id.clone())
    }
}

impl Group {
    /// Phone numbers, or the platform's user ids where it gives no number.
    pub fn participants(&self) -> Vec<String> {
        let names: BTreeSet<String> =
            self.members.iter().filter(|member| member.is_in).filter_map(Member::name).collect();
        names.into_iter().collect()
    }

    /// The last word on somebody counts, whichever came first.
    pub fn note_member(&mut self, told: Member) {
        // Who left long ago is forgotten: the platform does not repeat itself that late.
        let recently = told.at.minus(LEFT_KEPT);
        self.members.retain(|member| member.is_in || member.at > recently);
        match self.members.iter_mut().find(|member| member.is_same(&told)) {
            None => self.members.push(told),
            Some(known) => {
                known.phone_number = known.phone_number.take().or(told.phone_number);
                known.user_id = known.user_id.take().or(told.user_id);
                if told.at >= known.at {
                    known.is_in = told.is_in;
                    known.at = told.at;
                }
            }
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
    pub join_approval_mode: Open<JoinApprovalMode>,
    pub status: Open<GroupStatus>,
    pub invite_link: Option<String>,
    /// Who is in the group, and who has left it of late.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub members: Vec<Member>,
    /// The platform's identifiers.
    pub provider_request_id: String,
    pub provider_group_id: Option<String>,
    /// The platform's times of what it told: older news change nothing.
    pub status_at: Option<Timestamp>,
    pub subject_at: Option<Timestamp>,
    pub description_at: Option<Timestamp>,
    pub revision: u64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}
