//! Simulates how an organization with very many due items delays the others: the real rounds run on a simulated clock,
//! table and queue. docs/growth.md shows the figures, which
//! `DUE_SIMULATION=whole cargo test -p delivery -- simulation --nocapture` prints.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

use domain::Timestamp;
use domain::due::DueClass;
use domain::job::{SweepJob, VERSION};

use super::round::Round;
use super::{PERIOD, SIDE_BY_SIDE};

/// The number of entries on a page of the index (1 MiB). docs/growth.md explains this number and the times below.
const ENTRIES: usize = 7500;
/// The time to read a full page.
const PAGE: Duration = Duration::from_millis(300);
/// The time to read a page without entries.
const EMPTY_PAGE: Duration = Duration::from_millis(10);
/// The time of the calls for one due delivery, which run concurrently with those for fifteen others.
const ITEM: Duration = Duration::from_millis(30);
/// The time from sending a message to the beginning of its invocation.
const HOP: Duration = Duration::from_millis(100);

const MILLION: usize = 1_000_000;
const SHARDS: u32 = DueClass::Deliveries.shards();

/// One due item.
struct Item {
    due: i64,
    id: usize,
    whose: u32,
    done: Option<i64>,
}

impl Item {
    fn is_shown(&self, now: i64) -> bool {
        self.due <= now && self.done.is_none_or(|done| done > now)
    }
}

/// A deterministic source of evenly distributed numbers.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

/// All shards of the deliveries, the queue of the sweep, and its invocations.
struct Simulation {
    shards: Vec<Vec<Item>>,
    /// Items that are no longer in the index.
    gone: Vec<Item>,
    item: i64,
    /// The time at which each concurrent invocation becomes free.
    free: BinaryHeap<Reverse<i64>>,
    messages: BinaryHeap<Reverse<(i64, u64)>>,
    jobs: Vec<SweepJob>,
    /// One in this many messages is delivered twice.
    twice_every: u64,
    most_messages: usize,
    rounds: usize,
}

/// The backlog of an organization: its number, how many items it has, and the range in which they are due, evenly
/// spread, in milliseconds from the start of the simulation.
type Backlog = (u32, usize, (i64, i64));

/// An hour in milliseconds. The simulated clock starts at this time, so that items can be due before.
const HOUR: i64 = 3_600_000;

impl Simulation {
    fn new(concurrency: usize, item: Duration, backlogs: &[Backlog]) -> Self {
        let mut shards: Vec<Vec<Item>> = (0..SHARDS).map(|_| Vec::new()).collect();
        let (mut numbers, mut id) = (Numbers(1), 0);
        for (whose, count, (first, last)) in backlogs.iter().copied() {
            for _ in 0..count {
                let due = first + numbers.below((last - first).unsigned_abs() + 1).cast_signed();
                let shard = usize::try_from(numbers.below(u64::from(SHARDS))).unwrap_or(0);
                shards[shard].push(Item { due: HOUR + due, id, whose, done: None });
                id += 1;
            }
        }

        shards.iter_mut().for_each(|shard| shard.sort_by_key(|item| (item.due, item.id)));
        Simulation {
            shards,
            gone: Vec::new(),
            item: millis(item),
            free: (0..concurrency).map(|_| Reverse(HOUR)).collect(),
            messages: BinaryHeap::new(),
            jobs: Vec::new(),
            twice_every: u64::MAX,
            most_messages: 0,
            rounds: 0,
        }
    }

    fn send(&mut self, job: SweepJob, at: i64) {
        let number = self.jobs.len() as u64;
        self.jobs.push(job);
        self.messages.push(Reverse((at, number)));
        if (number + 1).is_multiple_of(self.twice_every) {
            self.messages.push(Reverse((at, number)));
        }
    }

