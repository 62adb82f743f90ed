//! Notifications in the platform's own form for test numbers: `POST /v1/playground/notifications`.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use domain::event::EventName;
use serde_json::{Value, json};
use tests::catalogue::{fresh_account, simulated_profile};
use tests::chat::{connect, event_counts, notification};
use tests::logs::Captured;
use tests::receiver::{Receiver, status};
use tests::request::text;
use tests::{Call, Reply, Service as _, World};

const NOTIFICATIONS: &str = "/v1/playground/notifications";

async fn numbers(world: &World) -> Vec<Value> {
    let listed = world.admin(Call::get("/v1/organization/chat/phone-numbers?limit=100")).await.expect(200);
    listed["data"].as_array().unwrap().clone()
}

/// The test app's number.
async fn own_number(world: &World) -> String {
    let numbers = numbers(world).await;
    text(numbers.iter().find(|number| number["apps"][0]["appId"] == world.org.test_app.as_str()).unwrap(), "id")
}

async fn replay(world: &World, target: &str, field: &str, value: &Value) -> Reply {
    let body = json!({"field": field, "value": value, "target": target});
    world.send(Call::post(NOTIFICATIONS).key(&world.org.test_app_key).json(&body)).await
}

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
    let mut message = of_number(
        "messages",
        json!({"from": "16505551234", "id": "wamid.captured.1", "timestamp": time, "type": "text", "text": {"body": "Hi"}}),
    );
    message["contacts"] = json!([{"profile": {"name": "Ann"}, "wa_id": "16505551234"}]);
    let status =
        json!({"id": "wamid.captured.2", "status": "delivered", "timestamp": time, "recipient_id": "16505551234"});
    let echo = json!({"from": "19995550000", "to": "16505551234", "id": "wamid.captured.3", "timestamp": time, "type": "text", "text": {"body": "Yo"}});
    let contact = |action: &str| {
        let contact = json!({"full_name": "Bob", "first_name": "Bob", "phone_number": "16505550000"});
        json!({"type": "contact", "contact": contact, "action": action, "metadata": {"timestamp": time}})
    };
    let user = json!({"wa_id": "16505551234", "user_id": {"previous": "US.1", "current": "US.2"}, "timestamp": time});
    let template = |fields: Value| {
        let mut value = json!({"message_template_id": 7_701, "message_template_name": "promo", "message_template_language": "en_US"});
        value.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        value
    };
    vec![
        ("messages", message),
        ("messages", of_number("statuses", status)),
        ("smb_message_echoes", of_number("message_echoes", echo)),
        ("smb_app_state_sync", of_number("state_sync", contact("add"))),
        ("smb_app_state_sync", of_number("state_sync", contact("remove"))),
        ("user_id_update", of_number("user_id_update", user)),
        ("account_review_update", json!({"decision": "REJECTED"})),
        ("phone_number_quality_update", json!({"display_phone_number": "19995550000", "event": "FLAGGED"})),
        (
            "phone_number_name_update",
            json!({"display_phone_number": "19995550000", "decision": "REJECTED", "requested_verified_name": "Acme"}),
        ),
        ("message_template_status_update", template(json!({"event": "PENDING"}))),
        ("message_template_status_update", template(json!({"event": "APPROVED"}))),
        ("message_template_quality_update", template(json!({"new_quality_score": "RED"}))),
        ("template_category_update", template(json!({"previous_category": "MARKETING", "new_category": "UTILITY"}))),
        ("message_template_status_update", template(json!({"event": "DELETED"}))),
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
        let replayed = replay(&world, &own, field, &value).await.expect(202);
        assert_eq!(replayed, json!({"applied": 1, "ignored": []}), "{field} {value}");
        let simulated = new_events(&world, &before).await;

        let before = event_counts(&world, &world.org).await;
        let mut live = value.clone();
        if let Some(metadata) = live.get_mut("metadata") {
            *metadata = json!({"display_phone_number": line.display, "phone_number_id": line.platform_number});
        }
        if live.get("display_phone_number").is_some() {
            live["display_phone_number"] = json!(line.display);
        }
        if live.get("waba_info").is_some() {
            live["waba_info"]["waba_id"] = json!(line.account);
        }
        let told = notification(&line.account, world.now().seconds(), field, &live);
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

/// The fields of groups, for a group that the test number has.
#[tokio::test]
async fn groups_can_be_suspended_joined_and_left() {
    let world = World::new().await;
    let own = own_number(&world).await;
    let group = json!({"chatPhoneNumberId": own, "subject": "Friends"});
    let group = world.send(Call::post("/v1/chat/groups").key(&world.org.test_app_key).json(&group)).await.expect(201);
    let path = format!("/v1/chat/groups/{}", text(&group, "id"));
    let items = world.account.items().await;
    let stored = items.iter().find(|item| item["PK"].starts_with("GRP#")).unwrap();
    let platform_id = stored["providerGroupId"].clone();
    let told = async |field: &str, kind: &str, more: Value| {
        world.clock.advance(Duration::from_secs(1));
        let mut update = json!({"type": kind, "group_id": platform_id, "timestamp": world.now().seconds().to_string()});
        update.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let replayed = replay(&world, &own, field, &json!({"groups": [update]})).await.expect(202);
        assert_eq!(replayed, json!({"applied": 1, "ignored": []}), "{field}");
        world.send(Call::get(&path).key(&world.org.test_app_key)).await.expect(200)
    };
    let joined = json!({"added_participants": [{"wa_id": "16505551234"}]});
    let after = told("group_participants_update", "group_participants_add", joined).await;
    assert_eq!(after["participants"].as_array().unwrap().len(), 1, "{after}");
    let left = json!({"removed_participants": [{"wa_id": "16505551234"}]});
    let after = told("group_participants_update", "group_participants_remove", left).await;
    assert_eq!(after["participants"].as_array().unwrap().len(), 0, "{after}");
    let after = told("group_status_update", "group_suspend", json!({})).await;
    assert_eq!(after["status"], "SUSPENDED", "{after}");
}

/// Updates that come before what they are about, and those that tell more of somebody who is known.
#[tokio::test]
async fn updates_come_in_any_order() {
    let world = World::new().await;
    let own = own_number(&world).await;
    let time = world.now().seconds().to_string();
    let told = async |field: &str, list: &str, element: Value| {
        let mut value = json!({"metadata": {"phone_number_id": "424242"}});
        value[list] = json!([element]);
        let replayed = replay(&world, &own, field, &value).await.expect(202);
        assert_eq!(replayed, json!({"applied": 1, "ignored": []}), "{field} {value}");
    };
    for participant in ["16505551234", "16505551235"] {
        let joined = json!({"type": "group_participants_add", "group_id": "G-1", "timestamp": time, "added_participants": [{"wa_id": participant}]});
        told("group_participants_update", "groups", joined).await;
    }
    let created = json!({"type": "group_create", "group_id": "G-1", "request_id": "R-1", "timestamp": time, "subject": "Friends"});
    told("group_lifecycle_update", "groups", created).await;
    // A member is first known by the user id, and later by the number.
    let status = |status: &str| json!({"id": "wamid.g.1", "status": status, "timestamp": time, "recipient_id": "G-2", "recipient_type": "group", "recipient_participant_user_id": "US.5"});
    told("messages", "statuses", status("sent")).await;
    let mut delivered = status("delivered");
    delivered["recipient_participant_id"] = json!("16505551234");
    told("messages", "statuses", delivered).await;
    // A contact with a user id is found by the number, too.
    let message =
        |id: &str| json!({"id": id, "from": "16505559876", "timestamp": time, "type": "text", "text": {"body": "x"}});
    let mut first = message("wamid.c.1");
    first["from_user_id"] = json!("US.9");
    told("messages", "messages", first).await;
    told("messages", "messages", message("wamid.c.2")).await;
    assert_eq!(event_counts(&world, &world.org).await["contacts.chat.created"], 1);
    let path = format!("/v1/organization/chat/messages?chatPhoneNumberId={own}");
    let listed = world.admin(Call::get(path)).await.expect(200);
    let outbound =
        listed["data"].as_array().unwrap().iter().find(|one| one["providerMessageId"] == "wamid.g.1").unwrap();
    let details = world.admin(Call::get(format!("/v1/organization/chat/messages/{}", text(outbound, "id")))).await;
    assert_eq!(details.expect(200)["recipients"].as_array().unwrap().len(), 1);
}

/// What the live route would ignore is ignored with a reason, and what it could not split is refused.
#[tokio::test]
async fn what_has_no_effect_is_said_with_its_reason() {
    let world = World::new().await;
    let own = own_number(&world).await;
    let reasons = async |field: &str, value: Value| {
        let replayed = replay(&world, &own, field, &value).await.expect(202);
        assert_eq!(replayed["applied"], 0, "{replayed}");
        let ignored = replayed["ignored"].as_array().unwrap();
        ignored.iter().map(|one| text(one, "reason")).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(reasons("history", json!({"history": []})).await, "The field history is not used.");
    assert_eq!(reasons("messages", json!({"metadata": {}})).await, "The value contains no update.");
    assert_eq!(reasons("messages", json!({"messages": 7})).await, "messages cannot be read.");
    let nameless = json!({"messages": [{"from": "16505551234", "type": "text", "text": {"body": "x"}}]});
    assert_eq!(reasons("messages", nameless).await, "The update can never be applied: a message has no id.");
    assert_eq!(world.dead_letters().await, Vec::<String>::new());

    let message =
        |n: usize| json!({"id": format!("wamid.{n}"), "from": "16505551234", "type": "text", "text": {"body": "x"}});
    let many = json!({"messages": (0..26).map(message).collect::<Vec<_>>()});
    replay(&world, &own, "messages", &many).await.refused(400, Some("value"), None);
    for value in [json!([]), json!("x"), json!(1)] {
        replay(&world, &own, "messages", &value).await.refused(400, Some("value"), None);
    }
    replay(&world, &own, "", &json!({})).await.refused(400, Some("field"), None);
    replay(&world, "424242", "messages", &json!({})).await.refused(400, Some("target"), None);
}

/// What a tenant makes up is neither counted as a fault of the platform nor logged.
#[tokio::test]
async fn odd_updates_of_test_numbers_are_no_matter_for_the_operator() {
    let captured = Captured::start();
    let world = World::new().await;
    let own = own_number(&world).await;
    let secret = "a-secret-of-the-tenant";
    let body = json!({"from": own, "to": "+16505557777", "type": "text", "text": {"body": "Hello"}});
    let sent = world.send(Call::post("/v1/chat/messages").key(&world.org.test_app_key).json(&body)).await.expect(201);
    let foreign = format!("{}:{}", world.org.id, text(&sent, "id"));
    let status = |fields: Value| {
        let mut status =
            json!({"id": "wamid.1", "status": "sent", "timestamp": "1790000000", "recipient_id": "16505557777"});
        status.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        json!({"statuses": [status]})
    };
    for (field, value) in [
        ("messages", status(json!({"status": secret}))),
        ("messages", status(json!({"errors": {secret: 1}, "pricing": secret}))),
        // Contradicts what is known of the message.
        ("messages", status(json!({"biz_opaque_callback_data": foreign}))),
        ("messages", json!({"errors": [{"code": 131_000, "title": secret}]})),
        ("account_review_update", json!({"decision": secret})),
        ("phone_number_name_update", json!({"decision": secret, "requested_verified_name": {secret: 1}})),
        // A medium that no app has uploaded.
        (
            "messages",
            json!({"messages": [{"id": "wamid.2", "from": "16505557777", "type": "image",
            "image": {"id": secret, "mime_type": "image/png"}}]}),
        ),
    ] {
        world.clock.advance(Duration::from_secs(2));
        let replayed = replay(&world, &own, field, &value).await;
        assert_eq!(replayed.status.as_u16(), 202, "{field} {value}: {replayed:?}");
    }
    world.work_off().await;
    assert!(!captured.text().contains(secret), "{}", captured.text());
    let counted: Vec<Value> = world.metrics.json();
    assert_eq!(counted, Vec::<Value>::new());
    // The same of a live number is counted.
    let line = connect(&world, &world.org, "994").await;
    let value = json!({"decision": "a-value-of-the-platform"});
    world.notify(&line.about("account_review_update", &value)).await.expect(200);
    assert!(world.metrics.json().iter().any(|line| line["UnknownPlatformValues"] == 1));
    assert!(captured.text().contains("a-value-of-the-platform"));
}

/// A notification can name any medium, but only those of the number's apps are fetched.
#[tokio::test]
async fn a_medium_of_another_app_is_not_fetched() {
    let world = World::new().await;
    let own = own_number(&world).await;
    let (other, other_key) = world.app(&world.org.admin, &json!({"name": "T2", "test": true})).await;
    let upload = async |key: &str| {
        let call = Call::post("/v1/media").key(key).file("a.png", Some("image/png"), tests::samples::PNG);
        text(&world.send(call).await.expect(201), "id")
    };
    let (mine, theirs) = (upload(&world.org.test_app_key).await, upload(&other_key).await);
    let receive = async |id: &str, medium: &str| {
        let image = json!({"id": medium, "mime_type": "image/png"});
        let value = json!({"messages": [{"id": id, "from": "16505551234", "type": "image", "image": image}]});
        assert_eq!(replay(&world, &own, "messages", &value).await.expect(202)["applied"], 1);
        world.work_off().await;
        let list = Call::get("/v1/chat/messages?limit=100").key(&world.org.test_app_key);
        let listed = world.send(list).await.expect(200);
        let own = listed["data"].as_array().unwrap().iter().find(|message| message["providerMessageId"] == id).cloned();
        let path = format!("/v1/chat/messages/{}", text(&own.unwrap(), "id"));
        world.send(Call::get(path).key(&world.org.test_app_key)).await.expect(200)["mediaUrl"].is_string()
    };
    assert!(receive("wamid.mine", &mine).await);
    assert!(!receive("wamid.theirs", &theirs).await);
    // A number of both apps gets media of both.
    world.admin(Call::put(format!("/v1/organization/apps/{other}/phone-numbers/{own}"))).await.expect(200);
    assert!(receive("wamid.shared", &theirs).await);
}

/// Only numbers of the key's app can be a target, and nobody else hears of it.
#[tokio::test]
async fn the_target_is_a_number_of_the_app() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "993").await;
    let (_, other_key) = world.app(&world.org.admin, &json!({"name": "T2", "test": true})).await;
    let own = own_number(&world).await;
    let value = json!({"messages": [{"id": "wamid.1", "from": "16505551234", "type": "text", "text": {"body": "x"}}]});
    let before = world.account.items().await;
    let body = json!({"field": "messages", "value": value, "target": own});
    let foreign = world.send(Call::post(NOTIFICATIONS).key(&other_key).json(&body)).await;
    foreign.refused(404, Some("target"), None);
    replay(&world, &line.number, "messages", &value).await.refused(404, Some("target"), None);
    assert_eq!(world.account.items().await, before);
    // The ids of a live account lead nowhere: the target's take their place.
    let captured = line.about("messages", &value)["entry"][0]["changes"][0]["value"].clone();
    assert_eq!(replay(&world, &own, "messages", &captured).await.expect(202)["applied"], 1);
    assert!(line.messages(&world).await.is_empty());
    let items = world.account.items().await;
    let messages: Vec<_> = items.iter().filter(|item| item["PK"].starts_with("MSG#")).collect();
    assert!(!messages.is_empty() && messages.iter().all(|item| item["PK"].contains("msg_wa_test_")), "{messages:?}");
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
    for (field, value) in captured(world.now().seconds()) {
        world.clock.advance(Duration::from_secs(2));
        assert_eq!(replay(&world, &own, field, &value).await.expect(202)["applied"], 1, "{field}");
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

/// The response to the send is lost; a replayed status tells that the message was sent, and the list shows that, too.
#[tokio::test]
async fn a_replayed_status_resolves_an_unknown_outcome() {
    let world = World::new().await;
    let (number, key) = (own_number(&world).await, world.org.test_app_key.as_str());
    let body = json!({"from": number, "to": "+99930006", "type": "text", "text": {"body": "Hello"}});
    let sent = world.send(Call::post("/v1/chat/messages").key(key).json(&body)).await.expect(202);
    assert_eq!(sent["outcome"], "UNKNOWN");
    let value = json!({
        "messaging_product": "whatsapp",
        "metadata": {"display_phone_number": "19995550000", "phone_number_id": "424242"},
        "statuses": [{
            "id": "wamid.replayed.1",
            "status": "sent",
            "timestamp": world.now().seconds().to_string(),
            "recipient_id": "99930006",
            "biz_opaque_callback_data": format!("{}:{}", world.org.id, text(&sent, "id")),
        }],
    });
    let replayed = replay(&world, &number, "messages", &value).await.expect(202);
    assert_eq!(replayed, json!({"applied": 1, "ignored": []}));
    let listed = world.send(Call::get("/v1/chat/messages?outcome=ACCEPTED").key(key)).await.expect(200);
    assert_eq!(listed["data"].as_array().unwrap().len(), 1);
    assert_eq!(
        (&listed["data"][0]["id"], &listed["data"][0]["providerMessageId"]),
        (&sent["id"], &json!("wamid.replayed.1"))
    );
}

/// What changes nothing is ignored with its reason, as the live route ignores it.
#[tokio::test]
async fn an_update_that_changes_nothing_is_ignored_with_its_reason() {
    let world = World::new().await;
    let own = own_number(&world).await;
    let time = world.now().seconds().to_string();
    let ignored = async |field: &str, value: Value| {
        let replayed = replay(&world, &own, field, &value).await.expect(202);
        let reasons = replayed["ignored"].as_array().unwrap();
        assert_eq!((&replayed["applied"], reasons.len()), (&json!(0), 1), "{field} {value} {replayed}");
        text(&reasons[0], "reason")
    };
    let unknown = ignored("account_review_update", json!({"decision": "CELEBRATED"})).await;
    assert!(unknown.contains("decision") && unknown.contains("CELEBRATED"), "{unknown}");
    let unknown = ignored("phone_number_name_update", json!({"display_phone_number": "1", "decision": "ODD"})).await;
    assert!(unknown.contains("decision") && unknown.contains("ODD"), "{unknown}");
    let unknown = ignored("account_update", json!({"event": "PARTNER_ADDED"})).await;
    assert!(unknown.contains("event") && unknown.contains("PARTNER_ADDED"), "{unknown}");
    let error = ignored("messages", json!({"errors": [{"code": 131_000, "title": "x"}]})).await;
    assert!(error.contains("concerns no message"), "{error}");

    let message = json!({"messages": [{"id": "wamid.1", "from": "16505551234", "timestamp": time, "type": "text", "text": {"body": "x"}}]});
    let status =
        json!({"statuses": [{"id": "wamid.1", "status": "read", "timestamp": time, "recipient_id": "16505551234"}]});
    assert_eq!(replay(&world, &own, "messages", &message).await.expect(202)["applied"], 1);
    let again = ignored("messages", message).await;
    assert!(again.contains("changes nothing"), "{again}");
    let other_way = ignored("messages", status).await;
    assert!(other_way.contains("other direction"), "{other_way}");
    let quality = json!({"display_phone_number": "1", "event": "FLAGGED"});
    assert_eq!(replay(&world, &own, "phone_number_quality_update", &quality).await.expect(202)["applied"], 1);
    let again = ignored("phone_number_quality_update", quality).await;
    assert!(again.contains("changes nothing") || again.contains("applied before"), "{again}");

    // Some of several.
    let read = json!({"id": "wamid.1", "status": "read", "timestamp": time, "recipient_id": "16505551234"});
    let sent = json!({"id": "wamid.2", "status": "sent", "timestamp": time, "recipient_id": "16505551234"});
    let both = replay(&world, &own, "messages", &json!({"statuses": [sent, read]})).await.expect(202);
    assert_eq!((&both["applied"], both["ignored"].as_array().unwrap().len()), (&json!(1), 1), "{both}");
}

/// A test admin key names any test number of the organization; an app key may leave the target out.
#[tokio::test]
async fn a_test_admin_key_names_the_target() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "997").await;
    let own = own_number(&world).await;
    let profile = simulated_profile(&world, &fresh_account(), false).await;
    let unassigned = text(&profile["phoneNumbers"][0], "id");
    let other = world.organization("Other").await;
    let send = async |key: &str, target: Option<&str>| {
        let decision = json!({"decision": "REJECTED"});
        let mut body = json!({"field": "account_review_update", "value": decision});
        if let Some(target) = target {
            body["target"] = json!(target);
        }
        world.clock.advance(Duration::from_secs(2));
        world.send(Call::post(NOTIFICATIONS).key(key).json(&body)).await
    };
    let test_admin = &world.org.test_admin;
    for target in [&own, &unassigned] {
        assert_eq!(send(test_admin, Some(target)).await.expect(202)["applied"], 1, "{target}");
    }
    send(test_admin, None).await.refused(400, Some("target"), None);
    send(test_admin, Some("424242")).await.refused(400, Some("target"), None);
    send(test_admin, Some(&line.number)).await.refused(404, Some("target"), None);
    send(&other.test_admin, Some(&own)).await.refused(404, Some("target"), None);
    send(&world.org.admin, Some(&own)).await.refused(403, None, None);
    send(&world.org.app_key, Some(&own)).await.refused(403, None, Some("test_app_required"));
    send(&world.org.session, Some(&own)).await.wrong_kind(&world.org.session);
    // The app's own number.
    assert_eq!(send(&world.org.test_app_key, None).await.expect(202)["applied"], 1);
    send(&world.org.test_app_key, Some(&unassigned)).await.refused(404, Some("target"), None);
}

