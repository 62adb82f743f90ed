//! Measures all operations, and the work that no request waits for.

use std::collections::BTreeMap;

use http::Method;
use serde_json::{Value, json};
use tests::catalogue::{cases, member, session_of, sign_in_token};
use tests::chat::{Line, connect, notification};
use tests::sms::linked_number;
use tests::topics::{Topic, inbound};
use tests::{Call, Service as _, World};

type Costs = BTreeMap<String, Value>;

pub(super) const NOTIFICATIONS: &str = "POST /v1/platform/notifications";
pub(super) const DIRECT: &str = "POST /v1/chat/messages, a text of 1 KiB, the sender being known";
const QUEUED: &str = "POST /v1/chat/messages, a queued message";
pub(super) const QUEUED_TURN: &str = "the turn of a queued message";
pub(super) const SMS_TURN: &str = "the turn of a queued SMS";
const RECEIPT: &str = "a receipt of an SMS";
pub(super) const RECEIVED: &str = "a received SMS";

pub(super) const KEPT: &str = "a notification with 100 messages of a history";
pub(super) const IMPORTED: &str = "the import of 100 messages of a history, in one chat";

/// The token of the link is in the body, and no credential.
pub(super) const SIGN_IN: &str = "POST /v1/sign-in/link";

/// Work without a case: it has no request of its own, or another request than the operation's case.
pub(super) const LATER_WORK: [&str; 9] =
    [DIRECT, QUEUED, QUEUED_TURN, SMS_TURN, RECEIPT, RECEIVED, KEPT, IMPORTED, SIGN_IN];

pub(super) async fn measure(world: &World) -> Costs {
    let mut costs = Costs::new();
    measure_cases(world, &mut costs).await;
    let line = connect(world, &world.org, "880").await;
    measure_notifications(world, &line, &mut costs).await;
    Box::pin(measure_history(&mut costs)).await;
    measure_sending(world, &line, &mut costs).await;
    costs.extend(Box::pin(measure_sms(world)).await);
    costs.insert(SIGN_IN.to_owned(), measure_sign_in(world).await);
    costs
}

async fn measure_sign_in(world: &World) -> Value {
    let ann = member(world, "ann.of.costs@example.com", "DEVELOPER").await;
    let token = sign_in_token(world, &ann).await;
    of(world, session_of(world, &token)).await
}

async fn measure_cases(world: &World, costs: &mut Costs) {
    let cases = cases(world).await;
    // Each function finds each credential valid once before anything is measured.
    for case in cases.iter().filter(|case| case.method() == Method::GET) {
        world.send(case.call.clone().key(case.right_key(&world.org))).await;
    }

    for case in cases {
        let name = format!("{} {}", case.method(), case.template);
        let forged = world.send_without_worker(case.call.clone().key(&case.forged_key(&world.org.id)));
        let forged = of(world, forged).await;
        let cost = of(world, world.send(case.call.clone().key(case.right_key(&world.org)))).await;
        // The number of polls depends on timing.
        let mut cost = if name.ends_with("/sync") { json!({}) } else { cost };
        cost["forged"] = json!({"calls": forged["calls"], "readUnits": forged["readUnits"]});
        costs.insert(name, cost);
    }
}

/// A notification about an account that nobody has connected, and one about a received message.
async fn measure_notifications(world: &World, line: &Line, costs: &mut Costs) {
    let hello = line.message(&json!({"id": "wamid.1", "type": "text", "text": {"body": "Hello"}}));
    let mut to_nobody = hello["entry"][0]["changes"][0]["value"].clone();
    to_nobody["metadata"]["phone_number_id"] = json!("8811");
    let nobody = notification("881", 2_000_000_000, "messages", &to_nobody);
    costs.insert(NOTIFICATIONS.to_owned(), of(world, world.notify(&nobody)).await);

    let cost = of(world, world.notify(&hello)).await;
    assert_eq!(line.messages(world).await.len(), 1);
    costs.insert(format!("{NOTIFICATIONS}, a message that is stored"), cost);
}