    /// Runs the schedule and the queue for this many minutes, or until nothing is left.
    fn run(&mut self, minutes: i64) {
        for minute in 0..minutes {
            let start = HOUR + minute * 60_000;
            self.look(start);
            while let Some(Reverse((at, number))) = self.messages.peek().copied() {
                let Some(Reverse(free)) = self.free.peek().copied() else { return };
                let begin = at.max(free);
                if begin >= start + 60_000 {
                    break;
                }
                self.most_messages = self.most_messages.max(self.messages.len());
                self.messages.pop();
                self.free.pop();
                let job = self.jobs[usize::try_from(number).unwrap_or(0)].clone();
                let end = self.round(&job, begin);
                self.free.push(Reverse(end));
            }
            if self.shards.iter().flatten().all(|item| item.done.is_some()) {
                return;
            }
        }
    }

    /// Checks all shards of all classes, and sends a message for each shard with due items.
    fn look(&mut self, start: i64) {
        let until = Timestamp::from_millis(start).plus(PERIOD);
        let all: u32 = DueClass::ALL.into_iter().map(DueClass::shards).sum();
        let seen = start + millis(EMPTY_PAGE) * i64::from(all.div_ceil(SIDE_BY_SIDE as u32));
        for shard in 0..SHARDS {
            if self.shards[shard as usize].iter().any(|item| item.is_shown(start)) {
                let class = DueClass::Deliveries;
                let job = SweepJob { v: VERSION, class, shard, until, round: 0, after: None };
                self.send(job, seen + millis(HOP));
            }
        }
    }

    /// Runs one invocation, and returns the time at which it ends.
    fn round(&mut self, job: &SweepJob, begin: i64) -> i64 {
        let clock = Timestamp::from_millis;
        if clock(begin) >= job.until {
            return begin + 1;
        }
        self.rounds += 1;
        let mut round = Round::new(clock(begin));
        let (mut now, mut next) = (begin, job.after.clone());
        let shard = job.shard as usize;
        self.gone.extend(self.shards[shard].extract_if(.., |item| item.done.is_some_and(|done| done <= begin)));
        loop {
            let (found, rest) = self.page(shard, next.as_deref(), now);
            now += millis(EMPTY_PAGE) + millis(PAGE) * found.len() as i64 / ENTRIES as i64;
            found.into_iter().for_each(|at| round.add(self.shards[shard][at].whose, at));
            next = rest;
            if next.is_none() || !round.continues_reading(clock(now)) {
                break;
            }
        }

        let mut hands: BinaryHeap<Reverse<i64>> = (0..SIDE_BY_SIDE).map(|_| Reverse(now)).collect();
        while let Some(Reverse(free)) = hands.pop() {
            let Some(at) = round.next(clock(free)) else { break };
            let (done, ended) = (&mut self.shards[shard][at].done, free + self.item);
            *done = Some(done.unwrap_or(ended).min(ended));
            now = now.max(ended);
            hands.push(Reverse(ended));
        }

        if let Some(following) = round.following(job, next) {
            self.send(following, now + millis(HOP));
        }
        now
    }

    /// Returns the entries that a page of the index shows, and the position after which the next page begins.
    fn page(&self, shard: usize, after: Option<&str>, now: i64) -> (Vec<usize>, Option<String>) {
        let items = &self.shards[shard];
        let after: Option<(i64, usize)> = after.and_then(|after| serde_json::from_str(after).ok());
        let begin = after.map_or(0, |after| items.partition_point(|item| (item.due, item.id) <= after));
        let shown = (begin..items.len()).take_while(|at| items[*at].due <= now).filter(|at| items[*at].is_shown(now));
        let found: Vec<usize> = shown.take(ENTRIES).collect();
        let last = found.last().filter(|_| found.len() == ENTRIES);
        let next = last.and_then(|last| serde_json::to_string(&(items[*last].due, items[*last].id)).ok());
        (found, next)
    }

    /// Returns the wait of each item by the item's id: the time from the start of the simulation, or from when the item
    /// became due if that is later, until it was done.
    fn waits(&self, is_wanted: impl Fn(&Item) -> bool) -> Vec<(usize, i64)> {
        let wanted = self.shards.iter().flatten().chain(&self.gone).filter(|item| is_wanted(item));
        let mut waits: Vec<(usize, i64)> =
            wanted.map(|item| (item.id, item.done.unwrap_or(i64::MAX) - item.due.max(HOUR))).collect();
        waits.sort_unstable();
        waits
    }
}

