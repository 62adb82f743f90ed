//! Receipts and received messages of the carrier (docs/adr/0029-carrier-updates.md): topic -> queue -> worker.

use std::collections::BTreeMap;
use std::time::Duration;

use domain::Mode;
use domain::id::{OrganizationId, PhoneNumberId, SmsMessageId};
use domain::message::{Direction, Outcome};
use domain::organization::MessageRetention;
use domain::sms::SmsMessage;
use futures_util::future::{join, join_all};
use inbound::{CarrierUpdate, Reporter};
use ring::rand::SystemRandom;
use runtime::Metric;
use serde_json::{Value, json};
use store::{Change, Committed, MessageKind as _, SmsRecord, Stored, StoredSms};
use tests::faults::{Fault, Outage};
use tests::request::text;
use tests::sms::linked_number;
use tests::standin::{Gate, Misbehave};
use tests::topics::{Topic, inbound};
use tests::world::Organization;
use tests::{Call, Service as _, World};

const RECIPIENT: &str = "+12065550171";
const CARRIER_ID: &str = "carrier-1";
/// When the first receipt of a message says that something happened.
const FIRST: i64 = 1_795_230_000_000;

/// A phone number of an organization.
struct Line {
    org: Organization,
    organization: OrganizationId,
    number: PhoneNumberId,
    own: String,
}

impl Line {
    /// A number that is assigned to the app of its mode.
    async fn new(world: &World, org: &Organization, own: &str, mode: Mode) -> Line {
        let (key, app) = match mode {
            Mode::Live => (&org.admin, &org.app),
            Mode::Test => (&org.test_admin, &org.test_app),
        };
        let body = json!({"number": own, "appIds": [app]});
        let made = world.send(Call::post("/v1/organization/phone-numbers").key(key).json(&body)).await.expect(201);
        let number = text(&made, "id").parse().unwrap();
        Line { org: org.clone(), organization: org.id.parse().unwrap(), number, own: own.to_owned() }
    }

    /// A live number that the carrier has for the organization.
    async fn linked(world: &World, org: &Organization, own: &str) -> Line {
        let line = Line::new(world, org, own, Mode::Live).await;
        world.carrier_account.buy(own, "US", &["SMS", "MMS"]);
        let link = json!({"operation": "linkPhoneNumber", "organizationId": org.id, "number": own});
        assert_eq!(text(&world.operate(link).await.unwrap(), "phoneNumberId"), line.number.to_string());
        line
    }

    /// A message that waits; its attempt has not begun.
    async fn waiting(&self, world: &World) -> StoredSms {
        let id = SmsMessageId::mint(self.number.mode(), world.now(), &SystemRandom::new());
        let (from, to) = (self.own.parse().unwrap(), RECIPIENT.parse().unwrap());
        let mut message = SmsMessage::blank(id, &self.number, Direction::Outbound, from, to, world.now());
        message.outcome = Some(Outcome::Pending.into());
        let stored = Stored::new(SmsRecord::new(message), MessageRetention::default());
        let mut change = Change::new(&self.organization);
        change.create_message(&stored).unwrap();
        assert!(matches!(world.account.store().commit(&change).await.unwrap(), Committed::Done));
        stored
    }

    /// A message whose attempt has begun. Its outcome is not known yet.
    async fn attempted(&self, world: &World) -> StoredSms {
        let waiting = self.waiting(world).await;
        let org = world.account.store().of(&self.organization);
        org.begin_attempt(&waiting, "attempt".to_owned(), world.now()).await.unwrap().unwrap()
    }

    async fn read(&self, world: &World, message: &StoredSms) -> StoredSms {
        world.account.store().of(&self.organization).message(&message.message.id).await.unwrap().unwrap()
    }

