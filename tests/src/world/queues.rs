//! The worker and the messages of the queues.

use std::sync::atomic::Ordering;
use std::time::Duration;

use aws::queue::QueueEvent;
use aws_sdk_sqs::types::Message;
use aws_sdk_sqs::types::MessageSystemAttributeName::All;
use serde_json::{Map, Value, json};

use super::World;
use crate::request::text;

/// The worker.
impl World {
    /// Invokes the worker with a batch from its queue, as a deployed event source mapping does. Returns `false` if the queue is
    /// empty.
    pub async fn work(&self) -> bool {
        self.work_on(&self.account.queue).await
    }

    /// Invokes the worker with a batch from the queue of messages to send. Returns `false` if the queue is empty.
    pub async fn send_queued(&self) -> bool {
        self.work_on(&self.account.sends).await
    }

    /// Invokes the worker with a batch from the queue of what the carrier reports. Returns `false` if the queue is empty.
    pub async fn hear_carrier(&self) -> bool {
        self.work_on(&self.account.carrier).await
    }

    async fn work_on(&self, queue: &str) -> bool {
        self.drain(queue, async |event| {
            let event: QueueEvent = serde_json::from_value(event).unwrap();
            // On the heap: the futures of all functions together are too large for the stack of a test's thread.
            serde_json::to_value(Box::pin(self.worker.work(event)).await).unwrap()
        })
        .await
    }

    /// Runs the worker in the background.
    pub async fn with_worker<T>(&self, meanwhile: impl Future<Output = T>) -> T {
        self.is_working.store(true, Ordering::SeqCst);
        tokio::select! {
            done = meanwhile => done,
            () = self.keep_working() => unreachable!(),
        }
    }

    pub(super) async fn keep_working(&self) {
        loop {
            if !self.work().await {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }

    /// Runs the worker until its queue is empty.
    pub async fn work_off(&self) {
        while self.work().await {}
    }
}

/// Messages of a queue.
impl World {
    pub async fn dead_letters(&self) -> Vec<String> {
        self.messages(&self.account.dead_letters).await
    }

    /// Receives and deletes up to ten messages. Returns their bodies.
    pub async fn take(&self, queue: &str) -> Vec<String> {
        let mut taken = Vec::new();
        let take = async |event: Value| {
            let bodies = event["Records"].as_array().unwrap().iter().map(|record| text(record, "body"));
            taken = bodies.collect();
            json!({"batchItemFailures": []})
        };
        self.drain(queue, take).await;
        taken
    }

    /// Receives up to ten messages without deleting them. Returns their bodies.
    pub async fn messages(&self, queue: &str) -> Vec<String> {
        let call = self.account.sqs.receive_message().queue_url(queue).max_number_of_messages(10);
        let messages = call.send().await.unwrap().messages.unwrap_or_default();
        messages.into_iter().filter_map(|message| message.body).collect()
    }

    /// Invokes a function with up to ten messages of a queue, as a deployed event source mapping does, and deletes those that
    /// it does not return as failed. Returns `false` if the queue is empty.
    pub(super) async fn drain(&self, queue: &str, work: impl AsyncFnOnce(Value) -> Value) -> bool {
        let sqs = &self.account.sqs;
        let call = sqs.receive_message().queue_url(queue).max_number_of_messages(10).message_attribute_names("All");
        let messages = call.message_system_attribute_names(All).send().await.unwrap();
        let messages = messages.messages.unwrap_or_default();

        let records: Vec<Value> = messages.iter().map(|message| record(queue, message)).collect();
        let outcome = work(json!({"Records": records})).await;

        for message in &messages {
            let failed = json!({"itemIdentifier": message.message_id});
            if !outcome["batchItemFailures"].as_array().unwrap().contains(&failed) {
                let handle = message.receipt_handle.clone().unwrap();
                sqs.delete_message().queue_url(queue).receipt_handle(handle).send().await.unwrap();
            }
        }
        !messages.is_empty()
    }
}

/// The message as Lambda passes it to a function.
fn record(queue: &str, message: &Message) -> Value {
    let name = queue.rsplit('/').next().unwrap();
    let attributes = message.attributes.iter().flatten().map(|(name, value)| (name.to_string(), json!(value)));
    let copied = message.message_attributes.iter().flatten().map(|(name, value)| {
        let value = json!({"stringValue": value.string_value, "dataType": value.data_type});
        (name.clone(), value)
    });
    json!({
        "messageId": message.message_id, "receiptHandle": message.receipt_handle, "body": message.body,
        "attributes": attributes.collect::<Map<String, Value>>(),
        "messageAttributes": copied.collect::<Map<String, Value>>(),
        "eventSourceARN": format!("arn:aws:sqs:us-east-1:000000000000:{name}"),
    })
}
