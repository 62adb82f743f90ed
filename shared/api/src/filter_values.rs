//! Parsers of query parameters that several lists have.

use domain::{Failure, Timestamp};
use serde::de::DeserializeOwned;

/// Parses a time. In a query, a `+` that is not encoded arrives as a space.
pub fn time(sent: &str, name: &str) -> Result<Timestamp, Failure> {
    let time = Timestamp::parse(sent).or_else(|| Timestamp::parse(&sent.replace(' ', "+")));
    let message = format!("{name} must be a time in RFC 3339 format, such as 2026-11-22T12:00:00Z.");
    time.ok_or_else(|| Failure::invalid(name, message))
}

/// Fails if a period is empty.
pub fn period(since: Option<Timestamp>, until: Option<Timestamp>) -> Result<(), Failure> {
    if since.zip(until).is_some_and(|(since, until)| since >= until) {
        return Err(Failure::invalid("until", "until must be later than since."));
    }
    Ok(())
}

/// Parses a value of an enumeration.
pub fn one_of<T: DeserializeOwned>(sent: &str, name: &str, allowed: &str) -> Result<T, Failure> {
    let known = serde_json::from_value(serde_json::Value::from(sent));
    known.map_err(|_| Failure::invalid(name, format!("{name} must be {allowed}.")))
}