/// Those who write in replayed notifications are users of the playground, in the order of their first messages.
#[tokio::test]
async fn users_that_wrote_in_notifications_are_listed() {
    let world = World::new().await;
    let (own, key) = (own_number(&world).await, world.org.test_app_key.as_str());
    let users = async || {
        let listed = world.admin(Call::get("/v1/organization/playground/chat/phone-numbers/user")).await;
        listed.expect(200)["numbers"].clone()
    };
    let from = |id: &str, from: &str| json!({"id": id, "from": from, "type": "text", "text": {"body": "x"}});
    let drawn = world.send(Call::post("/v1/playground/chat/phone-numbers/user").key(key)).await.expect(201);
    let drawn = text(&drawn, "number");
    let messages =
        json!([from("wamid.1", "16505551234"), from("wamid.2", "16505551234"), from("wamid.3", &drawn[1..])]);
    assert_eq!(replay(&world, &own, "messages", &json!({"messages": messages})).await.expect(202)["applied"], 3);
    let mut seen: Vec<Value> = users().await.as_array().unwrap().clone();
    seen.sort_by_key(|number| number != "+16505551234");
    assert_eq!(seen, [json!("+16505551234"), json!(drawn)]);
    // Neither twice, nor for a status or an echo, nor the organization's own numbers.
    world.clock.advance(Duration::from_secs(1));
    let system = world.send(Call::get("/v1/playground/phone-numbers/system").key(key)).await.expect(200);
    let system = system["numbers"][0].as_str().unwrap()[1..].to_owned();
    let again = [("wamid.4", "16505551234"), ("wamid.5", "16505550009"), ("wamid.7", &system)];
    let again = again.map(|(id, number)| from(id, number));
    assert_eq!(replay(&world, &own, "messages", &json!({"messages": again})).await.expect(202)["applied"], 3);
    let status = json!({"statuses": [{"id": "wamid.6", "status": "sent", "recipient_id": "16505557777"}]});
    replay(&world, &own, "messages", &status).await.expect(202);
    assert_eq!(users().await.as_array().unwrap().len(), 3);
    assert_eq!(users().await[2], "+16505550009");
    // And they can write again, by any route.
    let inbound = json!({"from": "+16505551234", "type": "text", "text": {"body": "x"}});
    world.send(Call::post("/v1/playground/chat/inbound").key(key).json(&inbound)).await.expect(201);
    assert_eq!(users().await.as_array().unwrap().len(), 3);
}
