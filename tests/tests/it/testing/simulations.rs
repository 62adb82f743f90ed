//! Scenarios that the simulated platform plays: `POST /v1/playground/simulations`.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::time::Duration;

use domain::event::EventName;
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};
use tests::chat::{Line, connect, notification};
use tests::receiver::{Receiver, status};
use tests::request::text;
use tests::world::Organization;
use tests::{Call, Reply, Service as _, World};

const SCENARIOS: &str = "/v1/playground/scenarios";
const SIMULATIONS: &str = "/v1/playground/simulations";

async fn run(world: &World, key: &str, body: &Value) -> Reply {
    world.send(Call::post(SIMULATIONS).key(key).json(body)).await
}

async fn simulation(world: &World, key: &str, id: &str) -> Value {
    world.send(Call::get(format!("{SIMULATIONS}/{id}")).key(key)).await.expect(200)
}

/// Lets the time of the simulation come, and the worker do what the job of each step does.
async fn play(world: &World, org: &Organization, key: &str, body: &Value) -> Value {
    let begun = run(world, key, body).await.expect(201);
    let id = text(&begun, "id");
    assert_eq!(begun["status"], "RUNNING");
    for _ in begun["steps"].as_array().unwrap() {
        world.clock.advance(Duration::from_secs(1));
        let (org, id) = (org.id.parse().unwrap(), id.parse().unwrap());
        Box::pin(world.worker.inbox.simulate(&org, &id)).await.unwrap();
    }
    let over = simulation(world, key, &id).await;
    assert_eq!(over["status"], "COMPLETED", "{over}");
    over
}

async fn assert_unchanged(world: &World, before: &[BTreeMap<String, String>]) {
    let after = world.account.items().await;
    let new: Vec<_> = after.iter().filter(|item| !before.contains(item)).collect();
    assert!(new.is_empty() && after.len() == before.len(), "{new:?}");
}

/// All scenarios, with those of groups last.
async fn scenarios(world: &World, key: &str) -> Vec<Value> {
    let listed = world.send(Call::get(SCENARIOS).key(key)).await.expect(200);
    listed["data"].as_array().unwrap().clone()
}

fn names(steps: &Value) -> Vec<&str> {
    steps.as_array().unwrap().iter().filter_map(|step| step["event"].as_str()).collect()
}

/// The test app's number.
async fn own_number(world: &World, org: &Organization) -> Value {
    let listed = Call::get("/v1/organization/chat/phone-numbers?limit=100").key(&org.admin);
    let listed = world.send(listed).await.expect(200);
    let is_own = |number: &&Value| number["apps"][0]["appId"] == org.test_app.as_str();
    listed["data"].as_array().unwrap().iter().find(is_own).unwrap().clone()
}

async fn group(world: &World, org: &Organization) -> String {
    let number = own_number(world, org).await;
    let body = json!({"chatPhoneNumberId": number["id"], "subject": "Friends"});
    let made = world.send(Call::post("/v1/chat/groups").key(&org.test_app_key).json(&body)).await.expect(201);
    text(&made, "id")
}

/// The body that runs a scenario: with a group, if it is about one.
fn body_of(scenario: &Value, group: &str) -> Value {
    let mut body = json!({"scenario": scenario["name"]});
    if scenario["target"] == "group" {
        body["target"] = json!(group);
    }
    body
}

/// Everything that contains a digit names or dates something.
fn masked(value: &Value) -> Value {
    match value {
        Value::String(text) if text.bytes().any(|byte| byte.is_ascii_digit()) => json!("#"),
        Value::Array(list) => list.iter().map(masked).collect(),
        Value::Object(object) => object.iter().map(|(name, value)| (name.clone(), masked(value))).collect(),
        other => other.clone(),
    }
}

/// The names and masked contents of all events of an organization, without those that were seen before.
async fn new_events(world: &World, org: &Organization, seen: &mut HashSet<String>) -> Vec<(String, String)> {
    let prefix = format!("EVT#{}#", org.id);
    let mut new = Vec::new();
    for item in world.account.items().await {
        if item["PK"].starts_with(&prefix) && seen.insert(item["PK"].clone()) {
            let data: Value = serde_json::from_str(&item["data"]).unwrap();
            new.push((item["type"].clone(), masked(&data).to_string()));
        }
    }
    new.sort();
    new
}

