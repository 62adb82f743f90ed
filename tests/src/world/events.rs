//! Events on their way to webhooks.

use aws::queue::QueueEvent;
use serde_json::{Value, json};

use super::World;

impl World {
    /// Invokes the dispatch function with the stream records of all events that wait for it.
    pub async fn dispatch(&self) {
        let records: Vec<Value> = self.waiting_events().await.into_iter().map(|partition| {
            json!({"eventName": "INSERT", "dynamodb": {"Keys": {"PK": {"S": partition}, "SK": {"S": "EVT"}}}})
        }).collect();
        let event = serde_json::from_value(json!({"Records": records})).unwrap();
        self.dispatcher.work(event).await;
    }

    /// The partitions of the events that wait for their dispatch.
    pub async fn waiting_events(&self) -> Vec<String> {
        let items = self.account.items().await;
        let waiting = items.iter().filter(|item| item["PK"].starts_with("EVT#") && item.contains_key("dueAt"));
        waiting.map(|item| item["PK"].clone()).collect()
    }

    /// Invokes the deliver function with up to ten messages of each delivery queue. Returns `false` if both are empty.
    pub async fn deliver(&self) -> bool {
        let prompt = self.deliver_from(&self.account.deliveries).await;
        self.deliver_from(&self.account.patient_deliveries).await || prompt
    }

    /// Invokes the deliver function with up to ten messages of a queue. Returns `false` if it is empty.
    pub async fn deliver_from(&self, queue: &str) -> bool {
        self.drain(queue, async |event| {
            let event: QueueEvent = serde_json::from_value(event).unwrap();
            serde_json::to_value(Box::pin(self.deliverer.work(event)).await).unwrap()
        })
        .await
    }

    /// Dispatches all events and delivers them.
    pub async fn send_events(&self) {
        self.dispatch().await;
        while self.deliver().await {}
    }
}
