use std::future::ready;

use api::idempotency::Planned;
use api::{Answer, AppCaller, Claim, Deferred, Input, Json, Once, Path, Rejection};
use axum::extract::State;
use axum::response::Response;
use domain::chat::JoinApprovalMode;
use domain::chat::group::{DESCRIPTION_LENGTH, SUBJECT_LENGTH};
use domain::id::{ChatGroupId, ChatPhoneNumberId, Identifier as _};
use domain::schema::{GroupDescription, GroupSubject};
use domain::{Failure, text};
use runtime::Context;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use views::GroupView;

use super::{EarlyUpdates, GroupToCreate, new_group};
use crate::ChatContext;

/// The group to create.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = CreateChatGroup)]
pub(crate) struct CreateGroup {
    /// A WhatsApp number that is assigned to the app.
    #[schema(value_type = ChatPhoneNumberId)]
    chat_phone_number_id: String,
    /// The name of the group.
    #[schema(value_type = GroupSubject)]
    subject: String,
    #[schema(value_type = Option<GroupDescription>)]
    description: Option<String>,
    /// `auto_approve` by default.
    join_approval_mode: Option<JoinApprovalMode>,
}

impl Input for CreateGroup {
    const REQUIRED: &'static [&'static str] = &["chatPhoneNumberId", "subject"];
    type Checked = GroupToCreate;

    fn check(self, _context: &Context) -> Result<GroupToCreate, Failure> {
        let param = "chatPhoneNumberId";
        let number = ChatPhoneNumberId::in_param(&self.chat_phone_number_id, param)?;
        let subject = text::bounded(&self.subject, "subject", SUBJECT_LENGTH)?;
        let described = |sent: String| text::message_text(&sent, "description", DESCRIPTION_LENGTH);
        let description = self.description.map(described).transpose()?;
        Ok(GroupToCreate { number, group: new_group(subject, description, self.join_approval_mode) })
    }
}

/// Confirms success.
#[derive(Serialize, ToSchema)]
#[schema(as = ChatGroupParticipantsRemoval)]
pub(crate) struct Success {
    /// Always `true`.
    pub(super) success: bool,
}

/// Create a WhatsApp group
///
/// Asks WhatsApp to create a group. The group is `PENDING` until WhatsApp reports that it was created. In test mode, it
/// is `ACTIVE` immediately.
#[utoipa::path(post, path = "/v1/chat/groups", operation_id = "chat.groups.create", tag = "Groups",
    security(("liveAppKey" = []), ("testAppKey" = [])), request_body = CreateGroup,
    responses((status = 201, description = "The group", body = GroupView),
        (status = 404, description = "The number is not assigned to the app of this key"),
        (status = 422, description = "WhatsApp rejected the request"),
        (status = 502, description = "WhatsApp failed or did not respond")))]
pub(crate) async fn create_group(
    State(chat): State<ChatContext>,
    claim: Claim<AppCaller>,
    input: Deferred<(Once, Json<CreateGroup>)>,
) -> Result<Response, Rejection> {
    let read = claim.with(input, |reads, (once, body)| async move {
        let number = reads.chat_phone_number(&body.input.number).await?;
        Ok((once, body, number))
    });
    let (caller, (once, body, number)) = read.await?;

    let attempt = match once.begin(&chat.context, body.fingerprint).await {
        Ok(attempt) => attempt,
        Err(answer) => return Ok(*answer),
    };
    let request = match super::request_group(&chat, &caller, &body.input, number).await {
        Ok(request) => request,
        Err(failure) => return attempt.finish::<GroupView>(Err(failure)).await,
    };

    let org = chat.context.store.of(&caller.organization);
    let read = || super::early_updates(&org, &body.input, &request);
    let decide = |early: Result<EarlyUpdates, Failure>| {
        let created = early.and_then(|early| super::create(&chat.context, &caller, &body.input, &request, &early));
        ready(created.map(|(group, change)| Planned { change, answer: Answer::created(GroupView::from(group)) }))
    };
    attempt.run(Ok(EarlyUpdates::default()), read, decide).await
}

/// Get a WhatsApp group
///
/// Returns a group of a number that is assigned to the app.
#[utoipa::path(get, path = "/v1/chat/groups/{groupId}", operation_id = "chat.groups.get", tag = "Groups",
    security(("liveAppKey" = []), ("testAppKey" = [])),
    params(("groupId" = ChatGroupId, Path)), responses((status = 200, description = "The group", body = GroupView)))]
pub(crate) async fn get_group(
    State(chat): State<ChatContext>,
    claim: Claim<AppCaller>,
    path: Deferred<Path<(ChatGroupId,)>>,
) -> Result<Answer<GroupView>, Rejection> {
    let (caller, group) = claim.with(path, |reads, Path((id,))| async move { reads.group(&id).await }).await?;
    let (group, _) = super::expect_own(&chat, &caller, group).await?;
    Ok(Answer::ok(group.into()))
}
