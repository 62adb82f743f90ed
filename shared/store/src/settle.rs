//! Deciding again after a lost race.

use std::future::ready;

use domain::Failure;

use crate::{Change, Committed, Store};

/// A request that loses to others this often is answered with a conflict.
const ROUNDS: u32 = 8;

impl Store {
    /// Commits what `decide` makes of what it reads. While a concurrent writer wins, it decides again.
    pub async fn settle<Made, D>(&self, decide: impl Fn() -> D) -> Result<Made, Failure>
    where
        D: Future<Output = Result<(Change, Made), Failure>>,
    {
        self.settle_from((), || ready(()), |()| decide()).await
    }

    /// The same where the first read is done already: `seen` is what was read, and `read` reads it again.
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
        self.race(seen, read, decide).await.map(|(_, made)| made)
    }

    /// The same, with how the commit ended; it is never `Stale`.
    pub async fn race<Seen, Made, R, D>(
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
                Committed::Stale if round < ROUNDS => seen = read().await,
                Committed::Stale => break,
                committed => return Ok((committed, made)),
            }
        }
        Err(Failure::conflict("Other requests change the same object; try again."))
    }
}
