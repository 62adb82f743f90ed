//! The DynamoDB usage of each operation matches tests/costs.json: calls, sequential round trips and capacity units, for a
//! credential that the function has found valid before and for a forged one.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use domain::id::OrganizationId;
use http::Method;
use ring::rand::SystemRandom;
use serde_json::{Value, json};
use tests::catalogue::{Case, cases};
use tests::chat::{connect, notification};
use tests::faults::Fault;
use tests::sms::linked_number;
use tests::topics::{Topic, inbound};
use tests::{Call, Service as _, World};

/// Operations with more than two sequential round trips, each with the reason.
const DEEPER: &[(&str, &str)] = &[
    ("POST /v1/organization/chat/business-profiles/callback", "a signup in steps, each stored before the next"),
    ("POST /v1/organization/chat/business-profiles", "a connection in steps, each stored before the next"),
    (
        "DELETE /v1/organization/chat/business-profiles/{profileId}",
        "a disconnection in steps, each stored before the next",
    ),
    ("DELETE /v1/organization/chat/onboarding-links/{onboardingLinkId}", "the credential, the link, its cancellation"),
    ("PUT /v1/onboarding/signup", "the token, the link, the new state"),
    ("POST /v1/onboarding/complete", "a signup in steps, each stored before the next, between two states of the link"),
    ("POST /v1/organization/chat/phone-numbers", "onboarding of a number in steps"),
    ("DELETE /v1/media/{mediaId}", "hides the media, then deletes the bytes, then the item"),
    ("POST /v1/organization/phone-numbers", "reads the apps that the body names, after the credential"),
    ("DELETE /v1/organization/apps/{appId}", "lists keys and webhooks, after the credential, before they are deleted"),
    ("GET /v1/organization/chat/business-profiles", "the list, then the numbers of each profile"),
    ("GET /v1/organization/chat/platform-check", "the profile, then the list of its numbers, then the numbers"),
    ("GET /v1/organization/chat/phone-numbers", "the list, then the apps of its numbers"),
    ("GET /v1/organization/phone-numbers", "the list, then the apps of its numbers"),
    (
        "GET /v1/playground/phone-numbers/system",
        "the credential, the app's system numbers, then those that it still has",
    ),
    ("GET /v1/organization/chat/messages", "the list of ids, then the messages"),
    ("GET /v1/chat/messages", "the number beside the credential, then the list of ids, then the messages"),
    ("GET /v1/chat/messages/{messageId}", "the message names the number whose assignment is checked"),
    ("POST /v1/chat/messages", "credential and number, what they name, the transaction, the call, the outcome"),
    ("POST /v1/chat/messages/read", "the credential, the message, its number, its account"),
    ("POST /v1/chat/messages/typing", "the credential, the message, its number, its account"),
    ("GET /v1/organization/sms/messages", "the list of ids, then the messages"),
    ("GET /v1/sms", "the number beside the credential, then the list of ids, then the messages"),
    ("GET /v1/sms/{messageId}", "the message names the number whose assignment is checked"),
    ("POST /v1/sms", "credential and number, the quota after all checks, the transaction, the call, the outcome"),
    (
        "GET /v1/webhooks/{webhookId}/deliveries/{deliveryId}",
        "credential, webhook and delivery, then the event, whose id the delivery has",
    ),
    (
        "GET /v1/organization/events/{eventId}",
        "the apps, the event as one of them gets it, that app's webhooks, their deliveries",
    ),
    (
        "PATCH /v1/organization/chat/phone-numbers/{chatPhoneNumberId}/business-profile",
        "credential and number, the change, then the profile as it is",
    ),
    ("GET /v1/organization/chat/templates/{templateId}", "the profiles, among whose templates the id is looked up"),
    (
        "POST /v1/organization/chat/templates",
        "the profile, what the simulated platform has, its new template, then the template",
    ),
    (
        "PATCH /v1/organization/chat/templates/{templateId}",
        "the profiles, the template, the edit at the simulated platform, what it shows then, then the template",
    ),
    (
        "DELETE /v1/organization/chat/templates/{templateId}",
        "the profiles, the template, the deletion at the simulated platform, then the template",
    ),
    ("GET /v1/chat/groups", "the number beside the credential, then the list of ids, then the groups"),
    ("PATCH /v1/chat/groups/{groupId}", "the group names the number, and the simulated platform changes it"),
    ("DELETE /v1/chat/groups/{groupId}", "the group names the number, and the simulated platform deletes it"),
    ("POST /v1/chat/groups/{groupId}/invite-link", "the group names the number, and the new link is stored"),
    (
        "GET /v1/chat/groups/{groupId}/join-requests",
        "the group names the number, and the simulated platform keeps the requests",
    ),
    (
        "POST /v1/chat/groups/{groupId}/join-requests/approve",
        "the group names the number; the simulated platform notes the decision, then who has joined",
    ),
    (
        "POST /v1/chat/groups/{groupId}/join-requests/reject",
        "the group names the number, and the simulated platform notes the decision",
    ),
    ("GET /v1/phone-numbers", "the app, which the credential names, then its numbers, then their apps"),
    (
        "POST /v1/playground/chat/inbound",
        "the number, the quota, what a live message reads and writes, then the message for the response",
    ),
    (
        "POST /v1/playground/sms/inbound",
        "the number by its digits, the quota, what a live message reads and writes, then the message for the response",
    ),
    ("POST /v1/playground/notifications", "the quota, then what each update reads and writes"),
    (
        "POST /v1/playground/simulations",
        "the key, the target, the running simulations, the transaction, the job, then the stored response",
    ),
    ("POST /v1/phone-numbers", "reads the apps that the response shows, before the transaction that stores it"),
    ("PUT /v1/webhooks/{webhookId}", "the credential names the app, so the webhook is read after it"),
    ("POST /v1/webhooks/{webhookId}/test", "the credential names the app, so the webhook is read after it"),
    ("POST /v1/webhooks/{webhookId}/rotate-secret", "the credential names the app, so the webhook is read after it"),
    ("POST /v1/webhooks/{webhookId}/recover", "the credential names the app, so the webhook is read after it"),
    ("GET /v1/webhooks/{webhookId}/deliveries", "the credential names the app, so the webhook is read after it"),
    (
        "POST /v1/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver",
        "the credential names the app, so the webhook is read after it",
    ),
    ("POST /v1/platform/notifications, a message that is stored", "whose it is, what is known of it, then the write"),
    (DIRECT, "everything is read at once, then the message is stored, and after the call its outcome"),
    (
        "POST /v1/chat/messages",
        "a function that does not know the sender reads the number before the account behind it",
    ),
    ("POST /v1/chat/messages/read", "the message names the number, and the number the account"),
    ("POST /v1/chat/messages/typing", "the message names the number, and the number the account"),
    (QUEUED_TURN, "the message, its slot, the checks, the recipient's pause, the attempt, the outcome"),
    (RECEIVED, "who has linked the number, the number, what the organization keeps, then the write"),
    (SMS_TURN, "the message and its number, its slot, the app and the opt-out list, the attempt, the outcome"),
    ("POST /v1/media", "the item first as pending, then the bytes, then the item as ready"),
];

