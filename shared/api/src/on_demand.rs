//! `Playground-Error`: a request with a test credential asks for the error of a code (docs/test-mode.md, "Errors on
//! demand"). The error is returned as soon as the credential is validated: before path, body and `Idempotency-Key` are
//! read, and without any effect.

use domain::{ErrorCode, Failure, Mode};
use http::HeaderMap;

pub const HEADER: &str = "Playground-Error";

/// The error that a request asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OnDemand {
    Nothing,
    Error(ErrorCode),
    /// The header has no code, an unknown one, or several.
    Unknown,
}

impl OnDemand {
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let mut values = headers.get_all(HEADER).iter();
        let Some(value) = values.next() else { return OnDemand::Nothing };
        let text = value.to_str().map(str::trim).unwrap_or_default();
        let known = ErrorCode::ALL.iter().find(|code| code.as_str() == text && values.next().is_none());
        known.map_or(OnDemand::Unknown, |code| OnDemand::Error(*code))
    }

    /// Fails with the error that a request with a validated credential of this mode asks for.
    pub(crate) fn check(self, mode: Mode) -> Result<(), Failure> {
        match (self, mode) {
            (OnDemand::Nothing, _) => Ok(()),
            (_, Mode::Live) => Err(Failure::invalid(
                HEADER,
                format!("{HEADER} is for test keys, but this credential is live. Remove the header or use a test key."),
            )),
            (OnDemand::Unknown, Mode::Test) => Err(Failure::invalid(
                HEADER,
                format!(
                    "{HEADER} must be one of the error codes that GET /v1/errors lists, such as account_restricted."
                ),
            )),
            (OnDemand::Error(code), Mode::Test) => Err(code.example()),
        }
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn the_header_is_one_known_code() {
        let of = |values: &[&'static str]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append("playground-error", HeaderValue::from_static(value));
            }
            OnDemand::of(&headers)
        };
        assert_eq!(of(&[]), OnDemand::Nothing);
        assert_eq!(of(&["call_busy"]), OnDemand::Error(ErrorCode::CallBusy));
        for values in [&[""][..], &["Call_Busy"], &["131026"], &["call_busy", "call_busy"]] {
            assert_eq!(of(values), OnDemand::Unknown, "{values:?}");
        }
    }
}