/// Returns a hundred organizations without a backlog. Each has five deliveries that are due when the run begins, behind
/// the whole backlog, and five that become due within ten minutes.
fn others() -> impl Iterator<Item = Backlog> {
    (0..100).flat_map(|n| [(1000 + n, 5, (-1000, 0)), (1000 + n, 5, (1, 600_000))])
}

/// Returns the number of items for a scenario other than the first: a tenth, unless `DUE_SIMULATION` asks for all of
/// them.
fn size(whole: usize) -> usize {
    if std::env::var("DUE_SIMULATION").is_ok() { whole } else { whole / 10 }
}

struct Delays {
    median: f64,
    latest: f64,
}

fn delays(beside: &[(usize, i64)], alone: &[(usize, i64)]) -> Delays {
    let mut all: Vec<i64> = beside.iter().zip(alone).map(|(beside, alone)| beside.1 - alone.1).collect();
    all.sort_unstable();
    let seconds = |millis: i64| millis as f64 / 1000.0;
    Delays { median: seconds(all[all.len() / 2]), latest: seconds(all[all.len() - 1]) }
}

/// Returns by how much the backlogs delay the deliveries of the other organizations: those due at the start, and those
/// due later. Prints a row of the table in docs/growth.md.
fn compare(what: &str, concurrency: usize, crowds: &[Backlog]) -> (Delays, Delays) {
    // The others come first, so that they are the same items in both simulations.
    let all: Vec<Backlog> = others().chain(crowds.iter().copied()).collect();
    let mut alone = Simulation::new(concurrency, ITEM, &all[..all.len() - crowds.len()]);
    let mut beside = Simulation::new(concurrency, ITEM, &all);
    alone.run(12);
    beside.run(12 * 60);

    let is_due = |item: &Item| item.whose >= 1000 && item.due <= HOUR;
    let is_later = |item: &Item| item.whose >= 1000 && item.due > HOUR;
    let due = delays(&beside.waits(is_due), &alone.waits(is_due));
    let later = delays(&beside.waits(is_later), &alone.waits(is_later));
    let took = beside.waits(|item| item.whose < 1000).into_iter().map(|wait| wait.1).max().unwrap_or(0) / 1000;

    eprintln!(
        "| {what}, {concurrency} invocations | {:.1} s; {:.1} s | {:.1} s; {:.1} s | {took} s, {} rounds |",
        due.median, due.latest, later.median, later.latest, beside.rounds
    );
    (due, later)
}

#[test]
fn one_million_due_items_delay_others_by_less_than_ten_seconds() {
    let (due, later) = compare("1 organization with 1,000,000", 10, &[(0, MILLION, (-HOUR, -1001))]);
    assert!(due.median < 10.0 && later.median < 10.0);
}

/// The smallest account, with two invocations at a time.
#[test]
fn two_invocations_at_a_time_serve_others_before_the_backlog() {
    let (due, later) = compare("1 organization with 1,000,000", 2, &[(0, size(MILLION), (-HOUR, -1001))]);
    assert!(due.median < 60.0 && later.median < 60.0);
}

#[test]
fn ten_backlogs_delay_others_by_less_than_ten_seconds() {
    let crowds: Vec<Backlog> = (0..10).map(|whose| (whose, size(MILLION) / 10, (-HOUR, -1001))).collect();
    let (due, later) = compare("10 organizations with 100,000 each", 10, &crowds);
    assert!(due.median < 10.0 && later.median < 10.0);
}

/// The queue does not fill up with rounds, however long a backlog lasts, even if some messages are delivered twice.
#[test]
fn runs_do_not_add_up_over_hours() {
    let mut slow = Simulation::new(10, Duration::from_secs(20), &[(0, 100_000, (-HOUR, 0))]);
    slow.twice_every = 50;
    slow.run(180);
    assert!(slow.shards.iter().flatten().any(|item| item.done.is_none()), "three hours were not enough");
    assert!(slow.most_messages <= 3 * SHARDS as usize, "{} messages", slow.most_messages);
}
