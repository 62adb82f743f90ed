//! Instants as the API shows them: RFC 3339, UTC, milliseconds and `Z`.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use time::format_description::well_known::Rfc3339;
use time::macros::format_description;
use time::{OffsetDateTime, UtcOffset};

/// An instant: RFC 3339 in UTC, with milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, utoipa::ToSchema)]
#[schema(value_type = String, format = DateTime, example = "2026-11-21T10:00:00.000Z")]
pub struct Timestamp(i64);

impl Timestamp {
    /// From the year 1970 to 9999, the span that RFC 3339 can write.
    const LATEST_MILLIS: i64 = 253_402_300_799_999;

    pub fn from_millis(millis: i64) -> Self {
        Timestamp(millis.clamp(0, Self::LATEST_MILLIS))
    }

    pub fn millis(self) -> i64 {
        self.0
    }

    pub fn seconds(self) -> i64 {
        self.0.div_euclid(1000)
    }

    pub fn plus(self, duration: Duration) -> Self {
        let millis = i64::try_from(duration.as_millis()).unwrap_or(i64::MAX);
        Self::from_millis(self.0.saturating_add(millis))
    }

    pub fn minus(self, duration: Duration) -> Self {
        let millis = i64::try_from(duration.as_millis()).unwrap_or(i64::MAX);
        Self::from_millis(self.0.saturating_sub(millis))
    }

    pub fn plus_days(self, days: u32) -> Self {
        self.plus(Duration::from_secs(u64::from(days) * 86_400))
    }

    /// Whole seconds from `self` until `later`, zero when that is past.
    pub fn seconds_until(self, later: Timestamp) -> u64 {
        u64::try_from((later.0 - self.0) / 1000).unwrap_or(0)
    }

    pub fn parse(text: &str) -> Option<Self> {
        let parsed = OffsetDateTime::parse(text, &Rfc3339).ok()?;
        let millis = i64::try_from(parsed.unix_timestamp_nanos().div_euclid(1_000_000)).ok()?;
        (0..=Self::LATEST_MILLIS).contains(&millis).then_some(Timestamp(millis))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let format = format_description!("[year]-[month]-[day]T[hour]:[minute]:[second].[subsecond digits:3]Z");
        let text = OffsetDateTime::from_unix_timestamp_nanos(i128::from(self.0) * 1_000_000)
            .map_err(|_| fmt::Error)?
            .to_offset(UtcOffset::UTC)
            .format(format)
            .map_err(|_| fmt::Error)?;
        f.write_str(&text)
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Timestamp::parse(&text).ok_or_else(|| de::Error::custom("not an RFC 3339 date-time"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_written_with_milliseconds_in_utc() {
        assert_eq!(Timestamp::from_millis(1_700_000_000_007).to_string(), "2023-11-14T22:13:20.007Z");
    }

    #[test]
    fn offsets_are_read_into_utc() {
        let parsed = Timestamp::parse("2023-11-15T00:13:20.007+02:00");
        assert_eq!(parsed, Some(Timestamp::from_millis(1_700_000_000_007)));
    }

    #[test]
    fn nonsense_and_the_time_before_1970_are_refused() {
        for text in ["", "tomorrow", "2023-11-14", "1969-12-31T23:59:59Z", "2023-02-30T00:00:00Z"] {
            assert_eq!(Timestamp::parse(text), None, "{text}");
        }
    }
}
