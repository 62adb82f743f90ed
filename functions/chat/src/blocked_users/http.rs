use std::collections::BTreeSet;

use api::error_body::ErrorDetails;
use api::{Answer, AppCaller, Claim, Deferred, Input, Json, List, ListQuery, Once, Path, Rejection};
use axum::extract::State;
use axum::response::Response;
use domain::Failure;
use domain::chat::ChatUser;
use domain::chat::blocked::USERS_PER_REQUEST;
use domain::id::ChatPhoneNumberId;
use platform::BlockChange;
use runtime::Context;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{ChatContext, parts};

/// The users to block or to unblock.
#[derive(Deserialize, ToSchema)]
#[schema(as = ChangeBlockedUsers)]
pub(crate) struct Users {
    /// Phone numbers in E.164 format, or WhatsApp user ids, each once.
    #[schema(value_type = Vec<ChatUser>, min_items = 1, max_items = 200)]
    users: Vec<String>,
}

impl Input for Users {
    const REQUIRED: &'static [&'static str] = &["users"];
    type Checked = Vec<ChatUser>;

    fn check(self, _context: &Context) -> Result<Vec<ChatUser>, Failure> {
        if !(1..=USERS_PER_REQUEST).contains(&self.users.len()) {
            let message = format!(
                "users must hold 1 to {USERS_PER_REQUEST} phone numbers or user ids. This request has {}.",
                self.users.len()
            );
            return Err(Failure::invalid("users", message));
        }
        let mut seen = BTreeSet::new();
        let mut users = Vec::with_capacity(self.users.len());
        for (index, sent) in self.users.iter().enumerate() {
            let param = format!("users[{index}]");
            let user = ChatUser::in_field(sent, &param)?;
            if !seen.insert(user.clone()) {
                return Err(Failure::invalid(&param, format!("{param} repeats a user. Send each one once.")));
            }
            users.push(user);
        }
        Ok(users)
    }
}

/// A user that a number has blocked.
#[derive(Serialize, ToSchema)]
#[schema(as = ChatBlockedUser)]
pub(crate) struct BlockedUser {
    /// The user's phone number, or the WhatsApp user id of a user whose number WhatsApp does not share.
    pub(super) user: String,
}

/// A user for whom WhatsApp rejected the change.
#[derive(Serialize, ToSchema)]
#[schema(as = ChatBlockedUserFailure)]
pub(crate) struct FailedUser {
    user: ChatUser,
    /// The error, in the format of an error response.
    error: ErrorDetails,
}

fn failed(user: ChatUser, error: ErrorDetails) -> FailedUser {
    FailedUser { user, error }
}

/// The outcome for each user.
#[derive(Serialize, ToSchema)]
#[schema(as = ChatUsersBlocked)]
pub(crate) struct Blocked {
    /// The users that are blocked now.
    blocked: Vec<ChatUser>,
    /// The users that could not be blocked.
    failed: Vec<FailedUser>,
}

/// The outcome for each user.
#[derive(Serialize, ToSchema)]
#[schema(as = ChatUsersUnblocked)]
pub(crate) struct Unblocked {
    /// The users that are not blocked any more.
    unblocked: Vec<ChatUser>,
    /// The users that could not be unblocked.
    failed: Vec<FailedUser>,
}

/// List blocked WhatsApp users
///
/// Returns the users that a WhatsApp number of the app has blocked, in WhatsApp's order. WhatsApp keeps the list and
/// may reject a cursor after the list has changed (422): start again without a cursor.
#[utoipa::path(get, path = "/v1/chat/phone-numbers/{chatPhoneNumberId}/blocked-users",
    operation_id = "chat.phoneNumbers.blockedUsers.list", tag = "Numbers",
    security(("liveAppKey" = []), ("testAppKey" = [])), params(("chatPhoneNumberId" = ChatPhoneNumberId, Path), ListQuery),
    responses((status = 200, description = "A page of users", body = List<BlockedUser>),
        (status = 404, description = "No such chat phone number, or it is not assigned to the app"),
        (status = 422, description = "WhatsApp rejected the request"),
        (status = 502, description = "WhatsApp failed")))]
