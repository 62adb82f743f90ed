use api::{Answer, List, ListQuery, OrgMember, Rejection};
use axum::extract::State;
use runtime::Context;

use super::view::AttentionView;

/// List what needs attention
///
/// Returns what fails or soon will, the most severe first: disabled and failing webhooks, WhatsApp accounts with problems, numbers of
/// low quality, paused and rejected templates, keys that end within 14 days, limits that are nearly used, the spend limit, and
/// numbers that have been releasing for over an hour. Each says what to do. An entry is there as long as its reason. A key sees
/// what its scopes cover, and a test admin key what is in test mode.
#[utoipa::path(get, path = "/v1/organization/attention", operation_id = "organization.attention.list", tag = "Organization",
    security(("adminKey" = []), ("session" = [])), params(ListQuery),
    responses((status = 200, description = "A page of what needs attention", body = List<AttentionView>)))]
pub(crate) async fn list_attention(
    State(context): State<Context>,
    caller: OrgMember,
    query: ListQuery,
) -> Result<Answer<List<AttentionView>>, Rejection> {
    Ok(Answer::ok(super::list(&context, &caller, &query).await?))
}