    /// The carrier's response arrives.
    async fn respond(&self, world: &World, message: &StoredSms, respond: impl FnOnce(&mut StoredSms)) {
        let before = self.read(world, message).await;
        let mut after = before.clone();
        respond(&mut after);
        after.kept.revision += 1;
        let mut change = Change::new(&self.organization);
        change.update_message(&before, &after).unwrap();
        assert!(matches!(world.account.store().commit(&change).await.unwrap(), Committed::Done));
    }
}

/// A receipt of the message `seconds` after the first.
fn receipt(line: &Line, message: &StoredSms, result: &str, seconds: i64) -> Value {
    let context = json!({"organization": line.org.id, "message": message.message.id});
    receipt_about(&context, line, result, seconds)
}

/// A receipt of the message that was sent with this context.
fn receipt_about(context: &Value, line: &Line, result: &str, seconds: i64) -> Value {
    json!({
        "eventType": format!("TEXT_{result}"), "eventVersion": "1.0", "eventTimestamp": FIRST + seconds * 1000,
        "isFinal": !matches!(result, "QUEUED" | "PENDING" | "SENT"), "originationPhoneNumber": line.own,
        "destinationPhoneNumber": RECIPIENT, "isoCountryCode": "US", "messageId": CARRIER_ID,
        "messageRequestTimestamp": FIRST, "messageEncoding": "GSM", "messageType": "TRANSACTIONAL",
        "messageStatus": result, "messageStatusDescription": "…", "totalMessageParts": 2, "totalMessagePrice": 0.01162,
        "totalCarrierFee": 0.006, "context": context,
    })
}

fn with(mut whole: Value, changes: &Value) -> Value {
    whole.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
    whole
}

/// Applies updates as the worker does, without their way through topic and queue.
async fn apply(world: &World, reporter: &Reporter, updates: &[Value]) {
    for update in updates {
        let update = CarrierUpdate { reporter: reporter.clone(), at: world.now(), text: update.to_string() };
        Box::pin(world.worker.inbox.apply_carrier_update(&update)).await.unwrap();
    }
}

async fn hear_all(world: &World) {
    while world.hear_carrier().await {}
}

/// The events that wait to be dispatched, by name.
async fn events(world: &World, org: &Organization) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for item in world.account.items().await {
        if item["PK"].starts_with(&format!("EVT#{}#", org.id)) && item["type"].starts_with("messages.sms.") {
            *counts.entry(item["type"].clone()).or_default() += 1;
        }
    }
    counts
}

fn counted(world: &World, metric: Metric) -> u64 {
    let lines = world.metrics.json();
    lines.iter().filter_map(|line| line.get(metric.name())?.as_u64()).sum()
}

fn permutations(of: &[Value]) -> Vec<Vec<Value>> {
    let Some((first, rest)) = of.split_first() else { return vec![Vec::new()] };
    let places = |shorter: Vec<Value>| {
        (0..=shorter.len()).map(move |place| {
            let mut longer = shorter.clone();
            longer.insert(place, first.clone());
            longer
        })
    };
    permutations(rest).into_iter().flat_map(places).collect()
}

