//! Lists and changes of groups.

use std::future::ready;

use api::idempotency::Planned;
use api::{Answer, AppCaller, Claim, Deferred, Input, Json, List, ListOf, ListQuery, Once, Path, Rejection};
use axum::extract::State;
use axum::response::Response;
use domain::chat::Group;
use domain::chat::group::{DESCRIPTION_LENGTH, SUBJECT_LENGTH};
use domain::id::{ChatGroupId, ChatPhoneNumberId};
use domain::schema::{GroupSubject, OptionalLines};
use domain::{Failure, text};
use platform::GroupChange;
use runtime::Context;
use serde::Deserialize;
use utoipa::ToSchema;
use views::GroupView;

use super::http::Success;
use super::manage;
use crate::ChatContext;
use crate::numbers::of_app;

/// The settings to change, at least one. Absent settings keep their values.
#[derive(Deserialize, ToSchema)]
#[schema(as = UpdateChatGroup, min_properties = 1)]
pub(crate) struct UpdateGroup {
    /// The name of the group.
    #[schema(value_type = Option<GroupSubject>)]
    subject: Option<String>,
    /// An empty string removes the description.
    #[schema(inline, value_type = Option<OptionalLines<{ DESCRIPTION_LENGTH }>>)]
    description: Option<String>,
}

impl Input for UpdateGroup {
    const AT_LEAST_ONE: bool = true;
    type Checked = GroupChange;

    fn check(self, _context: &Context) -> Result<GroupChange, Failure> {
        let described = |sent: String| text::optional_lines(&sent, "description", DESCRIPTION_LENGTH);
        Ok(GroupChange {
            subject: self.subject.map(|subject| text::bounded(&subject, "subject", SUBJECT_LENGTH)).transpose()?,
            description: self.description.map(described).transpose()?,
        })
    }
}

/// List WhatsApp groups
///
/// Returns the groups of one WhatsApp number of the app that were created through this API, newest first, with any
/// status.
#[utoipa::path(get, path = "/v1/chat/groups", operation_id = "chat.groups.list", tag = "Groups",
    security(("liveAppKey" = []), ("testAppKey" = [])),
    params(ListQuery, ("chatPhoneNumberId" = ChatPhoneNumberId, Query)),
    responses((status = 200, description = "A page of groups", body = List<GroupView>),
        (status = 404, description = "No such chat phone number, or it is not assigned to the app")))]
pub(crate) async fn list_groups(
    State(chat): State<ChatContext>,
    claim: Claim<AppCaller>,
    list: Deferred<ListOf<ChatPhoneNumberId>>,
) -> Result<Answer<List<GroupView>>, Rejection> {
    let read = claim.with(list, |reads, list| async move {
        let number = reads.chat_phone_number(&list.of).await?;
        Ok((list, number))
    });
    let (caller, (list, number)) = read.await?;
    let (organization, name) = (&caller.organization, format!("chat-groups/{}", list.of));
    let request = list.query.page(organization, &name)?;
    let number = of_app(number, &caller)?;
    let page = chat.context.store.of(organization).groups_of_number(&number.id, &request).await?;
    let views = page.map(GroupView::from);
    Ok(Answer::ok(List::new(views, organization, &name, |group| group.id.ksuid())?))
}

/// Update a WhatsApp group
///
/// Asks WhatsApp to change the name or the description of the group. WhatsApp confirms the change later; in test mode,
/// the group changes immediately.
#[utoipa::path(patch, path = "/v1/chat/groups/{groupId}", operation_id = "chat.groups.update", tag = "Groups",
    security(("liveAppKey" = []), ("testAppKey" = [])),
    params(("groupId" = ChatGroupId, Path)), request_body = UpdateGroup,
    responses((status = 200, description = "WhatsApp accepted the request", body = Success),
        (status = 409, description = "The group is not active"),
        (status = 422, description = "WhatsApp rejected the request"),
        (status = 502, description = "WhatsApp failed")))]
pub(crate) async fn update_group(
    State(chat): State<ChatContext>,
    claim: Claim<AppCaller>,
    input: Deferred<(Path<(ChatGroupId,)>, Json<UpdateGroup>)>,
) -> Result<Answer<Success>, Rejection> {
    let read = claim.with(input, |reads, (Path((id,)), body)| async move { Ok((reads.group(&id).await?, body)) });
    let (caller, (group, body)) = read.await?;
    manage::update(&chat, &caller, group, &body.input).await?;
    Ok(Answer::ok(Success { success: true }))
}

/// Delete a WhatsApp group
///
/// Asks WhatsApp to delete the group and to remove all participants. WhatsApp confirms the deletion later; in test
/// mode, the group is deleted immediately. A deleted group can still be read, with the status `DELETED`.
#[utoipa::path(delete, path = "/v1/chat/groups/{groupId}", operation_id = "chat.groups.delete", tag = "Groups",
    security(("liveAppKey" = []), ("testAppKey" = [])),
    params(("groupId" = ChatGroupId, Path)),
    responses((status = 200, description = "WhatsApp accepted the request", body = Success),
        (status = 409, description = "The group is neither active nor suspended"),
        (status = 422, description = "WhatsApp rejected the request"),
        (status = 502, description = "WhatsApp failed")))]
pub(crate) async fn delete_group(
    State(chat): State<ChatContext>,
    claim: Claim<AppCaller>,
    path: Deferred<Path<(ChatGroupId,)>>,
) -> Result<Answer<Success>, Rejection> {
    let (caller, group) = claim.with(path, |reads, Path((id,))| async move { reads.group(&id).await }).await?;
    manage::delete(&chat, &caller, group).await?;
    Ok(Answer::ok(Success { success: true }))
}

/// Replace the invite link of a WhatsApp group
///
/// Asks WhatsApp for a new invite link. The previous link stops working.
#[utoipa::path(post, path = "/v1/chat/groups/{groupId}/invite-link",
    operation_id = "chat.groups.replaceInviteLink", tag = "Groups",
    security(("liveAppKey" = []), ("testAppKey" = [])), params(("groupId" = ChatGroupId, Path)),
    responses((status = 200, description = "The group with its new link", body = GroupView),
        (status = 409, description = "The group is not active"),
        (status = 422, description = "WhatsApp rejected the request"),
        (status = 502, description = "WhatsApp failed")))]
pub(crate) async fn replace_invite_link(
    State(chat): State<ChatContext>,
    claim: Claim<AppCaller>,
    input: Deferred<(Path<(ChatGroupId,)>, Once)>,
) -> Result<Response, Rejection> {
    let read = claim.with(input, |reads, (Path((id,)), once)| async move { Ok((reads.group(&id).await?, once)) });
    let (caller, (group, once)) = read.await?;

    let attempt = match once.begin(&chat.context, api::body::fingerprint(&[])).await {
        Ok(attempt) => attempt,
        Err(answer) => return Ok(*answer),
    };
    let (group, link) = match manage::replace_invite_link(&chat, &caller, group).await {
        Ok(replaced) => replaced,
        Err(failure) => return attempt.finish::<GroupView>(Err(failure)).await,
    };

    let org = chat.context.store.of(&caller.organization);
    let id = group.id.clone();
    let decide = |group: Result<Option<Group>, Failure>| {
        let edit = |group: &mut Group| group.invite_link = Some(link.clone());
        let edited = group.and_then(|group| manage::edited(&chat.context, &org, group, edit));
        ready(edited.map(|(group, change)| Planned { change, answer: Answer::ok(GroupView::from(group)) }))
    };
    attempt.run(Ok(Some(group)), || org.group(&id), decide).await
}