/// A history, and its import by the worker. The calls of the import are counted, because there are hundreds of them.
async fn measure_history(costs: &mut Costs) {
    // In a world of its own, whose queue has nothing else.
    let world = &World::new().await;
    let line = connect(world, &world.org, "889").await;
    let at = world.now().seconds() - 86_400;
    let said = |n: i64| {
        let from = if n % 2 == 0 { "16505550009" } else { line.display.as_str() };
        json!({"id": format!("wamid.history.{n}"), "from": from, "timestamp": (at + n).to_string(), "type": "text",
            "text": {"body": "Hello"}, "history_context": {"status": "READ"}})
    };
    let messages: Vec<Value> = (0..100).map(said).collect();
    let part = json!({"metadata": {"phase": 0, "chunk_order": 1, "progress": 50},
        "threads": [{"id": "16505550009", "messages": messages}]});
    let history = line.about("history", &json!({"history": [part]}));
    costs.insert(KEPT.to_owned(), of(world, world.notify(&history)).await);

    world.sweep().await;
    let mut cost = of(world, world.work()).await;
    let mut counts = BTreeMap::<String, usize>::new();
    for call in cost["calls"].as_array().unwrap() {
        *counts.entry(call.as_str().unwrap().to_owned()).or_default() += 1;
    }
    cost["calls"] = json!(counts.iter().map(|(call, count)| format!("{count} {call}")).collect::<Vec<_>>());
    costs.insert(IMPORTED.to_owned(), cost);
}

/// A queued message and its turn, and a direct message.
async fn measure_sending(world: &World, line: &Line, costs: &mut Costs) {
    // The first message of a second begins to count its slots; the second one only takes one.
    let body =
        json!({"from": line.number, "to": "+16505551234", "queue": true, "type": "text", "text": {"body": "Hello"}});
    let queue = || world.send(Call::post("/v1/chat/messages").key(&line.org.app_key).json(&body));
    for _ in 0..2 {
        let cost = of(world, queue()).await;
        costs.insert(QUEUED.to_owned(), cost);
        let cost = of(world, world.send_queued()).await;
        costs.insert(QUEUED_TURN.to_owned(), cost);
    }

    let body = json!({"from": line.number, "to": "+16505551234", "type": "text", "text": {"body": "x".repeat(1024)}});
    let direct = || Call::post("/v1/chat/messages").key(&line.org.app_key).json(&body).header("idempotency-key", "k");
    costs.insert(DIRECT.to_owned(), of(world, world.send(direct())).await);
}

/// The work for SMS that no request waits for.
async fn measure_sms(world: &World) -> Vec<(String, Value)> {
    let (own, other) = ("+12015550188", "+12065550171");
    let number = linked_number(world, own).await;
    let topic = Topic::leading_to(&world.account.carrier).await;
    let body = json!({"from": own, "to": other, "text": "Hello", "queue": true});

    let sent = world.send(Call::post("/v1/sms").key(&world.org.app_key).json(&body)).await.expect(202);
    let turn = of(world, world.send_queued()).await;

    let receipt = json!({
        "eventType": "TEXT_DELIVERED", "eventTimestamp": world.now().millis(), "isFinal": true,
        "originationPhoneNumber": own, "destinationPhoneNumber": other, "messageId": "carrier-1", "totalMessageParts": 1,
        "context": {"organization": world.org.id, "message": sent["id"]},
    });
    topic.publish(&receipt).await;
    let receipt = of(world, world.hear_carrier()).await;

    topic.publish(&inbound(other, own, "Hello", "in-1")).await;
    let received = of(world, world.hear_carrier()).await;

    let log = world.admin(Call::get(format!("/v1/organization/sms/messages?phoneNumberId={number}"))).await.expect(200);
    assert_eq!(log["data"].as_array().unwrap().len(), 2);
    [(SMS_TURN, turn), (RECEIPT, receipt), (RECEIVED, received)].map(|(name, cost)| (name.to_owned(), cost)).into()
}

/// Measures the usage of this work.
async fn of<T>(world: &World, work: impl Future<Output = T>) -> Value {
    let (_, mut cost) = world.faults.meter.of(work).await;
    // Calls of the same round trip end in any order.
    cost.calls.sort();
    json!({
        "calls": cost.calls, "sequentialDepth": cost.depth,
        "readUnits": cost.read_units, "writeUnits": cost.write_units,
    })
}
