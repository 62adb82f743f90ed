use api::idempotency::Planned;
use api::{Admin, Answer, Claim, Deferred, Once, Path, Rejection, body};
use axum::extract::State;
use axum::response::Response;
use domain::id::MemberId;

use crate::PeopleContext;
use crate::sign_in::{LinkView, issue_for};

/// Create a sign-in link
///
/// Returns a link with which the member can sign in once, within 15 minutes. `url` contains the token in its fragment, which
/// browsers send to no server. Hand it to the member over a channel that you trust.
#[utoipa::path(post, path = "/v1/organization/members/{memberId}/sign-in-link",
    operation_id = "organization.members.createSignInLink", tag = "Members",
    security(("adminKey" = [])), params(("memberId" = MemberId, Path)),
    responses((status = 201, description = "The link", body = LinkView),
        (status = 403, description = "You have fewer rights than the member's role, or this is a test admin key"),
        (status = 409, description = "The member is suspended")))]
pub(crate) async fn create_sign_in_link(
    State(people): State<PeopleContext>,
    claim: Claim<Admin>,
    input: Deferred<(Path<(MemberId,)>, Once)>,
) -> Result<Response, Rejection> {
    let read = claim.with(input, |reads, (Path((id,)), once)| async move { Ok((reads.member(&id).await?, once)) });
    let (caller, (member, once)) = read.await?;
    let planned = issue_for(&people, &caller, member)
        .await
        .map(|(link, change)| Planned { change, answer: Answer::created(link) });
    once.attempt(&people.context, body::fingerprint(&[])).finish(planned).await
}
