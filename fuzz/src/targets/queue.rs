//! Messages between functions and stored values. Line 1 names the kind of the rest.
//!
//! - `worker`, `deliver`: the body of a message. It is processed or reported as failed; nothing panics.
//! - `event`: an outbox event, from dispatch to delivery attempts. Each subscribed webhook gets it once, however often it is
//!   dispatched.
//! - `stream`: a batch of stream records; no record is reported as failed.
//! - `batch`: a batch of queue messages; exactly the failed messages are reported.
//! - `attempts`: one byte per event in a delivery's life. The delivery ends, its next attempt is always in the future, and no
//!   attempt is lost.
//! - the name of a type: a value that is read can be written and read again, as JSON and as a table item.

use std::collections::BTreeSet;
use std::time::Duration;

use aws::queue::QueueEvent;
use delivery::Waiting;
use domain::Mode;
use domain::chat::{ChatBusinessProfile, ChatMessage, ChatPhoneNumber, Contact, Group, Template};
use domain::events::delivery::{Attempt, Delivery, ReceiverHealth, has_ended};
use domain::events::event::{Audience, EventName, OutboxEvent};
use domain::events::webhook::{Webhook, WebhookSecrets};
use domain::identity::app::App;
use domain::identity::holder::Credential;
use domain::identity::key::{AdminKey, AppKey};
use domain::identity::organization::Organization;
use domain::job::{DeliveryJob, DeliveryMessage, Job, RecoveryJob};
use domain::media::Media;
use domain::number::PhoneNumber;
use domain::sms::SmsMessage;
use inbound::Routed;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use store::{Change, failure_from_text, failure_to_text};

use super::line;
use crate::service::{Service, invocation, now, service};

/// More attempts than a delivery keeps, so that the oldest ones are dropped.
const MOST_HAPPENED: usize = 128;
const DAY: Duration = Duration::from_secs(24 * 3600);

pub fn run(input: &[u8]) {
    let (kind, rest) = line(input);
    let kind = String::from_utf8_lossy(kind);
    if kind == "attempts" {
        return attempts(rest);
    }
    let Ok(text) = std::str::from_utf8(rest) else { return };
    match &*kind {
        "worker" | "deliver" => {
            let service = service();
            let event = invocation(&[service.fill(text)]);
            let outcome = if kind == "worker" {
                service.run(service.worker.work(event))
            } else {
                service.run(service.deliverer.work(event))
            };
            assert!(outcome.batch_item_failures.iter().all(|failed| failed.item_identifier == "message-0"));
            expect_readable(&service.memory.sent());
        }
        "event" => {
            let service = service();
            let text = service.fill(text);
            if let Ok(event) = serde_json::from_str(&text) {
                expect_delivered(&service, &event);
            }
        }
        "stream" => {
            let service = service();
            if let Ok(event) = serde_json::from_str(&service.fill(text)) {
                let outcome = service.run(service.dispatcher.work(event));
                assert_eq!(json!(outcome), json!({"batchItemFailures": []}));
            }
        }
        "batch" => batch(text),
        _ => stored(&kind, text),
    }
}

/// Checks that the functions can read the messages that were sent.
fn expect_readable(sent: &[String]) {
    for message in sent {
        let is_known =
            serde_json::from_str::<Job>(message).is_ok() || serde_json::from_str::<DeliveryMessage>(message).is_ok();
        assert!(is_known, "{message}");
    }
}

fn batch(text: &str) {
    let Ok(event) = serde_json::from_str::<QueueEvent>(text) else { return };
    let done: Vec<bool> = event.records.iter().map(|message| message.body.len() % 2 == 0).collect();
    assert!(event.records.iter().all(|message| message.received() >= 1));
    let wanted: Vec<&str> = event
        .records
        .iter()
        .zip(&done)
        .filter(|(_, done)| !**done)
        .map(|(message, _)| message.message_id.as_str())
        .collect();
    let outcome = event.outcome(done.clone());
    let named: Vec<&str> = outcome.batch_item_failures.iter().map(|failed| failed.item_identifier.as_str()).collect();
    assert_eq!(named, wanted);
}

