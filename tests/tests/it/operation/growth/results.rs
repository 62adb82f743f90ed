//! What was measured, as a table, and the comparison of its columns.

use std::fmt::Write as _;
use std::time::Duration;

use tests::meter::Cost;

use super::{FULL, GROWING};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Growth {
    None,
    /// Grows until a page is full.
    Page,
    /// Grows for the reason given in `GROWING`.
    Whole,
}

/// An operation, and what it costs.
pub(super) struct Row {
    pub(super) name: String,
    pub(super) growth: Growth,
    pub(super) cost: Cost,
    pub(super) median: Duration,
}

/// All operations with this many objects or organizations.
pub(super) struct Column {
    pub(super) count: usize,
    pub(super) rows: Vec<Row>,
}

/// Compares the cost with fewer and with more objects.
pub(super) fn expect_flat(few: &Column, many: &Column) {
    for now in &many.rows {
        let Some(then) = few.rows.iter().find(|row| row.name == now.name) else { continue };
        let what = format!("{}: from {} to {}", now.name, few.count, many.count);
        let is_excepted = GROWING.iter().any(|(name, _)| *name == now.name);
        assert_eq!(now.growth == Growth::Whole, is_excepted, "{what}");
        if now.growth == Growth::Whole {
            continue;
        }

        assert_eq!((names(then), then.cost.depth), (names(now), now.cost.depth), "{what}");
        if now.growth == Growth::None || few.count >= FULL {
            assert_eq!(units(then), units(now), "{what}");
        }
    }
}

/// The names of calls, without the number of items, which depends on the page.
fn names(row: &Row) -> Vec<&str> {
    row.cost.calls.iter().map(|call| call.split(' ').next().unwrap_or_default()).collect()
}

fn units(row: &Row) -> (f64, f64) {
    (row.cost.read_units, row.cost.write_units)
}

/// Formats the columns as a Markdown table; `counted` says what there is more of from column to column.
pub(super) fn table(counted: &str, columns: &[Column]) -> String {
    let mut text = format!("| {counted} |");
    for column in columns {
        let _ = write!(text, " {} |", column.count);
    }
    let _ = write!(text, "\n|---|{}", "---|".repeat(columns.len()));

    for row in &columns.last().unwrap().rows {
        let _ = write!(text, "\n| {} |", row.name);
        for column in columns {
            let measured = column.rows.iter().find(|other| other.name == row.name);
            let _ = write!(text, " {} |", measured.map_or("".to_owned(), cell));
        }
    }
    text
}

/// Formats a row: calls / depth / read units / write units, and the time.
fn cell(Row { cost, median, .. }: &Row) -> String {
    let millis = median.as_secs_f64() * 1000.0;
    if cost.calls.is_empty() {
        return format!("{millis:.0} ms");
    }
    format!("{} / {} / {} / {}; {millis:.0} ms", cost.calls.len(), cost.depth, cost.read_units, cost.write_units)
}
