//! Group chats. The platform makes a group after it has answered, and says so by a notification; the simulated one makes it
//! at once.

pub(crate) mod http;

use api::AppCaller;
use domain::Failure;
use domain::chat::{ChatPhoneNumber, Group, GroupStatus, JoinApprovalMode};
use domain::id::{ChatGroupId, ChatPhoneNumberId};
use inbound::created_group;
use platform::{GroupRequest, NewGroup, PlatformError};
use runtime::Context;
use store::{Change, EarlyGroup, OrganizationStore, RequestedGroup};

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

/// A number that is assigned to the key's app; any other is as if it did not exist.
fn of_app(found: Option<ChatPhoneNumber>, caller: &AppCaller) -> Option<ChatPhoneNumber> {
    found.filter(|number| number.apps.contains(&caller.app_id))
}

/// Asks the platform for the group. Where no answer comes it may have been made all the same.
async fn ask(
    chat: &ChatContext,
    caller: &AppCaller,
    wanted: &GroupToMake,
    number: Option<ChatPhoneNumber>,
) -> Result<GroupRequest, Failure> {
    let number = of_app(number, caller).ok_or_else(|| no_such_number("chatPhoneNumberId"))?;
    let line = chat.platforms.line_of_number(&number).await?;
    match line.platform.create_group(&line.token, &number.provider_phone_number_id, &wanted.group).await {
        Ok(request) => Ok(request),
        Err(PlatformError::Unreachable { was_sent: true, .. }) => {
            let why = "was asked for the group and did not answer; the group may have been made all the same";
            Err(PlatformError::Unreachable { why, was_sent: true }.into())
        }
        Err(error) => Err(line.failure(error, &number.provider_phone_number_id).await),
    }
}

/// What notifications have said of a group before the request for it was stored. Mostly nothing: that is assumed until the
/// change that rests on it is refused.
#[derive(Default)]
pub(crate) struct ToldEarly {
    made: Option<EarlyGroup>,
    news: Vec<String>,
}

fn made_at_once(request: &GroupRequest) -> Option<EarlyGroup> {
    request.created.as_ref().map(|made| EarlyGroup {
        provider_group_id: Some(made.id.clone()),
        invite_link: Some(made.invite_link.clone()),
        has_failed: false,
    })
}

async fn told_early(
    own: &OrganizationStore,
    wanted: &GroupToMake,
    request: &GroupRequest,
) -> Result<ToldEarly, Failure> {
    let made = match own.requested_group(&wanted.number, &request.request_id).await? {
        Some(RequestedGroup::Early(early)) => Some(early),
        Some(RequestedGroup::Known(_)) => return Err(Failure::internal("the platform answered two requests alike")),
        None => None,
    };
    let named = made_at_once(request).or(made.clone()).and_then(|made| made.provider_group_id);
    let news = match named {
        Some(id) => own.early_group_news(&wanted.number, &id).await?,
        None => Vec::new(),
    };
    Ok(ToldEarly { made, news })
}

fn requested(
    context: &Context,
    caller: &AppCaller,
    wanted: &GroupToMake,
    request: &GroupRequest,
    told: &ToldEarly,
) -> Result<(Group, Change), Failure> {
    let pending = pending(context, wanted, request);
    let group = match made_at_once(request).as_ref().or(told.made.as_ref()) {
        None => pending,
        Some(made) => created_group(&pending, made, &told.news),
    };
    let mut change = Change::new(&caller.organization);
    change.create_group(&group, (told.made.as_ref(), &told.news), context.now())?;
    Ok((group, change))
}

fn pending(context: &Context, wanted: &GroupToMake, request: &GroupRequest) -> Group {
    let now = context.now();
    Group {
        id: ChatGroupId::mint(wanted.number.mode(), now, context.random()),
        chat_phone_number_id: wanted.number.clone(),
        subject: wanted.group.subject.clone(),
        description: wanted.group.description.clone(),
        join_approval_mode: wanted.group.join_approval_mode.into(),
        status: GroupStatus::Pending.into(),
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
    let number = chat.context.store.of(&caller.organization).chat_phone_number(&group.chat_phone_number_id).await?;
    Ok((group, of_app(number, caller).ok_or_else(no_such_group)?))
}

/// One call of the platform; who was removed is known from its notification.
async fn remove(
    chat: &ChatContext,
    caller: &AppCaller,
    found: Option<Group>,
    participants: &[Participant],
) -> Result<(), Failure> {
    let (group, number) = own(chat, caller, found).await?;
    let platform_id = group.provider_group_id.as_ref().filter(|_| group.status == GroupStatus::Active);
    let platform_id = platform_id.ok_or_else(|| {
        Failure::conflict("Participants can be removed from an active group only.").with_param("groupId")
    })?;
    let line = chat.platforms.line_of_number(&number).await?;
    let sent: Vec<String> = participants.iter().map(|participant| participant.sent.clone()).collect();
    if let Err(error) = line.platform.remove_participants(&line.token, platform_id, &sent).await {
        return Err(line.failure(error, &number.provider_phone_number_id).await);
    }
    Ok(())
}

fn new_group(subject: String, description: Option<String>, mode: Option<JoinApprovalMode>) -> NewGroup {
    NewGroup { subject, description, join_approval_mode: mode.unwrap_or(JoinApprovalMode::AutoApprove) }
}
