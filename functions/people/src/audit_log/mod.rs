//! The audit log: who changed what in the organization, and what was denied.

mod filters;
pub(crate) mod http;

use api::caller::Sees as _;
use api::{List, ListBy, OrgMember};
use domain::Failure;
use runtime::Context;

use filters::AuditFilters;
use http::AuditEntryView;

const LIST: &str = "audit-log";

/// Returns a page of entries. A test key sees those of test mode.
async fn list(
    context: &Context,
    caller: &OrgMember,
    list: &ListBy<AuditFilters>,
) -> Result<List<AuditEntryView>, Failure> {
    let ListBy { query, filters } = list;
    let name = filters.name(LIST);
    let request = query.page(&caller.organization, &name)?;
    let org = context.store.of(&caller.organization);
    let page = org.audit_entries(caller.mode(), &filters.wanted, &request, context.now()).await?;
    List::new(page.map(AuditEntryView::from), &caller.organization, &name, AuditEntryView::ksuid)
}
