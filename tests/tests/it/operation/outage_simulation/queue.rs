//! A model of SQS.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{BATCH, RECEIPTS, VISIBILITY};

/// A message of the queue.
struct Held {
    body: String,
    first_sent_at: Option<String>,
    sent_at: i64,
    received: u32,
}

/// The queue, and the time.
#[derive(Default)]
pub(super) struct State {
    pub(super) is_table_down: bool,
    /// The time at which the running invocation sends, in milliseconds.
    pub(super) now: i64,
    next: u64,
    /// Messages by the time at which they become visible.
    waiting: BTreeMap<(i64, u64), Held>,
    in_flight: BTreeMap<u64, (i64, Held)>,
    pub(super) dead: usize,
    pub(super) sent: usize,
    pub(super) receipts: usize,
}

impl State {
    /// Performs an operation of SQS.
    pub(super) fn perform(&mut self, operation: &str, call: &Value) -> Value {
        match operation {
            "ChangeMessageVisibility" => self.change_visibility(call),
            "SendMessageBatch" => self.send(call),
            other => panic!("unexpected operation: {other}"),
        }
    }

    fn change_visibility(&mut self, call: &Value) -> Value {
        let handle: u64 = call["ReceiptHandle"].as_str().unwrap().parse().unwrap();
        let visible_at = self.now + call["VisibilityTimeout"].as_i64().unwrap() * 1000;
        self.in_flight.get_mut(&handle).unwrap().0 = visible_at;
        json!({})
    }

    fn send(&mut self, call: &Value) -> Value {
        let entries = call["Entries"].as_array().unwrap();
        for entry in entries {
            let first_sent_at = entry["MessageAttributes"]["FirstSentAt"]["StringValue"].as_str();
            let held = Held {
                body: entry["MessageBody"].as_str().unwrap().to_owned(),
                first_sent_at: first_sent_at.map(str::to_owned),
                sent_at: self.now,
                received: 0,
            };
            let delay = entry["DelaySeconds"].as_i64().unwrap_or(0);
            assert!(delay <= 900 && entry["MessageGroupId"].is_string());
            self.put(self.now + delay * 1000, held);
            self.sent += 1;
        }

        let taken = entries.iter().map(|entry| json!({"Id": entry["Id"], "MessageId": "1", "MD5OfMessageBody": ""}));
        json!({"Successful": taken.collect::<Vec<_>>(), "Failed": []})
    }

    fn put(&mut self, visible_at: i64, held: Held) {
        self.next += 1;
        self.waiting.insert((visible_at, self.next), held);
    }

    /// The time at which the next message becomes visible.
    pub(super) fn next_visible(&self) -> Option<i64> {
        self.waiting.first_key_value().map(|(key, _)| key.0)
    }

    /// Receives a batch, as an invocation gets it. Messages with too many receipts become dead letters.
    pub(super) fn receive(&mut self) -> Vec<Value> {
        let mut records = Vec::new();
        while records.len() < BATCH {
            let Some(entry) = self.waiting.first_entry().filter(|first| first.key().0 <= self.now) else { break };
            let ((_, handle), mut held) = entry.remove_entry();
            held.received += 1;
            if held.received > RECEIPTS {
                self.dead += 1;
                continue;
            }
            self.receipts += 1;

            let copied = held.first_sent_at.as_ref().map(|at| json!({"stringValue": at, "dataType": "Number"}));
            records.push(json!({
                "messageId": handle.to_string(), "receiptHandle": handle.to_string(), "body": held.body,
                "attributes": {"ApproximateReceiveCount": held.received.to_string(), "SentTimestamp": held.sent_at.to_string()},
                "messageAttributes": copied.map_or(json!({}), |at| json!({"FirstSentAt": at})),
            }));
            let hidden_until = self.now + i64::try_from(VISIBILITY.as_millis()).unwrap();
            self.in_flight.insert(handle, (hidden_until, held));
        }
        records
    }

    /// Ends an invocation: deletes the messages that are done; the others become visible again at their time.
    pub(super) fn end(&mut self, records: &[Value], failed: &Value) {
        for record in records {
            let id = record["messageId"].as_str().unwrap();
            let (visible_at, held) = self.in_flight.remove(&id.parse().unwrap()).unwrap();
            if failed.as_array().unwrap().contains(&json!({"itemIdentifier": id})) {
                self.put(visible_at, held);
            }
        }
    }
}
