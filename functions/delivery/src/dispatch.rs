//! Told by the table's stream of events in the outbox, makes their deliveries. What fails here is not given back to the stream,
//! which would hold up everything behind it: the event stays due, and the sweep makes good.

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

/// Records of the table's stream, keys only.
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
    pub fn from_environment(environment: &mut Environment) -> Result<Self, String> {
        let connection = environment.connection()?;
        let context = environment.context(&connection);
        Ok(Dispatcher { context, queue: Queue::new(&connection, environment.required("DELIVERY_QUEUE_URL")) })
    }

    /// Dispatches the events that the records are of. No record is ever given back.
    pub async fn work(&self, records: StreamRecords) -> Outcome {
        let partitions = records.records.into_iter().map(|record| record.dynamodb.keys.partition.text);
        stream::iter(partitions).for_each_concurrent(SIDE_BY_SIDE, |partition| one(self, partition)).await;
        Outcome { batch_item_failures: Vec::new() }
    }
}

async fn one(dispatcher: &Dispatcher, partition: String) {
    let Some((organization, event)) = event_of(&partition) else { return };
    let about = about(&organization, None);
    try_dispatch(dispatcher, organization, event).instrument(about).await;
}

async fn try_dispatch(dispatcher: &Dispatcher, organization: OrganizationId, event: EventId) {
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
