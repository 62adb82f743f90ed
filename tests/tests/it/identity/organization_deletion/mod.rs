//! The deletion of an organization, by the content of the table, the bucket and the secrets afterwards.

mod completeness;
mod failing_steps;
mod interruptions;
mod platform_failures;

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};
use tests::catalogue::SIGNUP;
use tests::chat::{Line, connect, notification};
use tests::request::text;
use tests::standin::Seen;
use tests::world::Organization;
use tests::{Call, Service as _, World};

const SETTLING: Duration = Duration::from_secs(15 * 60);
/// Classes of items that end by themselves, as the receipt says, or are kept.
const ENDING: &[&str] = &[
    "EVT#", "FEED#", "FEEDREF#", "DLV#", "IDEM#", "RATE#", "SEEN#", "ONB#", "ERASE#", "ORGREQ#", "PACE#", "SIM#",
    "HEALTH#",
];

/// The operator's request, with the slug that confirms it.
fn delete(world: &World, confirm: &str) -> Value {
    json!({"operation": "deleteOrganization", "organizationId": world.org.id, "confirm": confirm})
}

async fn items_naming(world: &World, organization: &str) -> Vec<BTreeMap<String, String>> {
    let items = world.account.items_of_every_class().await.into_iter();
    items.filter(|item| item.values().any(|value| value.contains(organization))).collect()
}

/// The items that name an organization and neither end by themselves nor are kept.
async fn lasting(world: &World, organization: &str) -> Vec<BTreeMap<String, String>> {
    let items = items_naming(world, organization).await.into_iter();
    let items = items.filter(|item| ENDING.iter().all(|class| !item["PK"].starts_with(class)));
    // When an account was released stays with the account, as the receipt says.
    let mut items: Vec<_> = items.filter(|item| item["SK"] != "RELEASED").collect();
    for item in &mut items {
        // The daily check of an account may take place meanwhile.
        item.remove("dueAt");
        if item["PK"].starts_with("WABP#") {
            item.remove("health");
            item.remove("revision");
        }
    }
    items
}

/// The keys of what is left of the world's organization.
async fn left(world: &World) -> Vec<String> {
    let items = lasting(world, &world.org.id).await.into_iter();
    items.map(|item| format!("{} {}", item["PK"], item["SK"])).collect()
}

/// Gives the organization something of every kind.
async fn furnish(world: &World, org: &Organization, account: &str) -> Line {
    let line = connect(world, org, account).await;
    add_conversations(world, &line).await;
    add_group(world, &line).await;

    let simulated = json!({"code": "code", "wabaId": format!("{account}9"), "test": true});
    world.send(Call::post(SIGNUP).key(&org.admin).json(&simulated)).await.expect(201);

    let status = json!({"event": "APPROVED", "message_template_id": 7, "message_template_name": "t",
        "message_template_language": "en"});
    let template = notification(account, 2_000_000_000, "message_template_status_update", &status);
    world.notify(&template).await.expect(200);
    world.work_off().await;

    let hook = json!({"url": "https://example.com", "events": ["chat.account.disconnected"]});
    world
        .send(Call::post(format!("/v1/organization/apps/{}/webhooks", org.app)).key(&org.admin).json(&hook))
        .await
        .expect(201);
    let limited = json!({"rateLimit": {"requestsPerSecond": 10}});
    let limited =
        world.send(Call::post(format!("/v1/organization/apps/{}/keys", org.app)).key(&org.admin).json(&limited));
    let limited = text(&limited.await.expect(201), "key");
    world.send(Call::get("/v1/phone-numbers").key(&limited)).await.expect(200);
    let link = json!({"successUrl": "https://example.com/done", "failureUrl": "https://example.com/failed"});
    world.send(Call::post("/v1/organization/chat/onboarding-links").key(&org.admin).json(&link)).await.expect(201);
    let add = json!({"number": "+12015550199", "appIds": [org.app]});
    world.send(Call::post("/v1/organization/phone-numbers").key(&org.admin).json(&add)).await.expect(201);

    add_simulated_messages(world, org).await;
    line
}

