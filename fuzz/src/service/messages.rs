//! Lambda events from a queue.

use aws::queue::QueueEvent;
use serde_json::{Value, json};

/// An SQS event with these message bodies.
pub(crate) fn invocation(bodies: &[String]) -> QueueEvent {
    let message = |(index, body): (usize, &String)| json!({"messageId": format!("message-{index}"), "receiptHandle": "handle", "body": body});
    let records: Vec<Value> = bodies.iter().enumerate().map(message).collect();
    serde_json::from_value(json!({"Records": records})).expect("an event")
}
