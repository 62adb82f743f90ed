//! A captured value of every field: its effect on a test number, and its events.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use domain::events::event::EventName;
use serde_json::{Value, json};
use tests::catalogue::{fresh_account, simulated_profile};
use tests::chat::{Line, connect, event_counts, notification};
use tests::receiver::{Receiver, status};
use tests::request::text;
use tests::{Call, Service as _, World};

use super::{apply, numbers, own_number};
use crate::chat::merged;

/// Captured values of every field, of somebody else's account and number, in an order in which each has an effect.
fn captured(seconds: i64) -> Vec<(&'static str, Value)> {
    let time = seconds.to_string();
    let of_number = |name: &str, element: Value| {
        json!({
            "messaging_product": "whatsapp",
            "metadata": {"display_phone_number": "19995550000", "phone_number_id": "424242"},
            name: [element],
        })
    };
    let hi = json!({"from": "16505551234", "id": "wamid.captured.1", "timestamp": time, "type": "text",
        "text": {"body": "Hi"}});
    let mut message = of_number("messages", hi);
    message["contacts"] = json!([{"profile": {"name": "Ann"}, "wa_id": "16505551234"}]);
    let status =
        json!({"id": "wamid.captured.2", "status": "delivered", "timestamp": time, "recipient_id": "16505551234"});
    let echo = json!({"from": "19995550000", "to": "16505551234", "id": "wamid.captured.3", "timestamp": time,
        "type": "text", "text": {"body": "Yo"}});
    let contact = |action: &str| {
        let contact = json!({"full_name": "Bob", "first_name": "Bob", "phone_number": "16505550000"});
        json!({"type": "contact", "contact": contact, "action": action, "metadata": {"timestamp": time}})
    };
    let user = json!({"wa_id": "16505551234", "user_id": {"previous": "US.1", "current": "US.2"}, "timestamp": time});
    let stop = json!({"wa_id": "16505551234", "detail": "User requested to stop marketing messages",
        "category": "marketing_messages", "value": "stop", "timestamp": seconds});
    let template = |fields: &Value| {
        let promo = json!({"message_template_id": 7_701, "message_template_name": "promo",
            "message_template_language": "en_US"});
        merged(promo, fields)
    };
    let name =
        json!({"display_phone_number": "19995550000", "decision": "REJECTED", "requested_verified_name": "Acme"});
    let category = json!({"previous_category": "MARKETING", "new_category": "UTILITY"});

    let declined = json!({"errors": [{"code": 2_593_109, "title": "History sync is turned off by the business"}]});

    vec![
        ("messages", message),
        ("messages", of_number("statuses", status)),
        ("smb_message_echoes", of_number("message_echoes", echo)),
        ("smb_app_state_sync", of_number("state_sync", contact("add"))),
        ("smb_app_state_sync", of_number("state_sync", contact("remove"))),
        ("history", of_number("history", declined)),
        ("user_id_update", of_number("user_id_update", user)),
        ("user_preferences", of_number("user_preferences", stop)),
        ("account_review_update", json!({"decision": "REJECTED"})),
        ("phone_number_quality_update", json!({"display_phone_number": "19995550000", "event": "FLAGGED"})),
        ("phone_number_name_update", name),
        ("message_template_status_update", template(&json!({"event": "PENDING"}))),
        ("message_template_status_update", template(&json!({"event": "APPROVED"}))),
        ("message_template_quality_update", template(&json!({"new_quality_score": "RED"}))),
        ("template_category_update", template(&category)),
        ("message_template_status_update", template(&json!({"event": "DELETED"}))),
        ("account_update", json!({"event": "PARTNER_REMOVED", "waba_info": {"waba_id": "999"}})),
        ("account_update", json!({"event": "ACCOUNT_RECONNECTED"})),
    ]
}

/// The events since `before`, by name.
async fn new_events(world: &World, before: &BTreeMap<String, usize>) -> BTreeMap<String, usize> {
    let counts = event_counts(world, &world.org).await;
    let new = counts.into_iter().map(|(kind, count)| (kind.clone(), count - before.get(&kind).copied().unwrap_or(0)));
    new.filter(|(_, count)| *count > 0).collect()
}

/// The captured value as the platform would send it for a live line.
fn of_line(line: &Line, captured: &Value) -> Value {
    let mut live = captured.clone();
    if let Some(metadata) = live.get_mut("metadata") {
        *metadata = json!({"display_phone_number": line.display, "phone_number_id": line.platform_number});
    }
    if live.get("display_phone_number").is_some() {
        live["display_phone_number"] = json!(line.display);
    }
    if live.get("waba_info").is_some() {
        live["waba_info"]["waba_id"] = json!(line.account);
    }
    live
}