/// Every event of chats, contacts, templates and accounts is caused by a scenario as a real change: it is delivered to a
/// webhook, the simulation shows its delivery, and what it reports can be read.
#[tokio::test]
async fn every_event_but_those_of_sms_is_caused_by_a_scenario_and_delivered() {
    let world = World::with_local_webhooks().await;
    let receiver = Receiver::start(status(204));
    let (org, key) = (&world.org, world.org.test_app_key.as_str());
    let all: Vec<&str> = EventName::ALL.iter().map(|event| event.as_str()).collect();
    let hook = json!({"url": receiver.url, "events": all});
    world.send(Call::post("/v1/webhooks").key(key).json(&hook)).await.expect(201);
    let group = group(&world, org).await;
    let mut caused = BTreeSet::new();
    let mut ids = BTreeMap::new();
    for scenario in scenarios(&world, key).await {
        let declared: BTreeSet<String> =
            scenario["events"].as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned()).collect();
        let mut expected = declared.clone();
        // The account is connected at first, and stays disconnected after the first of the two scenarios.
        let over = play(&world, org, key, &body_of(&scenario, &group)).await;
        expected.extend(names(&over["steps"]).into_iter().filter(|name| name.starts_with("chat.")).map(str::to_owned));
        let events: BTreeSet<String> = names(&over["steps"]).into_iter().map(str::to_owned).collect();
        assert_eq!(events, expected, "{scenario} {over}");
        assert!(over["steps"].as_array().unwrap().iter().all(|step| step["status"] == "APPLIED"), "{over}");
        caused.extend(declared);
        ids.insert(text(&scenario, "name"), text(&over, "id"));
    }
    let chat: BTreeSet<String> =
        all.iter().filter(|name| !name.starts_with("messages.sms.")).map(|name| (*name).to_owned()).collect();
    assert_eq!(caused, chat);

    world.send_events().await;
    let got: BTreeMap<String, Value> = receiver.got().iter().map(|got| (got.id(), got.json())).collect();
    let delivered: BTreeSet<String> = got.values().map(|event| text(event, "type")).collect();
    assert_eq!(delivered, chat);
    for (name, id) in &ids {
        let over = simulation(&world, key, id).await;
        for step in over["steps"].as_array().unwrap().iter().filter(|step| !step["event"].is_null()) {
            let event = &got[step["eventId"].as_str().unwrap()];
            assert_eq!((&event["type"], &event["mode"]), (&step["event"], &json!("test")), "{name}");
            let deliveries = step["deliveries"].as_array().unwrap();
            assert_eq!(deliveries.len(), 1, "{name} {step}");
            let told = json!([deliveries[0]["status"], deliveries[0]["attempts"], deliveries[0]["lastStatusCode"]]);
            assert_eq!(told, json!(["DELIVERED", 1, 204]), "{name} {step}");
            assert_eq!(deliveries[0]["appId"], org.test_app.as_str());
        }
    }
    let mut read = 0;
    for event in got.values() {
        let (kind, data) = (text(event, "type"), &event["data"]);
        if kind.starts_with("messages.") {
            let path = format!("/v1/chat/messages/{}", text(data, "id"));
            let now = world.send(Call::get(path).key(key)).await.expect(200);
            assert_eq!((&now["type"], &now["providerMessageId"]), (&data["type"], &data["providerMessageId"]));
            read += 1;
        } else if kind.starts_with("chat.account.") {
            let path = format!("/v1/organization/chat/business-profiles/{}", text(data, "id"));
            let now = world.admin(Call::get(path)).await.expect(200);
            assert_eq!(now["reviewDecision"], "REJECTED");
            read += 1;
        } else if kind.starts_with("templates.") && kind != "templates.chat.deleted" {
            read += 1;
        }
    }
    assert!(read > 10);
    let number = own_number(&world, org).await;
    assert_eq!((&number["qualityEvent"], &number["nameStatus"]), (&json!("FLAGGED"), &json!("APPROVED")));
    for state in ["APPROVED", "PAUSED", "PENDING", "REJECTED"] {
        let path = format!("/v1/chat/templates?chatPhoneNumberId={}&status={state}", text(&number, "id"));
        let templates = world.send(Call::get(path).key(key)).await.expect(200);
        assert!(!templates["data"].as_array().unwrap().is_empty(), "{state}");
    }
    let group = world.send(Call::get(format!("/v1/chat/groups/{group}")).key(key)).await.expect(200);
    assert_eq!((&group["status"], group["participants"].as_array().unwrap().len()), (&json!("SUSPENDED"), 0));
}

