//! Failures of the installation: work that is late, dead letters, and storage that does not respond.

use std::sync::Arc;
use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use domain::due::DueClass;
use runtime::Metric;
use serde_json::{Value, json};
use tests::chat::{Line, connect};
use tests::faults::{Fault, Outage};
use tests::receiver::{Receiver, plain, status};
use tests::request::text;
use tests::standin::{APP_SECRET, signature};
use tests::{Call, Service as _, World};

use super::alarm::Alarm;
use super::outside::inject_problem;
use super::{MINUTE, NOTIFICATIONS, Shown};

/// Injects the failure of a row, and returns how it shows.
pub(super) async fn inject(world: &mut World, row: &str) -> Shown {
    let is_of = |kind: &str| row.strip_suffix(kind).map(str::to_lowercase);

    if row == "FunctionErrorsAlarm" {
        // An invocation that ends without a response.
        store_due(world, DueClass::Media).await;
        world.index_caught_up().await;
        world.faults.set(Fault::BucketSilent);
        let ended = world.sweeper.serve(serde_json::from_value(json!({})).unwrap()).await;
        assert!(ended.is_err(), "the rounds could not be queued");
        return Shown::Aws("FunctionErrorsAlarm", "Errors");
    }
    if let Some(queue) = is_of("DeadLettersAlarm").filter(|queue| !queue.is_empty()) {
        dead_letter(world, &queue).await;
        return Shown::Alarm("DeadLettersAlarm", Metric::DeadLetters);
    }

    for class in DueClass::ALL {
        if is_of("DueAlarm").is_some_and(|name| name == class.as_str()) {
            waits(world, class).await;
            return Shown::Alarm("DueWorkAlarm", Metric::OldestDueSeconds);
        }
        if is_of("UnreadAlarm").is_some_and(|name| name == class.as_str()) {
            cannot_be_read(world).await;
            return Shown::Missing("DueWorkAlarm");
        }
    }
    inject_by_name(world, row).await
}

async fn inject_by_name(world: &mut World, row: &str) -> Shown {
    use Shown::{Alarm, Aws, Missing};
    match row {
        "ServerErrorsAlarm" => {
            world.faults.set(Fault::TimedOut);
            world.admin(Call::get("/v1/organization/settings")).await.expect(500);
            Aws("ServerErrorsAlarm", "5xx")
        }
        "JobQueueAgeAlarm" => Aws("JobQueueAgeAlarm", "ApproximateAgeOfOldestMessage"),
        "CarrierQueueAgeAlarm" => Aws("CarrierQueueAgeAlarm", "ApproximateAgeOfOldestMessage"),
        // Throttled functions do not run, and throttled requests get a 5xx from the gateway.
        "DispatchIteratorAgeAlarm" | "FunctionThrottlesAlarm" => {
            event_of_a_webhook(world, &Receiver::start(status(200))).await;
            later(world, 6).await;
            Alarm("ProblemsAlarm", Metric::LateDueItems)
        }
        "DeliveryQueueAgeAlarm" | "PatientDeliveryQueueAgeAlarm" => {
            left_in_queue(world, row.starts_with("Patient")).await;
            Alarm("ProblemsAlarm", Metric::LateDueItems)
        }
        "SendQueueAgeAlarm" | "LateDueItemsAlarm" => {
            queue_message(world).await;
            later(world, 7).await;
            Alarm("ProblemsAlarm", Metric::LateDueItems)
        }
        "FailedDueItemsAlarm" | "PostponedWorkAlarm" => {
            announce(world).await;
            world.faults.set(Fault::BucketSilent);
            for minutes in [20, 10, 10] {
                later(world, minutes).await;
            }
            Alarm("PostponedWorkAlarm", Metric::FailedDueItems)
        }
        "PutBackMessagesAlarm" | "TableReadThrottlesAlarm" | "TableWriteThrottlesAlarm" => {
            throttled(world).await;
            Alarm("PostponedWorkAlarm", Metric::PutBackMessages)
        }
        "MeterLagAlarm" | "MeterIteratorAgeAlarm" => {
            for minutes in [1, 12, 5, 5] {
                world.clock.advance(MINUTE * minutes);
                Box::pin(world.sweeper.look()).await;
            }
            Alarm("DueWorkAlarm", Metric::OldestDueSeconds)
        }
        "UncountedChangesAlarm" => {
            let keys = json!({"PK": {"S": format!("SMS#{}#x", world.org.id)}, "SK": {"S": "SMS"}});
            let image = json!({"createdAt": {"S": "never"}});
            let change =
                json!({"Keys": keys, "NewImage": image, "SequenceNumber": "1", "ApproximateCreationDateTime": 1});
            world
                .meter(&[json!({"eventName": "INSERT", "dynamodb": change, "eventSourceARN": "table/stream/1"})])
                .await
                .unwrap();
            Alarm("ProblemsAlarm", Metric::UncountedChanges)
        }
        "UnknownDueItemsAlarm" => {
            store_due(world, DueClass::Media).await;
            later(world, 1).await;
            Alarm("ProblemsAlarm", Metric::UnknownDueItems)
        }
        "DueWorkAlarm" => {
            waits(world, DueClass::Sends).await;
            Alarm("DueWorkAlarm", Metric::OldestDueSeconds)
        }
        "DeadLettersAlarm" => {
            dead_letter(world, "job").await;
            Alarm("DeadLettersAlarm", Metric::DeadLetters)
        }
        // Nothing was published at all.
        "NoNotificationsAlarm" => Missing("NoNotificationsAlarm"),
        _ => inject_problem(world, row).await,
    }
}

