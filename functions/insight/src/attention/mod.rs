//! What needs attention in an organization.

pub(crate) mod http;
mod view;

use api::caller::Sees as _;
use api::{List, ListQuery, OrgMember};
use domain::Failure;
use domain::attention::Need;
use runtime::Context;

use self::view::AttentionView;

const NAME: &str = "attention";

/// Returns a page of what the caller may see.
async fn list(context: &Context, caller: &OrgMember, query: &ListQuery) -> Result<List<AttentionView>, Failure> {
    let request = query.page(&caller.organization, NAME)?;
    let now = context.now();
    let is_wanted = |need: &Need| {
        need.is_shown(now) && caller.mode().sees(need.mode) && caller.may_see.what_needs(need.kind.scope())
    };
    let page = context.store.of(&caller.organization).needs(&request, is_wanted).await?;
    List::new(page.map(AttentionView::from), &caller.organization, NAME, |need| need.place())
}
