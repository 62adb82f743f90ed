//! The versions of the Graph API and of Embedded Signup that this installation uses.

use domain::Timestamp;
use domain::chat::{Check, Finding};

use crate::versions::{Availability, GRAPH, SIGNUP, SIGNUP_VERSION, VERSION_WARNING, availability};

const UPDATE: &str = "The operator must update this installation to a release that uses a later version.";

pub(super) fn simulated() -> [Finding; 2] {
    [
        Finding::ok(Check::GraphVersion, "The simulated platform has no versions."),
        Finding::ok(Check::SignupVersion, "The simulated signup has no versions."),
    ]
}

/// Returns the findings at this time.
pub(super) fn findings(graph: &str, now: Timestamp) -> [Finding; 2] {
    [
        finding(Check::GraphVersion, &format!("Version {graph} of the Graph API"), availability(graph, GRAPH), now),
        finding(
            Check::SignupVersion,
            &format!("Version {SIGNUP_VERSION} of Embedded Signup"),
            availability(SIGNUP_VERSION, SIGNUP),
            now,
        ),
    ]
}

fn finding(check: Check, subject: &str, availability: Availability, now: Timestamp) -> Finding {
    let day = match availability {
        Availability::Open => {
            return Finding::ok(check, format!("{subject} is available. Meta has not announced its end."));
        }
        Availability::Ended => return Finding::failed(check, format!("{subject} is no longer available."), UPDATE),
        Availability::Until(day) => day,
    };

    match Timestamp::parse(&format!("{day}T00:00:00Z")) {
        Some(end) if end <= now => Finding::failed(check, format!("{subject} is not available since {day}."), UPDATE),
        Some(end) if end <= now.plus(VERSION_WARNING) => {
            Finding::warning(check, format!("{subject} is available only until {day}."), UPDATE)
        }
        _ => Finding::ok(check, format!("{subject} is available until {day}.")),
    }
}

#[cfg(test)]
mod tests {
    use domain::chat::CheckStatus;

    use super::*;

    fn at(time: &str) -> Timestamp {
        Timestamp::parse(time).expect("a time")
    }

    #[test]
    fn a_version_warns_ninety_days_before_its_end_and_then_fails() {
        for (time, expected) in [
            ("2027-10-22T23:59:59Z", CheckStatus::Ok),
            ("2027-11-20T00:00:00Z", CheckStatus::Warning),
            ("2028-02-17T23:59:59Z", CheckStatus::Warning),
            ("2028-02-18T00:00:00Z", CheckStatus::Failed),
        ] {
            let [graph, signup] = findings("v24.0", at(time));
            assert_eq!(graph.known_status(), expected, "{time}: {}", graph.message);
            assert_eq!((graph.remedy.is_some(), signup.remedy), (expected != CheckStatus::Ok, None), "{time}");
        }
        let edge = at("2028-02-18T00:00:00Z").minus(VERSION_WARNING);
        let status = |time| findings("v24.0", time)[0].known_status();
        assert_eq!(status(edge), CheckStatus::Warning);
        assert_eq!(status(at("2027-11-19T23:59:59Z")), CheckStatus::Ok);
        assert_eq!(findings("v12.0", edge)[0].known_status(), CheckStatus::Failed);
    }
}
