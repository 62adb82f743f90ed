//! Writes of many objects at once, each with as many objects as there can be. Every transaction leaves room for one more
//! item than it has, and none names an item twice.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use domain::events::event::{Audience, EventName, OutboxEvent};
use domain::id::EventId;
use ring::rand::SystemRandom;
use serde_json::{Value, json};
use tests::chat::{Line, connect};
use tests::request::text;
use tests::standin::template;
use tests::world::Organization;
use tests::{Call, Service as _, World};

/// DynamoDB's limit of 100 items, less one.
const MOST: usize = 99;
/// The least that the largest transaction of a full page has.
const FULL: usize = 88;
const APPS: &str = "/v1/organization/apps";

type Item = HashMap<String, AttributeValue>;

/// Returns the result of this work and the numbers of items of its transactions.
async fn measured<T>(world: &World, work: impl Future<Output = T>) -> (T, Vec<usize>) {
    let (done, cost) = world.faults.meter.of(work).await;
    let sizes = cost.calls.iter().filter_map(|call| call.strip_prefix("TransactWriteItems "));
    (done, sizes.map(|size| size.parse().unwrap()).collect())
}

/// Expects that no transaction has more items than there is room for, and that one is full.
fn expect_full(sizes: &[usize], what: &str) {
    let largest = sizes.iter().max().copied().unwrap_or_default();
    assert!((FULL..=MOST).contains(&largest), "{what}: {sizes:?}");
}

fn text_of(item: &Item, name: &str) -> String {
    item[name].as_s().unwrap().clone()
}

/// Stores copies of the organization's first item of a class, each with another sort key.
async fn copies(world: &World, class: &str, count: usize) {
    let items = world.account.stored_items().await;
    let is_own = |item: &&Item| text_of(item, "PK").starts_with(&format!("{class}#{}", world.org.id));
    let model = items.iter().find(is_own).unwrap_or_else(|| panic!("no item of {class}"));
    for number in 0..count {
        let mut copy = model.clone();
        copy.insert("SK".to_owned(), AttributeValue::S(format!("{}{number:03}", text_of(model, "SK"))));
        if class == "TPL" {
            // Each has an item by its name and language.
            copy.insert("language".to_owned(), AttributeValue::S(format!("en{number:03}")));
        }
        world.account.store_item(copy).await;
    }
}

async fn left(world: &World, class: &str) -> usize {
    let items = world.account.items().await.into_iter();
    items.filter(|item| item["PK"].starts_with(&format!("{class}#{}", world.org.id))).count()
}

async fn credentials(world: &World, org: &Organization) {
    for _ in 0..60 {
        for test in [false, true] {
            let key = json!({"operation": "createAdminKey", "organizationId": org.id, "name": "k", "test": test});
            world.operate(key).await.unwrap();
            let link = json!({"successUrl": "https://example.com/done", "failureUrl": "https://example.com/failed",
                "test": test});
            let link = Call::post("/v1/organization/chat/onboarding-links").key(&org.admin).json(&link);
            world.send(link).await.expect(201);
        }
        let session = json!({"operation": "createSession", "organizationId": org.id});
        world.operate(session).await.unwrap();
    }
}

async fn contacts(world: &World, line: &Line) {
    for page in 0..4 {
        let known = (0..20).map(|n| {
            json!({"type": "contact", "action": "add", "metadata": {"timestamp": 2_000_000_010},
                "contact": {"phone_number": format!("1650555{page:02}{n:02}"), "full_name": "Bob"}})
        });
        let known: Vec<Value> = known.collect();
        world.notify(&line.about("smb_app_state_sync", &json!({"state_sync": known}))).await.expect(200);
    }
    world.work_off().await;
}