/// Two organizations get the same from the same requests: only ids, numbers and times differ.
#[tokio::test]
async fn the_same_requests_have_the_same_outcome() {
    let world = World::new().await;
    let other = world.organization("Other").await;
    let mut outcomes = Vec::new();
    for org in [&world.org, &other] {
        let (mut seen, group) = (HashSet::new(), group(&world, org).await);
        new_events(&world, org, &mut seen).await;
        let mut outcome = Vec::new();
        for scenario in scenarios(&world, &org.test_app_key).await {
            // Not at the same part of a second.
            world.clock.advance(Duration::from_millis(337));
            let over = play(&world, org, &org.test_app_key, &body_of(&scenario, &group)).await;
            outcome.push((masked(&over), new_events(&world, org, &mut seen).await));
        }
        outcomes.push(outcome);
    }
    assert!(outcomes[0].len() >= 20);
    assert_eq!(outcomes[0], outcomes[1]);
}

/// What a user gets whose window is closed, and that it opens again.
#[tokio::test]
async fn a_closed_window_refuses_what_is_no_template() {
    let world = World::new().await;
    let key = world.org.test_app_key.as_str();
    let over = play(&world, &world.org, key, &json!({"scenario": "window_closed"})).await;
    let user = text(&over, "target");
    assert_eq!(names(&over["steps"]).len(), 2, "{over}");
    let number = own_number(&world, &world.org).await;
    let path = format!("/v1/chat/messages?chatPhoneNumberId={}", text(&number, "id"));
    let listed = world.send(Call::get(path).key(key)).await.expect(200);
    let message = &listed["data"][0];
    assert_eq!(message["fromPhoneNumber"].as_str().unwrap_or_default(), user, "{message}");
    let body = json!({"from": number["id"], "to": user, "type": "text", "text": {"body": "Hello"}});
    let send = async || world.send(Call::post("/v1/chat/messages").key(key).json(&body)).await;
    let refused = send().await.expect(422);
    assert_eq!(refused["error"]["code"], "conversation_window_expired");
    assert_eq!(refused["error"]["provider"]["code"], 131_047);
    let inbound = json!({"from": user, "type": "text", "text": {"body": "Still there?"}});
    world.send(Call::post("/v1/playground/chat/inbound").key(key).json(&inbound)).await.expect(201);
    send().await.expect(201);
    // The user is one of the organization's.
    let users = world.admin(Call::get("/v1/organization/playground/chat/phone-numbers/user")).await.expect(200);
    assert_eq!(users, json!({"numbers": [user]}));
}

/// Existing objects of every kind as targets, with the keys of the app and of an admin.
#[tokio::test]
async fn a_scenario_is_about_its_target() {
    let world = World::new().await;
    let (org, key) = (&world.org, world.org.test_app_key.as_str());
    let number = own_number(&world, org).await;
    let (id, account) = (text(&number, "id"), text(&number["businessProfile"], "id"));
    let inbound = json!({"from": "+16505551234", "profileName": "Ann", "type": "text", "text": {"body": "Hello"}});
    world.send(Call::post("/v1/playground/chat/inbound").key(key).json(&inbound)).await.expect(201);
    let body = json!({"from": id, "to": "+99930001", "type": "text", "text": {"body": "Hello"}});
    let sent = world.send(Call::post("/v1/chat/messages").key(key).json(&body)).await.expect(201);
    let template = play(&world, org, key, &json!({"scenario": "template_approved"})).await;
    assert_eq!(names(&template["steps"]), ["templates.chat.created", "templates.chat.connected"]);
    let (template, sent) = (text(&template, "target"), text(&sent, "id"));
    for (scenario, target, expected) in [
        ("account_rejected", account.as_str(), &[][..]),
        ("account_reviewed", &id, &[]),
        ("number_quality_changed", &id, &[]),
        ("template_approved", &template, &["templates.chat.updated", "templates.chat.connected"]),
        ("template_paused", &template, &["templates.chat.updated"]),
        ("template_category_changed", &template, &["templates.chat.updated"]),
        ("template_deleted", &template, &["templates.chat.deleted"]),
        ("contact_renamed", "+16505551234", &["contacts.chat.updated"]),
        ("contact_removed", "+16505551234", &["contacts.chat.deleted"]),
        ("message_read", &sent, &["messages.chat.delivered", "messages.chat.read"]),
        ("message_failed", &sent, &["messages.chat.failed"]),
        ("account_disconnected", &account, &["chat.account.disconnected"]),
        ("account_disconnected", &account, &["chat.account.connected", "chat.account.disconnected"]),
        ("account_reconnected", &id, &["chat.account.connected"]),
    ] {
        // The platform's decisions about one object are told apart by their second.
        world.clock.advance(Duration::from_secs(2));
        let by_admin = scenario.len() % 2 == 0;
        let key = if by_admin { &world.org.test_admin } else { key };
        let over = play(&world, org, key, &json!({"scenario": scenario, "target": target})).await;
        assert_eq!(names(&over["steps"]), expected, "{scenario} {over}");
        let about = if scenario.starts_with("account_") { &account } else { target };
        assert_eq!(over["target"], about, "{scenario}");
    }
    let read = world.send(Call::get(format!("/v1/chat/messages/{sent}")).key(key)).await.expect(200);
    assert_eq!(read["recipients"][0]["status"], "FAILED");
    assert_eq!(read["errorCode"], "message_undeliverable");
}

