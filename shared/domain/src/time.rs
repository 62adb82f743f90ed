//! Points in time, written as RFC 3339 in UTC with milliseconds and `Z`.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// A point in time, in RFC 3339 format: UTC, with milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, utoipa::ToSchema)]
#[schema(value_type = String, format = DateTime, example = "2026-11-21T10:00:00.000Z")]
pub struct Timestamp(i64);

impl Timestamp {
    /// The end of the year 9999, the last one that RFC 3339 can represent. The first timestamp is the beginning of
    /// 1970.
    const LATEST_MILLIS: i64 = 253_402_300_799_999;

    /// Returns the timestamp of these milliseconds since 1970, clamped to the supported range.
    pub fn from_millis(millis: i64) -> Self {
        Timestamp(millis.clamp(0, Self::LATEST_MILLIS))
    }

    /// Returns the milliseconds since 1970.
    pub fn millis(self) -> i64 {
        self.0
    }

    /// Returns the whole seconds since 1970.
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

    /// Returns the beginning of the hour.
    pub fn hour(self) -> Self {
        Timestamp(self.0 - self.0.rem_euclid(3_600_000))
    }

    /// Returns the whole seconds from `self` until `later`, zero if `later` is earlier.
    pub fn seconds_until(self, later: Timestamp) -> u64 {
        u64::try_from((later.0 - self.0) / 1000).unwrap_or(0)
    }

    /// Parses an RFC 3339 date-time with any offset; `None` if it is malformed or before 1970.
    pub fn parse(text: &str) -> Option<Self> {
        let parsed = OffsetDateTime::parse(text, &Rfc3339).ok()?;
        let millis = parsed.unix_timestamp() * 1000 + i64::from(parsed.millisecond());
        (0..=Self::LATEST_MILLIS).contains(&millis).then_some(Timestamp(millis))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Written by hand for speed: responses and items contain many timestamps, and formatting one with a format
        // description takes some 4,000 instructions.
        let moment = OffsetDateTime::from_unix_timestamp(self.seconds()).map_err(|_| fmt::Error)?;
        let (year, month, day) = moment.to_calendar_date();
        let (hour, minute, second) = moment.to_hms();
        let mut text = *b"0000-00-00T00:00:00.000Z";
        write_digits(&mut text[..4], year.unsigned_abs());
        write_digits(&mut text[5..7], u8::from(month).into());
        write_digits(&mut text[8..10], day.into());
        write_digits(&mut text[11..13], hour.into());
        write_digits(&mut text[14..16], minute.into());
        write_digits(&mut text[17..19], second.into());
        write_digits(&mut text[20..23], self.0.rem_euclid(1000) as u32);
        f.write_str(std::str::from_utf8(&text).map_err(|_| fmt::Error)?)
    }
}

fn write_digits(places: &mut [u8], mut number: u32) {
    for place in places.iter_mut().rev() {
        *place = b'0' + (number % 10) as u8;
        number /= 10;
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

/// Returns the whole minutes of a duration, for messages.
pub const fn in_minutes(duration: Duration) -> u64 {
    duration.as_secs() / 60
}

/// Returns the whole hours of a duration, for messages.
pub const fn in_hours(duration: Duration) -> u64 {
    duration.as_secs() / 3600
}

/// Returns the whole days of a duration, for messages.
pub const fn in_days(duration: Duration) -> u64 {
    duration.as_secs() / 86_400
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_written_with_milliseconds_in_utc() {
        assert_eq!(Timestamp::from_millis(1_700_000_000_007).to_string(), "2023-11-14T22:13:20.007Z");
    }

    #[test]
    fn every_day_is_written_as_it_is_read() {
        const DAY: i64 = 86_400_000;
        let moments = (0..=Timestamp::LATEST_MILLIS).step_by(DAY as usize * 13 + 12_345_678);
        for millis in moments.chain([0, 999, DAY - 1, 951_782_400_000, Timestamp::LATEST_MILLIS]) {
            let moment = Timestamp::from_millis(millis);
            assert_eq!(Timestamp::parse(&moment.to_string()), Some(moment), "{moment}");
        }
        assert_eq!(Timestamp::from_millis(951_782_400_000).to_string(), "2000-02-29T00:00:00.000Z");
        assert_eq!(Timestamp::from_millis(Timestamp::LATEST_MILLIS).to_string(), "9999-12-31T23:59:59.999Z");
    }

    #[test]
    fn offsets_are_read_into_utc() {
        let parsed = Timestamp::parse("2023-11-15T00:13:20.007+02:00");
        assert_eq!(parsed, Some(Timestamp::from_millis(1_700_000_000_007)));
    }

    #[test]
    fn malformed_times_and_times_before_1970_are_rejected() {
        for text in ["", "tomorrow", "2023-11-14", "1969-12-31T23:59:59Z", "2023-02-30T00:00:00Z"] {
            assert_eq!(Timestamp::parse(text), None, "{text}");
        }
    }
}
