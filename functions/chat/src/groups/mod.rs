//! Group chats. The platform makes a group after it has answered, and says so by a notification; the simulated one makes it
//! at once.

pub(crate) mod http;

use api::{AppCaller, Context};
use domain::Failure;
use domain::chat::{ChatBusinessProfile, ChatPhoneNumber, Group, GroupStatus, JoinApprovalMode};
use domain::id::{ChatGroupId, ChatPhoneNumberId, OrganizationId};
use inbound::made_group;
use platform::{GroupRequest, Line, NewGroup, PlatformError};
use store::{Change, EarlyGroup, RequestedGroup};

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

/// Asks the platform for the group. Where no answer comes it may have been made all the same.
async fn ask(chat: &ChatContext, caller: &AppCaller, wanted: &GroupToMake) -> Result<GroupRequest, Failure> {
    let number = number_of_app(chat, caller, &wanted.number).await?;
    let number = number.ok_or_else(|| no_such_number("chatPhoneNumberId"))?;
    let line = line_of(chat, &caller.organization, &number).await?;
    match line.platform.create_group(&line.token, &number.provider_phone_number_id, &wanted.group).await {
        Ok(request) => Ok(request),
        Err(PlatformError::Unreachable { was_sent: true, .. }) => {
            let why = "was asked for the group and did not answer; the group may have been made all the same";
            Err(PlatformError::Unreachable { why, was_sent: true }.into())
        }
        Err(error) => Err(line.failure(error, &number.provider_phone_number_id).await),
    }
}

/// The group with what notifications may have said of it already.
async fn requested(
    context: &Context,
    o: &OrganizationId,
    wanted: &GroupToMake,
    request: &GroupRequest,
) -> Result<(Group, Change), Failure> {
    let store = &context.store;
    let early = match store.requested_group(o, &wanted.number, &request.request_id).await? {
        Some(RequestedGroup::Early(early)) => Some(early),
        Some(RequestedGroup::Known(_)) => return Err(Failure::internal("the platform answered two requests alike")),
        None => None,
    };
    let pending = pending(context, wanted, request);
    let made = request.made.as_ref().map(|made| EarlyGroup {
        provider_group_id: Some(made.id.clone()),
        invite_link: Some(made.invite_link.clone()),
        has_failed: false,
    });
    let (group, news) = match made.as_ref().or(early.as_ref()) {
        None => (pending, Vec::new()),
        Some(made) => {
            let news = match &made.provider_group_id {
                Some(id) => store.early_group_news(o, &wanted.number, id).await?,
                None => Vec::new(),
            };
            (made_group(&pending, made, &news), news)
        }
    };
    let mut change = Change::new();
    change.create_group(o, &group, (early.as_ref(), &news), context.now())?;
    Ok((group, change))
}

fn pending(context: &Context, wanted: &GroupToMake, request: &GroupRequest) -> Group {
    let now = context.now();
    Group {
        id: ChatGroupId::mint(wanted.number.mode(), now, context.random()),
        chat_phone_number_id: wanted.number.clone(),
        subject: wanted.group.subject.clone(),
        description: wanted.group.description.clone(),
        join_approval_mode: wanted.group.join_approval_mode,
        status: GroupStatus::Pending,
        invite_link: None,
        members: Vec::new(),
        provider_request_id: request.request_id.clone(),
        provider_group_id: None,
        status_at: None,
        subject_at: None,
        description_at: None,
        revision: 1,
        created_at: now,
        updated_at: now,
    }
}

/// A group of a number that is assigned to the key's app.
async fn own(
    chat: &ChatContext,
    caller: &AppCaller,
    found: Option<Group>,
) -> Result<(Group, ChatPhoneNumber), Failure> {
    let group = found.ok_or_else(no_such_group)?;
    let number = number_of_app(chat, caller, &group.chat_phone_number_id).await?.ok_or_else(no_such_group)?;
    Ok((group, number))
}

/// One call of the platform; who was removed is known from its notification.
async fn remove(
    chat: &ChatContext,
    caller: &AppCaller,
    id: &ChatGroupId,
    participants: &[Participant],
) -> Result<(), Failure> {
    let o = &caller.organization;
    let (group, number) = own(chat, caller, chat.context.store.group(o, id).await?).await?;
    let platform_id = group.provider_group_id.as_ref().filter(|_| group.status == GroupStatus::Active);
    let platform_id = platform_id.ok_or_else(|| {
        Failure::conflict("Participants can be removed from an active group only.").with_param("groupId")
    })?;
    let line = line_of(chat, o, &number).await?;
    let sent: Vec<String> = participants.iter().map(|participant| participant.sent.clone()).collect();
    if let Err(error) = line.platform.remove_participants(&line.token, platform_id, &sent).await {
        return Err(line.failure(error, &number.provider_phone_number_id).await);
    }
    Ok(())
}

fn new_group(subject: String, description: Option<String>, mode: Option<JoinApprovalMode>) -> NewGroup {
    NewGroup { subject, description, join_approval_mode: mode.unwrap_or(JoinApprovalMode::AutoApprove) }
}