/// The queue leads from step to step: a delayed simulation begins after its delay, and the worker does the rest.
#[tokio::test]
async fn the_worker_plays_a_simulation_step_by_step() {
    let world = World::new().await;
    let key = world.org.test_app_key.as_str();
    let begun = run(&world, key, &json!({"scenario": "template_approved", "delaySeconds": 1})).await.expect(201);
    let id = text(&begun, "id");
    let expected: Vec<Value> = begun["steps"].as_array().unwrap().iter().map(|step| step["event"].clone()).collect();
    assert_eq!(expected, [json!("templates.chat.created"), json!("templates.chat.connected")]);
    let states = async || {
        let now = simulation(&world, key, &id).await;
        let steps = now["steps"].as_array().unwrap().iter().map(|step| text(step, "status"));
        (text(&now, "status"), steps.collect::<Vec<_>>().join(" "))
    };
    let mut seen = Vec::new();
    for _ in 0..100 {
        world.work_off().await;
        let now = states().await;
        if seen.last() != Some(&now) {
            seen.push(now);
        }
        world.clock.advance(Duration::from_millis(100));
        tokio::time::sleep(Duration::from_millis(100)).await;
        if seen.last().unwrap().0 == "COMPLETED" {
            break;
        }
    }
    let course = [("RUNNING", "WAITING WAITING"), ("RUNNING", "APPLIED WAITING"), ("COMPLETED", "APPLIED APPLIED")];
    let course: Vec<_> = course.into_iter().map(|(status, steps)| (status.to_owned(), steps.to_owned())).collect();
    assert_eq!(seen, course);
    assert_eq!(world.dead_letters().await, Vec::<String>::new());
    // A job that comes again finds everything done.
    let before = world.account.items().await;
    let org = world.org.id.parse().unwrap();
    Box::pin(world.worker.inbox.simulate(&org, &id.parse().unwrap())).await.unwrap();
    assert_unchanged(&world, &before).await;
}

/// Platform updates have times in seconds, so those of two simulations can be equal. Only one of them is applied.
#[tokio::test]
async fn equal_updates_of_two_simulations_are_applied_once_and_both_end() {
    let world = World::new().await;
    let (key, org) = (world.org.test_app_key.as_str(), world.org.id.parse().unwrap());
    let body = json!({"scenario": "account_rejected"});
    let begun = [run(&world, key, &body).await.expect(201), run(&world, key, &body).await.expect(201)];
    world.clock.advance(Duration::from_secs(1));
    let mut seen = Vec::new();
    for begun in begun {
        let id = text(&begun, "id");
        let parsed = id.parse().unwrap();
        let simulate = Box::pin(world.worker.inbox.simulate(&org, &parsed));
        tokio::time::timeout(Duration::from_secs(20), simulate).await.expect("the simulation ends").unwrap();
        let over = simulation(&world, key, &id).await;
        let step = &over["steps"][0];
        seen.push((text(&over, "status"), text(step, "status"), step.get("reason").is_some()));
    }
    let expected = [("COMPLETED", "APPLIED", false), ("COMPLETED", "IGNORED", true)];
    assert_eq!(seen, expected.map(|(over, step, has_reason)| (over.to_owned(), step.to_owned(), has_reason)));
    let profiles = world.admin(Call::get("/v1/organization/chat/business-profiles")).await.expect(200);
    let is_rejected = |profile: &&Value| profile["reviewDecision"] == "REJECTED";
    assert_eq!(profiles["data"].as_array().unwrap().iter().filter(is_rejected).count(), 1);
}

