use std::borrow::Cow;
use std::net::IpAddr;

use api::{Answer, List, ListBy, ListQuery, OrgMember, Rejection};
use axum::extract::State;
use domain::Timestamp;
use domain::audit::{Actor, Entry, FieldChange, Outcome, Target};
use domain::id::AuditEntryId;
use runtime::Context;
use serde::Serialize;
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use super::filters::{AuditFilters, AuditParams};

/// What somebody did, or was denied.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AuditEntry)]
pub(crate) struct AuditEntryView {
    id: AuditEntryId,
    /// When it was done.
    at: Timestamp,
    actor: Actor,
    /// The address from which the gateway received the request.
    #[schema(value_type = Option<String>)]
    source_ip: Option<IpAddr>,
    /// The beginning of the client's `User-Agent`.
    #[schema(max_length = 200)]
    user_agent: Option<String>,
    /// The id of the operation, as this document names it; `operator.…` for what the operator did, and `system.…` for what
    /// the service did by itself.
    #[schema(value_type = String)]
    action: Cow<'static, str>,
    target: Option<Target>,
    /// Omitted while a change at WhatsApp is under way, and if it is unknown whether it was made.
    outcome: Option<Outcome>,
    /// The fields that were changed, without secrets, values of headers, texts and end users' numbers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    changes: Vec<FieldChange>,
    /// The id of the request, which its response has as `X-Request-Id`.
    request_id: Option<String>,
}

impl AuditEntryView {
    pub(super) fn ksuid(&self) -> &str {
        self.id.ksuid()
    }
}

impl From<Entry> for AuditEntryView {
    fn from(entry: Entry) -> Self {
        AuditEntryView {
            at: entry.at(),
            id: entry.id,
            actor: entry.actor,
            source_ip: entry.source_ip,
            user_agent: entry.user_agent,
            action: entry.action,
            target: entry.target,
            outcome: entry.outcome,
            changes: entry.changes,
            request_id: entry.request_id,
        }
    }
}

/// List the audit log
///
/// Returns who changed what in the organization, newest first: members, keys, apps, webhooks, numbers, accounts, templates, links
/// and settings, what the operator and the service itself did to them, who signed in, and requests that were denied for a missing
/// scope, network or role. Sends, uploads, reads and simulations are not in it. An entry is kept for 400 days, unless the operator has
/// chosen otherwise. A test admin key sees entries of test mode only. A filtered page looks at up to 200 entries, so it can
/// be short or empty although more follow. The list ends when `nextCursor` is `null`.
#[utoipa::path(get, path = "/v1/organization/audit-log",
    operation_id = "organization.auditLog.list", tag = "Organization",
    security(("adminKey" = []), ("session" = [])), params(ListQuery, AuditParams),
    responses((status = 200, description = "A page of entries", body = List<AuditEntryView>)))]
pub(crate) async fn list_audit_log(
    State(context): State<Context>,
    caller: OrgMember,
    list: ListBy<AuditFilters>,
) -> Result<Answer<List<AuditEntryView>>, Rejection> {
    Ok(Answer::ok(super::list(&context, &caller, &list).await?))
}
