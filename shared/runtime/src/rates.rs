//! The tokens that this process holds for callers with a rate limit.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use domain::identity::rate::{Bucket, LEASE_MILLIS, RateLimit};
use domain::{Failure, Timestamp};
use store::{Leased, OrganizationStore};

/// The highest number of remembered buckets. When it is exceeded, the memory is cleared.
const MOST: usize = 1024;

/// The tokens that this process holds, by bucket.
#[derive(Clone, Debug, Default)]
pub struct Rates(Arc<Mutex<HashMap<String, Held>>>);

/// What this process holds of a bucket, and what it knows of it.
#[derive(Clone, Copy, Debug)]
struct Held {
    tokens: i64,
    /// How many it has taken last.
    taken: i64,
    /// Tokens that were not spent by then are void.
    until: Timestamp,
    /// The process was refused, and does not ask again before.
    wait_until: Timestamp,
    bucket: Bucket,
}

/// Whether a request may be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    Allowed(Standing),
    /// Not before then.
    Refused(Timestamp, Standing),
}

/// How much of a limit is left, as far as this process knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    pub limit: RateLimit,
    pub remaining: i64,
    /// In how many seconds everything is left again.
    pub full_in: i64,
}

impl Rates {
    /// Spends a token of a bucket. Most are spent from what this process holds. Without the table, it may spend what is left of its
    /// last lease.
    pub async fn admit(
        &self,
        org: &OrganizationStore,
        of: &str,
        limit: RateLimit,
        now: Timestamp,
    ) -> Result<Admission, Failure> {
        let name = format!("{} {of}", org.organization_id());
        let known = match self.held(&name, |held| held.decide(limit, now)) {
            Ok(admission) => return Ok(admission),
            Err(held) => held,
        };
        let leased = org.lease(of, limit, known.bucket, known.wanted(now), now).await;
        self.held(&name, |held| held.settle(leased, limit, now))
    }

    /// Accesses what is held of a bucket. A poisoned lock does no harm, because a panic cannot leave the map in an invalid state.
    fn held<T>(&self, name: &str, access: impl FnOnce(&mut Held) -> T) -> T {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= MOST && !all.contains_key(name) {
            all.clear();
        }
        access(all.entry(name.to_owned()).or_default())
    }
}

impl Default for Held {
    fn default() -> Self {
        let never = Timestamp::from_millis(0);
        Held { tokens: 0, taken: 0, until: never, wait_until: never, bucket: Bucket::default() }
    }
}

impl Held {
    /// Decides from what is held. `Err` if tokens must be taken from the bucket.
    fn decide(&mut self, limit: RateLimit, now: Timestamp) -> Result<Admission, Held> {
        if self.tokens > 0 && now < self.until {
            self.tokens -= 1;
            Ok(Admission::Allowed(self.standing(limit, now)))
        } else if now < self.wait_until {
            Ok(Admission::Refused(self.wait_until, self.standing(limit, now)))
        } else {
            Err(*self)
        }
    }

    /// Returns how many tokens to take: twice as many if the last ones did not last, else as many as were used, so that a process
    /// with few requests does not hold what others need.
    fn wanted(&self, now: Timestamp) -> i64 {
        match self.tokens {
            0 if now < self.until => self.taken * 2,
            left => self.taken - left,
        }
    }

    /// Notes what was taken from the bucket, and decides.
    fn settle(
        &mut self,
        leased: Result<Leased, Failure>,
        limit: RateLimit,
        now: Timestamp,
    ) -> Result<Admission, Failure> {
        match leased {
            Ok(Leased::Tokens(tokens, bucket)) => {
                let until = now.plus(Duration::from_millis(LEASE_MILLIS));
                *self = Held { tokens: tokens - 1, taken: tokens, until, bucket, ..*self };
                Ok(Admission::Allowed(self.standing(limit, now)))
            }
            Ok(Leased::None(wait_until, bucket)) => {
                *self = Held { tokens: 0, wait_until, bucket, ..*self };
                Ok(Admission::Refused(wait_until, self.standing(limit, now)))
            }
            Err(_) if self.tokens > 0 => {
                self.tokens -= 1;
                Ok(Admission::Allowed(self.standing(limit, now)))
            }
            Err(failure) => Err(failure),
        }
    }

    fn standing(&self, limit: RateLimit, now: Timestamp) -> Standing {
        Standing { limit, remaining: self.tokens + self.bucket.left(limit, now), full_in: self.bucket.full_in(now) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(1_800_000_000_000 + millis)
    }

    fn limit() -> RateLimit {
        RateLimit { requests_per_second: 20, burst: 20 }
    }

    fn broken() -> Result<Leased, Failure> {
        Err(Failure::unavailable("no table"))
    }

    #[test]
    fn unspent_tokens_end_after_a_second() {
        let mut held = Held::default();
        let tokens = Leased::Tokens(3, Bucket(at(500).millis() * 1000));
        assert!(matches!(held.settle(Ok(tokens), limit(), at(0)), Ok(Admission::Allowed(_))));
        assert!(held.decide(limit(), at(999)).is_ok());
        assert!(held.decide(limit(), at(1000)).is_err());
        assert_eq!(held.tokens, 1);
    }

    #[test]
    fn as_many_are_taken_as_are_used() {
        let mut held = Held::default();
        assert_eq!(held.wanted(at(0)), 0);
        let tokens = Leased::Tokens(4, Bucket::default());
        assert!(held.settle(Ok(tokens), limit(), at(0)).is_ok());
        assert_eq!(held.wanted(at(1000)), 1);
        for _ in 0..3 {
            assert!(held.decide(limit(), at(1)).is_ok());
        }
        assert_eq!((held.wanted(at(999)), held.wanted(at(1000))), (8, 4));
    }

    #[test]
    fn a_refused_process_does_not_ask_before_the_named_time() {
        let mut held = Held::default();
        let full = Bucket(at(1000).millis() * 1000);
        assert!(matches!(held.settle(Ok(Leased::None(at(50), full)), limit(), at(0)), Ok(Admission::Refused(..))));
        assert!(matches!(held.decide(limit(), at(49)), Ok(Admission::Refused(until, _)) if until == at(50)));
        assert_eq!(held.decide(limit(), at(50)).map_err(|held| held.bucket), Err(full));
    }

    #[test]
    fn without_the_table_the_last_lease_can_be_spent() {
        let mut held = Held::default();
        assert!(held.settle(broken(), limit(), at(0)).is_err());
        let tokens = Leased::Tokens(2, Bucket(at(100).millis() * 1000));
        assert!(held.settle(Ok(tokens), limit(), at(0)).is_ok());
        assert!(held.settle(broken(), limit(), at(5000)).is_ok());
        assert!(held.settle(broken(), limit(), at(5000)).is_err());
    }
}
