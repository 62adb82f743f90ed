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
/// The highest number of requests to join that one request decides.
pub const MOST_JOIN_REQUESTS: usize = 100;
/// The longest id of a request to join, in characters.
pub const JOIN_REQUEST_ID_LENGTH: usize = 255;
/// How long a member who has left is remembered.
const LEFT_KEPT: Duration = Duration::from_secs(14 * 24 * 3600);

/// The state of a group, as WhatsApp reports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
#[schema(as = ChatGroupStatus)]
pub enum GroupStatus {
    Pending,
    Active,
    Failed,
    Suspended,
    Deleted,
}

/// Whether users who follow the invite link join immediately or need approval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = ChatGroupJoinApprovalMode)]
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

    /// Returns one member for two records of the same person. The later record decides whether the person is in the
    /// group. If both have the same time, leaving wins.
    fn merged(self, other: Member) -> Member {
        let (later, earlier) =
            if (other.at, !other.is_in) > (self.at, !self.is_in) { (other, self) } else { (self, other) };
        let phone_number = later.phone_number.or(earlier.phone_number);
        Member { phone_number, user_id: later.user_id.or(earlier.user_id), is_in: later.is_in, at: later.at }
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
        // An update that names both can show that two known members, one by number and one by user id, are one person.
        let same = self.members.extract_if(.., |member| member.is_same(&update)).collect::<Vec<_>>();
        self.members.push(same.into_iter().fold(update, Member::merged));
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

#[cfg(test)]
mod tests {
    use super::*;

    fn group() -> Group {
        let number: ChatPhoneNumberId = "wapn_0ujtsYcgvSTl8PAuAdqWYSMnLOv".parse().expect("an id");
        Group {
            id: "grp_wa_0ujtsYcgvSTl8PAuAdqWYSMnLOv".parse().expect("an id"),
            chat_phone_number_id: number,
            subject: "S".to_owned(),
            description: None,
            join_approval_mode: JoinApprovalMode::AutoApprove.into(),
            status: GroupStatus::Active.into(),
            invite_link: None,
            members: Vec::new(),
            provider_request_id: "r".to_owned(),
            provider_group_id: None,
            status_at: None,
            subject_at: None,
            description_at: None,
            revision: 1,
            created_at: Timestamp::from_millis(0),
            updated_at: Timestamp::from_millis(0),
        }
    }

    fn member(number: bool, user_id: bool, is_in: bool, seconds: i64) -> Member {
        Member {
            phone_number: number.then(|| "+16505551234".parse().expect("a number")),
            user_id: user_id.then(|| "US.1".to_owned()),
            is_in,
            at: Timestamp::from_millis(seconds * 1000),
        }
    }

    /// One person, known by number, by user id and by both, in each order.
    #[test]
    fn a_member_is_one_person_however_they_are_named() {
        let updates = [member(true, false, true, 1), member(false, true, true, 2), member(true, true, false, 3)];
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            let mut group = group();
            for at in order {
                group.note_member(updates[at].clone());
            }
            assert_eq!(group.members, [member(true, true, false, 3)], "{order:?}");
        }
    }

    /// A person who joins and leaves in the same second has left.
    #[test]
    fn at_the_same_time_leaving_counts() {
        for order in [[true, false], [false, true]] {
            let mut group = group();
            for is_in in order {
                group.note_member(member(true, false, is_in, 1));
            }
            assert!(group.participants().is_empty(), "{order:?}");
        }
    }
}
