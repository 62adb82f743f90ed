//! Consumes the table's stream and dispatches new events of the outbox. Failed records are not returned to the stream,
//! because they would block the records behind them: the event stays due, and the sweep dispatches it later.

use std::time::Duration;

use aws::queue::{Outcome, Queue};
use runtime::{Environment, logging::about};
use serde::Deserialize;
use store::keys::event_of;
use tokio::time::{sleep, timeout};

use crate::{Dispatcher, Waiting};

const ATTEMPTS: u32 = 3;
const PAUSE: Duration = Duration::from_millis(300);
/// Less than the function's timeout of a minute.
const BUDGET: Duration = Duration::from_secs(45);

/// A batch of stream records of the table (view type `KEYS_ONLY`).
#[derive(Deserialize)]
pub struct StreamRecords {
    #[serde(rename = "Records")]
    records: Vec<StreamRecord>,
}

#[derive(Deserialize)]
struct StreamRecord {
    dynamodb: StreamImage,
}

#[derive(Deserialize)]
struct StreamImage {
    #[serde(rename = "Keys")]
    keys: StreamKeys,
}

#[derive(Deserialize)]
struct StreamKeys {
    #[serde(rename = "PK")]
    partition: StreamText,
}

#[derive(Deserialize)]
struct StreamText {
    #[serde(rename = "S")]
    text: String,
}

impl Dispatcher {
    /// Reads the dispatch function's configuration from its environment.
    pub fn from_environment(environment: &mut Environment) -> Result<Self, String> {
        let connection = environment.connection()?;
        let context = environment.context(&connection);
        Ok(Dispatcher { context, queue: Queue::new(&connection, environment.required("DELIVERY_QUEUE_URL")) })
    }

    /// Dispatches the events that the records belong to. Never reports a failed record, and ends in time in an outage too: an
    /// invocation that times out would be repeated with the same records.
    pub async fn work(&self, records: StreamRecords) -> Outcome {
        let partitions = records.records.into_iter().map(|record| record.dynamodb.keys.partition.text);
        let waiting = partitions.filter_map(|partition| {
            let (organization, event) = event_of(&partition)?;
            Some(Waiting { organization, event })
        });
        if timeout(BUDGET, dispatch_with_retries(self, waiting.collect())).await.is_err() {
            tracing::warn!("a batch of events could not be dispatched in time; the sweep dispatches the rest");
        }
        Outcome { batch_item_failures: Vec::new() }
    }
}

async fn dispatch_with_retries(dispatcher: &Dispatcher, mut waiting: Vec<Waiting>) {
    for attempt in 1..=ATTEMPTS {
        let outcomes = dispatcher.dispatch(&waiting).await;
        let mut failed = Vec::new();
        for (waiting, outcome) in waiting.into_iter().zip(outcomes) {
            let Err(failure) = outcome else { continue };
            let (event, cause) = (&waiting.event, failure.log_text());
            about(&waiting.organization, None)
                .in_scope(|| tracing::warn!(%event, attempt, "an event could not be dispatched: {cause}"));
            failed.push(waiting);
        }
        if failed.is_empty() {
            return;
        }
        waiting = failed;
        sleep(PAUSE * attempt).await;
    }
}
