//! Participants of groups.

use std::collections::BTreeSet;

use api::{Answer, AppCaller, Claim, Deferred, Input, Json, Once, Path, Rejection};
use axum::extract::State;
use axum::response::Response;
use domain::chat::ChatUser;
use domain::chat::group::MOST_PARTICIPANTS;
use domain::id::ChatGroupId;
use domain::schema::GroupParticipant;
use domain::{Failure, Mode};
use platform::LONGEST_CODE;
use runtime::Context;
use serde::Deserialize;
use utoipa::ToSchema;

use super::http::Success;
use super::participants::{self, Participant};
use crate::{ChatContext, parts};

/// The people to add to the group.
#[derive(Deserialize, ToSchema)]
#[schema(as = AddChatGroupParticipants)]
pub(crate) struct AddParticipants {
    /// Phone numbers in E.164 format, with or without `+`, or WhatsApp user ids.
    #[schema(value_type = Vec<GroupParticipant>, min_items = 1, max_items = 8)]
    participants: Vec<String>,
}

impl Input for AddParticipants {
    const REQUIRED: &'static [&'static str] = &["participants"];
    type Checked = Vec<Participant>;

    fn check(self, _context: &Context) -> Result<Vec<Participant>, Failure> {
        checked(&self.participants)
    }
}

/// The participants to remove from the group.
#[derive(Deserialize, ToSchema)]
#[schema(as = RemoveChatGroupParticipants)]
pub(crate) struct RemoveParticipants {
    /// Phone numbers in E.164 format, with or without `+`, or WhatsApp user ids.
    #[schema(value_type = Vec<GroupParticipant>, min_items = 1, max_items = 8)]
    participants: Vec<String>,
}

impl Input for RemoveParticipants {
    const REQUIRED: &'static [&'static str] = &["participants"];
    type Checked = Vec<Participant>;

    fn check(self, _context: &Context) -> Result<Vec<Participant>, Failure> {
        checked(&self.participants)
    }
}

fn checked(sent: &[String]) -> Result<Vec<Participant>, Failure> {
    if !(1..=MOST_PARTICIPANTS).contains(&sent.len()) {
        let message = format!("participants must hold 1 to {MOST_PARTICIPANTS} phone numbers or user ids.");
        return Err(Failure::invalid("participants", message));
    }
    let mut seen = BTreeSet::new();
    let mut participants = Vec::new();
    for (index, sent) in sent.iter().enumerate() {
        let param = format!("participants[{index}]");
        let participant = participant(sent, &param)?;
        if !seen.insert(participant.user.clone()) {
            return Err(Failure::invalid(&param, format!("{param} repeats a participant. Send each one once.")));
        }
        participants.push(participant);
    }
    Ok(participants)
}

/// Parses a phone number with or without `+`, or a user id. It may be followed by a dash and an error code that the
/// simulated platform should return (docs/test-mode.md); live requests with a code are rejected.
fn participant(sent: &str, param: &str) -> Result<Participant, Failure> {
    let (name, error_code) = sent.split_once('-').map_or((sent, None), |(name, code)| (name, Some(code)));
    let user = match name.parse::<ChatUser>() {
        Ok(user) => user,
        Err(_) => ChatUser::in_field(&format!("+{name}"), param)?,
    };
    if let Some(code) = error_code
        && (code.is_empty() || code.len() > LONGEST_CODE || !code.bytes().all(|byte| byte.is_ascii_digit()))
    {
        return Err(ChatUser::invalid(param));
    }
    let sent = error_code.map_or_else(|| user.to_string(), |code| format!("{user}-{code}"));
    Ok(Participant { sent, user })
}

/// Simulated errors can be requested in test mode only.
fn expect_no_requested_error(caller: &AppCaller, participants: &[Participant]) -> Result<(), Failure> {
    let requested = participants.iter().position(Participant::requests_error);
    match requested.filter(|_| caller.app_id.mode() == Mode::Live) {
        Some(index) => Err(ChatUser::invalid(&format!("participants[{index}]"))),
        None => Ok(()),
    }
}

/// Add participants to a WhatsApp group
///
/// Asks WhatsApp to add people to the group. WhatsApp confirms the new participants later; in test mode, they join
/// immediately. WhatsApp may not let a business add people: then send them the group's invite link.
#[utoipa::path(post, path = "/v1/chat/groups/{groupId}/participants",
    operation_id = "chat.groups.participants.add", tag = "Groups", security(("liveAppKey" = []), ("testAppKey" = [])),
    params(("groupId" = ChatGroupId, Path)), request_body = AddParticipants,
    responses((status = 200, description = "WhatsApp accepted the request", body = Success),
        (status = 409, description = "The group is not active"),
        (status = 422, description = "WhatsApp rejected the request"),
        (status = 502, description = "WhatsApp failed or did not respond")))]
pub(crate) async fn add_participants(
    State(chat): State<ChatContext>,
    claim: Claim<AppCaller>,
    input: Deferred<(Path<(ChatGroupId,)>, Once, Json<AddParticipants>)>,
) -> Result<Response, Rejection> {
    let read = claim.with(input, |reads, (Path((id,)), once, body)| async move {
        let group = reads.group(&id).await?;
        Ok((group, once, body))
    });
    let (caller, (group, once, body)) = read.await?;
    let Json { input: people, fingerprint } = body;
    expect_no_requested_error(&caller, &people)?;
    let add = async {
        participants::add(&chat, &caller, group, &people).await?;
        Ok(Success { success: true })
    };
    parts::once(&chat, &caller, once, fingerprint, add).await
}

/// Remove participants of a WhatsApp group
///
/// Asks WhatsApp to remove the participants. WhatsApp confirms the removal later; in test mode, they leave immediately.
#[utoipa::path(delete, path = "/v1/chat/groups/{groupId}/participants",
    operation_id = "chat.groups.participants.remove", tag = "Groups", security(("liveAppKey" = []), ("testAppKey" = [])),
    params(("groupId" = ChatGroupId, Path)), request_body = RemoveParticipants,
    responses((status = 200, description = "WhatsApp accepted the request", body = Success),
        (status = 409, description = "The group is not active"),
        (status = 422, description = "WhatsApp rejected the request"),
        (status = 502, description = "WhatsApp failed or did not respond")))]
pub(crate) async fn remove_participants(
    State(chat): State<ChatContext>,
    claim: Claim<AppCaller>,
    input: Deferred<(Path<(ChatGroupId,)>, Json<RemoveParticipants>)>,
) -> Result<Answer<Success>, Rejection> {
    let read = claim.with(input, |reads, (Path((id,)), body)| async move { Ok((reads.group(&id).await?, body)) });
    let (caller, (group, body)) = read.await?;
    expect_no_requested_error(&caller, &body.input)?;
    participants::remove(&chat, &caller, group, &body.input).await?;
    Ok(Answer::ok(Success { success: true }))
}
