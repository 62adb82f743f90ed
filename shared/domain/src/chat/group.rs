//! Groups of a chat phone number and their members.

use std::collections::BTreeSet;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use crate::id::{ChatGroupId, ChatPhoneNumberId};
use crate::{E164, Open, Timestamp};

/// The longest subject, in characters.
pub const SUBJECT_LENGTH: usize = 128;
/// The longest description, in characters.
pub const DESCRIPTION_LENGTH: usize = 2048;
/// The highest number of participants per request.
pub const MOST_PARTICIPANTS: usize = 8;
/// How long a member who has left is remembered.
const LEFT_KEPT: Duration = Duration::from_secs(14 * 24 * 3600);

/// The state of a group, as the platform reports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum GroupStatus {
    Pending,
    Active,
    Failed,
    Suspended,
    Deleted,
}

/// Whether people who follow the invite link join at once or need approval.
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

/// A person who has joined a group, identified by phone number, by the platform's user id, or both.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Member {
    pub phone_number: Option<E164>,
    pub user_id: Option<String>,
    /// Whether the person is still in the group.
    pub is_in: bool,
    /// The platform's timestamp of joining or leaving.
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
    /// Returns the members' phone numbers, or the platform's user ids of members without a number.
    pub fn participants(&self) -> Vec<String> {
        let names: BTreeSet<String> =
            self.members.iter().filter(|member| member.is_in).filter_map(Member::name).collect();
        names.into_iter().collect()
    }

    /// Records that a member has joined or left. Of several updates about a member the one with the latest timestamp
    /// counts, whatever the order in which they arrive.
    pub fn note_member(&mut self, update: Member) {
        // Members who left long ago are dropped: the platform does not repeat updates that late.
        let recently = update.at.minus(LEFT_KEPT);
        self.members.retain(|member| member.is_in || member.at > recently);
        match self.members.iter_mut().find(|member| member.is_same(&update)) {
            None => self.members.push(update),
            Some(known) => {
                known.phone_number = known.phone_number.take().or(update.phone_number);
                known.user_id = known.user_id.take().or(update.user_id);
                if update.at >= known.at {
                    known.is_in = update.is_in;
                    known.at = update.at;
                }
            }
        }
    }
}

/// A group of a chat phone number. The platform creates a group only after it has responded to the request: until then
/// the group is pending.
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
    /// The people in the group, and those who have left it recently.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub members: Vec<Member>,
    /// The platform's identifiers.
    pub provider_request_id: String,
    pub provider_group_id: Option<String>,
    /// The platform's timestamp of the status. Older updates are ignored, here and for the next two fields.
    pub status_at: Option<Timestamp>,
    pub subject_at: Option<Timestamp>,
    pub description_at: Option<Timestamp>,
    pub revision: u64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}