fn expect_delivered(service: &Service, event: &OutboxEvent) {
    let o = super::organization(&service.name("ORG")["org_".len()..]);
    let store = &service.dispatcher.context.store;
    let mut change = Change::new(&o);
    change.emit(event).expect("an item");
    // An event that cannot be stored is not an event.
    if service.run(store.commit(&change)).is_err() {
        return;
    }
    let waiting = [Waiting { organization: o.clone(), event: event.id.clone() }];
    let dispatch = || {
        for dispatched in service.run(service.dispatcher.dispatch(&waiting)) {
            dispatched.expect("dispatched");
        }
    };
    dispatch();
    let jobs: Vec<DeliveryJob> =
        service.memory.sent().iter().map(|sent| serde_json::from_str(sent).expect("the job of a delivery")).collect();
    let made = deliveries(service);
    assert_eq!(jobs.len(), made.len());
    // The organization's only webhook subscribes to all events.
    let is_known = EventName::ALL.iter().any(|name| json!(name) == json!(event)["type"]);
    let is_heard = is_known
        && match &event.audience {
            Audience::AppsOfNumber(number) => number == service.name("LIVE_NUMBER"),
            Audience::AllApps => event.mode == Mode::Live,
            Audience::App(app) => app == service.name("APP"),
            Audience::Nobody => false,
        };
    assert_eq!(jobs.len(), usize::from(is_heard), "{event:?}");
    // Within the same millisecond, the second dispatch would create identical items, which the store takes for its own write.
    service.tick();
    dispatch();
    assert!(service.memory.sent().is_empty() && deliveries(service) == made, "dispatched twice");
    for job in jobs {
        let is_json = serde_json::from_str::<Value>(&event.data).is_ok();
        let message = serde_json::to_string(&job).expect("JSON");
        let outcome = service.run(service.deliverer.work(invocation(&[message])));
        if has_ended(&event.id, now()) {
            assert!(outcome.batch_item_failures.is_empty() && service.memory.sent().is_empty(), "{}", service.logged());
            assert!(deliveries(service).iter().all(|delivery| delivery["status"]["S"] == "SKIPPED"));
        } else if is_json {
            assert!(outcome.batch_item_failures.is_empty(), "{}", service.logged());
            // No name resolves here: the attempt failed, and the next one is queued.
            let [next] = &service.memory.sent()[..] else { panic!("no next attempt: {}", service.logged()) };
            let next: DeliveryJob = serde_json::from_str(next).expect("the job of a delivery");
            assert_eq!(next, DeliveryJob { revision: job.revision + 1, ..job });
            assert!(
                deliveries(service)
                    .iter()
                    .all(|delivery| delivery["attempts"]["L"].as_array().is_some_and(|all| all.len() == 1))
            );
        }
    }
}

fn deliveries(service: &Service) -> Vec<Value> {
    let changes = service.memory.changes().into_iter();
    changes.filter(|(key, _)| key.starts_with("DLV#")).map(|(_, item)| item).collect()
}