#[tokio::test]
async fn receipts_come_in_any_order() {
    let world = World::new().await;
    let line = Line::linked(&world, &world.org, "+12065550150").await;
    for (results, expected) in [
        (["QUEUED", "SENT", "DELIVERED", "DELIVERED"], json!(["DELIVERED", 0, 2, null, null])),
        (["PENDING", "SENT", "UNREACHABLE", "CARRIER_BLOCKED"], json!(["FAILED", 0, null, 2, "message_undeliverable"])),
        (["SENT", "SPAM", "SUCCESSFUL", "QUEUED"], json!(["DELIVERED", 0, 2, null, null])),
    ] {
        let mut shown = Vec::new();
        // The seconds of the results, by their first place.
        let seconds = |result: &str| match result {
            "PENDING" | "SENT" => 0,
            "QUEUED" => -1,
            _ => 2,
        };
        for order in permutations(&results.map(Value::from)) {
            let message = line.attempted(&world).await;
            let receipts: Vec<Value> = order
                .iter()
                .map(|result| receipt(&line, &message, result.as_str().unwrap(), seconds(result.as_str().unwrap())))
                .collect();
            apply(&world, &Reporter::Live, &receipts).await;
            let once = line.read(&world, &message).await;
            apply(&world, &Reporter::Live, &receipts).await;
            assert_eq!(line.read(&world, &message).await, once, "repetitions change nothing: {order:?}");
            let sent = once.record.message;
            let since = |time: Option<domain::Timestamp>| time.map(|time| (time.millis() - FIRST) / 1000);
            let (sent_at, delivered_at, failed_at) =
                (since(sent.sent_at), since(sent.delivered_at), since(sent.failed_at));
            let status = serde_json::to_value(&sent.status).unwrap();
            shown.push(json!([status, sent_at, delivered_at, failed_at, sent.error_code]));
            assert_eq!(sent.outcome(), Some(Outcome::Accepted));
            assert_eq!(sent.parts, Some(2));
            assert_eq!(serde_json::to_value(&sent.price).unwrap(), json!({"amount": "0.01762", "currency": "USD"}));
        }
        assert!(shown.iter().all(|message| *message == expected), "{results:?}: {shown:?}");
    }
    assert_eq!(counted(&world, Metric::DroppedCarrierUpdates) + counted(&world, Metric::UnknownCarrierValues), 0);
}

/// Through the real path: each status emits its event once, and the customer sees the message.
#[tokio::test]
async fn receipts_come_through_topic_and_queue() {
    let world = World::new().await;
    let line = Line::linked(&world, &world.org, "+12065550150").await;
    let topic = Topic::leading_to(&world.account.carrier).await;
    let message = line.attempted(&world).await;
    for result in ["DELIVERED", "SENT", "QUEUED", "SENT", "DELIVERED"] {
        topic.publish(&receipt(&line, &message, result, 1)).await;
    }
    hear_all(&world).await;
    let stored = line.read(&world, &message).await;
    assert_eq!(serde_json::to_value(&stored.message.status).unwrap(), "DELIVERED");
    assert_eq!(stored.carried.carrier_message_id.as_deref(), Some(CARRIER_ID));
    let expected = [("messages.sms.delivered".to_owned(), 1), ("messages.sms.sent".to_owned(), 1)];
    assert_eq!(events(&world, &line.org).await, expected.into());
    assert!(world.messages(&world.account.carrier_dead_letters).await.is_empty());
}

#[tokio::test]
async fn concurrent_receipts_are_all_recorded() {
    let world = World::new().await;
    let line = Line::linked(&world, &world.org, "+12065550150").await;
    let message = line.attempted(&world).await;
    let results = ["SENT", "DELIVERED", "QUEUED", "PENDING", "UNREACHABLE", "SENT", "SUCCESSFUL", "SPAM"];
    let receipts: Vec<[Value; 1]> = results.map(|result| [receipt(&line, &message, result, 1)]).into();
    join_all(receipts.iter().map(|receipt| apply(&world, &Reporter::Live, receipt))).await;
    let stored = line.read(&world, &message).await.record.message;
    assert!(stored.sent_at.is_some() && stored.delivered_at.is_some() && stored.failed_at.is_none());
    let events = events(&world, &line.org).await;
    assert_eq!((events["messages.sms.sent"], events["messages.sms.delivered"]), (1, 1));
}

/// The response is recorded over what the receipt has changed.
#[tokio::test]
async fn a_receipt_that_comes_before_the_response_is_kept() {
    let world = World::new().await;
    let line = Line::linked(&world, &world.org, "+12065550150").await;
    let gate = Gate::default();
    world.carrier_account.state().faults.push(Misbehave::Held(gate.clone(), None));
    let body = json!({"from": line.own, "to": RECIPIENT, "text": "Hello"});
    let sending = world.send(Call::post("/v1/sms").key(&world.org.app_key).json(&body));
    let reporting = async {
        let posted = loop {
            let posted = world.carrier_account.state().sends.first().cloned();
            match posted {
                Some(posted) => break posted,
                None => tokio::time::sleep(Duration::from_millis(10)).await,
            }
        };
        let receipt = receipt_about(&posted.input["Context"], &line, "DELIVERED", 1);
        apply(&world, &Reporter::Live, &[receipt]).await;
        gate.open();
    };
    let (sent, ()) = join(sending, reporting).await;
    let sent = sent.expect(201);
    assert_eq!((&sent["outcome"], &sent["status"]), (&json!("ACCEPTED"), &json!("DELIVERED")));
}

