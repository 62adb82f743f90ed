use domain::chat::{Group, GroupStatus, JoinApprovalMode};
use domain::id::{ChatGroupId, ChatPhoneNumberId};
use domain::{Open, Timestamp};
use serde::Serialize;
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

/// A WhatsApp group.
#[skip_serializing_none]
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ChatGroup)]
pub struct GroupView {
    pub id: ChatGroupId,
    pub chat_phone_number_id: ChatPhoneNumberId,
    /// The group's name.
    pub subject: String,
    /// The group's description.
    pub description: Option<String>,
    #[schema(value_type = JoinApprovalMode)]
    pub join_approval_mode: Open<JoinApprovalMode>,
    #[schema(value_type = GroupStatus)]
    pub status: Open<GroupStatus>,
    /// The link with which people join the group.
    pub invite_link: Option<String>,
    /// Phone numbers, or WhatsApp user ids of participants whose number WhatsApp does not share.
    pub participants: Vec<String>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl From<Group> for GroupView {
    fn from(group: Group) -> Self {
        let participants = group.participants();
        GroupView {
            id: group.id,
            chat_phone_number_id: group.chat_phone_number_id,
            subject: group.subject,
            description: group.description,
            join_approval_mode: group.join_approval_mode,
            status: group.status,
            invite_link: group.invite_link,
            participants,
            created_at: group.created_at,
            updated_at: group.updated_at,
        }
    }
}