fn attempts(happened: &[u8]) {
    let parts =
        ("evt_0ujtsYcgvSTl8PAuAdqWYSMnLOv", "app_0ujtsYcgvSTl8PAuAdqWYSMnLOv", "whk_0ujtsYcgvSTl8PAuAdqWYSMnLOv");
    let (outbox, app, webhook) =
        (parts.0.parse().expect("an id"), parts.1.parse().expect("an id"), parts.2.parse().expect("an id"));
    let mut now = now();
    let delivery = Delivery::new(&outbox, EventName::MessagesSmsSent.into(), &app, &webhook, now);
    let mut delivery = delivery.expect("a delivery");
    for byte in happened.iter().take(MOST_HAPPENED) {
        let before = delivery.clone();
        let is_pending = json!(delivery.status) == "PENDING";
        match byte % 4 {
            0 => delivery.again(now),
            1 if is_pending => delivery.skip(),
            _ if is_pending => {
                let status_code =
                    [None, Some(200), Some(299), Some(301), Some(410), Some(429), Some(500), Some(u16::from(*byte))]
                        [usize::from(byte >> 2) % 8];
                let error = (byte % 4 == 3).then(|| "broke off".to_owned());
                let attempt = Attempt {
                    attempted_at: now,
                    status_code,
                    error,
                    duration_ms: 1,
                    response_body: None,
                    header_names: Vec::new(),
                    to_queue: false,
                };
                let (succeeded, asked) = (attempt.has_succeeded(), Duration::from_secs(u64::from(*byte) * 1000));
                delivery.note(attempt, Some(asked), u32::from(*byte) * 5, now);
                assert!((1..=30).contains(&delivery.attempts.len()) && delivery.round <= 10, "{delivery:?}");
                assert_eq!(json!(delivery.status) == "DELIVERED", succeeded);
                assert!(delivery.round < 10 || delivery.next_attempt_at.is_none(), "{delivery:?}");
            }
            _ => continue,
        }
        let status = json!(delivery.status);
        assert_eq!(delivery.next_attempt_at.is_some(), status == "PENDING", "{delivery:?}");
        assert!(delivery.next_attempt_at.is_none_or(|at| now <= at && at <= now.plus(DAY * 6 / 5)), "{delivery:?}");
        assert!(delivery.revision > before.revision && delivery.id == before.id);
        now = delivery.next_attempt_at.unwrap_or(now);
    }
    expect_same::<Delivery>(&json!(delivery).to_string());
}

macro_rules! stored {
    ($kind:expr, $text:expr, $($name:ident)+) => {
        match $kind {
            $(stringify!($name) => expect_same::<$name>($text),)+
            // The store has an item of its own for templates, with their components as text.
            "Template" => drop(expect_same_json::<Template>($text)),
            "Failure" | "Job" | "DeliveryJob" | "RecoveryJob" | "Routed" => {
                expect_same_failure($text);
                expect_same_json::<Job>($text);
                expect_same_json::<DeliveryJob>($text);
                expect_same_json::<RecoveryJob>($text);
                expect_same_json::<Routed>($text);
            }
            _ => {}
        }
    };
}

fn stored(kind: &str, text: &str) {
    stored! { kind, text,
        AdminKey App AppKey ChatBusinessProfile ChatMessage ChatPhoneNumber Contact Credential Delivery Group Media Organization
        OutboxEvent PhoneNumber ReceiverHealth SmsMessage Webhook WebhookSecrets
    }
}

fn expect_same_json<T: Serialize + DeserializeOwned>(text: &str) -> Option<T> {
    let read = serde_json::from_str::<T>(text).ok()?;
    let written = serde_json::to_string(&read).expect("JSON");
    let again = serde_json::from_str::<T>(&written).unwrap_or_else(|error| panic!("{error}: {written}"));
    assert_eq!(serde_json::to_string(&again).expect("JSON"), written);
    Some(read)
}

fn expect_same_failure(text: &str) {
    let Ok(read) = failure_from_text(text) else { return };
    let written = failure_to_text(&read).expect("JSON");
    let again = failure_from_text(&written).unwrap_or_else(|error| panic!("{}: {written}", error.log_text()));
    assert_eq!(failure_to_text(&again).expect("JSON"), written);
}

fn expect_same<T: Serialize + DeserializeOwned>(text: &str) {
    use aws_sdk_dynamodb::types::AttributeValue;
    let Some(read) = expect_same_json::<T>(text) else { return };
    let item: std::collections::HashMap<String, AttributeValue> = serde_dynamo::to_item(&read).expect("an item");
    let names: BTreeSet<&str> = item.keys().map(String::as_str).collect();
    assert!(!names.contains("PK") && !names.contains("SK"), "{names:?}");
    let again: T = serde_dynamo::from_item(item.clone()).unwrap_or_else(|error| panic!("{error}: {text}"));
    let item_again: std::collections::HashMap<String, AttributeValue> = serde_dynamo::to_item(&again).expect("an item");
    assert_eq!(item_again, item);
}
