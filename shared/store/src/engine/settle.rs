//! The repetition of a decision after a concurrent change.

use std::future::ready;

use domain::Failure;

use crate::engine::budget::Budget;
use crate::{Change, Committed, Store};

impl Store {
    /// Commits the change that `decide` returns. If the change is stale, `decide` reads and decides again.
    pub async fn settle<Made, D>(&self, decide: impl Fn() -> D) -> Result<Made, Failure>
    where
        D: Future<Output = Result<(Change, Made), Failure>>,
    {
        self.settle_from((), || ready(()), |()| decide()).await
    }

    /// Works like `settle` with the first read already done: `seen` is its result, and `read` repeats it.
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
        self.settle_within(Budget::of_request(), seen, read, decide).await.map(|(_, made)| made)
    }

    /// Works like `settle_from` within a budget, and also returns the outcome of the commit, which is never `Stale`.
    pub async fn settle_within<Seen, Made, R, D>(
        &self,
        mut budget: Budget<'_>,
        mut seen: Seen,
        read: impl Fn() -> R,
        decide: impl Fn(Seen) -> D,
    ) -> Result<(Committed, Made), Failure>
    where
        R: Future<Output = Seen>,
        D: Future<Output = Result<(Change, Made), Failure>>,
    {
        loop {
            let (change, made) = decide(seen).await?;
            match self.commit(&change).await? {
                Committed::Stale => budget.spend().await?,
                committed => return Ok((committed, made)),
            }
            seen = read().await;
        }
    }
}
