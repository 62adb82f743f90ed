//! The check of the due index, once per minute: which shards have due items, and since when. It reads one entry of each
//! shard, so that an installation without due items needs one short invocation per minute. It also counts dead letters.

use domain::due::DueClass;
use domain::job::{SweepJob, VERSION};
use domain::{Failure, Timestamp};
use futures_util::future::{try_join, try_join_all};
use futures_util::{StreamExt as _, stream};
use runtime::{Metric, Monitoring};

use super::{PERIOD, SIDE_BY_SIDE, Sweeper, log};

/// How often dead letters are counted: once per period of the alarm.
const DEAD_LETTERS_EVERY_MINUTES: u64 = 5;

/// The result of a check of the due index.
pub struct Looked {
    /// The first rounds of the shards with due items.
    pub rounds: Vec<SweepJob>,
    /// Shards that could not be read.
    pub unread: usize,
}

/// A shard that was checked.
struct Shard {
    class: DueClass,
    shard: u32,
    /// The due time of its first due entry, if it has one; `None` if the shard could not be read.
    oldest: Option<Option<Timestamp>>,
}

impl Sweeper {
    /// Starts a run: a round for each shard with due items. Fails if the rounds could not be queued or the dead letters
    /// could not be counted. The next run starts a minute later.
    pub(super) async fn start_run(&self) -> Result<(), String> {
        let looked = self.look().await;
        let sent = self.rounds.send(&looked.rounds).await;
        sent.map_err(|failure| format!("the sweep could not be started: {}", failure.log_text()))?;

        let counted = self.count_dead_letters().await;
        counted.map_err(|failure| format!("the dead letters could not be counted: {}", failure.log_text()))
    }

    /// Reads the first due entry of each shard, and publishes how long the oldest one has been due.
    pub async fn look(&self) -> Looked {
        let now = self.context().now();
        let shards = DueClass::ALL.into_iter().flat_map(|class| (0..class.shards()).map(move |shard| (class, shard)));
        let read = stream::iter(shards).map(|(class, shard)| async move {
            let oldest = self.store().oldest_due(class, shard, now).await;
            let oldest = oldest.inspect_err(|failure| log("the due index could not be read", failure)).ok();
            Shard { class, shard, oldest }
        });
        let read: Vec<Shard> = read.buffer_unordered(SIDE_BY_SIDE).collect().await;

        self.publish_ages(&read, self.meter_lag(now).await, now);
        let due = read.iter().filter(|shard| shard.oldest.flatten().is_some());
        Looked {
            rounds: due.map(|shard| first_round(shard.class, shard.shard, now)).collect(),
            unread: read.iter().filter(|shard| shard.oldest.is_none()).count(),
        }
    }

    /// Returns for how many seconds `meter` has not counted what happened. `None` if that could not be read. The sweep writes an
    /// item, so that there is always something to count.
    async fn meter_lag(&self, now: Timestamp) -> Option<u64> {
        let lag = try_join(self.store().beat(now), self.store().counted_until(now)).await;
        let (beating_since, counted) =
            lag.inspect_err(|failure| log("the lag of counting could not be read", failure)).ok()?;
        Some(counted.unwrap_or(beating_since).seconds_until(now))
    }

    /// Publishes the age of each class that was read completely, and the lag of counting. Essential monitoring has one age, of all classes together: it
    /// is missing if one of them was not read, and its alarm treats that as a breach.
    fn publish_ages(&self, read: &[Shard], lag: Option<u64>, now: Timestamp) {
        let context = self.context();
        match context.monitoring() {
            Monitoring::Full => {
                for class in DueClass::ALL {
                    let of_class = read.iter().filter(|shard| shard.class == class);
                    if let Some(age) = age(of_class, now) {
                        context.publish_due(Metric::OldestDueSeconds, class, age);
                    }
                }
                if let Some(lag) = lag {
                    context.publish(Metric::MeterLagSeconds, lag);
                }
            }
            Monitoring::Essential => {
                if let Some((age, lag)) = age(read.iter(), now).zip(lag) {
                    context.publish(Metric::OldestDueSeconds, age.max(lag));
                }
            }
        }
    }

    /// Publishes the number of messages in the dead-letter queues, if there are any. It is one metric, because the
    /// queues' own metrics would each need an alarm.
    async fn count_dead_letters(&self) -> Result<(), Failure> {
        if !is_time_for_dead_letters(self.context().now()) {
            return Ok(());
        }
        let counts = try_join_all(self.dead_letters.iter().map(|queue| queue.waiting())).await?;
        let count = counts.into_iter().sum();
        if count > 0 {
            tracing::warn!(count, "there are dead letters");
            self.context().publish(Metric::DeadLetters, count);
        }
        Ok(())
    }
}

/// Returns for how many seconds the oldest item in these shards has been due; `None` if one of them could not be read.
fn age<'a>(mut shards: impl Iterator<Item = &'a Shard>, now: Timestamp) -> Option<u64> {
    shards.try_fold(0, |age, shard| Some(shard.oldest?.map_or(0, |oldest| oldest.seconds_until(now)).max(age)))
}

/// Returns whether this is the minute of the period in which dead letters are counted. The time alone decides, so no
/// state is needed.
fn is_time_for_dead_letters(now: Timestamp) -> bool {
    (now.millis().unsigned_abs() / 60_000).is_multiple_of(DEAD_LETTERS_EVERY_MINUTES)
}

/// Returns the first round of a run of the schedule.
fn first_round(class: DueClass, shard: u32, now: Timestamp) -> SweepJob {
    SweepJob { v: VERSION, class, shard, until: now.plus(PERIOD), round: 0, after: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_age_is_that_of_the_oldest_item_and_missing_if_one_shard_was_not_read() {
        let now = Timestamp::from_millis(100_000);
        let shard = |oldest| Shard { class: DueClass::Events, shard: 0, oldest };
        let due = |seconds: i64| shard(Some(Some(Timestamp::from_millis(seconds * 1000))));
        let (empty, unread) = (|| shard(Some(None)), || shard(None));
        assert_eq!(age([empty(), empty()].iter(), now), Some(0));
        assert_eq!(age([empty(), due(70), due(40), due(99)].iter(), now), Some(60));
        assert_eq!(age([due(40), unread(), empty()].iter(), now), None);
    }

    #[test]
    fn dead_letters_are_counted_in_one_minute_of_five() {
        let minutes =
            (0..60).filter(|minute| is_time_for_dead_letters(Timestamp::from_millis(minute * 60_000 + 59_999)));
        assert_eq!(minutes.count(), 12);
    }
}
