//! The number of times a decision is repeated because of concurrent writers.

use std::time::Duration;

use domain::Failure;
use domain::port::{Random, random_index};

/// There are few concurrent requests on one object, and each of them succeeds once, so eight rounds are plenty.
const OF_REQUEST: u32 = 8;
/// Each concurrent update of the same message can make this one fail at most once, so this suffices for 60 of them.
const OF_UPDATE: u32 = 60;
/// The longest pause after the first round of an update. It grows with each round, up to ten times as much.
const PAUSE_MILLIS: usize = 20;

/// The remaining rounds. When they are used up, the work ends with the failure `lost`.
pub struct Budget<'a> {
    most: u32,
    used: u32,
    /// The source of random pauses between rounds; without it, there are none.
    random: Option<&'a dyn Random>,
    lost: fn() -> Failure,
}

impl<'a> Budget<'a> {
    pub fn new(rounds: u32, lost: fn() -> Failure) -> Self {
        Budget { most: rounds, used: 0, random: None, lost }
    }

    /// The budget of a request: its caller waits, and can repeat it.
    pub fn of_request() -> Self {
        Self::new(OF_REQUEST, || Failure::conflict("Other requests are changing the same object. Retry the request."))
    }

    /// The budget of an update by platform or carrier, with random pauses between the rounds.
    pub fn of_update(random: &'a dyn Random) -> Self {
        let lost = || Failure::internal("an update conflicted with others in every attempt");
        Budget { random: Some(random), ..Self::new(OF_UPDATE, lost) }
    }

    /// Counts a round without success. Fails if it was the last one.
    pub async fn spend(&mut self) -> Result<(), Failure> {
        self.used += 1;
        if self.used >= self.most {
            return Err((self.lost)());
        }
        if let Some(random) = self.random {
            let longest = PAUSE_MILLIS * (self.used as usize).min(10);
            tokio::time::sleep(Duration::from_millis(random_index(random, longest) as u64)).await;
        }
        Ok(())
    }
}
