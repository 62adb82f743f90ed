//! The versions of the platform's interfaces that this installation uses, and until when the platform offers them. Its pages name
//! the dates: <https://developers.facebook.com/docs/graph-api/changelog/versions/> and
//! <https://developers.facebook.com/documentation/business-messaging/whatsapp/embedded-signup/versions>, read in November 2026.

use std::time::Duration;

/// The version of Embedded Signup that is asked for.
pub(crate) const SIGNUP_VERSION: &str = "v4";
/// How long before the end of a version the platform check warns.
pub(crate) const VERSION_WARNING: Duration = Duration::from_secs(90 * 24 * 3600);

/// Versions, oldest first, each with the day from which the platform no longer offers it; `None` if it has not announced one.
type Ends = &'static [(&'static str, Option<&'static str>)];

/// The versions of the Graph API. All older ones have ended.
pub(crate) const GRAPH: Ends = &[
    ("v20.0", Some("2026-09-24")),
    ("v21.0", Some("2027-01-21")),
    ("v22.0", Some("2027-05-20")),
    ("v23.0", Some("2027-10-08")),
    ("v24.0", Some("2028-02-18")),
    ("v25.0", Some("2028-07-29")),
    ("v26.0", None),
];

/// The versions of Embedded Signup, without public previews.
pub(crate) const SIGNUP: Ends = &[("v2", Some("2026-10-15")), ("v3", Some("2026-10-15")), ("v4", None)];

/// Until when the platform offers a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Availability {
    /// Until this day, which is not included.
    Until(&'static str),
    /// No end is known: none was announced, or the version is later than those in the table.
    Open,
    /// It ended before those in the table.
    Ended,
}

/// Returns until when a version is available.
pub(crate) fn availability(version: &str, known: Ends) -> Availability {
    if let Some((_, end)) = known.iter().find(|(name, _)| *name == version) {
        return end.map_or(Availability::Open, Availability::Until);
    }
    let oldest = known.first().map(|(name, _)| number(name));
    if oldest.is_some_and(|oldest| number(version) < oldest) { Availability::Ended } else { Availability::Open }
}

/// Returns the main number of a version: 25 for `v25.0`.
fn number(version: &str) -> u32 {
    let digits: String = version.trim_start_matches('v').chars().take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use domain::Timestamp;

    use super::*;

    #[test]
    fn a_version_that_is_not_in_the_table_is_older_or_later() {
        assert_eq!(availability("v25.0", GRAPH), Availability::Until("2028-07-29"));
        assert_eq!(availability("v26.0", GRAPH), Availability::Open);
        assert_eq!(availability("v31.0", GRAPH), Availability::Open);
        assert_eq!(availability("v9.0", GRAPH), Availability::Ended);
        assert_eq!(availability(SIGNUP_VERSION, SIGNUP), Availability::Open);
    }

    #[test]
    fn the_tables_are_in_order_and_have_days() {
        for table in [GRAPH, SIGNUP] {
            assert!(table.is_sorted_by_key(|(name, _)| number(name)));
            let ends: Vec<&str> = table.iter().filter_map(|(_, end)| *end).collect();
            assert!(ends.is_sorted() && ends.iter().all(|day| Timestamp::parse(&format!("{day}T00:00:00Z")).is_some()));
        }
    }
}