/// Lets minutes pass; then the schedule runs once, and the rounds that it starts.
pub(super) async fn later(world: &World, minutes: u32) {
    world.clock.advance(MINUTE * minutes);
    world.index_caught_up().await;
    Box::pin(world.sweep_once()).await;
}

/// Stores an item of the class that is due, and that no release knows.
async fn store_due(world: &World, class: DueClass) {
    let text = |text: String| AttributeValue::S(text);
    let item = [
        ("PK", text("LATER#1".to_owned())),
        ("SK", text("LATER".to_owned())),
        ("duePartition", text(format!("{}#0", class.as_str()))),
        ("dueAt", AttributeValue::N(world.now().millis().to_string())),
    ];
    world.account.store_item(item.map(|(name, value)| (name.to_owned(), value)).into()).await;
}

/// Something of the class is due for twenty minutes, and no round is worked off.
async fn waits(world: &World, class: DueClass) {
    store_due(world, class).await;
    world.index_caught_up().await;
    for minutes in [12, 5, 5] {
        world.clock.advance(MINUTE * minutes);
        let looked = Box::pin(world.sweeper.look()).await;
        assert_eq!((looked.rounds.len(), looked.rounds[0].class, looked.unread), (1, class, 0));
    }
}

/// The index cannot be read, for ten minutes.
async fn cannot_be_read(world: &World) {
    Box::pin(world.sweeper.look()).await;
    assert!(!Alarm::named("DueWorkAlarm").is_on(world), "the look of an idle minute raises nothing");
    world.metrics.clear();

    for _ in 0..2 {
        world.clock.advance(MINUTE * 5);
        world.faults.set(Fault::TableDown(Outage::Failing));
        assert!(Box::pin(world.sweeper.look()).await.unread > 0);
        world.faults.clear();
    }
}

/// A message comes to a dead-letter queue.
async fn dead_letter(world: &World, name: &str) {
    let queue = world
        .account
        .all_dead_letters()
        .into_iter()
        .find(|url| url.to_lowercase().ends_with(&format!("/{name}deadletters")));
    let queue = queue.unwrap_or_else(|| panic!("no dead-letter queue of {name}"));
    world.account.sqs.send_message().queue_url(queue).message_body("{}").send().await.unwrap();

    // Dead letters are counted every five minutes.
    for _ in 0..5 {
        world.clock.advance(MINUTE);
        world.sweeper.serve(serde_json::from_value(json!({})).unwrap()).await.unwrap();
    }
}

/// Announces an upload that is not made.
async fn announce(world: &World) {
    let announced = json!({"fileName": "a.pdf", "mimeType": "application/pdf", "fileSize": 1000});
    world.send(Call::post("/v1/media/uploads").key(&world.org.app_key).json(&announced)).await.expect(201);
}

/// Queues a message that no worker sends.
async fn queue_message(world: &World) {
    let line = connect(world, &world.org, "6101").await;
    let body =
        json!({"from": line.number, "queue": true, "to": "+16505551234", "type": "text", "text": {"body": "Hi"}});
    world.send(Call::post("/v1/chat/messages").key(&world.org.app_key).json(&body)).await.expect(202);
}

/// Creates a webhook of this receiver and an event for it.
pub(super) async fn event_of_a_webhook(world: &World, receiver: &Receiver) {
    let hook = json!({"url": receiver.url, "events": ["messages.chat.received"]});
    let path = format!("/v1/organization/apps/{}/webhooks", world.org.test_app);
    let tested = text(&world.admin(Call::post(&path).json(&hook)).await.expect(201), "id");
    world.admin(Call::post(format!("{path}/{tested}/test"))).await.expect(202);

    let line = connect(world, &world.org, "6140").await;
    let path = format!("/v1/organization/apps/{}/webhooks", world.org.app);
    world.admin(Call::post(&path).json(&hook)).await.expect(201);
    world.notify(&greeting(&line)).await.expect(200);
}

/// A notification about a received message.
fn greeting(line: &Line) -> Value {
    line.message(&json!({"id": "wamid.1", "type": "text", "text": {"body": "Hi"}}))
}

/// A delivery waits in its queue for longer than it should, whatever the sweep adds to the queue.
async fn left_in_queue(world: &mut World, is_patient: bool) {
    let wait = Duration::from_millis(if is_patient { 400 } else { 0 });
    let receiver = Receiver::start(Arc::new(move |_, _| (wait, plain(200, ""))));
    event_of_a_webhook(world, &receiver).await;

    world.dispatch().await;
    if is_patient {
        // The first attempt shows that the receiver is slow.
        world.deliverer.prompt = wait / 4;
        world.deliver_from(&world.account.deliveries).await;
    }

    for minutes in [6, 7, 15] {
        later(world, minutes).await;
    }
}

/// The table throttles for half an hour: updates of the platform wait.
async fn throttled(world: &World) {
    let line = connect(world, &world.org, "6150").await;
    let body = greeting(&line).to_string().into_bytes();
    let signed = signature(APP_SECRET, &body);
    let call = Call::post(NOTIFICATIONS).header("x-hub-signature-256", &signed).bytes(body);
    assert_eq!(world.notifications(Duration::ZERO).respond(call.request()).await.status(), 200);

    world.faults.set(Fault::TableDown(Outage::Throttling));
    for _ in 0..3 {
        world.clock.advance(MINUTE * 10);
        assert!(world.work().await, "the update is in the queue");
    }
    world.faults.clear();
}