#[tokio::test]
async fn a_receipt_resolves_an_attempt_before_and_after_its_outcome() {
    let world = World::new().await;
    let line = Line::linked(&world, &world.org, "+12065550150").await;
    for result in ["QUEUED", "SENT", "DELIVERED", "UNREACHABLE", "LATER"] {
        // Before the response.
        let message = line.attempted(&world).await;
        apply(&world, &Reporter::Live, &[receipt(&line, &message, result, 0)]).await;
        let early = line.read(&world, &message).await;
        assert_eq!(early.outcome(), Some(Outcome::Accepted), "{result}");
        assert_eq!(early.due(), None, "the sweep has nothing to resolve");
        line.respond(&world, &message, |message| message.accept(CARRIER_ID, world.now())).await;
        assert_eq!(line.read(&world, &message).await.message, early.message, "{result}");
        // Instead of the response.
        let message = line.attempted(&world).await;
        line.respond(&world, &message, |message| message.mark_unknown(world.now())).await;
        assert_eq!(line.read(&world, &message).await.outcome(), Some(Outcome::Unknown));
        apply(&world, &Reporter::Live, &[receipt(&line, &message, result, 0)]).await;
        let late = line.read(&world, &message).await;
        assert_eq!(
            (late.outcome(), late.message.status.clone()),
            (Some(Outcome::Accepted), early.message.status.clone()),
            "{result}"
        );
    }
    assert_eq!(counted(&world, Metric::UnknownCarrierValues), 2, "of the unknown type, which is no failure");
}

/// A receipt counts only for the message that it is about, whoever has set its context.
#[tokio::test]
async fn receipts_of_others_are_dropped() {
    let world = World::new().await;
    let other = world.organization("Other").await;
    let line = Line::linked(&world, &world.org, "+12065550150").await;
    let second = Line::linked(&world, &world.org, "+12065550151").await;
    let foreign = Line::linked(&world, &other, "+12065550152").await;
    let simulated = Line::new(&world, &world.org, "+12065550153", Mode::Test).await;
    let message = line.attempted(&world).await;
    line.respond(&world, &message, |message| message.accept(CARRIER_ID, world.now())).await;
    let (waiting, test) = (line.waiting(&world).await, simulated.attempted(&world).await);
    let right = receipt(&line, &message, "DELIVERED", 1);
    let context = |organization: &str, message: &StoredSms| json!({"context": {"organization": organization, "message": message.message.id}});
    let own = Reporter::Simulated(line.organization.clone());
    let others = Reporter::Simulated(foreign.organization.clone());
    let cases = [
        ("another organization", &Reporter::Live, with(right.clone(), &context(&other.id, &message))),
        (
            "an unknown organization",
            &Reporter::Live,
            with(right.clone(), &context("org_0ujtsYcgvSTl8PAuAdqWYSMnLOv", &message)),
        ),
        ("another sender", &Reporter::Live, with(right.clone(), &json!({"originationPhoneNumber": second.own}))),
        ("no sender's number", &Reporter::Live, with(right.clone(), &json!({"originationPhoneNumber": "MYSENDER"}))),
        ("another recipient", &Reporter::Live, with(right.clone(), &json!({"destinationPhoneNumber": "+12065550172"}))),
        ("another id", &Reporter::Live, with(right.clone(), &json!({"messageId": "carrier-2"}))),
        ("no context", &Reporter::Live, with(right.clone(), &json!({"context": {}}))),
        ("a context of others", &Reporter::Live, with(right.clone(), &json!({"context": {"message": "7"}}))),
        ("not sent yet", &Reporter::Live, receipt(&line, &waiting, "DELIVERED", 1)),
        ("a live message, simulated", &own, right.clone()),
        ("a test message, live", &Reporter::Live, receipt(&simulated, &test, "DELIVERED", 1)),
        ("a test message of others", &others, receipt(&simulated, &test, "DELIVERED", 1)),
    ];
    let before = world.account.items().await;
    let mut dropped = 0;
    for (why, reporter, update) in &cases {
        apply(&world, reporter, std::slice::from_ref(update)).await;
        // What a simulated carrier reports is no matter for the operator.
        dropped += u64::from(**reporter == Reporter::Live);
        assert_eq!(counted(&world, Metric::DroppedCarrierUpdates), dropped, "{why}");
        assert!(world.account.items().await == before, "{why}");
    }
    // The same receipts do count for what they are about.
    apply(&world, &Reporter::Live, &[right]).await;
    apply(&world, &own, &[receipt(&simulated, &test, "DELIVERED", 1)]).await;
    for (line, message) in [(&line, &message), (&simulated, &test)] {
        assert!(line.read(&world, message).await.message.delivered_at.is_some());
    }
    assert_eq!((counted(&world, Metric::DroppedCarrierUpdates), cases.len()), (dropped, 12));
}

