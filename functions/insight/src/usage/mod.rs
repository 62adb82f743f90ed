//! Usage: how many messages and deliveries there were, by hour or day and by group, and what they cost.

mod filters;
pub(crate) mod http;
mod rows;
mod view;

use std::time::Duration;

use api::caller::Sees as _;
use api::{AppCaller, ListBy, OrgMember, cursor};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::id::{AppId, Identifier as _, OrganizationId};
use domain::usage::{Dimension, Period, UsageKind};
use domain::{Failure, Mode, Timestamp};
use futures_util::future::try_join4;
use runtime::Context;
use store::UsageSpan;

use self::filters::UsageFilters;
use self::rows::{Row, RowKey, rows};
use self::view::{UsagePage, UsageRow};

const DAY: Duration = Duration::from_secs(24 * 3600);

/// Returns a page of the usage of all apps.
async fn of_organization(
    context: &Context,
    caller: &OrgMember,
    list: &ListBy<UsageFilters>,
) -> Result<UsagePage, Failure> {
    let mode = list.filters.mode.unwrap_or(caller.mode());
    if !caller.mode().sees(mode) {
        return Err(Failure::invalid("mode", "mode must be test for a test admin key."));
    }
    page(context, &caller.organization, mode, None, list).await
}

/// Returns a page of the usage of an app.
async fn of_app(context: &Context, caller: &AppCaller, list: &ListBy<UsageFilters>) -> Result<UsagePage, Failure> {
    let mode = caller.app_id.mode();
    if list.filters.mode.is_some_and(|wanted| wanted != mode) {
        let message = format!("mode must be {0}: the key belongs to an app of {0} mode.", mode.as_str());
        return Err(Failure::invalid("mode", message));
    }
    page(context, &caller.organization, mode, Some(&caller.app_id), list).await
}

async fn page(
    context: &Context,
    organization: &OrganizationId,
    mode: Mode,
    app: Option<&AppId>,
    list: &ListBy<UsageFilters>,
) -> Result<UsagePage, Failure> {
    let filters = &list.filters;
    let name = filters.name(&app.map_or("usage".to_owned(), |app| format!("usage/{app}")));
    let request = list.query.page(organization, &name)?;
    let after = request.before.as_deref().and_then(row_of_cursor);
    let (since, until) = covered(filters, context.now())?;
    let from = after.as_ref().and_then(|after| beginning(filters.period, after)).unwrap_or(since);
    let span = UsageSpan { mode, kind: filters.kind, period: filters.period, since: from, until, app: app.cloned() };

    let store = &context.store;
    let org = &store.of(organization);
    let read = try_join4(org.usage(&span), org.rate_card(), store.counted_until(context.now()), store.usage_gaps());
    let ((mut counters, has_more), card, counted_until, gaps) = read.await?;
    // Where the next page begins if all rows fit: after the last period that was read.
    let last_read = counters.last().map(|counter| counter.period.clone());
    if let Some(app) = app {
        counters.retain(|counter| counter.group.value(filters.kind, Dimension::App) == Some(app.as_str()));
    }

    let rows = rows(&counters, filters.kind, &filters.group_by, card.as_ref(), after.as_ref());
    let currency = card.as_ref().map(|card| card.currency.as_str());
    let view = |(key, row): (&RowKey, &Row)| {
        let view = match filters.kind {
            UsageKind::Messages => UsageRow::of_messages(row, currency),
            UsageKind::Deliveries => UsageRow::of_deliveries(row),
        };
        view.named(key, filters.period, &filters.group_by)
    };
    let next = if rows.len() > request.limit {
        rows.keys().nth(request.limit - 1).map(RowKey::place)
    } else {
        last_read.filter(|_| has_more).map(|period| RowKey::after_period(&period))
    };
    Ok(UsagePage {
        data: rows.iter().take(request.limit).map(view).collect(),
        next_cursor: next.map(|place| cursor::encode(organization, &name, &URL_SAFE_NO_PAD.encode(place))),
        counted_until,
        gaps: gaps.into_iter().filter(|gap| gap.until > since).map(Into::into).collect(),
    })
}

/// Returns from which period on the rows after one are read.
fn beginning(period: Period, after: &RowKey) -> Option<Timestamp> {
    let start = period.named(&after.period)?;
    Some(if after.is_after_period() { start.plus(period.length()) } else { start })
}

fn row_of_cursor(place: &str) -> Option<RowKey> {
    let place = URL_SAFE_NO_PAD.decode(place).ok()?;
    RowKey::at(std::str::from_utf8(&place).ok()?)
}

/// Returns the beginning of the first period, and the end of what a request covers.
fn covered(filters: &UsageFilters, now: Timestamp) -> Result<(Timestamp, Timestamp), Failure> {
    let until = filters.until.unwrap_or(now);
    let usual = match filters.period {
        Period::Hour => DAY,
        Period::Day => 30 * DAY,
    };
    let since = filters.since.unwrap_or(until.minus(usual));
    // One period more, so that a client whose clock is a little late can ask for the last 31 or 400 days.
    if since.plus(filters.period.longest() + filters.period.length()) < until {
        let days = filters.period.longest().as_secs() / DAY.as_secs();
        let periods = match filters.period {
            Period::Hour => "hours",
            Period::Day => "days",
        };
        let message = format!("since must be at most {days} days before until (or now) when {periods} are asked for.");
        return Err(Failure::invalid("since", message));
    }
    Ok((filters.period.start(since), end_of_last(filters.period, until)))
}

/// Returns the end of the last period that begins before `until`.
fn end_of_last(period: Period, until: Timestamp) -> Timestamp {
    let start = period.start(until);
    if start == until { start } else { start.plus(period.length()) }
}
