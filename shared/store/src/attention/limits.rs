//! Limits on the objects of an organization that are nearly used, by its counters.

use domain::Mode;
use domain::attention::{NEARLY_USED, Need, NeedKind};
use domain::audit::TargetKind;
use domain::id::OrganizationId;

use crate::engine::item::Item;
use crate::limits::counter::{Counter, count_in};

/// Returns the limits of which more than 80 % are used.
pub(super) fn needs(organization: &OrganizationId, counters: &Item) -> impl Iterator<Item = Need> {
    Counter::ALL.into_iter().flat_map(move |counter| {
        Mode::ALL.into_iter().filter_map(move |mode| nearly_used(organization, counters, counter, mode))
    })
}

fn nearly_used(organization: &OrganizationId, counters: &Item, counter: Counter, mode: Mode) -> Option<Need> {
    // The last one counts the objects of the mode alone; playground users exist in test mode only.
    let attribute = counter.attributes(mode).last()?;
    let (limit, what) = counter.limit();
    let used = count_in(counters, attribute);
    let is_counted = counter != Counter::PlaygroundUsers || mode == Mode::Test;
    if !is_counted || used * 100 <= i64::from(limit) * NEARLY_USED {
        return None;
    }
    Some(Need {
        kind: NeedKind::QuotaNearlyUsed,
        target_kind: TargetKind::Organization,
        target: organization.to_string(),
        mode,
        since: None,
        message: format!("{used} of at most {limit} {what} in {} mode exist.", mode.as_str()),
        part: Some((*attribute).to_owned()),
        shown_from: None,
        ends_at: None,
    })
}
