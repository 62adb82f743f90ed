//! Throttling and outages of AWS: queued work is put back with a delay and keeps its tries.

use std::time::Duration;

use aws_sdk_sqs::types::MessageSystemAttributeName::MessageGroupId;
use domain::id::OrganizationId;
use domain::job::{DeliveryJob, Job};
use runtime::Metric;
use serde_json::{Value, json};
use tests::chat::{Line, connect, event_counts};
use tests::faults::{Fault, Outage};
use tests::receiver::{Receiver, status};
use tests::request::text;
use tests::standin::{APP_SECRET, signature};
use tests::{Call, Service as _, World};

/// More than the five tries of a message.
const ROUNDS: usize = 7;

/// Queues messages of a number instead of applying them.
async fn queue_updates(world: &World, line: &Line, count: usize) {
    let message = |n: usize| json!({"id": format!("wamid.{n}"), "from": format!("1650555{:04}", n % 20), "timestamp": "2000000000", "type": "text", "text": {"body": "x"}});
    let messages: Vec<Value> = (0..count).map(message).collect();
    let body = line.about("messages", &json!({"messages": messages})).to_string().into_bytes();
    let signed = signature(APP_SECRET, &body);
    let call = Call::post("/v1/platform/notifications").header("x-hub-signature-256", &signed).bytes(body);
    assert_eq!(world.notifications(Duration::ZERO).respond(call.request()).await.status(), 200);
}

fn put_back(world: &World) -> usize {
    world.metrics.json().iter().filter(|line| line.get(Metric::PutBackMessages.name()).is_some()).count()
}

/// Every message is tried more often than its five tries, and none becomes a dead letter. Then all updates are applied once.
async fn updates_outlast(outage: Outage, account: &str) {
    const UPDATES: usize = 200;
    let world = World::new().await;
    let line = connect(&world, &world.org, account).await;
    queue_updates(&world, &line, UPDATES).await;
    world.faults.set(Fault::TableDown(outage));
    let mut received = 0;
    while received < ROUNDS * UPDATES.div_ceil(25) {
        assert!(world.work().await, "no message is left");
        received = put_back(&world);
    }
    world.faults.clear();
    assert!(world.dead_letters().await.is_empty());
    world.work_off().await;
    let mut listed = 0;
    let mut next = String::new();
    loop {
        let path = format!("/v1/organization/chat/messages?chatPhoneNumberId={}&limit=100{next}", line.number);
        let page = world.admin(Call::get(path)).await.expect(200);
        listed += page["data"].as_array().unwrap().len();
        let Some(cursor) = page["nextCursor"].as_str() else { break };
        next = format!("&cursor={cursor}");
    }
    assert_eq!((listed, event_counts(&world, &line.org).await["messages.chat.received"]), (UPDATES, UPDATES));
    assert!(world.dead_letters().await.is_empty());
}

#[tokio::test]
async fn updates_outlast_a_table_that_throttles() {
    updates_outlast(Outage::Throttling, "1951").await;
}

#[tokio::test]
async fn updates_outlast_a_table_that_fails() {
    updates_outlast(Outage::Failing, "1952").await;
}

#[tokio::test]
async fn updates_outlast_a_table_that_is_silent() {
    updates_outlast(Outage::Silent, "1953").await;
}

/// Syncs and media fetches keep their tries too, and the metric counts them.
#[tokio::test]
async fn jobs_of_every_kind_are_put_back() {
    let world = World::new().await;
    let organization_id: OrganizationId = world.org.id.parse().unwrap();
    let profile_id = "wabp_0ujtsYcgvSTl8PAuAdqWYSMnLOv";
    let jobs = [
        json!({"job": "syncTemplates", "v": 1, "organizationId": organization_id, "profileId": profile_id, "dryRun": false, "run": "x"}),
        json!({"job": "fetchMedia", "v": 1, "organizationId": organization_id, "profileId": profile_id,
            "numberId": "wapn_0ujtsYcgvSTl8PAuAdqWYSMnLOv", "messageId": "msg_wa_0ujtsYcgvSTl8PAuAdqWYSMnLOv"}),
    ];
    let jobs: Vec<Job> = jobs.into_iter().map(|job| serde_json::from_value(job).expect("a job")).collect();
    world.worker.inbox.queue.send(&jobs).await.unwrap();
    world.faults.set(Fault::TableDown(Outage::Throttling));
    while put_back(&world) < ROUNDS * jobs.len() {
        assert!(world.work().await, "no message is left");
    }
    world.faults.clear();
    assert!(world.dead_letters().await.is_empty());
}

/// If the queue does not accept the copy either, the message stays in the queue: nothing is lost.
#[tokio::test]
async fn a_message_that_cannot_be_put_back_stays_in_the_queue() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "1954").await;
    queue_updates(&world, &line, 1).await;
    world.faults.set(Fault::Throttled);
    assert!(world.work().await);
    assert_eq!(put_back(&world), 0);
    world.faults.clear();
    // It is hidden until its visibility timeout ends, because the call to change that timeout failed, too.
    let sqs = &world.account.sqs;
    use aws_sdk_sqs::types::QueueAttributeName::{ApproximateNumberOfMessages, ApproximateNumberOfMessagesNotVisible};
    let call = sqs.get_queue_attributes().queue_url(&world.account.queue);
    let call = call.attribute_names(ApproximateNumberOfMessages).attribute_names(ApproximateNumberOfMessagesNotVisible);
    let counts = call.send().await.unwrap().attributes.unwrap();
    let total: u32 = counts.values().map(|count| count.parse::<u32>().unwrap()).sum();
    assert_eq!(total, 1, "{counts:?}");
}