/// A repeated request plays nothing twice, and what is not allowed plays nothing.
#[tokio::test]
async fn requests_are_checked_and_repeated_ones_answered() {
    let world = World::new().await;
    let key = world.org.test_app_key.as_str();
    let body = json!({"scenario": "account_rejected"});
    let once = || Call::post(SIMULATIONS).key(key).header("idempotency-key", "k-1").json(&body);
    let first = world.send(once()).await.expect(201);
    assert_eq!(world.send(once()).await.expect(201), first);
    let before = world.account.items().await;
    for (body, param) in [
        (json!({}), "scenario"),
        (json!({"scenario": "earthquake"}), "scenario"),
        (json!({"scenario": "account_rejected", "target": "x"}), "target"),
        (json!({"scenario": "account_rejected", "target": "+16505551234"}), "target"),
        (json!({"scenario": "contact_renamed", "target": "x"}), "target"),
        (json!({"scenario": "template_paused", "target": "welcome"}), "target"),
        (json!({"scenario": "group_joined"}), "target"),
        (json!({"scenario": "group_joined", "target": "wapn_test_0ujtsYcgvSTl8PAuAdqWYSMnLOv"}), "target"),
        (json!({"scenario": "account_rejected", "delaySeconds": 3601}), "delaySeconds"),
        (json!({"scenario": "account_rejected", "delaySeconds": -1}), "delaySeconds"),
    ] {
        let refused = run(&world, key, &body).await.expect(400);
        assert_eq!(refused["error"]["param"], param, "{body} {refused}");
    }
    run(&world, &world.org.test_admin, &json!({"scenario": "account_rejected"})).await.refused(
        400,
        Some("target"),
        None,
    );
    for live in [&world.org.admin, &world.org.app_key] {
        run(&world, live, &json!({"scenario": "account_rejected"})).await.expect(403);
        world.send(Call::get(SCENARIOS).key(live)).await.expect(403);
    }
    assert_unchanged(&world, &before).await;
}

/// What is live, of another app or of another organization does not exist, and nobody else sees a simulation.
#[tokio::test]
async fn only_own_test_objects_can_be_targets() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "996").await;
    let other = world.organization("Other").await;
    let (_, other_key) = world.app(&world.org.admin, &json!({"name": "T2", "test": true})).await;
    let number = own_number(&world, &world.org).await;
    let (id, account) = (text(&number, "id"), text(&number["businessProfile"], "id"));
    let key = world.org.test_app_key.as_str();
    let group = group(&world, &world.org).await;
    let template = text(&play(&world, &world.org, key, &json!({"scenario": "template_approved"})).await, "target");
    let contact = text(&play(&world, &world.org, key, &json!({"scenario": "contact_renamed"})).await, "target");
    let message = json!({"from": id, "to": "+99930001", "type": "text", "text": {"body": "Hello"}});
    let message = world.send(Call::post("/v1/chat/messages").key(key).json(&message)).await.expect(201);
    let own = play(&world, &world.org, &world.org.test_app_key, &json!({"scenario": "account_rejected"})).await;
    let path = format!("{SIMULATIONS}/{}", text(&own, "id"));
    let before = world.account.items().await;
    let message = text(&message, "id");
    let targets = [
        ("account_rejected", &id),
        ("account_rejected", &account),
        ("number_quality_changed", &id),
        ("template_paused", &template),
        ("contact_removed", &contact),
        ("group_joined", &group),
        ("message_read", &message),
    ];
    for (scenario, target) in targets {
        let body = json!({"scenario": scenario, "target": target});
        for key in [&other.test_app_key, &other.test_admin] {
            run(&world, key, &body).await.refused(404, Some("target"), None);
        }
        // The account is shared by all test apps of the organization, and so are its templates.
        if ![&account, &template].contains(&target) {
            run(&world, &other_key, &body).await.refused(404, Some("target"), None);
        }
    }
    for (scenario, target) in [("account_rejected", &line.profile), ("account_rejected", &line.number)] {
        for key in [key, &world.org.test_admin] {
            let body = json!({"scenario": scenario, "target": target});
            run(&world, key, &body).await.refused(404, Some("target"), None);
        }
    }
    for key in [&other.test_app_key, &other.test_admin, &other_key] {
        world.send(Call::get(&path).key(key)).await.refused(404, Some("simulationId"), None);
    }
    assert_unchanged(&world, &before).await;
    world.send(Call::get(&path).key(&world.org.test_admin)).await.expect(200);
}

