//! Group chats. The platform makes a group after it has answered, and says so by a notification; the simulated one makes it
//! at once.

pub(crate) mod http;

use std::collections::BTreeSet;

use api::{AppCaller, Context};
use domain::chat::{ChatBusinessProfile, ChatPhoneNumber, Group, GroupStatus, JoinApprovalMode};
use domain::id::{ChatGroupId, ChatPhoneNumberId, OrganizationId};
use domain::{Failure, Mode};
use platform::{GroupRequest, Line, NewGroup};
use store::{Change, Committed, RequestedGroup};

use crate::ChatContext;
use crate::numbers::no_such_number;

pub(crate) struct GroupToMake {
    number: ChatPhoneNumberId,
    group: NewGroup,
}

/// A participant as the caller names it, and as a group holds it.
pub(crate) struct Participant {
    sent: String,
    number: domain::E164,
}

impl Participant {
    fn asks_error(&self) -> bool {
        self.sent != self.number.as_str()
    }
}

fn no_such_group() -> Failure {
    Failure::not_found("groupId", "chat group")
}

async fn line_of(chat: &ChatContext, o: &OrganizationId, number: &ChatPhoneNumber) -> Result<Line, Failure> {
    let profile: Option<ChatBusinessProfile> =
        chat.context.store.chat_business_profile(o, &number.business_profile.id).await?;
    chat.platforms.line(&profile.ok_or_else(|| Failure::internal("a number's profile does not exist"))?).await
}

/// A number that is assigned to the key's app; any other is as if it did not exist.
async fn number_of_app(
    chat: &ChatContext,
    caller: &AppCaller,
    id: &ChatPhoneNumberId,
) -> Result<Option<ChatPhoneNumber>, Failure> {
    let number = chat.context.store.chat_phone_number(&caller.organization, id).await?;
    Ok(number.filter(|number| number.apps.contains(&caller.app_id)))
}

async fn create(chat: &ChatContext, caller: &AppCaller, wanted: &GroupToMake) -> Result<Group, Failure> {
    let o = &caller.organization;
    let number = number_of_app(chat, caller, &wanted.number).await?;
    let number = number.ok_or_else(|| no_such_number("chatPhoneNumberId"))?;
    let line = line_of(chat, o, &number).await?;
    let asked = line.platform.create_group(&line.token, &number.provider_phone_number_id, &wanted.group).await;
    let request = match asked {
        Ok(request) => request,
        Err(error) => return Err(line.failure(error, &number.provider_phone_number_id).await),
    };
    loop {
        let (group, change) = requested(&chat.context, o, wanted, &request).await?;
        if !matches!(chat.context.store.commit(&change).await?, Committed::Stale) {
            return Ok(group);
        }
    }
}

/// The group with what a notification may have said of it already.
async fn requested(
    context: &Context,
    o: &OrganizationId,
    wanted: &GroupToMake,
    request: &GroupRequest,
) -> Result<(Group, Change), Failure> {
    let early = match context.store.requested_group(o, &wanted.number, &request.request_id).await? {
        Some(RequestedGroup::Early(early)) => Some(early),
        Some(RequestedGroup::Known(_)) => return Err(Failure::internal("the platform answered two requests alike")),
        None => None,
    };
    let now = context.now();
    let made = request.made.clone();
    let has_failed = early.as_ref().is_some_and(|early| early.has_failed);
    let provider_group_id =
        made.as_ref().map(|made| made.id.clone()).or(early.as_ref().and_then(|early| early.provider_group_id.clone()));
    let group = Group {
        id: ChatGroupId::mint(wanted.number.mode(), now, context.random()),
        chat_phone_number_id: wanted.number.clone(),
        subject: wanted.group.subject.clone(),
        description: wanted.group.description.clone(),
        join_approval_mode: wanted.group.join_approval_mode,
        status: match (&provider_group_id, has_failed) {
            (_, true) => GroupStatus::Failed,
            (Some(_), false) => GroupStatus::Active,
            (None, false) => GroupStatus::Pending,
        },
        invite_link: made.map(|made| made.invite_link).or(early.as_ref().and_then(|early| early.invite_link.clone())),
        participants: BTreeSet::new(),
        provider_request_id: request.request_id.clone(),
        provider_group_id,
        status_at: None,
        revision: 1,
        created_at: now,
        updated_at: now,
    };
    let mut change = Change::new();
    change.create_group(o, &group, early.as_ref(), now)?;
    Ok((group, change))
}

/// A group of a number that is assigned to the key's app.
async fn find(chat: &ChatContext, caller: &AppCaller, id: &ChatGroupId) -> Result<(Group, ChatPhoneNumber), Failure> {
    let group = chat.context.store.group(&caller.organization, id).await?.ok_or_else(no_such_group)?;
    let number = number_of_app(chat, caller, &group.chat_phone_number_id).await?.ok_or_else(no_such_group)?;
    Ok((group, number))
}

/// One call of the platform; who was removed is known from its notification, in test mode at once.
async fn remove(
    chat: &ChatContext,
    caller: &AppCaller,
    id: &ChatGroupId,
    participants: &[Participant],
) -> Result<(), Failure> {
    let o = &caller.organization;
    let (group, number) = find(chat, caller, id).await?;
    let platform_id = group.provider_group_id.as_ref().filter(|_| group.status == GroupStatus::Active);
    let platform_id = platform_id.ok_or_else(|| {
        Failure::conflict("Participants can be removed from an active group only.").with_param("groupId")
    })?;
    let line = line_of(chat, o, &number).await?;
    let sent: Vec<String> = participants.iter().map(|participant| participant.sent.clone()).collect();
    if let Err(error) = line.platform.remove_participants(&line.token, platform_id, &sent).await {
        return Err(line.failure(error, &number.provider_phone_number_id).await);
    }
    if number.id.mode() == Mode::Test { forget(chat, o, id, participants).await } else { Ok(()) }
}

async fn forget(
    chat: &ChatContext,
    o: &OrganizationId,
    id: &ChatGroupId,
    participants: &[Participant],
) -> Result<(), Failure> {
    loop {
        let before = chat.context.store.group(o, id).await?.ok_or_else(no_such_group)?;
        let mut after = before.clone();
        after.participants.retain(|held| participants.iter().all(|gone| gone.number.as_str() != held));
        if after == before {
            return Ok(());
        }
        after.revision += 1;
        after.updated_at = chat.context.now();
        let mut change = Change::new();
        change.update_group(o, &before, &after)?;
        if !matches!(chat.context.store.commit(&change).await?, Committed::Stale) {
            return Ok(());
        }
    }
}

fn new_group(subject: String, description: Option<String>, mode: Option<JoinApprovalMode>) -> NewGroup {
    NewGroup { subject, description, join_approval_mode: mode.unwrap_or(JoinApprovalMode::AutoApprove) }
}
