//! Consumes the table's stream and dispatches new events of the outbox. Failed records are not returned to the stream,
//! because they would block the records behind them: the event stays due, and the sweep dispatches it later.

use std::time::Duration;

use aws::queue::{Outcome, Queue};
use domain::id::{EventId, OrganizationId};
use futures_util::{StreamExt as _, stream};
use runtime::{Environment, logging::about};
use serde::Deserialize;
use store::keys::event_of;
use tokio::time::sleep;
use tracing::Instrument as _;

use crate::Dispatcher;

const SIDE_BY_SIDE: usize = 10;
const ATTEMPTS: u32 = 3;
const PAUSE: Duration = Duration::from_millis(300);

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

    /// Dispatches the events that the records belong to. Never reports a failed record.
    pub async fn work(&self, records: StreamRecords) -> Outcome {
        let partitions = records.records.into_iter().map(|record| record.dynamodb.keys.partition.text);
        stream::iter(partitions).for_each_concurrent(SIDE_BY_SIDE, |partition| dispatch_record(self, partition)).await;
        Outcome { batch_item_failures: Vec::new() }
    }
}

async fn dispatch_record(dispatcher: &Dispatcher, partition: String) {
    let Some((organization, event)) = event_of(&partition) else { return };
    let about = about(&organization, None);
    dispatch_with_retries(dispatcher, organization, event).instrument(about).await;
}

async fn dispatch_with_retries(dispatcher: &Dispatcher, organization: OrganizationId, event: EventId) {
    for attempt in 1..=ATTEMPTS {
        match dispatcher.dispatch(&organization, &event).await {
            Ok(()) => return,
            Err(failure) => {
                let cause = failure.cause().map_or_else(|| failure.message().to_owned(), ToString::to_string);
                tracing::warn!(event = %event, attempt, "an event could not be dispatched: {cause}");
                sleep(PAUSE * attempt).await;
            }
        }
    }
}
