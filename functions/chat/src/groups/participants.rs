//! Adding people to a group, and removing participants. The platform reports the outcome by a notification; the
//! simulated platform makes the change immediately.

use api::AppCaller;
use domain::chat::{ChatUser, Group, GroupStatus, Member};
use domain::{Failure, Timestamp};
use platform::{Effect, PlatformError};

use super::manage::{platform_id, write};
use super::{expect_own, line};
use crate::ChatContext;

/// The hint of a refusal to add people: the platform's documentation knows invite links only, whatever its OpenAPI
/// document lists.
const INVITE: &str = "WhatsApp may not let a business add people to a group. Send them the inviteLink of the group \
                      instead (GET /v1/chat/groups/{groupId}).";

/// A participant: the text to send to the platform, and the user whom it names.
pub(crate) struct Participant {
    pub(super) sent: String,
    pub(super) user: ChatUser,
}

impl Participant {
    /// Returns whether an error of the simulated platform is requested.
    pub(super) fn requests_error(&self) -> bool {
        self.sent != self.user.as_str()
    }

    fn member(&self, is_in: bool, at: Timestamp) -> Member {
        let (phone_number, user_id) = match &self.user {
            ChatUser::Number(number) => (Some(number.clone()), None),
            ChatUser::Id(id) => (None, Some(id.clone())),
        };
        Member { phone_number, user_id, is_in, at }
    }
}

/// Adds people to a group by one request to the platform.
pub(super) async fn add(
    chat: &ChatContext,
    caller: &AppCaller,
    group: Option<Group>,
    participants: &[Participant],
) -> Result<(), Failure> {
    let (group, number) = expect_own(chat, caller, group).await?;
    let platform_id = platform_id(&group, &[GroupStatus::Active])?;
    let line = line(chat, caller, &number).await?;
    match line.platform.add_participants(&line.token, platform_id, &texts(participants)).await {
        Ok(effect) => note(chat, caller, group, participants, effect, true).await,
        Err(error) => {
            let is_refusal = matches!(error, PlatformError::Rejected(_)) && !error.is_throttling();
            let failure = line.failure(error, &number.provider_phone_number_id).await;
            Err(failure.with_hints(is_refusal.then(|| INVITE.to_owned())))
        }
    }
}

/// Removes participants of a group by one request to the platform.
pub(super) async fn remove(
    chat: &ChatContext,
    caller: &AppCaller,
    group: Option<Group>,
    participants: &[Participant],
) -> Result<(), Failure> {
    let (group, number) = expect_own(chat, caller, group).await?;
    let platform_id = platform_id(&group, &[GroupStatus::Active])?;
    let line = line(chat, caller, &number).await?;
    match line.platform.remove_participants(&line.token, platform_id, &texts(participants)).await {
        Ok(effect) => note(chat, caller, group, participants, effect, false).await,
        Err(error) => Err(line.failure(error, &number.provider_phone_number_id).await),
    }
}

fn texts(participants: &[Participant]) -> Vec<String> {
    participants.iter().map(|participant| participant.sent.clone()).collect()
}

/// Records a change that the simulated platform has made. People who already are in the group, or not in it, are left
/// as they are.
async fn note(
    chat: &ChatContext,
    caller: &AppCaller,
    group: Group,
    participants: &[Participant],
    effect: Effect,
    is_in: bool,
) -> Result<(), Failure> {
    let known = group.participants();
    let changed: Vec<&Participant> = participants
        .iter()
        .filter(|participant| known.iter().any(|name| name == participant.user.as_str()) != is_in)
        .collect();
    if effect == Effect::Later || changed.is_empty() {
        return Ok(());
    }
    let at = chat.context.now();
    let edit = |group: &mut Group| {
        for participant in &changed {
            group.note_member(participant.member(is_in, at));
        }
    };
    write(chat, caller, group, edit).await
}
