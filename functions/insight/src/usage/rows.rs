//! The rows of a page of usage: the counters of a period with the same values of what is grouped by, added up.

use std::collections::BTreeMap;

use domain::usage::{Decimal, Dimension, RateCard, Tally, UsageKind};
use store::UsageCounter;

/// Stands for values that sort after all others.
const AFTER_ALL: &str = "~";

/// The period of a row, and its values of what is grouped by.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RowKey {
    pub(super) period: String,
    pub(super) values: Vec<String>,
}

/// The numbers of a row.
#[derive(Debug, Default)]
pub(super) struct Row {
    pub(super) tally: Tally,
    /// What billable chat messages cost by the rate card.
    pub(super) estimated: Option<Decimal>,
    /// How many billable chat messages have no price.
    pub(super) unpriced: Decimal,
}

impl RowKey {
    fn of(counter: &UsageCounter, kind: UsageKind, group_by: &[Dimension]) -> Self {
        let value = |dimension: &Dimension| counter.group.value(kind, *dimension).unwrap_or_default().to_owned();
        RowKey { period: counter.period.clone(), values: group_by.iter().map(value).collect() }
    }

    /// Returns the place of the row in the list.
    pub(super) fn place(&self) -> String {
        format!("{}#{}", self.period, self.values.join("#"))
    }

    /// Returns a place after all rows of a period.
    pub(super) fn after_period(period: &str) -> String {
        format!("{period}#{AFTER_ALL}")
    }

    pub(super) fn is_after_period(&self) -> bool {
        self.values == [AFTER_ALL]
    }

    /// Returns the row at a place.
    pub(super) fn at(place: &str) -> Option<Self> {
        let (period, values) = place.split_once('#')?;
        Some(RowKey { period: period.to_owned(), values: values.split('#').map(str::to_owned).collect() })
    }
}

impl Row {
    fn add(&mut self, counter: &UsageCounter, kind: UsageKind, card: Option<&RateCard>) {
        self.tally.merge(&counter.tally);
        let billable = counter.tally.get("billable");
        if billable.is_zero() {
            return;
        }
        let value = |dimension| counter.group.value(kind, dimension);
        let price = value(Dimension::Category).and_then(|category| card?.price(value(Dimension::Country), category));
        match price {
            Some(price) => *self.estimated.get_or_insert_default() += price * billable,
            None => self.unpriced += billable,
        }
    }
}

/// Returns the rows after a place, in their order. Rows without any number are left out: their messages have other values by now.
pub(super) fn rows(
    counters: &[UsageCounter],
    kind: UsageKind,
    group_by: &[Dimension],
    card: Option<&RateCard>,
    after: Option<&RowKey>,
) -> BTreeMap<RowKey, Row> {
    let mut rows: BTreeMap<RowKey, Row> = BTreeMap::new();
    for counter in counters.iter().filter(|counter| !counter.tally.is_zero()) {
        let key = RowKey::of(counter, kind, group_by);
        if after.is_none_or(|after| key > *after) {
            rows.entry(key).or_default().add(counter, kind, card);
        }
    }
    rows.retain(|_, row| !row.tally.is_zero());
    rows
}