#[tokio::test]
async fn an_organization_is_deleted_with_full_pages_of_everything() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "4401").await;
    credentials(&world, &world.org).await;
    contacts(&world, &line).await;
    let status = json!({"event": "APPROVED", "message_template_id": 7, "message_template_name": "t",
        "message_template_language": "en"});
    let told = tests::chat::notification("4401", 2_000_000_000, "message_template_status_update", &status);
    world.notify(&told).await.expect(200);
    let chat = json!({"from": "+12015550111", "type": "text", "text": {"body": "Hello"}});
    world.send(Call::post("/v1/playground/chat/inbound").key(&world.org.test_app_key).json(&chat)).await.expect(201);
    for class in ["TPL", "TPLNAME", "PGUSED", "PGNUM", "APPSLUG", "NUMCLAIM"] {
        copies(&world, class, 110).await;
    }
    assert!(left(&world, "CONTACTOF").await > 60, "a page of contacts is full");

    let delete = json!({"operation": "deleteOrganization", "organizationId": world.org.id, "confirm": "acme"});
    let (reply, sizes) = measured(&world, world.operate(delete.clone())).await;
    let reply = reply.unwrap();
    assert!(reply["accessEndedAt"].is_string(), "{reply}");
    // Admin keys of both modes, sessions, links, templates, contacts, and the organization's own lists.
    let full = sizes.iter().filter(|size| (FULL..=MOST).contains(size)).count();
    assert!(full >= 12 && sizes.iter().all(|size| *size <= MOST), "{sizes:?}");
    for class in ["AKEY", "SESS", "LINK", "TPL", "TPLNAME", "CONTACT", "CONTACTOF", "PGUSED", "PGNUM"] {
        assert_eq!(left(&world, class).await, 0, "{class}");
    }
    let credentials = world.account.items().await.into_iter().filter(|item| item["PK"].starts_with("CRED#")).count();
    assert_eq!(credentials, 0);
}

#[tokio::test]
async fn all_sessions_are_revoked_with_full_pages() {
    let world = World::new().await;
    for _ in 0..120 {
        world.operate(json!({"operation": "createSession", "organizationId": world.org.id})).await.unwrap();
    }
    let revoke = json!({"operation": "revokeSessions", "organizationId": world.org.id});
    let (reply, sizes) = measured(&world, world.operate(revoke)).await;
    assert_eq!(reply.unwrap(), json!({"revoked": 121}));
    expect_full(&sizes, "sessions");
    assert_eq!(left(&world, "SESS").await, 0);
}

/// An app that has as many keys, webhooks and system numbers as it can have, and something to clear afterwards.
async fn full_app(world: &World) -> String {
    let app = world.org.test_app.clone();
    // Each needs attention before its end.
    let ends = json!({"expiresAt": world.now().plus_days(100)});
    for _ in 1..domain::identity::key::KEYS_PER_APP {
        world.admin(Call::post(format!("{APPS}/{app}/keys")).json(&ends)).await.expect(201);
    }
    let hook = json!({"url": "https://example.com/", "events": ["templates.chat.created"]});
    for _ in 0..domain::events::webhook::WEBHOOKS_PER_APP {
        world.admin(Call::post(format!("{APPS}/{app}/webhooks")).json(&hook)).await.expect(201);
    }
    for number in 2..domain::testing::playground::MOST_SYSTEM_NUMBERS {
        let sms = json!({"from": "+12015550111", "to": format!("+1201555012{number}"), "text": "Hello"});
        world.send(Call::post("/v1/playground/sms/inbound").key(&world.org.test_app_key).json(&sms)).await.expect(201);
    }
    app
}

#[tokio::test]
async fn an_app_with_everything_it_can_have_is_deleted() {
    let world = World::new().await;
    let app = full_app(&world).await;
    let delete = world.admin(Call::delete(format!("{APPS}/{app}")));
    let (reply, sizes) = measured(&world, delete).await;
    reply.expect(200);
    expect_full(&sizes, "an app");
    world.send(Call::get(APPS).key(&world.org.test_app_key)).await.expect(401);
    let items = world.account.items().await;
    let keys = items.iter().filter(|item| item["PK"] == format!("APPKEY#{}#{app}", world.org.id)).count();
    assert_eq!(keys, 0);
    for class in ["HOOK", "SEC", "HOOKS", "GONE", "NEED"] {
        assert_eq!(left(&world, class).await, 0, "{class}");
    }
    let claims: Vec<_> = world.account.items().await;
    assert!(claims.iter().all(|item| !item["PK"].starts_with("NUMCLAIM#")), "{claims:?}");
}

/// What an interrupted deletion of an app leaves is cleared by the sweep.
#[tokio::test]
async fn the_sweep_clears_the_rest_of_a_deleted_app() {
    let world = World::new().await;
    let app = full_app(&world).await;
    let delete = || world.admin(Call::delete(format!("{APPS}/{app}")));
    for calls in 0.. {
        world.faults.set(tests::faults::Fault::StoppedAfter(calls));
        tokio::select! {
            _ = delete() => panic!("the deletion was never interrupted after its transaction"),
            () = world.faults.struck() => {}
        }
        world.faults.clear();
        if left(&world, "GONE").await > 0 {
            break;
        }
    }
    world.sweep().await;
    let claims = world.account.items().await;
    assert!(claims.iter().all(|item| !item["PK"].starts_with("NUMCLAIM#")), "{claims:?}");
    for class in ["GONE", "HOOKS", "NEED"] {
        assert_eq!(left(&world, class).await, 0, "{class}");
    }
}