/// 100 simulations of an organization run at the same time. When one ends, or its time is over, another one can begin.
#[tokio::test]
async fn a_hundred_simulations_can_run() {
    let world = World::new().await;
    let key = world.org.test_app_key.as_str();
    let body = json!({"scenario": "account_rejected", "delaySeconds": 3600});
    let mut begun = Vec::new();
    for _ in 0..100 {
        begun.push(text(&run(&world, key, &body).await.expect(201), "id"));
    }
    let refused = run(&world, key, &body).await;
    assert_eq!(refused.header("retry-after"), Some("5"));
    refused.refused(429, None, Some("rate_limit_exceeded"));
    world.clock.advance(Duration::from_secs(3601));
    let org = world.org.id.parse().unwrap();
    Box::pin(world.worker.inbox.simulate(&org, &begun[40].parse().unwrap())).await.unwrap();
    run(&world, key, &body).await.expect(201);
    run(&world, key, &body).await.expect(429);
    // Their jobs were lost: an hour after their last steps, they count as ended.
    world.clock.advance(Duration::from_secs(3600));
    run(&world, key, &body).await.expect(201);
}

/// An event of an account is delivered to every app that listens to it. A test admin key sees all of these deliveries, the
/// key of an app its own only.
#[tokio::test]
async fn an_admin_key_sees_the_deliveries_to_all_apps() {
    let world = World::with_local_webhooks().await;
    let receiver = Receiver::start(status(204));
    let org = &world.org;
    let (other, _) = world.app(&org.admin, &json!({"name": "Listener", "test": true})).await;
    let hook = json!({"url": receiver.url, "events": ["chat.account.disconnected"]});
    let hooks = format!("/v1/organization/apps/{other}/webhooks");
    world.admin(Call::post(hooks).json(&hook)).await.expect(201);
    let played = play(&world, org, &org.test_app_key, &json!({"scenario": "account_disconnected"})).await;
    world.send_events().await;
    assert_eq!(receiver.got().len(), 1);
    let id = text(&played, "id");
    let deliveries = async |key: &str| {
        let steps = simulation(&world, key, &id).await["steps"].take();
        let of_step = |step: &Value| step["deliveries"].as_array().cloned().unwrap_or_default();
        steps.as_array().unwrap().iter().flat_map(of_step).collect::<Vec<_>>()
    };
    let [delivery] = &deliveries(&org.test_admin).await[..] else { panic!("not one delivery") };
    assert_eq!((&delivery["appId"], &delivery["status"]), (&json!(other), &json!("DELIVERED")));
    assert!(deliveries(&org.test_app_key).await.is_empty());
}

/// Each step is one of the app's simulated messages of the day.
#[tokio::test]
async fn steps_count_as_simulated_messages() {
    let world = World::new().await;
    let key = world.org.test_app_key.as_str();
    for _ in 0..3 {
        play(&world, &world.org, key, &json!({"scenario": "account_reviewed"})).await;
    }
    let spent = async || {
        let items = world.account.items().await;
        let own = format!("RATE#{}#{}", world.org.id, world.org.test_app);
        let spent = items.iter().filter(|item| item["PK"] == own).filter_map(|item| item.get("playgroundMessages"));
        spent.map(|count| count.parse::<u64>().unwrap()).sum::<u64>()
    };
    assert_eq!(spent().await, 12);
    let number = own_number(&world, &world.org).await;
    let by_admin = json!({"scenario": "account_rejected", "target": number["id"]});
    play(&world, &world.org, &world.org.test_admin, &by_admin).await;
    assert_eq!(spent().await, 12);
}

