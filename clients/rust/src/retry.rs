//! Which requests are repeated after a failure, and when.

use std::time::Duration;

use http::Method;
use ring::rand::{SecureRandom as _, SystemRandom};

use crate::Error;

/// The attempts of a request in all.
pub(crate) const ATTEMPTS: u32 = 4;
/// A longer wait is left to the caller.
const MAX_WAIT: Duration = Duration::from_secs(20);

/// Returns the wait before the next attempt, or `None` if the failure is final. A request is repeated only where that has
/// no second effect: it only reads or replaces, it is a POST with an `Idempotency-Key`, or the service did not execute it.
pub(crate) fn wait(method: &Method, has_key: bool, error: &Error, attempt: u32) -> Option<Duration> {
    if attempt >= ATTEMPTS {
        return None;
    }
    let is_safe = match *method {
        Method::GET | Method::HEAD | Method::PUT => true,
        Method::POST => has_key,
        _ => false,
    };
    let (was_executed, announced) = match error {
        Error::Api(error) => match error.status {
            429 => (false, error.retry_after),
            500 | 503 | 504 => (true, error.retry_after),
            _ => (true, Some(error.retry_after?)),
        },
        Error::Unreachable { .. } | Error::Timeout { .. } => (true, None),
        Error::Invalid(_) | Error::Unreadable { .. } => return None,
    };
    if was_executed && !is_safe {
        return None;
    }
    let backoff = Duration::from_millis(200) * 2u32.pow(attempt.min(8));
    Some(announced.unwrap_or(backoff).max(backoff).mul_f64(1.0 + jitter())).filter(|wait| *wait <= MAX_WAIT)
}

/// Returns a new `Idempotency-Key`.
pub(crate) fn idempotency_key() -> String {
    let mut text = String::from("rs-");
    for byte in random::<16>() {
        text.push_str(&format!("{byte:02x}"));
    }
    text
}

/// Up to a quarter, so that clients that failed together do not return together.
fn jitter() -> f64 {
    f64::from(random::<1>()[0]) / 1024.0
}

fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    // The system's source never fails once it is open; without it, nothing that needs a key or TLS works.
    let _ = SystemRandom::new().fill(&mut bytes);
    bytes
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use http::Method;
    use serde_json::json;

    use super::{ATTEMPTS, idempotency_key, wait};
    use crate::{ApiError, Error};

    fn refused(status: u16, retry_after: Option<u64>) -> Error {
        Error::Api(Box::new(ApiError::new(status, json!({}), None, retry_after.map(Duration::from_secs))))
    }

    #[test]
    fn only_what_has_no_second_effect_is_repeated() {
        let broken = || Error::Unreachable { address: String::new(), reason: String::new() };
        for (method, has_key, error, expected) in [
            (Method::GET, false, broken(), true),
            (Method::PUT, false, broken(), true),
            (Method::POST, true, broken(), true),
            (Method::POST, false, broken(), false),
            (Method::DELETE, false, broken(), false),
            (Method::PATCH, false, refused(503, None), false),
            (Method::DELETE, false, refused(429, None), true),
            (Method::POST, false, refused(429, Some(1)), true),
            (Method::POST, true, refused(409, Some(1)), true),
            (Method::POST, true, refused(409, None), false),
            (Method::POST, true, refused(422, None), false),
            (Method::POST, true, refused(502, None), false),
            (Method::GET, false, refused(429, Some(3600)), false),
        ] {
            assert_eq!(wait(&method, has_key, &error, 1).is_some(), expected, "{method} {has_key} {error:?}");
        }
        assert!(wait(&Method::GET, false, &broken(), ATTEMPTS).is_none());
        assert!(wait(&Method::GET, false, &refused(429, Some(7)), 1).is_some_and(|wait| wait.as_secs() >= 7));
    }

    #[test]
    fn keys_differ() {
        assert_ne!(idempotency_key(), idempotency_key());
        assert_eq!(idempotency_key().len(), 35);
    }
}