#[tokio::test]
async fn a_received_message_is_stored_once() {
    let world = World::new().await;
    let other = world.organization("Other").await;
    let (line, foreign) =
        (Line::linked(&world, &world.org, "+12065550150").await, Line::linked(&world, &other, "+12065550152").await);
    let topic = Topic::leading_to(&world.account.carrier).await;
    let before = world.account.items().await;
    for (from, to, text, id) in [
        (RECIPIENT, &line, "Hello", "in-1"),
        (RECIPIENT, &line, "STOP", "in-2"),
        // The carrier's ids are unique; if they were not, each number would have its own.
        (RECIPIENT, &foreign, "Hello", "in-1"),
    ] {
        for _ in 0..3 {
            topic.publish(&inbound(from, &to.own, text, id)).await;
        }
    }
    hear_all(&world).await;
    // SNS repeats a message with another time, after the queue has forgotten it.
    topic.publish(&inbound(RECIPIENT, &line.own, "Hello", "in-1")).await;
    hear_all(&world).await;
    for (line, texts) in [(&line, &["Hello", "STOP"] as &[&str]), (&foreign, &["Hello"])] {
        let items = world.account.items().await;
        let stored: Vec<_> =
            items.iter().filter(|item| item["PK"].starts_with(&format!("SMS#{}#", line.org.id))).collect();
        let mut found: Vec<&str> = stored.iter().map(|item| item["text"].as_str()).collect();
        found.sort_unstable();
        assert_eq!(found, texts);
        for item in stored {
            let id: SmsMessageId = item["id"].parse().unwrap();
            let store = world.account.store().of(&line.organization);
            let message = store.message(&id).await.unwrap().unwrap().record.message;
            let shown = serde_json::to_value(&message).unwrap();
            let expected = json!({
                "id": id, "appId": line.org.app, "phoneNumberId": line.number, "direction": "INBOUND", "type": "sms",
                "from": RECIPIENT, "to": line.own, "text": message.text, "status": "RECEIVED",
                "receivedAt": shown["receivedAt"], "createdAt": world.now(), "updatedAt": world.now(),
            });
            assert_eq!(shown, expected);
            // The emulator's clock, not that of the test.
            assert_ne!(shown["receivedAt"], shown["createdAt"]);
        }
        let counts = events(&world, &line.org).await;
        assert_eq!(counts, [("messages.sms.received".to_owned(), texts.len())].into());
    }
    // No contact is made: a message, its lists, the mark that it was applied, its event, and nothing else.
    let classes = |items: &[BTreeMap<String, String>]| {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        items.iter().for_each(|item| *counts.entry(item["PK"].split('#').next().unwrap().to_owned()).or_default() += 1);
        counts
    };
    let (before, after) = (classes(&before), classes(&world.account.items().await));
    let added: BTreeMap<&str, usize> = after
        .iter()
        .map(|(class, count)| (class.as_str(), count - before.get(class).unwrap_or(&0)))
        .filter(|(_, count)| *count > 0)
        .collect();
    assert_eq!(added, [("CONV", 3), ("EVT", 3), ("MSGLIST", 3), ("SEEN", 3), ("SMS", 3)].into());
}

