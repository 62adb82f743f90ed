//! Which requests are repeated after a failure, and when.

use std::time::Duration;

use crate::{Clock, Error};

/// The bound of the first wait. Each retry doubles it, up to the longest.
const FIRST: Duration = Duration::from_millis(500);
const LONGEST: Duration = Duration::from_secs(8);
/// A longer `Retry-After` is left to the caller.
const PATIENCE: Duration = Duration::from_secs(60);

/// Returns how long to wait before a request is repeated, or `None` if it must not be. `is_safe` says that a second execution
/// has no second effect. Without it, only what the service has not executed is repeated.
pub(crate) fn wait_after(error: &Error, is_safe: bool, retry: u32, clock: &dyn Clock) -> Option<Duration> {
    let is_lost = error.is_of_connection();
    let is_passing = match error.status() {
        Some(502..=504) => true,
        Some(409) => error.retry_after().is_some(),
        _ => is_lost,
    };
    let is_unexecuted = error.status() == Some(429) || (is_lost && error.was_refused());
    let announced = error.retry_after().unwrap_or_default();
    if !(is_unexecuted || (is_safe && is_passing)) || announced > PATIENCE {
        return None;
    }
    Some(announced + backoff(retry, clock))
}

/// Returns a wait from 0 up to a bound that doubles: full jitter, so that clients do not return together.
pub(crate) fn backoff(retry: u32, clock: &dyn Clock) -> Duration {
    let bound = FIRST.saturating_mul(2u32.saturating_pow(retry)).min(LONGEST);
    bound.mul_f64(clock.random())
}