/// A test number gets from each captured value what a live one gets from the signed notification: the same events, for
/// the same reasons.
#[tokio::test]
async fn every_field_has_the_effect_that_it_has_on_a_live_number() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "992").await;
    let own = own_number(&world).await;

    for (field, value) in captured(world.now().seconds()) {
        // Decisions about one object are told apart by their second.
        world.clock.advance(Duration::from_secs(2));
        let before = event_counts(&world, &world.org).await;
        apply(&world, &own, field, &value).await;
        let simulated = new_events(&world, &before).await;

        let before = event_counts(&world, &world.org).await;
        let told = notification(&line.account, world.now().seconds(), field, &of_line(&line, &value));
        assert_eq!(world.notify(&told).await.expect(200), json!({"accepted": 1, "ignored": 0}), "{field}");
        assert_eq!(simulated, new_events(&world, &before).await, "{field} {value}");
    }

    let all = numbers(&world).await;
    let of = |id: &str| all.iter().find(|number| number["id"] == id).unwrap().clone();
    let (test, live) = (of(&own), of(&line.number));
    for name in ["qualityEvent", "nameStatus", "requestedVerifiedName"] {
        assert!(!test[name].is_null() && test[name] == live[name], "{name}: {test} {live}");
    }

    let counts = event_counts(&world, &world.org).await;
    for kind in [
        "messages.chat.received",
        "messages.chat.sent",
        "messages.chat.delivered",
        "contacts.chat.created",
        "contacts.chat.deleted",
        "chat.account.connected",
        "chat.account.disconnected",
        "templates.chat.connected",
        "templates.chat.updated",
        "templates.chat.deleted",
    ] {
        assert!(counts.contains_key(kind), "{kind}: {counts:?}");
    }
}

/// Each of the events can be had with a test key, as a real change: it is delivered to a webhook, mode `test`, and what it
/// reports can be read afterwards.
#[tokio::test]
async fn every_event_can_be_simulated_and_is_delivered() {
    let world = World::with_local_webhooks().await;
    let receiver = Receiver::start(status(204));
    let key = &world.org.test_app_key;
    let all: Vec<&str> = EventName::ALL.iter().map(|event| event.as_str()).collect();
    let hook = json!({"url": receiver.url, "events": all});
    world.send(Call::post("/v1/webhooks").key(key).json(&hook)).await.expect(201);
    let own = own_number(&world).await;

    // Captured values, two syncs of templates, messages in both directions, and SMS messages in both directions.
    for (field, value) in captured(world.now().seconds()) {
        world.clock.advance(Duration::from_secs(2));
        apply(&world, &own, field, &value).await;
    }
    let profile = simulated_profile(&world, &fresh_account(), false).await;
    let sync = json!({"chatBusinessProfileId": profile["id"]});
    for _ in 0..2 {
        world.admin(Call::post("/v1/organization/chat/templates/sync").json(&sync)).await.expect(200);
    }
    let mut messages = Vec::new();
    for (name, at) in [("Ann", 0), ("Ann B.", 2)] {
        world.clock.advance(Duration::from_secs(at));
        let body = json!({"from": "+16505557777", "profileName": name, "type": "text", "text": {"body": "Hello"}});
        messages.push(world.send(Call::post("/v1/playground/chat/inbound").key(key).json(&body)).await.expect(201));
    }
    for to in ["+16505557777", "+99930009"] {
        let body = json!({"from": own, "to": to, "type": "text", "text": {"body": "Hello"}});
        messages.push(world.send(Call::post("/v1/chat/messages").key(key).json(&body)).await.expect(201));
    }
    let system = "+12025550199";
    let sms = json!({"from": "+442079460123", "to": system, "text": "Hello"});
    world.send(Call::post("/v1/playground/sms/inbound").key(key).json(&sms)).await.expect(201);
    for to in ["+442079460123", "+99940002"] {
        let sms = json!({"from": system, "to": to, "text": "Hello"});
        world.send(Call::post("/v1/sms").key(key).json(&sms)).await.expect(201);
    }

    for _ in 0..35 {
        world.work_off().await;
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    world.send_events().await;

    let got: Vec<Value> = receiver.got().iter().map(|got| got.json()).collect();
    let names: BTreeSet<&str> = got.iter().filter_map(|event| event["type"].as_str()).collect();
    assert_eq!(names, all.iter().copied().collect());
    assert!(got.iter().all(|event| event["mode"] == "test"), "{got:?}");

    for event in got.iter().filter(|event| event["type"].as_str().unwrap().starts_with("messages.chat.")) {
        let path = format!("/v1/chat/messages/{}", text(&event["data"], "id"));
        let read = world.send(Call::get(path).key(key)).await.expect(200);
        assert_eq!(read["type"], event["data"]["type"]);
    }
    let failed = world.send(Call::get(format!("/v1/chat/messages/{}", text(&messages[3], "id"))).key(key)).await;
    assert_eq!(failed.expect(200)["recipients"][0]["status"], "FAILED");
}
