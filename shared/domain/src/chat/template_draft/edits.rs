//! The platform's limits on edits of templates.

use std::time::Duration;

use crate::chat::Template;
use crate::{Failure, Timestamp};

/// How often an approved template may be edited in 30 days.
pub const EDITS_PER_30_DAYS: usize = 10;
const DAY: Duration = Duration::from_secs(24 * 3600);
const THIRTY_DAYS: Duration = Duration::from_secs(30 * 24 * 3600);

const APPROVED: &str = "APPROVED";
const EDITABLE: [&str; 3] = [APPROVED, "REJECTED", "PAUSED"];
const PARAM: &str = "templateId";

/// Fails if the platform does not let the template be edited now. `edited_at`: the times at which it was edited while it
/// was approved.
pub fn expect_editable(
    template: &Template,
    edited_at: &[Timestamp],
    changes_category: bool,
    now: Timestamp,
) -> Result<(), Failure> {
    if !EDITABLE.contains(&template.status.as_str()) {
        let message = format!(
            "The template's status is {}. It can be edited when the status is {}.",
            template.status,
            EDITABLE.join(", ")
        );
        return Err(Failure::conflict(message).with_param(PARAM));
    }
    if template.status != APPROVED {
        return Ok(());
    }
    if changes_category {
        let message =
            "The category of an approved template cannot be changed. Omit category, or create another template.";
        return Err(Failure::conflict(message).with_param("category"));
    }

    let Some(again) = editable_again(edited_at, now) else { return Ok(()) };
    let message = format!(
        "An approved template can be edited once in 24 hours and {EDITS_PER_30_DAYS} times in 30 days. This one can be \
         edited again at {again}."
    );
    let seconds = u32::try_from(now.seconds_until(again)).unwrap_or(u32::MAX);
    Err(Failure::conflict(message).with_param(PARAM).with_retry_after(seconds.max(1)))
}

/// Returns when an approved template may be edited again; `None` if it may be edited now.
fn editable_again(edited_at: &[Timestamp], now: Timestamp) -> Option<Timestamp> {
    let recent = edits_that_count(edited_at, now);
    let after_last = recent.last().map(|last| last.plus(DAY));
    let after_many = recent.len().checked_sub(EDITS_PER_30_DAYS).map(|oldest| recent[oldest].plus(THIRTY_DAYS));
    after_last.max(after_many).filter(|again| *again > now)
}

/// Returns the edits of the last 30 days, oldest first.
pub fn edits_that_count(edited_at: &[Timestamp], now: Timestamp) -> Vec<Timestamp> {
    let mut recent: Vec<_> = edited_at.iter().copied().filter(|at| at.plus(THIRTY_DAYS) > now).collect();
    recent.sort();
    recent
}
