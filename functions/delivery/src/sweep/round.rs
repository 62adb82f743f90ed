//! A round of due work: which of the due items that were read are processed, in which order, and for how long. It
//! depends neither on the table nor on the queue, so that the simulation can run it on its own clock.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;
use std::time::Duration;

use domain::Timestamp;
use domain::job::SweepJob;

/// How long a round reads.
pub(super) const READING: Duration = Duration::from_secs(5);
/// How long after its reading a round starts to process further items.
pub(super) const WORKING: Duration = Duration::from_secs(5);
/// How many items a round keeps.
pub(super) const KEPT: usize = 1000;

/// The items of a round. Organizations take turns, and if there are more items than a round keeps, none of them keeps
/// more than an equal share: an organization with very many due items delays the others by the time that it takes to
/// read past those items, not by the time that it takes to process them.
pub(super) struct Round<K, T> {
    queues: HashMap<K, VecDeque<T>>,
    turns: VecDeque<K>,
    kept: usize,
    /// The largest number of items that one organization keeps.
    share: usize,
    /// Whether items that were read have been dropped.
    is_incomplete: bool,
    started: Timestamp,
    working_until: Option<Timestamp>,
}

impl<K: Clone + Eq + Hash, T> Round<K, T> {
    pub(super) fn new(now: Timestamp) -> Self {
        Round {
            queues: HashMap::new(),
            turns: VecDeque::new(),
            kept: 0,
            share: KEPT,
            is_incomplete: false,
            started: now,
            working_until: None,
        }
    }

    /// Returns whether another page is to be read.
    pub(super) fn continues_reading(&self, now: Timestamp) -> bool {
        let is_full = self.share == 1 && self.kept >= KEPT;
        !is_full && now < self.started.plus(READING)
    }

    /// Adds an item that was read.
    pub(super) fn add(&mut self, whose: K, item: T) {
        let turns = &mut self.turns;
        let queue = self.queues.entry(whose).or_insert_with_key(|whose| {
            turns.push_back(whose.clone());
            VecDeque::new()
        });
        if queue.len() >= self.share {
            self.is_incomplete = true;
            return;
        }
        queue.push_back(item);
        self.kept += 1;
        while self.kept > KEPT && self.share > 1 {
            self.share /= 2;
            self.trim();
        }
    }

    /// Drops the items of each organization that exceed the share. They stay due.
    fn trim(&mut self) {
        for queue in self.queues.values_mut().filter(|queue| queue.len() > self.share) {
            self.kept -= queue.len() - self.share;
            queue.truncate(self.share);
            self.is_incomplete = true;
        }
    }

    /// Returns the next item to process; `None` if there is none, or if the time is up.
    pub(super) fn next(&mut self, now: Timestamp) -> Option<T> {
        if now >= *self.working_until.get_or_insert_with(|| now.plus(WORKING)) {
            return None;
        }
        let whose = self.turns.pop_front()?;
        let queue = self.queues.get_mut(&whose)?;
        let item = queue.pop_front()?;
        self.kept -= 1;
        if !queue.is_empty() {
            self.turns.push_back(whose);
        }
        Some(item)
    }

    /// Returns whether some of the read items were not processed, because they were dropped or the time was up.
    fn has_unprocessed(&self) -> bool {
        self.is_incomplete || self.kept > 0
    }

    /// Returns the job of the next round, if there is more to do. It continues reading at `next`, where this round
    /// stopped. After the end of the shard it starts from the beginning, because earlier rounds may have left items.
    pub(super) fn following(&self, job: &SweepJob, next: Option<String>) -> Option<SweepJob> {
        let is_more = next.is_some() || job.after.is_some() || self.has_unprocessed();
        is_more.then(|| SweepJob { round: job.round + 1, after: next, ..job.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Timestamp {
        Timestamp::from_millis(0).plus(Duration::from_secs(seconds))
    }

    /// Returns a round that has read the given number of due items for each organization.
    fn round(counts: impl IntoIterator<Item = (u32, usize)>) -> Round<u32, (u32, usize)> {
        let mut round = Round::new(at(0));
        for (whose, count) in counts {
            (0..count).for_each(|n| round.add(whose, (whose, n)));
        }
        round
    }

    fn all(round: &mut Round<u32, (u32, usize)>) -> Vec<(u32, usize)> {
        std::iter::from_fn(|| round.next(at(0))).collect()
    }

    fn count(items: &[(u32, usize)], whose: u32) -> usize {
        items.iter().filter(|item| item.0 == whose).count()
    }

    #[test]
    fn organizations_take_turns() {
        let mut round = round([(1, 5), (2, 1), (3, 2)]);
        let expected = [(1, 0), (2, 0), (3, 0), (1, 1), (3, 1), (1, 2), (1, 3), (1, 4)];
        assert_eq!(all(&mut round), expected);
        assert!(!round.has_unprocessed());
    }

    #[test]
    fn the_backlog_of_one_organization_leaves_room_for_others() {
        let mut round = round([(1, 60_000), (2, 3), (1, 60_000), (3, 1)]);
        assert!(round.continues_reading(at(0)));
        let items = all(&mut round);
        assert_eq!(items[..3], [(1, 0), (2, 0), (3, 0)]);
        assert_eq!((count(&items, 2), count(&items, 3)), (3, 1));
        assert!((KEPT / 2..=KEPT).contains(&count(&items, 1)), "{}", items.len());
        assert!(round.has_unprocessed());
    }

    #[test]
    fn ten_backlogs_have_equal_shares() {
        let mut round = round((0..10).map(|whose| (whose, 6000)).chain([(99, 2)]));
        let items = all(&mut round);
        assert_eq!(count(&items, 99), 2);
        let shares: Vec<usize> = (0..10).map(|whose| count(&items, whose)).collect();
        assert!(shares.iter().all(|share| *share == shares[0] && *share >= KEPT / 20), "{shares:?}");
    }

    #[test]
    fn more_organizations_than_a_round_keeps_end_the_reading_not_the_round() {
        let mut round = round((0..KEPT as u32 + 100).map(|whose| (whose, 2)));
        assert!(!round.continues_reading(at(0)));
        assert_eq!(all(&mut round).len(), KEPT + 100);
        assert!(round.has_unprocessed(), "the second item of each");
    }

    #[test]
    fn a_round_ends_by_the_clock() {
        let mut round = round([(1, 3)]);
        assert!(round.continues_reading(at(4)) && !round.continues_reading(at(5)));
        assert!(round.next(at(9)).is_some() && round.next(at(13)).is_some());
        assert_eq!((round.next(at(14)), round.has_unprocessed()), (None, true));
    }
}
