//! The buckets of rate limits. Tokens are taken with one conditional write, which needs no read: either the bucket was full, or it
//! had enough of them.

use std::time::Duration;

use domain::identity::rate::{Bucket, Lease, RateLimit, Taking};
use domain::{Failure, Timestamp};

use crate::engine::expression::Update;
use crate::engine::item::{Item, TTL, VERSION, number};
use crate::{OrganizationStore, keys};

/// How often tokens are tried to be taken, while others take some.
const ATTEMPTS: usize = 3;
/// For how many days a bucket that is full again is kept.
const KEPT_DAYS: u32 = 1;

/// What an environment has got from a bucket, and what is known of the bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leased {
    Tokens(i64, Bucket),
    /// None until then.
    None(Timestamp, Bucket),
}

impl OrganizationStore {
    /// Takes tokens from the bucket of a key, an app or the organization. `known` is the bucket as it was last seen.
    pub async fn lease(
        &self,
        of: &str,
        limit: RateLimit,
        known: Bucket,
        wanted: i64,
        now: Timestamp,
    ) -> Result<Leased, Failure> {
        let mut bucket = known;
        for _ in 0..ATTEMPTS {
            let lease = match bucket.take(limit, wanted, now) {
                Taking::Wait(until) => return Ok(Leased::None(until, bucket)),
                Taking::Take(lease) => lease,
            };
            match self.table.try_update(self.taking(of, limit, lease, now)).await? {
                Ok(item) => return Ok(Leased::Tokens(lease.tokens, stored(Some(&item)))),
                Err(item) => bucket = stored(item.as_ref()),
            }
        }
        // Others were faster each time.
        Ok(Leased::None(Timestamp::from_millis(now.millis() + 1), bucket))
    }

    fn taking(&self, of: &str, limit: RateLimit, lease: Lease, now: Timestamp) -> Update {
        let full = now.plus(Duration::from_secs(limit.window().unsigned_abs()));
        let write = Update::new(keys::bucket(&self.organization, of))
            .set_value(VERSION, number(1))
            .set_value(TTL, number(full.plus_days(KEPT_DAYS).seconds()));
        let at = now.millis() * 1000;
        let write = match lease.is_from_full {
            true => write
                .set_value("fullAt", number(at + lease.cost))
                .when("attribute_not_exists(#fullAt) OR #fullAt < :now"),
            false => write
                .add("fullAt", lease.cost)
                .when("#fullAt >= :now AND #fullAt <= :latest")
                .value(":latest", number(lease.latest)),
        };
        write.value(":now", number(at))
    }
}

/// Returns the bucket of an item; one without an item is full.
fn stored(item: Option<&Item>) -> Bucket {
    let at = item.and_then(|item| item.get("fullAt")?.as_n().ok()?.parse().ok());
    Bucket(at.unwrap_or_default())
}
