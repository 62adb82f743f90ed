//! Group chats. The platform creates a group after responding to the request, and reports it by a notification. The
//! simulated platform creates it immediately.

pub(crate) mod http;
mod join_requests;
pub(crate) mod join_requests_http;
mod manage;
pub(crate) mod manage_http;
mod participants;
pub(crate) mod participants_http;

use api::AppCaller;
use domain::Failure;
use domain::chat::{ChatPhoneNumber, Group, GroupStatus, JoinApprovalMode};
use domain::id::{ChatGroupId, ChatPhoneNumberId};
use inbound::created_group;
use platform::{GroupRequest, Line, NewGroup, PlatformError};
use runtime::Context;
use store::{Change, EarlyGroup, OrganizationStore, RequestedGroup};

use crate::ChatContext;
use crate::numbers::of_app;

/// The validated body of the create operation.
pub(crate) struct GroupToCreate {
    number: ChatPhoneNumberId,
    group: NewGroup,
}

fn no_such_group() -> Failure {
    Failure::not_found("groupId", "chat group")
}

/// Requests the group from the platform. If the platform does not respond, it may have created the group.
async fn request_group(
    chat: &ChatContext,
    caller: &AppCaller,
    wanted: &GroupToCreate,
    number: Option<ChatPhoneNumber>,
) -> Result<GroupRequest, Failure> {
    let number = of_app(number, caller)?;
    let line = line(chat, caller, &number).await?;
    match line.platform.create_group(&line.token, &number.provider_phone_number_id, &wanted.group).await {
        Ok(request) => Ok(request),
        Err(PlatformError::Unreachable { was_sent: true, .. }) => {
            let why = "did not respond to the request for the group; the group may have been created";
            Err(PlatformError::Unreachable { why, was_sent: true }.into())
        }
        Err(error) => Err(line.failure(error, &number.provider_phone_number_id).await),
    }
}

/// Platform updates about a group that arrived before its request was stored. They are rare, so they are only read
/// after a commit without them was rejected.
#[derive(Default)]
pub(crate) struct EarlyUpdates {
    group: Option<EarlyGroup>,
    news: Vec<String>,
}

/// Returns the group if the platform created it with its response, as the simulated one does.
fn created_immediately(request: &GroupRequest) -> Option<EarlyGroup> {
    request.created.as_ref().map(|group| EarlyGroup {
        provider_group_id: Some(group.id.clone()),
        invite_link: Some(group.invite_link.clone()),
        has_failed: false,
        members: Vec::new(),
    })
}

async fn early_updates(
    org: &OrganizationStore,
    wanted: &GroupToCreate,
    request: &GroupRequest,
) -> Result<EarlyUpdates, Failure> {
    let group = match org.requested_group(&wanted.number, &request.request_id).await? {
        Some(RequestedGroup::Early(early)) => Some(early),
        Some(RequestedGroup::Known(_)) => {
            return Err(Failure::internal("the platform used one request id for two requests"));
        }
        None => None,
    };
    let platform_id = created_immediately(request).or(group.clone()).and_then(|group| group.provider_group_id);
    let news = match platform_id {
        Some(id) => org.early_group_news(&wanted.number, &id).await?,
        None => Vec::new(),
    };
    Ok(EarlyUpdates { group, news })
}

/// Decides on the group to store, with the updates that arrived early.
fn create(
    context: &Context,
    caller: &AppCaller,
    wanted: &GroupToCreate,
    request: &GroupRequest,
    early: &EarlyUpdates,
) -> Result<(Group, Change), Failure> {
    let pending = pending(context, wanted, request);
    let group = match created_immediately(request).as_ref().or(early.group.as_ref()) {
        None => pending,
        Some(created) => created_group(&pending, created, &early.news),
    };
    let mut change = Change::new(&caller.organization);
    change.create_group(&group, early.group.as_ref(), &early.news, context.now())?;
    Ok((group, change))
}

fn pending(context: &Context, wanted: &GroupToCreate, request: &GroupRequest) -> Group {
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

/// Returns the group and its number if the number is assigned to the app of the key.
async fn expect_own(
    chat: &ChatContext,
    caller: &AppCaller,
    group: Option<Group>,
) -> Result<(Group, ChatPhoneNumber), Failure> {
    let group = group.ok_or_else(no_such_group)?;
    let number = chat.context.store.of(&caller.organization).chat_phone_number(&group.chat_phone_number_id).await?;
    Ok((group, of_app(number, caller).map_err(|_| no_such_group())?))
}

/// Returns access to the platform on behalf of the number's profile.
async fn line(chat: &ChatContext, caller: &AppCaller, number: &ChatPhoneNumber) -> Result<Line, Failure> {
    let org = chat.context.store.of(&caller.organization);
    chat.platforms.line_of_number(&org, number, chat.context.now()).await
}

fn new_group(subject: String, description: Option<String>, mode: Option<JoinApprovalMode>) -> NewGroup {
    NewGroup { subject, description, join_approval_mode: mode.unwrap_or(JoinApprovalMode::AutoApprove) }
}
