//! The clock of this machine, compared with the service's; and dates.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::findings::Findings;

/// Signatures older than five minutes are rejected by receivers.
const MAX_DIFFERENCE: Duration = Duration::from_secs(60);

/// Compares the clock with the `Date` header of a response.
pub(super) fn check(date: Option<&str>, findings: &mut Findings) {
    let own = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    match date.and_then(seconds_of).map(|date| own.abs_diff(Duration::from_secs(date))) {
        None => findings.good("clock", "The response has no date to compare with."),
        Some(difference) if difference <= MAX_DIFFERENCE => {
            findings.good("clock", format!("{} s from the service's", difference.as_secs()));
        }
        Some(difference) => findings.bad("clock", format!("{} s from the service's", difference.as_secs()), remedy()),
    }
}

pub(super) fn remedy() -> String {
    let command =
        if cfg!(target_os = "macos") { "sudo sntp -sS time.apple.com" } else { "sudo timedatectl set-ntp true" };
    format!("Set this machine's clock: `{command}`. Receivers reject signatures that are more than five minutes off.")
}

/// Reads the date of an HTTP header, such as `Sun, 06 Nov 1994 08:49:37 GMT`, as seconds since 1970.
fn seconds_of(date: &str) -> Option<u64> {
    let parts: Vec<&str> = date.split([' ', ':']).collect();
    let [_, day, month, year, hour, minute, second, "GMT"] = parts[..] else { return None };
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let month = months.iter().position(|name| *name == month)? as u64;
    let (year, day): (u64, u64) = (year.parse().ok()?, day.parse().ok()?);
    let before: u64 = (1970..year).map(|year| if is_leap(year) { 366 } else { 365 }).sum();
    let months = (1..=month).map(|month| days_of(year, month)).sum::<Option<u64>>()?;
    let days = before + months + day.checked_sub(1)?;
    let number = |text: &str| text.parse::<u64>().ok();
    Some(((days * 24 + number(hour)?) * 60 + number(minute)?) * 60 + number(second)?)
}

/// Returns the time so many days before one in RFC 3339 format, such as `2026-11-23T10:00:00.000Z`.
pub(super) fn days_before(time: &str, days: u64) -> Option<String> {
    let (date, clock) = time.split_once('T')?;
    let numbers: Vec<u64> = date.split('-').map(|number| number.parse().ok()).collect::<Option<_>>()?;
    let [mut year, mut month, mut day] = numbers[..] else { return None };
    for _ in 0..days {
        match (month, day) {
            (1, 1) => (year, month, day) = (year - 1, 12, 31),
            (_, 1) => (month, day) = (month - 1, days_of(year, month - 1)?),
            _ => day -= 1,
        }
    }
    Some(format!("{year:04}-{month:02}-{day:02}T{clock}"))
}

/// Returns the number of days of a month, from 1 to 12.
fn days_of(year: u64, month: u64) -> Option<u64> {
    Some(match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    })
}

fn is_leap(year: u64) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

#[cfg(test)]
mod tests {
    use super::{days_before, seconds_of};

    #[test]
    fn days_are_counted_back_over_months_and_years() {
        for (time, expected) in [
            ("2026-11-23T10:00:00.000Z", Some("2026-11-16T10:00:00.000Z")),
            ("2024-03-02T00:00:00Z", Some("2024-02-24T00:00:00Z")),
            ("2025-03-02T00:00:00Z", Some("2025-02-23T00:00:00Z")),
            ("2027-01-07T23:59:59Z", Some("2026-12-31T23:59:59Z")),
            ("yesterday", None),
            ("2026-11T10:00:00Z", None),
        ] {
            assert_eq!(days_before(time, 7).as_deref(), expected, "{time}");
        }
    }

    #[test]
    fn dates_of_headers() {
        assert_eq!(seconds_of("Sun, 06 Nov 1994 08:49:37 GMT"), Some(784_111_777));
        assert_eq!(seconds_of("Thu, 29 Feb 2024 23:59:59 GMT"), Some(1_709_251_199));
        assert_eq!(seconds_of("yesterday"), None);
    }
}