#[tokio::test]
async fn a_sync_fills_its_transactions() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "4402").await;
    let many = (0..150).map(|n| template(&format!("{}", 1_000_000 + n), &format!("template_{n}"))).collect();
    world.platform.state().accounts.get_mut("4402").unwrap().templates = many;
    let body = json!({"chatBusinessProfileId": line.profile});
    let sync = world.admin(Call::post("/v1/organization/chat/templates/sync").json(&body));
    let (reply, sizes) = measured(&world, sync).await;
    assert_eq!(reply.expect(200)["added"], 150);
    expect_full(&sizes, "a sync");
}

#[tokio::test]
async fn an_account_with_many_numbers_is_disconnected() {
    let world = World::new().await;
    let numbers: Vec<(String, String)> =
        (0..65).map(|number| (format!("4403{number:02}"), format!("+12015578{number:03}"))).collect();
    let numbers: Vec<(&str, &str)> = numbers.iter().map(|(id, display)| (id.as_str(), display.as_str())).collect();
    world.platform.account("4403", &numbers);
    let body = json!({"code": "code.4403", "wabaId": "4403"});
    let profile = text(&world.admin(Call::post(tests::catalogue::SIGNUP).json(&body)).await.expect(201), "id");
    let path = format!("{}/{profile}", tests::catalogue::PROFILES);
    let (reply, sizes) = measured(&world, world.admin(Call::delete(path))).await;
    reply.expect(200);
    expect_full(&sizes, "an account");
}

#[tokio::test]
async fn a_full_batch_of_events_is_added_to_a_feed() {
    let world = World::new().await;
    let mut change = store::Change::new(&world.org.id.parse().unwrap());
    for _ in 0..60 {
        let event = OutboxEvent {
            id: EventId::mint(world.now(), &SystemRandom::new()),
            kind: EventName::MessagesSmsReceived.into(),
            mode: domain::Mode::Test,
            audience: Audience::App(world.org.test_app.clone()),
            data: "{}".to_owned(),
            created_at: world.now(),
            request_id: None,
        };
        change.emit(&event).unwrap();
    }
    world.account.store().commit(&change).await.unwrap();
    let (_, sizes) = measured(&world, world.dispatch()).await;
    expect_full(&sizes, "a feed");
}

/// A message to a group has a record for each of its recipients, which are more than a transaction holds.
#[tokio::test]
async fn a_message_with_many_recipients_is_erased() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "4404").await;
    let statuses = (0..130).map(|n| {
        json!({"id": "wamid.group", "status": "delivered", "timestamp": "2000000001", "recipient_id": "group-1",
            "recipient_type": "group", "recipient_participant_id": format!("1650556{n:04}")})
    });
    for statuses in statuses.collect::<Vec<_>>().chunks(20) {
        world.notify(&line.about("messages", &json!({"statuses": statuses}))).await.expect(200);
        world.work_off().await;
    }
    assert!(left(&world, "MSG").await > 130, "{}", left(&world, "MSG").await);
    let delete = json!({"operation": "deleteOrganization", "organizationId": world.org.id, "confirm": "acme"});
    let (reply, sizes) = measured(&world, world.operate(delete)).await;
    assert_eq!(reply.unwrap()["deleted"]["messages"], 1);
    assert!(sizes.iter().all(|size| *size <= MOST) && sizes.iter().any(|size| *size >= 80), "{sizes:?}");
    assert_eq!(left(&world, "MSG").await, 0);
}

#[tokio::test]
async fn a_number_of_as_many_apps_as_it_can_have_is_deleted() {
    let world = World::new().await;
    let mut apps = vec![world.org.app.clone()];
    for n in 1..domain::number::APPS_PER_NUMBER {
        let made = world.admin(Call::post(APPS).json(&json!({"name": format!("App {n}")}))).await;
        apps.push(text(&made.expect(201), "id"));
    }
    let body = json!({"number": "+12015550100", "appIds": apps});
    let (made, created) = measured(&world, world.admin(Call::post("/v1/organization/phone-numbers").json(&body))).await;
    let id = text(&made.expect(201), "id");
    let path = format!("/v1/organization/phone-numbers/{id}");
    let (reply, deleted) = measured(&world, world.admin(Call::delete(path))).await;
    assert_eq!(reply.expect(200)["affectedApps"].as_array().unwrap().len(), 40);
    let sizes = [created, deleted].concat();
    assert!(sizes.iter().all(|size| (41..=MOST).contains(size)), "{sizes:?}");
}
