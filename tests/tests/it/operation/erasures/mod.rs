//! The erasure of a contact, by the content of the table, the bucket and the queues afterwards.

mod completeness;
mod interruptions;
mod released_numbers;
mod requests;
mod test_mode;

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};
use tests::chat::{Line, connect};
use tests::request::text;
use tests::sms::linked_number;
use tests::topics::inbound;
use tests::{Call, Service as _, World};

const DIGITS: &str = "16505551234";
const NUMBER: &str = "+16505551234";
const USER_ID: &str = "US.134";
const OTHER: &str = "16505550002";
/// Longer than the sweep waits before it queues an erasure again.
const LATER: Duration = Duration::from_secs(15 * 60 + 1);
/// Classes of items that end by themselves, as the receipt says.
const ENDING: &[&str] = &["EVT#", "FEED#", "FEEDREF#", "DLV#", "IDEM#", "SIM#"];

type Items = Vec<BTreeMap<String, String>>;

/// The operator's request.
fn erase(organization: &str, contact: &str) -> Value {
    json!({"operation": "eraseContact", "organizationId": organization, "contact": contact})
}

async fn receipt(world: &World, contact: &str) -> Value {
    let show = json!({"operation": "showErasure", "organizationId": world.org.id, "contact": contact});
    world.operate(show).await.unwrap()
}

/// Lets the sweep find what is due, and the worker do it.
async fn run_jobs(world: &World) {
    world.sweep().await;
    world.work_off().await;
}

/// Erases a contact, and returns the receipt.
async fn erased(world: &World, contact: &str) -> Value {
    let begun = world.operate(erase(&world.org.id, contact)).await.unwrap();
    assert_eq!(begun["status"], "RUNNING");
    run_jobs(world).await;
    let receipt = receipt(world, contact).await;
    assert_eq!(receipt["status"], "DONE", "{receipt}");
    assert!(world.dead_letters().await.is_empty());
    receipt
}

/// The keys of the organization's items that name the contact, except those that end by themselves.
async fn naming(world: &World, organization: &str, names: &[&str]) -> Vec<String> {
    let items = world.account.items().await.into_iter();
    let own = items.filter(|item| item["PK"].split('#').nth(1) == Some(organization));
    let lasting = own.filter(|item| ENDING.iter().all(|class| !item["PK"].starts_with(class)));
    let named = lasting.filter(|item| item.values().any(|value| names.iter().any(|name| value.contains(name))));
    named.map(|item| format!("{} {}", item["PK"], item["SK"])).collect()
}

async fn items_of(world: &World, organization: &str) -> Items {
    let items = world.account.items().await;
    items.into_iter().filter(|item| item.values().any(|value| value.contains(organization))).collect()
}

/// Receives a message from a person, who is known by a number and a user id.
async fn receive(world: &World, line: &Line, from: (&str, &str), message: Value) {
    let contact = json!({"profile": {"name": "Ann"}, "wa_id": from.0, "user_id": from.1});
    let mut message = message;
    message["from"] = json!(from.0);
    message["from_user_id"] = json!(from.1);
    message["timestamp"] = json!("2000000000");
    let notification = line.about("messages", &json!({"contacts": [contact], "messages": [message]}));
    world.notify(&notification).await.expect(200);
}

/// Reports the status of a sent message.
async fn report(world: &World, line: &Line, status: Value) {
    let mut status = status;
    status["timestamp"] = json!("2000000001");
    world.notify(&line.status(&status)).await.expect(200);
}

fn said(id: &str) -> Value {
    json!({"id": id, "type": "text", "text": {"body": "Hello"}})
}

async fn tell_group(world: &World, line: &Line, field: &str, more: Value) {
    let mut group = json!({"group_id": "group-1", "timestamp": 2_000_000_000});
    group.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    world.notify(&line.about(field, &json!({"groups": [group]}))).await.expect(200);
}

async fn send(world: &World, line: &Line, body: Value) -> Value {
    world.send(Call::post("/v1/chat/messages").key(&line.org.app_key).json(&body)).await.expect(201)
}

/// Makes everything that names the contact: chat messages in both directions, with a file, sent here and elsewhere; a group
/// with messages; and a message of another contact.
async fn everything(world: &World, line: &Line) {
    conversation(world, line).await;
    group(world, line).await;
    receive(world, line, (OTHER, "US.2"), said("wamid.bob")).await;
}

async fn conversation(world: &World, line: &Line) {
    let ann = (DIGITS, USER_ID);
    world.platform.state().media.insert("900".to_owned(), b"bytes".to_vec());
    receive(world, line, ann, said("wamid.in")).await;
    let image = json!({"id": "wamid.image", "type": "image", "image": {"id": "900", "mime_type": "image/jpeg"}});
    receive(world, line, ann, image).await;
    world.work_off().await;

    let hello = json!({"from": line.number, "to": NUMBER, "type": "text", "text": {"body": "Hello"}});
    let sent = send(world, line, hello).await;
    let own = format!("{}:{}", line.org.id, text(&sent, "id"));
    let delivered = json!({"id": text(&sent, "providerMessageId"), "status": "delivered", "recipient_id": DIGITS,
        "biz_opaque_callback_data": own});
    report(world, line, delivered).await;
    report(world, line, json!({"id": "wamid.elsewhere", "status": "sent", "recipient_id": DIGITS})).await;
}

async fn group(world: &World, line: &Line) {
    let create = json!({"chatPhoneNumberId": line.number, "subject": "Friends"});
    world.send(Call::post("/v1/chat/groups").key(&line.org.app_key).json(&create)).await.expect(201);

    let request = format!("request-{}", world.platform.seen("groups").len());
    tell_group(world, line, "group_lifecycle_update", json!({"type": "group_create", "request_id": request})).await;
    let joined = json!([{"wa_id": DIGITS}, {"wa_id": OTHER}]);
    let joined = json!({"type": "group_participants_add", "added_participants": joined});
    tell_group(world, line, "group_participants_update", joined).await;

    let in_group = |id: &str| json!({"id": id, "type": "text", "text": {"body": "All"}, "group_id": "group-1"});
    receive(world, line, (DIGITS, USER_ID), in_group("wamid.group.ann")).await;
    receive(world, line, (OTHER, "US.2"), in_group("wamid.group.bob")).await;

    for member in [DIGITS, OTHER] {
        let delivered = json!({"id": "wamid.group.sent", "status": "delivered", "recipient_id": "group-1",
            "recipient_type": "group", "group_id": "group-1", "recipient_participant_id": member,
            "participant_recipient_id": member});
        report(world, line, delivered).await;
    }
}

/// A connected number with everything that names the contact, and SMS.
async fn line_and_sms(world: &World, account: &str) -> Line {
    let line = connect(world, &world.org, account).await;
    everything(world, &line).await;
    linked_number(world, "+12015550100").await;

    for (from, id) in [(NUMBER, "in-1"), ("+16505550002", "in-2")] {
        let reporter = inbound::Reporter::Live;
        let text = inbound(from, "+12015550100", "Hello", id).to_string();
        let update = inbound::CarrierUpdate { reporter, at: world.now(), text };
        world.worker.inbox.apply_carrier_update(&update).await.unwrap();
    }
    line
}
