use api::{Answer, AppCaller, ListBy, OrgMember, Rejection};
use axum::extract::State;
use runtime::Context;

use super::filters::{UsageFilters, UsageParams};
use super::view::UsagePage;

/// Get usage
///
/// Returns how many messages were sent and received, and what became of them, by hour or day and by group, over all apps and
/// numbers, the earliest period first; with `kind=deliveries` the same for deliveries to webhooks. Periods without any message have
/// no row. A message counts in the period in which it was stored, whatever comes later, and still when it is no longer kept. An
/// imported history does not count. Live and test mode are counted apart. The list ends when `nextCursor` is `null`.
#[utoipa::path(get, path = "/v1/organization/usage", operation_id = "organization.usage.list", tag = "Usage",
    security(("adminKey" = []), ("session" = [])), params(UsageParams),
    responses((status = 200, description = "A page of usage", body = UsagePage)))]
pub(crate) async fn list_usage(
    State(context): State<Context>,
    caller: OrgMember,
    list: ListBy<UsageFilters>,
) -> Result<Answer<UsagePage>, Rejection> {
    Ok(Answer::ok(super::of_organization(&context, &caller, &list).await?))
}

/// Get the app's usage
///
/// Returns the usage of the app: of the messages whose `appId` it is, and of deliveries to its webhooks, as for the organization.
#[utoipa::path(get, path = "/v1/usage", operation_id = "usage.list", tag = "Usage",
    security(("liveAppKey" = []), ("testAppKey" = [])), params(UsageParams),
    responses((status = 200, description = "A page of usage", body = UsagePage)))]
pub(crate) async fn list_own_usage(
    State(context): State<Context>,
    caller: AppCaller,
    list: ListBy<UsageFilters>,
) -> Result<Answer<UsagePage>, Rejection> {
    Ok(Answer::ok(super::of_app(&context, &caller, &list).await?))
}
