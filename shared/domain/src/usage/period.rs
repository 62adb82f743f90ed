//! The periods of usage. They begin at full hours and days of UTC.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::Timestamp;

const HOUR: Duration = Duration::from_secs(3600);
const DAY: Duration = Duration::from_secs(24 * 3600);

/// The length of the periods that usage is counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = UsagePeriod)]
pub enum Period {
    Hour,
    Day,
}

impl Period {
    pub const ALL: [Period; 2] = [Period::Hour, Period::Day];

    pub fn as_str(self) -> &'static str {
        match self {
            Period::Hour => "hour",
            Period::Day => "day",
        }
    }

    pub fn length(self) -> Duration {
        match self {
            Period::Hour => HOUR,
            Period::Day => DAY,
        }
    }

    /// Returns how long counters are kept.
    pub fn kept(self) -> Duration {
        match self {
            Period::Hour => 90 * DAY,
            Period::Day => 3 * 366 * DAY,
        }
    }

    /// Returns the longest time that one request can cover.
    pub fn longest(self) -> Duration {
        match self {
            Period::Hour => 31 * DAY,
            Period::Day => 400 * DAY,
        }
    }

    /// Returns the beginning of the period that a time lies in.
    pub fn start(self, at: Timestamp) -> Timestamp {
        let length = i64::try_from(self.length().as_millis()).unwrap_or(i64::MAX);
        Timestamp::from_millis(at.millis() - at.millis().rem_euclid(length))
    }

    /// Returns the name of the period that a time lies in, such as `2026-11-28T19` or `2026-11-28`. Names sort by time.
    pub fn name(self, at: Timestamp) -> String {
        let mut name = at.to_string();
        name.truncate(match self {
            Period::Hour => "2026-11-28T19".len(),
            Period::Day => "2026-11-28".len(),
        });
        name
    }

    /// Returns the beginning of the period with this name.
    pub fn named(self, name: &str) -> Option<Timestamp> {
        match self {
            Period::Hour => Timestamp::parse(&format!("{name}:00:00.000Z")),
            Period::Day => Timestamp::parse(&format!("{name}T00:00:00.000Z")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_period_has_a_name_and_a_beginning() {
        let at = Timestamp::parse("2026-11-28T19:59:59.999Z").expect("a time");
        for (period, name, start) in [
            (Period::Hour, "2026-11-28T19", "2026-11-28T19:00:00.000Z"),
            (Period::Day, "2026-11-28", "2026-11-28T00:00:00.000Z"),
        ] {
            assert_eq!((period.name(at).as_str(), period.start(at).to_string().as_str()), (name, start));
            assert_eq!(period.named(name), Some(period.start(at)));
            assert_eq!(period.start(period.start(at)), period.start(at));
        }
        assert_eq!(Period::Day.named("2026-11-28T19"), None);
    }
}