/// Reads by id that read the credential and the object in one round trip.
const ONE_TRIP: &[&str] = &[
    "GET /v1/organization/settings",
    "GET /v1/organization/apps/{appId}",
    "GET /v1/organization/apps/{appId}/calling",
    "GET /v1/organization/apps/{appId}/events",
    "GET /v1/organization/apps/{appId}/webhooks/{webhookId}",
    "GET /v1/media/{mediaId}",
];

const NOTIFICATIONS: &str = "POST /v1/platform/notifications";

const DIRECT: &str = "POST /v1/chat/messages, a text of 1 KiB, the sender being known";
const QUEUED: &str = "POST /v1/chat/messages, a queued message";
const QUEUED_TURN: &str = "the turn of a queued message";
const SMS_TURN: &str = "the turn of a queued SMS";
const RECEIPT: &str = "a receipt of an SMS";
const RECEIVED: &str = "a received SMS";

async fn measure(world: &World) -> BTreeMap<String, Value> {
    let mut costs = BTreeMap::new();
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
    let line = connect(world, &world.org, "880").await;
    let hello = line.message(&json!({"id": "wamid.1", "type": "text", "text": {"body": "Hello"}}));
    let mut to_nobody = hello["entry"][0]["changes"][0]["value"].clone();
    to_nobody["metadata"]["phone_number_id"] = json!("8811");
    let nobody = notification("881", 2_000_000_000, "messages", &to_nobody);
    costs.insert(NOTIFICATIONS.to_owned(), of(world, world.notify(&nobody)).await);
    let cost = of(world, world.notify(&hello)).await;
    assert_eq!(line.messages(world).await.len(), 1);
    costs.insert(format!("{NOTIFICATIONS}, a message that is stored"), cost);
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
    costs.extend(Box::pin(measure_sms(world)).await);
    costs
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

fn depth(cost: &Value) -> u64 {
    cost["sequentialDepth"].as_u64().unwrap_or(u64::MAX)
}

async fn of<T>(world: &World, work: impl Future<Output = T>) -> Value {
    let (_, mut cost) = world.faults.meter.of(work).await;
    // Calls of the same round trip end in any order.
    cost.calls.sort();
    json!({
        "calls": cost.calls, "sequentialDepth": cost.depth,
        "readUnits": cost.read_units, "writeUnits": cost.write_units,
    })
}

/// `UPDATE_SAMPLES=1` regenerates the table.
#[tokio::test]
async fn operations_cost_what_the_table_says() {
    let world = World::new().await;
    let measured = Box::pin(measure(&world)).await;
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("costs.json");
    if std::env::var("UPDATE_SAMPLES").is_ok() {
        std::fs::write(&path, format!("{:#}\n", json!(measured))).unwrap();
    }
    let committed: BTreeMap<String, Value> = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    for (name, cost) in &measured {
        assert_eq!(committed.get(name), Some(cost), "{name}");
        let has_key = !name.starts_with(NOTIFICATIONS)
            && ![DIRECT, QUEUED, QUEUED_TURN, SMS_TURN, RECEIPT, RECEIVED].contains(&name.as_str());
        if has_key {
            assert_eq!(cost["forged"], json!({"calls": ["GetItem"], "readUnits": 1.0}), "{name}");
        }
        if cost["calls"].is_null() {
            continue;
        }
        let depth = depth(cost);
        if ONE_TRIP.contains(&name.as_str()) {
            assert_eq!(depth, 1, "{name}");
        }
        let is_deeper = DEEPER.iter().any(|(deeper, _)| deeper == name);
        assert_eq!(depth > 2, is_deeper, "{name}: {depth}");
    }
    assert_eq!(committed.len(), measured.len());
    let mut named = ONE_TRIP.iter().chain(DEEPER.iter().map(|(name, _)| name));
    assert!(named.all(|name| measured.contains_key(*name)), "an operation has another name now");
}

/// A forged key causes the same single read for every operation, whether its organization has everything or does not exist.
#[tokio::test]
async fn what_a_forged_key_costs_does_not_depend_on_what_exists() {
    let world = World::new().await;
    let cases = cases(&world).await;
    let nobody = OrganizationId::mint(world.now(), &SystemRandom::new()).to_string();
    let forged = async |case: &Case, organization: &str| {
        let send = world.send_without_worker(case.call.clone().key(&case.forged_key(organization)));
        let (reply, cost) = world.faults.meter.of(send).await;
        reply.clone().unauthenticated("Invalid API key");
        (cost, reply.text)
    };
    for case in &cases {
        let much = forged(case, &world.org.id).await;
        assert_eq!(much, forged(case, &nobody).await, "{case:?}");
        let (cost, _) = much;
        assert_eq!((cost.calls, cost.depth), (vec!["GetItem".to_owned()], 1), "{case:?}");
        assert_eq!((cost.read_units, cost.items_read, cost.bytes_read), (1.0, 0, 0), "{case:?}");
    }
    // The response waits for this read alone: with this fault, a second call would never end.
    for case in &cases {
        world.faults.set(Fault::StoppedAfter(1));
        let reply = tokio::time::timeout(Duration::from_secs(10), forged(case, &world.org.id)).await;
        world.faults.clear();
        assert!(reply.is_ok(), "{case:?}");
    }
}

/// A key that was deleted is remembered for one more request at most.
#[tokio::test]
async fn a_revoked_key_costs_as_little_as_a_forged_one() {
    let world = World::new().await;
    let made = world.admin(Call::post("/v1/organization/admin-keys").json(&json!({"name": "short-lived"}))).await;
    let made = made.expect(201);
    let key = tests::request::text(&made, "key");
    let read = async || {
        let get = world.send(Call::get("/v1/organization/settings").key(&key));
        let (reply, cost) = world.faults.meter.of(get).await;
        (reply.status.as_u16(), cost)
    };
    let (status, first) = read().await;
    assert_eq!((status, first.depth, first.calls.len()), (200, 2, 2), "unknown to the function");
    let (status, second) = read().await;
    assert_eq!((status, second.calls.len()), (200, 2));
    assert!(second.read_units <= first.read_units);
    let path = format!("/v1/organization/admin-keys/{}", tests::request::text(&made, "id"));
    world.admin(Call::delete(path)).await.expect(200);
    let (status, _) = read().await;
    assert_eq!(status, 401);
    let (status, after) = read().await;
    assert_eq!((status, after.calls, after.read_units), (401, vec!["GetItem".to_owned()], 1.0));
}
