//! Requests to join a group.

use std::collections::BTreeSet;

use api::error_body::ErrorDetails;
use api::{Answer, AppCaller, Claim, Deferred, Input, Json, List, ListQuery, Once, Path, Rejection};
use axum::extract::State;
use axum::response::Response;
use domain::chat::Group;
use domain::chat::group::{JOIN_REQUEST_ID_LENGTH, MOST_JOIN_REQUESTS};
use domain::id::ChatGroupId;
use domain::schema::JoinRequestId;
use domain::{E164, Failure, Timestamp};
use platform::{Decided, JoinDecision, JoinRequest};
use runtime::Context;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use super::join_requests;
use crate::{ChatContext, parts};

/// The requests to approve or to reject.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = DecideChatGroupJoinRequests)]
pub(crate) struct JoinRequestIds {
    /// The ids of the requests, each once.
    #[schema(value_type = Vec<JoinRequestId>, min_items = 1, max_items = 100)]
    join_request_ids: Vec<String>,
}

impl Input for JoinRequestIds {
    const REQUIRED: &'static [&'static str] = &["joinRequestIds"];
    type Checked = Vec<String>;

    fn check(self, _context: &Context) -> Result<Vec<String>, Failure> {
        if !(1..=MOST_JOIN_REQUESTS).contains(&self.join_request_ids.len()) {
            let message = format!("joinRequestIds must hold 1 to {MOST_JOIN_REQUESTS} ids.");
            return Err(Failure::invalid("joinRequestIds", message));
        }
        let mut seen = BTreeSet::new();
        for (index, id) in self.join_request_ids.iter().enumerate() {
            let param = format!("joinRequestIds[{index}]");
            if !(1..=JOIN_REQUEST_ID_LENGTH).contains(&id.len()) || !id.bytes().all(|byte| byte.is_ascii_graphic()) {
                let message = format!(
                    "{param} must be the id of a request to join: 1 to {JOIN_REQUEST_ID_LENGTH} visible ASCII characters."
                );
                return Err(Failure::invalid(&param, message));
            }
            if !seen.insert(id) {
                return Err(Failure::invalid(&param, format!("{param} repeats a request. Send each id once.")));
            }
        }
        Ok(self.join_request_ids)
    }
}

/// A request to join a group.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ChatGroupJoinRequest)]
pub(crate) struct JoinRequestView {
    #[schema(value_type = JoinRequestId)]
    id: String,
    phone_number: Option<E164>,
    /// The WhatsApp user id of a user who does not share a phone number.
    user_id: Option<String>,
    created_at: Option<Timestamp>,
}

impl From<JoinRequest> for JoinRequestView {
    fn from(request: JoinRequest) -> Self {
        let JoinRequest { id, phone_number, user_id, created_at } = request;
        JoinRequestView { id, phone_number, user_id, created_at }
    }
}

/// A request to join for which WhatsApp rejected the decision.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ChatGroupJoinRequestFailure)]
pub(crate) struct FailedJoinRequest {
    #[schema(value_type = JoinRequestId)]
    join_request_id: String,
    /// The error, in the format of an error response.
    error: ErrorDetails,
}

fn failed(decided: Decided, error: ErrorDetails) -> FailedJoinRequest {
    FailedJoinRequest { join_request_id: decided.request, error }
}

/// The outcome for each request.
#[derive(Serialize, ToSchema)]
#[schema(as = ChatGroupJoinRequestsApproved)]
pub(crate) struct Approved {
    /// The requests that were approved.
    #[schema(value_type = Vec<JoinRequestId>)]
    approved: Vec<String>,
    /// The requests that could not be approved.
    failed: Vec<FailedJoinRequest>,
}

/// The outcome for each request.
#[derive(Serialize, ToSchema)]
#[schema(as = ChatGroupJoinRequestsRejected)]
pub(crate) struct Rejected {
    /// The requests that were rejected.
    #[schema(value_type = Vec<JoinRequestId>)]
    rejected: Vec<String>,
    /// The requests that could not be rejected.
    failed: Vec<FailedJoinRequest>,
}