/// After two weeks, failures of any kind use up the tries.
#[tokio::test]
async fn work_is_put_back_for_two_weeks() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "1955").await;
    for (days, is_put_back) in [(13, true), (15, false)] {
        queue_updates(&world, &line, 1).await;
        world.clock.advance(Duration::from_secs(days * 86_400));
        world.faults.set(Fault::TableDown(Outage::Throttling));
        world.metrics.clear();
        assert!(world.work().await);
        assert_eq!(put_back(&world) == 1, is_put_back, "after {days} days");
        world.faults.clear();
        world.work_off().await;
    }
}

#[tokio::test]
async fn deliveries_outlast_an_outage() {
    let world = World::with_local_webhooks().await;
    let receiver = Receiver::start(status(200));
    let hook = json!({"url": receiver.url, "events": ["messages.sms.received"]});
    let hooks = format!("/v1/organization/apps/{}/webhooks", world.org.test_app);
    world.admin(Call::post(&hooks).json(&hook)).await.expect(201);
    let key = &world.org.test_app_key;
    let system = world.send(Call::get("/v1/playground/phone-numbers/system").key(key)).await.expect(200);
    let sms = json!({"from": "+442079460111", "to": system["numbers"][0], "text": "Hello"});
    world.send(Call::post("/v1/playground/sms/inbound").key(key).json(&sms)).await.expect(201);
    world.dispatch().await;
    world.faults.set(Fault::TableDown(Outage::Failing));
    while put_back(&world) < ROUNDS {
        assert!(world.deliver().await, "no message is left");
    }
    assert!(receiver.got().is_empty());
    world.faults.clear();
    while world.deliver().await {}
    assert_eq!(receiver.got().len(), 1);
    assert!(world.messages(&world.account.delivery_dead_letters).await.is_empty());
}

/// A dispatch in an outage gives up in time; the events stay due.
#[tokio::test]
async fn events_stay_due_in_an_outage() {
    let world = World::with_local_webhooks().await;
    let key = &world.org.test_app_key;
    let system = world.send(Call::get("/v1/playground/phone-numbers/system").key(key)).await.expect(200);
    let sms = json!({"from": "+442079460111", "to": system["numbers"][0], "text": "Hello"});
    world.send(Call::post("/v1/playground/sms/inbound").key(key).json(&sms)).await.expect(201);
    let [event] = &world.waiting_events().await[..] else { panic!("one event") };
    let record = json!({"dynamodb": {"Keys": {"PK": {"S": event}, "SK": {"S": "EVT"}}}});
    world.faults.set(Fault::TableDown(Outage::Failing));
    let records = serde_json::from_value(json!({"Records": [record]})).unwrap();
    let outcome = serde_json::to_value(world.dispatcher.work(records).await).unwrap();
    assert_eq!(outcome, json!({"batchItemFailures": []}));
    world.faults.clear();
    assert_eq!(world.waiting_events().await.len(), 1);
}

/// The message group of SQS fair queues is the organization, of copies of jobs that were put back and of deliveries.
#[tokio::test]
async fn messages_are_grouped_by_organization() {
    let world = World::with_local_webhooks().await;
    let other = world.organization("Other").await;
    let lines = [connect(&world, &world.org, "1956").await, connect(&world, &other, "1957").await];
    let message = |line: &Line| {
        let message = json!({"id": "wamid.1", "type": "text", "text": {"body": "Hi"}});
        line.message(&message)["entry"][0].clone()
    };
    let told = json!({"object": "whatsapp_business_account", "entry": [message(&lines[0]), message(&lines[1])]});
    let body = told.to_string().into_bytes();
    let signed = signature(APP_SECRET, &body);
    let call = Call::post("/v1/platform/notifications").header("x-hub-signature-256", &signed).bytes(body);
    assert_eq!(world.notifications(Duration::ZERO).respond(call.request()).await.status(), 200);
    world.faults.set(Fault::TableDown(Outage::Throttling));
    assert!(world.work().await);
    world.faults.clear();
    let groups = grouped(&world, &world.account.queue).await;
    let of = |body: &str| serde_json::from_str::<Job>(body).unwrap().organization().map(ToString::to_string);
    let mut organizations: Vec<Option<String>> = groups.iter().map(|(body, _)| of(body)).collect();
    assert!(groups.iter().all(|(body, group)| of(body) == *group), "{groups:?}");
    let mut expected = vec![Some(world.org.id.clone()), Some(other.id.clone())];
    organizations.sort();
    expected.sort();
    assert_eq!(organizations, expected);

    let hooks = format!("/v1/organization/apps/{}/webhooks", world.org.app);
    let hook = json!({"url": "https://example.com", "events": ["messages.chat.received"]});
    let hook = text(&world.admin(Call::post(&hooks).json(&hook)).await.expect(201), "id");
    world.admin(Call::post(format!("{hooks}/{hook}/test"))).await.expect(202);
    let groups = grouped(&world, &world.account.deliveries).await;
    let of = |body: &str| serde_json::from_str::<DeliveryJob>(body).unwrap().organization_id.to_string();
    assert_eq!(groups.len(), 1);
    assert!(groups.iter().all(|(body, group)| Some(of(body)) == *group && *group == Some(world.org.id.clone())));
}

/// The messages of a queue, and their groups.
async fn grouped(world: &World, queue: &str) -> Vec<(String, Option<String>)> {
    let call = world.account.sqs.receive_message().queue_url(queue).max_number_of_messages(10);
    let messages = call.message_system_attribute_names(MessageGroupId).send().await.unwrap().messages;
    let shown = messages.unwrap_or_default().into_iter().map(|message| {
        let group = message.attributes.and_then(|all| all.get(&MessageGroupId).cloned());
        (message.body.unwrap(), group)
    });
    shown.collect()
}