/// The update of a step, as the platform would post it for a live number.
fn for_live(line: &Line, update: &Value) -> Value {
    let part = text(update, "part");
    let mut body = update["body"].clone();
    let lists = [("message", "messages"), ("status", "statuses"), ("contact", "state_sync"), ("group", "groups")];
    let value = match lists.iter().find(|(name, _)| *name == part) {
        None => {
            if body.get("display_phone_number").is_some() {
                body["display_phone_number"] = json!(line.display);
            }
            body
        }
        Some((_, list)) => {
            let metadata = json!({"display_phone_number": line.display, "phone_number_id": line.platform_number});
            let mut value = json!({"messaging_product": "whatsapp", "metadata": metadata});
            value[*list] = json!([body]);
            if !update["contact"].is_null() {
                value["contacts"] = json!([update["contact"]]);
            }
            value
        }
    };
    notification(&line.account, update["time"].as_i64().unwrap(), &text(update, "field"), &value)
}

/// Any sequence of scenarios, each step of which is also posted to the live route, signed, for a live number: it is taken,
/// and the live number gets the same messages, statuses and events.
#[tokio::test]
async fn a_live_twin_gets_the_same_from_the_live_route() {
    let world = World::new().await;
    // The twins belong to different organizations, so that the events of each are its own.
    let twin = world.organization("Twin").await;
    let line = connect(&world, &twin, "997").await;
    let key = world.org.test_app_key.as_str();
    let store = world.worker.inbox.context.store.of(&world.org.id.parse().unwrap());
    let all = scenarios(&world, key).await;
    let all: Vec<&Value> = all.iter().filter(|scenario| scenario["target"] != "group").collect();
    let picks = prop::collection::vec((0..all.len(), any::<bool>(), 0..5_u64), 40..=40);
    let picks = picks.new_tree(&mut TestRunner::deterministic()).unwrap().current();
    let mut targets: BTreeMap<String, String> = BTreeMap::new();
    let (mut seen, mut seen_live) = (HashSet::new(), HashSet::new());
    new_events(&world, &world.org, &mut seen).await;
    new_events(&world, &twin, &mut seen_live).await;
    let mut compared = 0;
    for (index, is_known, pause) in picks.into_iter().chain((0..all.len()).map(|index| (index, false, 1))) {
        let (name, kind) = (text(all[index], "name"), text(all[index], "target"));
        world.clock.advance(Duration::from_secs(pause + 1));
        let mut body = json!({"scenario": name});
        let known = targets.get(&kind).filter(|_| is_known && ["template", "contact"].contains(&kind.as_str()));
        if let Some(known) = known {
            body["target"] = json!(known);
        }
        let over = play(&world, &world.org, key, &body).await;
        let played = store.simulation(&text(&over, "id").parse().unwrap()).await.unwrap().unwrap();
        for step in &played.steps {
            let routed: Value = serde_json::from_str(&step.update).unwrap();
            let taken = world.notify(&for_live(&line, &routed["update"])).await.expect(200);
            assert_eq!(taken, json!({"accepted": 1, "ignored": 0}), "{name}");
        }
        let (simulated, live) =
            (new_events(&world, &world.org, &mut seen).await, new_events(&world, &twin, &mut seen_live).await);
        compared += simulated.len();
        let without_mode = |events: Vec<(String, String)>| -> Vec<(String, String)> {
            let account = |(kind, data): (String, String)| match kind.starts_with("chat.account.") {
                // The accounts themselves differ: name, owner and numbers.
                true => (kind, String::new()),
                false => (kind, data),
            };
            events.into_iter().map(account).collect()
        };
        assert_eq!(without_mode(simulated), without_mode(live), "{name} {over}");
        if name.ends_with("deleted") || name.ends_with("removed") || name.ends_with("number_changed") {
            targets.remove(&kind);
        } else {
            targets.insert(kind, text(&over, "target"));
        }
    }
    assert!(compared > 40, "{compared}");
    let test = own_number(&world, &world.org).await;
    let live = Call::get(format!("/v1/organization/chat/phone-numbers/{}", line.number)).key(&twin.admin);
    let live = world.send(live).await.expect(200);
    for field in ["qualityEvent", "nameStatus", "requestedVerifiedName"] {
        assert!(!test[field].is_null() && test[field] == live[field], "{field}: {test} {live}");
    }
}