/// Received messages, one of them with a file, a message sent elsewhere, and a contact from the phone's address book.
async fn add_conversations(world: &World, line: &Line) {
    world.platform.state().media.insert("900".to_owned(), b"bytes".to_vec());
    for (id, kind) in [("in", "text"), ("image", "image")] {
        let message = json!({"id": format!("wamid.{}.{id}", line.account), "type": kind, "text": {"body": "Hello"},
            "image": {"id": "900", "mime_type": "image/jpeg"}});
        world.notify(&line.message(&message)).await.expect(200);
    }

    let status =
        json!({"id": "wamid.elsewhere", "status": "sent", "timestamp": "2000000001", "recipient_id": "16505559999"});
    world.notify(&line.status(&status)).await.expect(200);

    let known = json!({"type": "contact", "action": "add", "contact": {"phone_number": "16505550077", "full_name": "Bob"},
        "metadata": {"timestamp": 2_000_000_010}});
    world.notify(&line.about("smb_app_state_sync", &json!({"state_sync": [known]}))).await.expect(200);
}

/// Receives a part of a history, which waits.
async fn add_history(world: &World, line: &Line) {
    let said = json!({"id": "wamid.history", "from": "16505550077", "timestamp": "1795000000", "type": "text",
        "text": {"body": "Before"}});
    let part = json!({"metadata": {"progress": 10}, "threads": [{"id": "16505550077", "messages": [said]}]});
    world.notify(&line.about("history", &json!({"history": [part]}))).await.expect(200);
}

async fn add_group(world: &World, line: &Line) {
    let create = json!({"chatPhoneNumberId": line.number, "subject": "Friends"});
    world.send(Call::post("/v1/chat/groups").key(&line.org.app_key).json(&create)).await.expect(201);

    let request = format!("request-{}", world.platform.seen("groups").len());
    let made =
        json!({"type": "group_create", "timestamp": 2_000_000_000, "request_id": request, "group_id": "group-1"});
    world.notify(&line.about("group_lifecycle_update", &json!({"groups": [made]}))).await.expect(200);
}

async fn add_simulated_messages(world: &World, org: &Organization) {
    let chat = json!({"from": "+16505551234", "type": "text", "profileName": "Ann", "text": {"body": "Hello"}});
    world.send(Call::post("/v1/playground/chat/inbound").key(&org.test_app_key).json(&chat)).await.expect(201);

    let system = world.send(Call::get("/v1/playground/phone-numbers/system").key(&org.test_app_key)).await.expect(200);
    let sms = json!({"from": "+442079460111", "to": system["numbers"][0], "text": "Hello"});
    world.send(Call::post("/v1/playground/sms/inbound").key(&org.test_app_key).json(&sms)).await.expect(201);
}

/// Whether the profile's secret exists, also if it is only scheduled for deletion.
async fn secret_exists(world: &World, line: &Line) -> bool {
    let secret = world.account.secrets.describe_secret().secret_id(format!("profiles/{}", line.profile));
    secret.send().await.is_ok()
}

/// The requests that ended the subscription of an account.
fn endings(world: &World, account: &str) -> Vec<Seen> {
    let seen = world.platform.seen(&format!("{account}/subscribed_apps")).into_iter();
    seen.filter(|seen| seen.method == "DELETE").collect()
}

/// Repeats the request as the operator's program does.
async fn finish(world: &World) -> Value {
    for _ in 0..60 {
        let reply = world.operate(delete(world, "acme")).await.unwrap();
        if reply["status"] == "DONE" {
            return reply;
        }
        world.sweep().await;
        world.work_off().await;
        world.clock.advance(Duration::from_secs(60));
    }
    panic!("the deletion does not end: {:?}", left(world).await);
}
