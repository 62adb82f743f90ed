//! Rate limits: how many requests a key, an app or an organization may make, and the bucket that counts them.
//!
//! A bucket holds up to `burst` tokens and gains `requestsPerSecond` of them per second. It is stored as one number: the time at
//! which it is full again. Environments take several tokens at once, so that not every request writes.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{Failure, Timestamp};

/// The highest rate of a key or an app, in requests per second.
pub const MOST_PER_SECOND: u32 = 1_000;
/// The highest rate of an organization, in requests per second.
pub const MOST_PER_SECOND_OF_ORGANIZATION: u32 = 10_000;
/// The highest burst, as a multiple of the rate.
pub const MOST_BURST: u32 = 10;
/// How long an environment may spend the tokens that it has taken, in milliseconds.
pub const LEASE_MILLIS: u64 = 1_000;

const MICROS: i64 = 1_000_000;

/// How many requests may be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RateLimit {
    /// The requests per second in the long run.
    #[schema(minimum = 1, maximum = 1000)]
    pub requests_per_second: u32,
    /// The requests that may be made at once after a pause.
    #[schema(minimum = 1, maximum = 10000)]
    pub burst: u32,
}

impl RateLimit {
    /// Reads a limit. Without a burst, it is that of one second.
    pub fn of(requests_per_second: i64, burst: Option<i64>, param: &str) -> Result<Self, Failure> {
        let field = |name: &str| format!("{param}.{name}");
        let within = |value: i64, most: u32| u32::try_from(value).ok().filter(|value| (1..=most).contains(value));
        let rate = within(requests_per_second, MOST_PER_SECOND).ok_or_else(|| {
            let name = field("requestsPerSecond");
            let message = format!("{name} must be from 1 to {MOST_PER_SECOND}.");
            Failure::invalid(name, message)
        })?;
        let most = rate * MOST_BURST;
        let burst = within(burst.unwrap_or(rate.into()), most).ok_or_else(|| {
            let name = field("burst");
            let message = format!("{name} must be from 1 to {most}, which is {MOST_BURST} times requestsPerSecond.");
            Failure::invalid(name, message)
        })?;
        Ok(RateLimit { requests_per_second: rate, burst })
    }

    /// Returns the limit of an organization, whose rate the operator decides.
    pub fn of_organization(requests_per_second: u32) -> Self {
        RateLimit { requests_per_second, burst: requests_per_second }
    }

    /// Returns in how many microseconds a token is gained, rounded up.
    fn interval(self) -> i64 {
        up(MICROS, self.requests_per_second.max(1).into())
    }

    /// Returns in how many microseconds an empty bucket is full.
    fn capacity(self) -> i64 {
        self.interval() * i64::from(self.burst)
    }

    /// Returns how many tokens an environment takes at once at most: a tenth of the rate, and at least one.
    fn most_at_once(self) -> i64 {
        i64::from((self.requests_per_second / 10).clamp(1, self.burst.max(1)))
    }

    /// Returns in how many seconds an empty bucket is full, rounded up.
    pub fn window(self) -> i64 {
        up(self.burst.into(), self.requests_per_second.max(1).into())
    }
}

/// A bucket: the time at which it is full again, in microseconds since 1970. The default is a full one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bucket(pub i64);

/// What becomes of an attempt to take tokens from a bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taking {
    /// These tokens can be taken.
    Take(Lease),
    /// There is none until then.
    Wait(Timestamp),
}

/// Tokens to take from a bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lease {
    pub tokens: i64,
    /// By how much the bucket is full later.
    pub cost: i64,
    /// Whether the bucket was full, so that its time of before does not matter.
    pub is_from_full: bool,
    /// The latest time of the bucket at which these tokens can be taken.
    pub latest: i64,
}

/// Divides and rounds up.
fn up(dividend: i64, divisor: i64) -> i64 {
    (dividend + divisor - 1).div_euclid(divisor)
}

fn micros(at: Timestamp) -> i64 {
    at.millis() * 1000
}

impl Bucket {
    /// Decides how many tokens an environment that wants so many takes.
    pub fn take(self, limit: RateLimit, wanted: i64, now: Timestamp) -> Taking {
        let now = micros(now);
        match self.available(limit, now).min(wanted.clamp(1, limit.most_at_once())) {
            tokens @ 1.. => {
                let cost = tokens * limit.interval();
                Taking::Take(Lease { tokens, cost, is_from_full: self.0 < now, latest: now + limit.capacity() - cost })
            }
            _ => {
                let next = self.0 - limit.capacity() + limit.interval();
                Taking::Wait(Timestamp::from_millis(up(next, 1000)))
            }
        }
    }

    fn available(self, limit: RateLimit, now: i64) -> i64 {
        (limit.capacity() - (self.0 - now).max(0)).div_euclid(limit.interval())
    }

    /// Returns how many tokens there are.
    pub fn left(self, limit: RateLimit, now: Timestamp) -> i64 {
        self.available(limit, micros(now)).max(0)
    }

    /// Returns in how many seconds the bucket is full, rounded up.
    pub fn full_in(self, now: Timestamp) -> i64 {
        // Less than a millisecond is rounding.
        up((self.0 - micros(now)).max(0) / 1000, 1000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> Timestamp {
        Timestamp::from_millis(1_800_000_000_000)
    }

    fn limit(rate: i64, burst: Option<i64>) -> RateLimit {
        RateLimit::of(rate, burst, "rateLimit").expect("a limit")
    }

    #[test]
    fn a_limit_is_within_its_bounds() {
        assert_eq!(limit(10, None).burst, 10);
        assert_eq!(limit(10, Some(100)).burst, 100);
        for (rate, burst) in [(0, None), (1001, None), (-1, None), (10, Some(101)), (10, Some(0)), (i64::MAX, Some(1))]
        {
            assert!(RateLimit::of(rate, burst, "rateLimit").is_err(), "{rate} {burst:?}");
        }
    }

    #[test]
    fn a_tenth_of_the_rate_is_taken_at_once_at_most() {
        for (rate, burst, wanted, expected) in
            [(1, None, 9, 1), (9, None, 9, 1), (100, None, 99, 10), (100, None, 3, 3), (1000, Some(20), 99, 20)]
        {
            let taking = Bucket::default().take(limit(rate, burst), wanted, now());
            let Taking::Take(lease) = taking else { panic!("there is none") };
            assert_eq!((lease.tokens, lease.is_from_full), (expected, true), "{rate}");
        }
    }

    /// Takes tokens until there are none, and returns how many there were, and until when to wait.
    fn empty(bucket: &mut Bucket, limit: RateLimit, now: Timestamp) -> (i64, Timestamp) {
        let mut taken = 0;
        loop {
            match bucket.take(limit, i64::MAX, now) {
                Taking::Take(lease) => {
                    bucket.0 = bucket.0.max(micros(now)) + lease.cost;
                    taken += lease.tokens;
                }
                Taking::Wait(until) => return (taken, until),
            }
        }
    }

    #[test]
    fn a_bucket_has_its_burst_and_then_its_rate() {
        let (limit, mut bucket) = (limit(25, Some(60)), Bucket::default());
        let (taken, until) = empty(&mut bucket, limit, now());
        assert_eq!(
            (taken, until.millis() - now().millis(), bucket.left(limit, now()), bucket.full_in(now())),
            (60, 40, 0, 3)
        );
        let later = Timestamp::from_millis(now().millis() + 1000);
        assert_eq!(empty(&mut bucket, limit, later).0, 25);
    }
}
