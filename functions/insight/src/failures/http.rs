use api::{Answer, AppCaller, List, ListBy, ListQuery, OrgMember, Rejection};
use axum::extract::State;
use runtime::Context;

use super::filters::{FailureFilters, FailureParams};
use super::view::FailureView;

/// List failures
///
/// Returns the messages that reached nobody, over all numbers and both channels, newest first: those that were refused, failed or
/// expired, and those whose outcome has been unknown for 10 minutes. A message that is delivered later leaves the list; one to a
/// group is in it if it reached no member. A test admin key sees those of test mode only. A page looks at up to 200 messages,
/// so it can be short or empty although more follow. The list ends when `nextCursor` is `null`.
#[utoipa::path(get, path = "/v1/organization/failures", operation_id = "organization.failures.list", tag = "Messages",
    security(("adminKey" = []), ("session" = [])), params(ListQuery, FailureParams),
    responses((status = 200, description = "A page of failures", body = List<FailureView>)))]
pub(crate) async fn list_failures(
    State(context): State<Context>,
    caller: OrgMember,
    list: ListBy<FailureFilters>,
) -> Result<Answer<List<FailureView>>, Rejection> {
    Ok(Answer::ok(super::list(&context, &caller, &list).await?))
}

/// List the app's failures
///
/// Returns the messages that the app has sent and that reached nobody, newest first, as for the organization.
#[utoipa::path(get, path = "/v1/failures", operation_id = "failures.list", tag = "Messages",
    security(("liveAppKey" = []), ("testAppKey" = [])), params(ListQuery, FailureParams),
    responses((status = 200, description = "A page of failures", body = List<FailureView>)))]
pub(crate) async fn list_own_failures(
    State(context): State<Context>,
    caller: AppCaller,
    list: ListBy<FailureFilters>,
) -> Result<Answer<List<FailureView>>, Rejection> {
    Ok(Answer::ok(super::list_of_app(&context, &caller, &list).await?))
}
