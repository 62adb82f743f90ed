//! Counts messages and deliveries: reads the table's stream and adds to the counters of usage.
//!
//! The records of a shard arrive in order, one batch at a time. A batch can be repeated, split, or cut short by a crash, so each
//! transaction moves the position of the shard together with the counters, and records up to the position are left out.

mod window;

use domain::{Failure, Timestamp};
use runtime::{Context, Environment, Metric};
use store::{Batch, CountOutcome, MeterPosition};

pub use window::{Counting, Window};

use window::Record;

/// How often a batch is begun again because another invocation has moved the position.
const ROUNDS: u32 = 10;

/// The function's dependencies.
pub struct Meter {
    pub context: Context,
}

impl Meter {
    /// Reads the function's configuration from its environment.
    pub fn from_environment(environment: &mut Environment) -> Result<Self, String> {
        let connection = environment.connection()?;
        Ok(Meter { context: environment.context(&connection) })
    }

    /// Counts the records of a window that are not counted yet. If it fails, the stream repeats them.
    pub async fn work(&self, window: Window) -> Result<Counting, Failure> {
        let Some(shard) = window.shard() else {
            return Err(Failure::internal("the stream's records name no shard: its mapping needs a tumbling window"));
        };
        let mut records = window.into_records();
        if records.iter().any(Record::is_blind) {
            return Err(Failure::internal("the stream shows no items: its view type must be NEW_AND_OLD_IMAGES"));
        }
        records.sort_by(|a, b| a.place().cmp(&b.place()));

        for _ in 0..ROUNDS {
            let position = self.context.store.meter_position(&shard).await?;
            if self.count_from(&shard, position, &records).await? {
                return Ok(Counting::default());
            }
        }
        Err(Failure::unavailable("the position of a shard is being moved by other invocations"))
    }

    /// Counts the records after a position. `false` if another invocation has moved it meanwhile.
    async fn count_from(
        &self,
        shard: &str,
        mut position: Option<MeterPosition>,
        records: &[Record],
    ) -> Result<bool, Failure> {
        let now = self.context.now();
        let mut left: Vec<&Record> = records.iter().filter(|record| record.is_after(position.as_ref())).collect();
        while !left.is_empty() {
            let (mut batch, taken) = self.filled(&left, now);
            let Some(last) = taken.checked_sub(1).and_then(|last| left.get(last)) else {
                return Err(Failure::internal("one record does not fit into a transaction"));
            };
            let next = last.position(now);
            loop {
                match self.context.store.count(shard, position.as_ref(), &next, &batch).await? {
                    CountOutcome::Counted => break,
                    CountOutcome::Stale => return Ok(false),
                    CountOutcome::Deleted(organizations) => organizations.iter().for_each(|id| batch.forget(id)),
                }
            }
            position = Some(next);
            left.drain(..taken);
        }
        Ok(true)
    }

    /// Returns a batch with as many records as fit, and their number.
    fn filled(&self, records: &[&Record], now: Timestamp) -> (Batch, usize) {
        let mut batch = Batch::default();
        for (place, record) in records.iter().enumerate() {
            let counted = record.change().counted().unwrap_or_else(|failure| {
                // Failing would block all later records of the shard for good.
                tracing::error!("a change cannot be counted: {}", failure.log_text());
                self.context.publish(Metric::UncountedChanges, 1);
                Vec::new()
            });
            if !batch.add(&counted, now) {
                return (batch, place);
            }
        }
        (batch, records.len())
    }
}
