//! Queued messages: each is attempted once, at its turn, whatever stops, fails or comes twice. The tests are named after the
//! rows of the table in docs/adr/0026-queued-sends.md.

mod attempts;
mod interruptions;
mod outages;
mod pace;
mod rate_limits;
mod refusals;
mod requests;
mod scene;
mod unknown_outcomes;

use std::time::Duration;

use domain::job::Job;
use serde_json::{Value, json};
use tests::chat::Line;

const DAY: Duration = Duration::from_secs(86_400);
/// After this time, the sweep queues a message whose queue message was lost.
const QUEUED_AGAIN: Duration = Duration::from_secs(61);
/// After this time, an attempt without an outcome is unknown.
const UNRESOLVED: Duration = Duration::from_secs(121);

const TO: &str = "+16505551234";
/// Another recipient.
const ELSEWHERE: &str = "+16505551235";

/// The outcome of a message, and how many requests to send it the platform has got.
type Progress = (String, usize);

fn pending(requests: usize) -> Progress {
    ("PENDING".to_owned(), requests)
}

fn accepted(requests: usize) -> Progress {
    ("ACCEPTED".to_owned(), requests)
}

fn unknown(requests: usize) -> Progress {
    ("UNKNOWN".to_owned(), requests)
}

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// A text for this number.
fn to(number: &str) -> Value {
    json!({"to": number, "type": "text", "text": {"body": "Hello"}})
}

fn hello() -> Value {
    to(TO)
}

/// A text that expires after this time.
fn valid_for(seconds: u64) -> Value {
    let mut body = hello();
    body["validForSeconds"] = json!(seconds);
    body
}

/// The object with these of its fields only. Missing ones are `null`.
fn fields<const N: usize>(object: &Value, names: [&str; N]) -> Value {
    names.into_iter().map(|name| (name.to_owned(), object[name].clone())).collect()
}

/// The job of the queue message of a message.
fn job(line: &Line, id: &str) -> Job {
    Job::Send {
        v: 1,
        organization_id: line.org.id.parse().unwrap(),
        number_id: line.number.parse().unwrap(),
        message_id: id.parse().unwrap(),
    }
}