#[tokio::test]
async fn messages_to_numbers_that_are_not_linked_are_dropped() {
    let world = World::new().await;
    let unlinked = Line::new(&world, &world.org, "+12065550150", Mode::Live).await;
    let simulated = Line::new(&world, &world.org, "+12065550153", Mode::Test).await;
    let topic = Topic::leading_to(&world.account.carrier).await;
    let before = world.account.items().await;
    for (at, to) in [&unlinked.own[..], &simulated.own, "+12065550199"].into_iter().enumerate() {
        topic.publish(&inbound(RECIPIENT, to, "Hello", "in-1")).await;
        hear_all(&world).await;
        assert_eq!(counted(&world, Metric::DroppedCarrierUpdates), at as u64 + 1);
    }
    // The simulated carrier knows test numbers only, and those of its own organization.
    let other = world.organization("Other").await.id.parse().unwrap();
    for (reporter, to) in [
        (Reporter::Simulated(unlinked.organization.clone()), &unlinked.own),
        (Reporter::Simulated(other), &simulated.own),
    ] {
        apply(&world, &reporter, &[inbound(RECIPIENT, to, "Hello", "in-1")]).await;
    }
    assert_eq!(counted(&world, Metric::DroppedCarrierUpdates), 3);
    let stored = world.account.items().await.iter().filter(|item| item["PK"].starts_with("SMS#")).count();
    assert_eq!(stored, before.iter().filter(|item| item["PK"].starts_with("SMS#")).count());
    let own = Reporter::Simulated(simulated.organization.clone());
    apply(&world, &own, &[inbound(RECIPIENT, &simulated.own, "Hello", "in-1")]).await;
    assert_eq!(events(&world, &world.org).await["messages.sms.received"], 1);
}

/// What can never be applied goes to the dead letters of the queue that it came from, at once and with the reason. The
/// others of the batch are applied.
#[tokio::test]
async fn what_cannot_be_read_becomes_a_dead_letter_of_its_own_queue() {
    let world = World::new().await;
    let line = Line::linked(&world, &world.org, "+12065550150").await;
    let topic = Topic::leading_to(&world.account.carrier).await;
    let message = line.attempted(&world).await;
    topic.publish_text("no JSON").await;
    topic.publish(&json!({"Type": "something else"})).await;
    topic.publish(&receipt(&line, &message, "DELIVERED", 1)).await;
    topic.publish(&inbound("12345", &line.own, "Your code", "in-1")).await;
    hear_all(&world).await;
    assert!(line.read(&world, &message).await.message.delivered_at.is_some());
    let mut reasons = reasons(&world, &world.account.carrier_dead_letters).await;
    reasons.sort();
    assert_eq!(
        reasons,
        [
            "a received SMS has no E.164 numbers",
            "an update of the carrier is neither a receipt nor a received message",
            "an update of the carrier is not JSON",
        ]
    );
    assert!(world.dead_letters().await.is_empty());
    // The same for the other queues: the source decides, not the kind of a job, which a malformed one does not have.
    let queues =
        [(&world.account.sends, &world.account.send_dead_letters), (&world.account.queue, &world.account.dead_letters)];
    for (queue, dead_letters) in queues {
        world.account.sqs.send_message().queue_url(queue).message_body("{}").send().await.unwrap();
        while world.work().await || world.send_queued().await {}
        assert_eq!(world.messages(dead_letters).await, ["{}"]);
    }
}

