//! Reading the counters of an organization.

use aws_sdk_dynamodb::types::AttributeValue;
use domain::id::AppId;
use domain::usage::{Decimal, Group, Period, Tally, UsageKind};
use domain::{Failure, Mode, Timestamp};

use super::counting::MeterPosition;
use crate::engine::item::{Item, SORT, entities};
use crate::engine::table::Range;
use crate::{OrganizationStore, Store, keys};

/// How many counters one query reads: less than a MiB.
const PER_QUERY: usize = 2000;
/// The most counters of one period that are read, in 25 queries.
const MOST_OF_PERIOD: usize = 50_000;

/// The counters to read: those of the periods that begin from `since` on and before `until`.
#[derive(Clone, Debug)]
pub struct UsageSpan {
    pub mode: Mode,
    pub kind: UsageKind,
    pub period: Period,
    pub since: Timestamp,
    pub until: Timestamp,
    /// Only the counters of this app are wanted. Those of others may be among them.
    pub app: Option<AppId>,
}

/// The counter of a group in a period.
#[derive(Clone, Debug, PartialEq)]
pub struct UsageCounter {
    /// The name of the period.
    pub period: String,
    pub group: Group,
    pub tally: Tally,
}

impl OrganizationStore {
    /// Returns the counters of whole periods, the earliest first, and whether there are more: as many as a query reads, and at
    /// least those of the first period that has any.
    pub async fn usage(&self, span: &UsageSpan) -> Result<(Vec<UsageCounter>, bool), Failure> {
        let partition = keys::usage(&self.organization, span.mode, span.kind, span.period);
        let mut before = keys::counters_of(&span.period.name(span.until));
        let mut from = keys::counters_of(&span.period.name(span.since));
        let mut counters: Vec<UsageCounter> = Vec::new();
        let mut is_narrowed = false;
        loop {
            let range = Range {
                partition: partition.clone(),
                from: Some(&from),
                before: Some(&before),
                newest_first: false,
                limit: Some(PER_QUERY),
            };
            let items = self.table.query(range).await?;
            let is_last = items.len() < PER_QUERY;
            counters.extend(items.iter().filter_map(counter));
            let Some(last) = counters.last().cloned() else { return Ok((counters, is_narrowed)) };
            if is_last {
                return Ok((counters, is_narrowed));
            }
            if counters.first().is_some_and(|first| first.period != last.period) {
                // The last period may go on.
                counters.retain(|counter| counter.period != last.period);
                return Ok((counters, true));
            }
            if counters.len() >= MOST_OF_PERIOD {
                return Err(Failure::invalid("period", too_many(span.period, &last.period)));
            }
            let rest = format!("{}{}!", keys::counters_of(&last.period), last.group.as_str());
            from = match &span.app {
                // One period has more than a query reads: of the rest, only what the app has.
                Some(app) if !is_narrowed => {
                    is_narrowed = true;
                    let of_app = keys::counters_of_app(&last.period, app);
                    before = format!("{of_app}~");
                    rest.max(of_app)
                }
                _ => rest,
            };
        }
    }
}

impl Store {
    /// Returns the time up to which everything is counted; `None` if nothing was counted yet.
    pub async fn counted_until(&self, now: Timestamp) -> Result<Option<Timestamp>, Failure> {
        let positions: Vec<MeterPosition> = entities(self.table.query(Range::whole(keys::meter_positions())).await?)?;
        Ok(super::counted_until(&positions, now))
    }
}

fn counter(item: &Item) -> Option<UsageCounter> {
    let (period, group) = item.get(SORT)?.as_s().ok()?.split_once('#')?;
    let mut tally = Tally::default();
    for (name, amount) in item.iter().filter(|(name, _)| !is_of_every_item(name)) {
        let AttributeValue::N(amount) = amount else { continue };
        let amount: Decimal = amount.parse().ok()?;
        // What a restore has left uncounted can later count as a difference only, such as one pending message less.
        tally.add(name.clone(), amount.max(Decimal::default()));
    }
    Some(UsageCounter { period: period.to_owned(), group: Group::parse(group), tally })
}

fn too_many(period: Period, name: &str) -> String {
    let advice = match period {
        Period::Hour => "Ask for one app, with its key.",
        Period::Day => "Ask for period=hour.",
    };
    format!(
        "The {} {name} has more than {MOST_OF_PERIOD} combinations of app, number, country and the like. {advice}",
        period.as_str()
    )
}

fn is_of_every_item(name: &str) -> bool {
    use crate::engine::item::{TTL, VERSION};
    name == TTL || name == VERSION
}
