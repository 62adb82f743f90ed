//! What scenarios change and report.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::time::Duration;

use domain::events::event::EventName;
use messaging_client::types::{SimulationStepStatus, WebhookDeliveryStatus};
use serde_json::{Value, json};
use tests::receiver::{Receiver, status};
use tests::request::text;
use tests::{Call, Service as _, World};

use super::{body_of, group, masked, names, new_events, own_number, play, scenarios, simulation};

/// Expects that the simulation shows each of its events with one delivery, and that the receiver got the event.
async fn expect_deliveries(world: &World, id: &str, got: &BTreeMap<String, Value>) {
    let over = simulation(world, &world.org.test_app_key, id).await;
    for step in over.steps.iter().filter(|step| step.event.is_some()) {
        let event = &got[step.event_id.as_deref().unwrap()];
        assert_eq!((&event["type"], &event["mode"]), (&json!(step.event), &json!("test")), "{over:?}");

        let [delivery] = step.deliveries.as_deref().unwrap() else { panic!("not one delivery: {step:?}") };
        let told = (&delivery.status, delivery.attempts, delivery.last_status_code);
        assert_eq!(told, (&WebhookDeliveryStatus::Delivered, 1, Some(204)), "{step:?}");
        assert_eq!(delivery.app_id, world.org.test_app);
    }
}

/// Expects that what an event of a message or an account reports can be read. Returns whether the event is one of these, or
/// of a template that remains.
async fn expect_readable(world: &World, event: &Value) -> bool {
    let (kind, data) = (text(event, "type"), &event["data"]);
    if kind.starts_with("messages.") {
        let path = format!("/v1/chat/messages/{}", text(data, "id"));
        let now = world.send(Call::get(path).key(&world.org.test_app_key)).await.expect(200);
        assert_eq!((&now["type"], &now["providerMessageId"]), (&data["type"], &data["providerMessageId"]));
        true
    } else if kind.starts_with("chat.account.") {
        let path = format!("/v1/organization/chat/business-profiles/{}", text(data, "id"));
        let now = world.admin(Call::get(path)).await.expect(200);
        assert_eq!(now["reviewDecision"], "REJECTED");
        true
    } else {
        kind.starts_with("templates.") && kind != "templates.chat.deleted"
    }
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
    let mut ids = Vec::new();
    for scenario in scenarios(&world, key).await {
        let declared: BTreeSet<String> = scenario.events.iter().map(ToString::to_string).collect();
        let mut expected = declared.clone();

        // The account is connected at first, and stays disconnected after the first of the two scenarios.
        let over = play(&world, org, key, &body_of(&scenario, &group)).await;
        expected.extend(names(&over).into_iter().filter(|name| name.starts_with("chat.")).map(str::to_owned));

        let events: BTreeSet<String> = names(&over).into_iter().map(str::to_owned).collect();
        assert_eq!(events, expected, "{scenario:?} {over:?}");
        assert!(over.steps.iter().all(|step| step.status == SimulationStepStatus::Applied), "{over:?}");

        caused.extend(declared);
        ids.push(over.id);
    }

    let chat: BTreeSet<String> =
        all.iter().filter(|name| !name.starts_with("messages.sms.")).map(|name| (*name).to_owned()).collect();
    assert_eq!(caused, chat);

    world.send_events().await;
    let got: BTreeMap<String, Value> = receiver.got().iter().map(|got| (got.id(), got.json())).collect();
    let delivered: BTreeSet<String> = got.values().map(|event| text(event, "type")).collect();
    assert_eq!(delivered, chat);

    for id in &ids {
        expect_deliveries(&world, id, &got).await;
    }

    let mut read = 0;
    for event in got.values() {
        read += usize::from(expect_readable(&world, event).await);
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
            outcome.push((masked(&json!(over)), new_events(&world, org, &mut seen).await));
        }
        outcomes.push(outcome);
    }

    assert!(outcomes[0].len() >= 20);
    assert_eq!(outcomes[0], outcomes[1]);
}

/// What a user gets whose window is closed, and that it opens again.
#[tokio::test]
async fn a_closed_window_refuses_all_but_templates() {
    let world = World::new().await;
    let key = world.org.test_app_key.as_str();
    let over = play(&world, &world.org, key, &json!({"scenario": "window_closed"})).await;
    assert_eq!(names(&over).len(), 2, "{over:?}");
    let user = over.target;

    let number = own_number(&world, &world.org).await;
    let path = format!("/v1/chat/messages?chatPhoneNumberId={}", text(&number, "id"));
    let listed = world.send(Call::get(path).key(key)).await.expect(200);
    let message = &listed["data"][0];
    assert_eq!(message["fromPhoneNumber"], user, "{message}");

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