async fn reasons(world: &World, queue: &str) -> Vec<String> {
    let call = world.account.sqs.receive_message().queue_url(queue).max_number_of_messages(10);
    let letters = call.message_attribute_names("All").send().await.unwrap().messages.unwrap_or_default();
    let reason = |attributes: &std::collections::HashMap<String, aws_sdk_sqs::types::MessageAttributeValue>| {
        attributes["Reason"].string_value.clone().unwrap()
    };
    letters.iter().map(|letter| reason(letter.message_attributes.as_ref().unwrap())).collect()
}

/// Neither an outage nor throttling uses up the tries of an update: its copy is in the carrier's queue.
#[tokio::test]
async fn an_outage_puts_updates_back() {
    let world = World::new().await;
    let line = Line::linked(&world, &world.org, "+12065550150").await;
    let topic = Topic::leading_to(&world.account.carrier).await;
    let message = line.attempted(&world).await;
    topic.publish(&receipt(&line, &message, "DELIVERED", 1)).await;
    topic.publish(&inbound(RECIPIENT, &line.own, "Hello", "in-1")).await;
    world.faults.set(Fault::TableDown(Outage::Throttling));
    // More than the five tries of a message.
    for _ in 0..14 {
        while !world.hear_carrier().await {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
    world.faults.clear();
    assert!(counted(&world, Metric::PutBackMessages) >= 14);
    assert!(!world.work().await, "nothing went to the queue of the jobs");
    hear_all(&world).await;
    assert!(line.read(&world, &message).await.message.delivered_at.is_some());
    assert_eq!(events(&world, &line.org).await["messages.sms.received"], 1);
    assert!(world.messages(&world.account.carrier_dead_letters).await.is_empty());
}

/// While SQS takes no copy either, an update stays in the carrier's queue.
#[tokio::test]
async fn an_update_that_cannot_be_put_back_stays_in_its_queue() {
    let world = World::new().await;
    let line = Line::linked(&world, &world.org, "+12065550150").await;
    let topic = Topic::leading_to(&world.account.carrier).await;
    topic.publish(&inbound(RECIPIENT, &line.own, "Hello", "in-1")).await;
    world.faults.set(Fault::Throttled);
    assert!(world.hear_carrier().await);
    world.faults.clear();
    assert_eq!(counted(&world, Metric::PutBackMessages), 0);
    let call = world.account.sqs.get_queue_attributes().queue_url(&world.account.carrier);
    let call = call.attribute_names(aws_sdk_sqs::types::QueueAttributeName::All).send().await.unwrap();
    let name = aws_sdk_sqs::types::QueueAttributeName::ApproximateNumberOfMessagesNotVisible;
    assert_eq!(call.attributes.unwrap()[&name], "1");
    assert!(world.messages(&world.account.carrier_dead_letters).await.is_empty());
}

/// The whole way of a live message: linked by the operator, sent through the API, resolved by a receipt, and answered.
#[tokio::test]
async fn a_sent_message_gets_its_receipts_and_its_reply() {
    let world = World::new().await;
    let (org, own) = (&world.org, "+12015550100");
    let number = linked_number(&world, own).await;
    let body = json!({"from": own, "to": RECIPIENT, "text": "Hello"});
    let sent = world.send(Call::post("/v1/sms").key(&org.app_key).json(&body)).await.expect(201);
    let input = world.carrier_account.state().sends[0].input.clone();
    let receipts = Topic::leading_to(&world.account.carrier).await;
    for (result, is_final) in [("SENT", false), ("DELIVERED", true)] {
        let receipt = json!({
            "eventType": format!("TEXT_{result}"), "eventTimestamp": FIRST, "isFinal": is_final,
            "originationPhoneNumber": own, "destinationPhoneNumber": RECIPIENT, "messageId": "carrier-1",
            "context": input["Context"], "totalMessageParts": 1, "totalMessagePrice": 0.00645,
        });
        receipts.publish(&receipt).await;
    }
    receipts.publish(&inbound(RECIPIENT, own, "Thanks", "in-1")).await;
    hear_all(&world).await;
    let path = format!("/v1/sms/{}", text(&sent, "id"));
    let shown = world.send(Call::get(path).key(&org.app_key)).await.expect(200);
    assert_eq!((&shown["outcome"], &shown["status"]), (&json!("ACCEPTED"), &json!("DELIVERED")));
    assert_eq!(shown["price"], json!({"amount": "0.00645", "currency": "USD"}));
    let log = format!("/v1/sms?phoneNumberId={number}&direction=INBOUND");
    let log = world.send(Call::get(log).key(&org.app_key)).await.expect(200);
    assert_eq!((&log["data"][0]["text"], log["data"].as_array().unwrap().len()), (&json!("Thanks"), 1));
    let names = ["messages.sms.delivered", "messages.sms.received", "messages.sms.sent"];
    assert_eq!(events(&world, org).await, names.map(|name| (name.to_owned(), 1)).into());
    assert_eq!(counted(&world, Metric::DroppedCarrierUpdates), 0);
}

/// The simulated carrier's receipts take the same way from the queue of the jobs on.
#[tokio::test]
async fn a_test_message_is_delivered_by_simulated_receipts() {
    let world = World::new().await;
    let org = &world.org;
    let path = "/v1/playground/phone-numbers/system";
    let numbers = world.send(Call::get(path).key(&org.test_app_key)).await.expect(200);
    let body = json!({"from": numbers["numbers"][0], "to": RECIPIENT, "text": "Hello"});
    let sent = world.send(Call::post("/v1/sms").key(&org.test_app_key).json(&body)).await.expect(201);
    assert!(text(&sent, "id").starts_with("msg_sms_test_"));
    let path = format!("/v1/sms/{}", text(&sent, "id"));
    let mut shown = sent;
    for _ in 0..100 {
        world.work_off().await;
        shown = world.send(Call::get(&path).key(&org.test_app_key)).await.expect(200);
        if shown["status"] == "DELIVERED" {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!((&shown["outcome"], &shown["status"]), (&json!("ACCEPTED"), &json!("DELIVERED")));
    assert_eq!(shown["price"], json!({"amount": "0", "currency": "USD"}));
    assert_eq!(events(&world, org).await["messages.sms.delivered"], 1);
    assert_eq!(world.carrier_account.state().sends.len(), 0);
    assert_eq!(counted(&world, Metric::DroppedCarrierUpdates), 0);
}

/// The operator hears of refusals that concern the account or many recipients.
#[tokio::test]
async fn refusals_for_money_and_opt_outs_are_counted() {
    let world = World::new().await;
    let (org, own) = (&world.org, "+12015550100");
    linked_number(&world, own).await;
    let (spent, opted_out) = (Metric::SpendLimitRefusals, Metric::OptOutRefusals);
    for (exception, reason, expected) in [
        ("ServiceQuotaExceededException", "MONTHLY_SPEND_LIMIT_REACHED_FOR_TEXT", (1, 0)),
        ("ConflictException", "DESTINATION_PHONE_NUMBER_OPTED_OUT", (1, 1)),
        ("ConflictException", "RESOURCE_NOT_ACTIVE", (1, 1)),
    ] {
        let refusal = json!({"__type": exception, "Message": "no", "Reason": reason}).to_string();
        world.carrier_account.state().faults = vec![tests::standin::Misbehave::Status(400, refusal)];
        let body = json!({"from": own, "to": RECIPIENT, "text": "Hello"});
        world.send(Call::post("/v1/sms").key(&org.app_key).json(&body)).await.expect(422);
        assert_eq!((counted(&world, spent), counted(&world, opted_out)), expected, "{reason}");
    }
}
