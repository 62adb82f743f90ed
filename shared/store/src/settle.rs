//! The repetition of a decision after a concurrent change.

use std::future::ready;

use domain::Failure;

use crate::{Change, Committed, Store};

/// The maximum number of attempts. If concurrent writers win every time, the request fails with a conflict.
const MAX_ATTEMPTS: u32 = 8;

impl Store {
    /// Commits the change that `decide` returns. If the change is stale, `decide` reads and decides again.
    pub async fn settle<Made, D>(&self, decide: impl Fn() -> D) -> Result<Made, Failure>
    where
        D: Future<Output = Result<(Change, Made), Failure>>,
    {
        self.settle_from((), || ready(()), |()| decide()).await
    }

    /// Works like `settle` with the first read already done: `seen` is what was read, and `read` reads it again.
    pub async fn settle_from<Seen, Made, R, D>(
        &self,
        seen: Seen,
        read: impl Fn() -> R,
        decide: impl Fn(Seen) -> D,
    ) -> Result<Made, Failure>
    where
        R: Future<Output = Seen>,
        D: Future<Output = Result<(Change, Made), Failure>>,
    {
        self.settle_with_outcome(seen, read, decide).await.map(|(_, made)| made)
    }

    /// Works like `settle_from` and also returns the outcome of the commit, which is never `Stale`.
    pub async fn settle_with_outcome<Seen, Made, R, D>(
        &self,
        mut seen: Seen,
        read: impl Fn() -> R,
        decide: impl Fn(Seen) -> D,
    ) -> Result<(Committed, Made), Failure>
    where
        R: Future<Output = Seen>,
        D: Future<Output = Result<(Change, Made), Failure>>,
    {
        for round in 1.. {
            let (change, made) = decide(seen).await?;
            match self.commit(&change).await? {
                Committed::Stale if round < MAX_ATTEMPTS => seen = read().await,
                Committed::Stale => break,
                committed => return Ok((committed, made)),
            }
        }
        Err(Failure::conflict("Other requests are changing the same object. Retry the request."))
    }
}