/// List requests to join a WhatsApp group
///
/// Returns the open requests to join the group, in WhatsApp's order. Only a group whose `joinApprovalMode` is
/// `approval_required` has any.
#[utoipa::path(get, path = "/v1/chat/groups/{groupId}/join-requests",
    operation_id = "chat.groups.joinRequests.list", tag = "Groups",
    security(("liveAppKey" = []), ("testAppKey" = [])), params(("groupId" = ChatGroupId, Path), ListQuery),
    responses((status = 200, description = "A page of requests", body = List<JoinRequestView>),
        (status = 409, description = "The group is not active"),
        (status = 422, description = "WhatsApp rejected the request"),
        (status = 502, description = "WhatsApp failed")))]
pub(crate) async fn list_join_requests(
    State(chat): State<ChatContext>,
    claim: Claim<AppCaller>,
    input: Deferred<(Path<(ChatGroupId,)>, ListQuery)>,
) -> Result<Answer<List<JoinRequestView>>, Rejection> {
    let read = claim.with(input, |reads, (Path((id,)), query)| async move { Ok((reads.group(&id).await?, query)) });
    let (caller, (group, query)) = read.await?;
    Ok(Answer::ok(join_requests::list(&chat, &caller, &query, group).await?))
}

/// Approve requests to join a WhatsApp group
///
/// Approves requests to join the group. WhatsApp confirms the new participants later; in test mode, they join
/// immediately. Each request to join is processed independently: the status is 200 even if all of them fail.
#[utoipa::path(post, path = "/v1/chat/groups/{groupId}/join-requests/approve",
    operation_id = "chat.groups.joinRequests.approve", tag = "Groups",
    security(("liveAppKey" = []), ("testAppKey" = [])), params(("groupId" = ChatGroupId, Path)),
    request_body = JoinRequestIds,
    responses((status = 200, description = "The outcome for each request", body = Approved),
        (status = 409, description = "The group is not active"),
        (status = 422, description = "WhatsApp rejected the request"),
        (status = 502, description = "WhatsApp failed")))]
pub(crate) async fn approve_join_requests(
    State(chat): State<ChatContext>,
    claim: Claim<AppCaller>,
    input: Deferred<(Path<(ChatGroupId,)>, Once, Json<JoinRequestIds>)>,
) -> Result<Response, Rejection> {
    let answer = |approved, failed| Approved { approved, failed };
    decide(&chat, claim, input, JoinDecision::Approve, answer).await
}

/// Reject requests to join a WhatsApp group
///
/// Rejects requests to join the group. Each request to join is processed independently: the status is 200 even if all
/// of them fail.
#[utoipa::path(post, path = "/v1/chat/groups/{groupId}/join-requests/reject",
    operation_id = "chat.groups.joinRequests.reject", tag = "Groups",
    security(("liveAppKey" = []), ("testAppKey" = [])), params(("groupId" = ChatGroupId, Path)),
    request_body = JoinRequestIds,
    responses((status = 200, description = "The outcome for each request", body = Rejected),
        (status = 409, description = "The group is not active"),
        (status = 422, description = "WhatsApp rejected the request"),
        (status = 502, description = "WhatsApp failed")))]
pub(crate) async fn reject_join_requests(
    State(chat): State<ChatContext>,
    claim: Claim<AppCaller>,
    input: Deferred<(Path<(ChatGroupId,)>, Once, Json<JoinRequestIds>)>,
) -> Result<Response, Rejection> {
    let answer = |rejected, failed| Rejected { rejected, failed };
    decide(&chat, claim, input, JoinDecision::Reject, answer).await
}

async fn decide<T: Serialize>(
    chat: &ChatContext,
    claim: Claim<AppCaller>,
    input: Deferred<(Path<(ChatGroupId,)>, Once, Json<JoinRequestIds>)>,
    decision: JoinDecision,
    answer: impl FnOnce(Vec<String>, Vec<FailedJoinRequest>) -> T,
) -> Result<Response, Rejection> {
    let read = claim.with(input, |reads, (Path((id,)), once, body)| async move {
        let group: Option<Group> = reads.group(&id).await?;
        Ok((group, once, body))
    });
    let (caller, (group, once, body)) = read.await?;
    let Json { input: requests, fingerprint } = body;

    let decide = async {
        let outcomes = join_requests::decide(chat, &caller, decision, &requests, group).await?;
        let done = outcomes.done.into_iter().map(|decided| decided.request).collect();
        Ok(answer(done, parts::failures(chat, outcomes.failed, failed)))
    };
    parts::once(chat, &caller, once, fingerprint, decide).await
}