pub(crate) async fn list_blocked_users(
    State(chat): State<ChatContext>,
    claim: Claim<AppCaller>,
    input: Deferred<(Path<(ChatPhoneNumberId,)>, ListQuery)>,
) -> Result<Answer<List<BlockedUser>>, Rejection> {
    let read = claim.with(input, |reads, (Path((id,)), query)| async move {
        let number = reads.chat_phone_number(&id).await?;
        Ok((query, number))
    });
    let (caller, (query, number)) = read.await?;
    Ok(Answer::ok(super::list(&chat, &caller, &query, number).await?))
}

/// Block WhatsApp users
///
/// Blocks users of a WhatsApp number of the app: they cannot write to the number, and messages to them are rejected.
/// Users are named by phone number or by WhatsApp user id. WhatsApp blocks only users who wrote to the number in the
/// last 24 hours, at most 64,000 per number; a request takes at most 200. Each user is processed independently: the
/// status is 200 even if all of them fail.
#[utoipa::path(post, path = "/v1/chat/phone-numbers/{chatPhoneNumberId}/blocked-users",
    operation_id = "chat.phoneNumbers.blockedUsers.block", tag = "Numbers",
    security(("liveAppKey" = []), ("testAppKey" = [])), params(("chatPhoneNumberId" = ChatPhoneNumberId, Path)),
    request_body = Users,
    responses((status = 200, description = "The outcome for each user", body = Blocked),
        (status = 404, description = "No such chat phone number, or it is not assigned to the app"),
        (status = 422, description = "WhatsApp rejected the request"),
        (status = 502, description = "WhatsApp failed")))]
pub(crate) async fn block_users(
    State(chat): State<ChatContext>,
    claim: Claim<AppCaller>,
    input: Deferred<(Path<(ChatPhoneNumberId,)>, Once, Json<Users>)>,
) -> Result<Response, Rejection> {
    let read = claim.with(input, |reads, (Path((id,)), once, body)| async move {
        let number = reads.chat_phone_number(&id).await?;
        Ok((once, body, number))
    });
    let (caller, (once, body, number)) = read.await?;
    let Json { input: users, fingerprint } = body;
    let block = async {
        let changed = super::change(&chat, &caller, BlockChange::Block, &users, number).await?;
        Ok(Blocked { blocked: changed.done, failed: parts::failures(&chat, changed.failed, failed) })
    };
    parts::once(&chat, &caller, once, fingerprint, block).await
}

/// Unblock WhatsApp users
///
/// Unblocks users of a WhatsApp number of the app, at most 200 per request. Each user is processed independently: the
/// status is 200 even if all of them fail.
#[utoipa::path(delete, path = "/v1/chat/phone-numbers/{chatPhoneNumberId}/blocked-users",
    operation_id = "chat.phoneNumbers.blockedUsers.unblock", tag = "Numbers",
    security(("liveAppKey" = []), ("testAppKey" = [])), params(("chatPhoneNumberId" = ChatPhoneNumberId, Path)),
    request_body = Users,
    responses((status = 200, description = "The outcome for each user", body = Unblocked),
        (status = 404, description = "No such chat phone number, or it is not assigned to the app"),
        (status = 422, description = "WhatsApp rejected the request"),
        (status = 502, description = "WhatsApp failed")))]
pub(crate) async fn unblock_users(
    State(chat): State<ChatContext>,
    claim: Claim<AppCaller>,
    input: Deferred<(Path<(ChatPhoneNumberId,)>, Json<Users>)>,
) -> Result<Answer<Unblocked>, Rejection> {
    let read = claim.with(input, |reads, (Path((id,)), body)| async move {
        let number = reads.chat_phone_number(&id).await?;
        Ok((body, number))
    });
    let (caller, (body, number)) = read.await?;
    let changed = super::change(&chat, &caller, BlockChange::Unblock, &body.input, number).await?;
    Ok(Answer::ok(Unblocked { unblocked: changed.done, failed: parts::failures(&chat, changed.failed, failed) }))
}
