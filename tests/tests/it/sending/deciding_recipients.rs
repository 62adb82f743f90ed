//! Recipients that decide what the simulated platform does with a message, and the 24-hour window (docs/test-mode.md).

use std::collections::BTreeMap;
use std::time::Duration;

use domain::Failure;
use domain::chat::platform_error::TRANSLATIONS;
use inbound::SimulatedSend;
use serde_json::{Value, json};
use tests::chat::{connect, events};
use tests::request::text;
use tests::{Call, Reply, Service as _, World};

const SEND: &str = "/v1/chat/messages";
const INBOUND: &str = "/v1/playground/chat/inbound";
const DAY: Duration = Duration::from_secs(86_400);

/// The test app's number.
async fn own_number(world: &World) -> String {
    let numbers = world.admin(Call::get("/v1/organization/chat/phone-numbers?limit=100")).await.expect(200);
    let numbers = numbers["data"].as_array().unwrap();
    let own = numbers.iter().find(|number| number["apps"][0]["appId"] == world.org.test_app.as_str());
    text(own.unwrap(), "id")
}

/// The playground's account.
async fn own_profile(world: &World) -> String {
    let number = format!("/v1/organization/chat/phone-numbers/{}", own_number(world).await);
    text(&world.admin(Call::get(number)).await.expect(200)["businessProfile"], "id")
}

async fn send(world: &World, from: &str, to: &str) -> Reply {
    let body = json!({"from": from, "to": to, "type": "text", "text": {"body": "Hello"}});
    world.send(Call::post(SEND).key(&world.org.test_app_key).json(&body)).await
}

async fn details(world: &World, id: &str) -> Value {
    world.admin(Call::get(format!("/v1/organization/chat/messages/{id}"))).await.expect(200)
}

/// Lets the worker report everything: the last status comes four seconds after the message.
async fn all_statuses(world: &World) {
    for _ in 0..65 {
        world.work_off().await;
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(world.dead_letters().await, Vec::<String>::new());
}

/// What is known of a message: its outcome, its times, the status and error of its recipient.
fn state(message: &Value) -> Value {
    let times = ["sentAt", "deliveredAt", "readAt", "failedAt"];
    let reached: Vec<&str> = times.into_iter().filter(|name| message[name].is_string()).collect();
    let recipient = &message["recipients"][0]["status"];
    json!({"outcome": message["outcome"], "reached": reached, "recipient": recipient, "error": message["errorCode"]})
}

/// How often each event of a message was emitted.
async fn told(world: &World, id: &str) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    for kind in ["sent", "delivered", "read", "failed"] {
        let all = events(world, &world.org, &format!("messages.chat.{kind}")).await;
        counts.insert(kind, all.iter().filter(|data| data["id"] == id).count());
    }
    counts
}

/// Every code of the platform can be had in the response. The message is refused like one of the real platform.
#[tokio::test]
async fn a_recipient_is_refused_with_a_code_of_the_platform() {
    let world = World::new().await;
    let from = own_number(&world).await;
    let codes = TRANSLATIONS.iter().flat_map(|(codes, ..)| codes.iter().copied()).chain([100, 190]);
    for code in codes {
        let reply = send(&world, &from, &format!("+9991{code:07}")).await;
        let error = platform::failure_of_code(code);
        if error.is_outcome_unknown() {
            let message = reply.expect(202);
            assert_eq!(message["outcome"], "UNKNOWN", "{code}");
            continue;
        }
        let expected = Failure::from(error);
        let status = reply.status.as_u16();
        assert_eq!(status, api::status::of(expected.kind()).as_u16(), "{code}: {reply:?}");
        assert_eq!(reply.header("retry-after").is_some(), [429, 503].contains(&status), "{code}");
        let id = reply.header("x-message-id").unwrap().to_owned();
        let body = reply.expect(status);
        let own = expected.code().map(|code| json!(code)).unwrap_or_default();
        assert_eq!((&body["error"]["code"], &body["error"]["provider"]["code"]), (&own, &json!(code)));
        assert_eq!(details(&world, &id).await["outcome"], "REFUSED", "{code}");
    }
    all_statuses(&world).await;
    for kind in ["sent", "delivered", "read"] {
        assert!(events(&world, &world.org, &format!("messages.chat.{kind}")).await.is_empty(), "{kind}");
    }
}

#[tokio::test]
async fn each_recipient_has_its_own_course() {
    let world = World::new().await;
    let from = own_number(&world).await;
    let course = |outcome: &str, reached: &[&str], recipient: &str, error: Value| {
        let reached: Vec<String> = reached.iter().map(|name| format!("{name}At")).collect();
        json!({"outcome": outcome, "reached": reached, "recipient": recipient, "error": error})
    };
    let none = || Value::Null;
    let read = || course("ACCEPTED", &["sent", "delivered", "read"], "READ", none());
    let mut sent = Vec::new();
    for (to, status, expected) in [
        ("+12015550123", 201, read()),
        ("+99930001", 201, course("ACCEPTED", &["sent"], "SENT", none())),
        ("+99930002", 201, course("ACCEPTED", &["sent", "delivered"], "DELIVERED", none())),
        ("+99930003", 201, read()),
        ("+99930004", 201, read()),
        ("+99930005", 201, read()),
        ("+99930006", 202, read()),
        ("+99930007", 202, course("UNKNOWN", &[], "QUEUED", none())),
        (
            "+99930009",
            201,
            course("ACCEPTED", &["sent", "delivered", "failed"], "FAILED", json!("message_undeliverable")),
        ),
        ("+99920131049", 201, course("ACCEPTED", &["failed"], "FAILED", json!("message_undeliverable"))),
        ("+99920132001", 201, course("ACCEPTED", &["failed"], "FAILED", json!("template_not_found"))),
        ("+99920000100", 201, course("ACCEPTED", &["failed"], "FAILED", json!("platform_api_error"))),
    ] {
        let message = send(&world, &from, to).await.expect(status);
        assert_eq!(message["outcome"] == "UNKNOWN", status == 202, "{to}: {message}");
        // Everything was reported before the response.
        assert_eq!(message["readAt"].is_string(), to == "+99930003", "{to}: {message}");
        sent.push((to, text(&message, "id"), expected));
    }
    all_statuses(&world).await;
    for (to, id, expected) in &sent {
        let message = details(&world, id).await;
        assert_eq!(state(&message), *expected, "{to}");
        let reached: Vec<&str> = expected["reached"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        for (kind, count) in told(&world, id).await {
            assert_eq!(count, usize::from(reached.contains(&format!("{kind}At").as_str())), "{to}: {kind}");
        }
        let times: Vec<&str> = reached.iter().filter_map(|name| message[name].as_str()).collect();
        assert!(times.is_sorted(), "{to}: {times:?}");
    }
}

/// What the simulated platform reports of a message is what the live route takes, signed, for a live message.
#[tokio::test]
async fn a_live_message_gets_the_same_from_the_simulated_statuses() {
    let world = World::new().await;
    let from = own_number(&world).await;
    let line = connect(&world, &world.org, "991").await;
    let organization = world.org.id.parse().unwrap();
    let store = world.worker.inbox.context.store.of(&organization);
    let number = store.chat_phone_number(&line.number.parse().unwrap()).await.unwrap().unwrap();
    let mut pairs = Vec::new();
    for to in ["+12015550123", "+99930001", "+99930002", "+99930004", "+99930005", "+99930009", "+99920131026"] {
        let simulated = send(&world, &from, to).await.expect(201);
        let body = json!({"from": line.number, "to": to, "type": "text", "text": {"body": "Hello"}});
        let live = world.send(Call::post(SEND).key(&world.org.app_key).json(&body)).await.expect(201);
        let id = text(&live, "id");
        let stored = store.message(&id.parse::<domain::id::ChatMessageId>().unwrap()).await.unwrap().unwrap();
        let reported = SimulatedSend {
            organization: &organization,
            number: &number,
            platform_id: live["providerMessageId"].as_str().unwrap(),
            message: stored.message(),
            at: world.now(),
        };
        for notification in reported.notifications() {
            let taken = world.notify(&notification).await.expect(200);
            assert_eq!(taken, json!({"accepted": 1, "ignored": 0}), "{to}");
        }
        pairs.push((to, text(&simulated, "id"), id));
    }
    all_statuses(&world).await;
    for (to, simulated, live) in pairs {
        assert_eq!(state(&details(&world, &simulated).await), state(&details(&world, &live).await), "{to}");
        assert_eq!(told(&world, &simulated).await, told(&world, &live).await, "{to}");
    }
}

/// The pair of number and recipient is limited three times; then the message is taken, and it begins again.
#[tokio::test]
async fn a_limited_pair_takes_the_fourth_message() {
    let world = World::new().await;
    let from = own_number(&world).await;
    for _ in 0..2 {
        for _ in 0..3 {
            let limited = send(&world, &from, "+99930008").await;
            assert_eq!(limited.header("retry-after"), Some("60"));
            let body = limited.expect(429);
            let error = &body["error"];
            assert_eq!((&error["code"], &error["provider"]["code"]), (&json!("chat_rate_limited"), &json!(131_056)));
        }
        send(&world, &from, "+99930008").await.expect(201);
    }
    // A queued message waits out the three refusals.
    let body = json!({"from": from, "to": "+99930008", "queue": true, "type": "text", "text": {"body": "Hello"}});
    let queued = world.send(Call::post(SEND).key(&world.org.test_app_key).json(&body)).await.expect(202);
    let id = text(&queued, "id");
    for _ in 0..8 {
        while world.send_queued().await {}
        world.clock.advance(Duration::from_secs(120));
        Box::pin(world.sweep()).await;
    }
    while world.send_queued().await {}
    assert_eq!(details(&world, &id).await["outcome"], "ACCEPTED");
}

/// The simulated platform takes free-form messages for 24 hours after a contact's last message to the number.
#[tokio::test]
async fn the_window_of_a_contact_closes_after_a_day() {
    let world = World::new().await;
    let from = own_number(&world).await;
    let user = "+16505551234";
    let write = async || {
        let body = json!({"from": user, "type": "text", "text": {"body": "Hello"}});
        world.send(Call::post(INBOUND).key(&world.org.test_app_key).json(&body)).await.expect(201)
    };
    // Nobody has written yet: a first message needs no preparation.
    send(&world, &from, user).await.expect(201);
    write().await;
    world.clock.advance(DAY - Duration::from_secs(1));
    send(&world, &from, user).await.expect(201);
    world.clock.advance(Duration::from_secs(1));
    let closed = send(&world, &from, user).await.expect(422);
    let error = &closed["error"];
    assert_eq!((&error["code"], &error["provider"]["code"]), (&json!("conversation_window_expired"), &json!(131_047)));
    send(&world, &from, "+16505559999").await.expect(201);
    let template = json!({"type": "template", "template": {"name": "welcome", "language": {"code": "en_US"}}});
    let template = json!({"from": from, "to": user, "type": "raw", "raw": template});
    world.send(Call::post(SEND).key(&world.org.test_app_key).json(&template)).await.expect(201);
    write().await;
    send(&world, &from, user).await.expect(201);
}

/// Only templates that the account has can be sent: those of every simulated account, and those that were made through the
/// API. A typo fails as it does in live mode.
#[tokio::test]
async fn an_unknown_template_is_refused() {
    let world = World::new().await;
    let (from, key) = (own_number(&world).await, world.org.test_app_key.as_str());
    let named = |name: &str, language: &str| json!({"from": from, "to": "+16505559998", "type": "template", "template": {"name": name, "language": language}});
    let send =
        async |name: &str, language: &str| world.send(Call::post(SEND).key(key).json(&named(name, language))).await;
    let is_refused = async |name: &str, language: &str| {
        let refused = send(name, language).await.refused(404, None, Some("template_not_found"));
        assert_eq!(refused["error"]["provider"]["code"], 132_001, "{refused}");
    };
    // In a new account, before any sync.
    for known in ["welcome", "order_update", "sign_in_code"] {
        let sent = send(known, "en_US").await.expect(201);
        assert_eq!(sent["outcome"], "ACCEPTED");
    }
    for (name, language) in [("welcom", "en_US"), ("welcome", "en"), ("welcome", "de"), ("sale_2", "en_US")] {
        is_refused(name, language).await;
    }
    let raw = json!({"type": "template", "template": {"name": "welcom", "language": {"code": "en_US"}}});
    let raw = json!({"from": from, "to": "+16505559998", "type": "raw", "raw": raw});
    world.send(Call::post(SEND).key(key).json(&raw)).await.refused(404, None, Some("template_not_found"));

    // One that was made through the API, until it is deleted.
    let profile = own_profile(&world).await;
    let made = json!({"chatBusinessProfileId": profile, "name": "shipped", "language": "de", "category": "UTILITY",
        "components": [{"type": "BODY", "text": "Unterwegs."}]});
    let made = world.admin(Call::post("/v1/organization/chat/templates").json(&made)).await.expect(201);
    send("shipped", "de").await.refused(404, Some("template.name"), Some("template_not_found"));
    for _ in 0..20 {
        world.work_off().await;
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    send("shipped", "de").await.expect(201);
    is_refused("shipped", "en_US").await;
    let path = format!("/v1/organization/chat/templates/{}", text(&made, "id"));
    world.admin(Call::delete(path)).await.expect(200);
    is_refused("shipped", "de").await;

    // A sync changes nothing of that: what it has brought, and what it would bring.
    let sync = json!({"chatBusinessProfileId": profile});
    world.admin(Call::post("/v1/organization/chat/templates/sync").json(&sync)).await.expect(200);
    send("welcome", "en_US").await.expect(201);
    is_refused("welcom", "en_US").await;

    // A queued message is refused when it is sent.
    let mut queued = named("welcom", "en_US");
    queued["queue"] = json!(true);
    let queued = world.send(Call::post(SEND).key(key).json(&queued)).await.expect(202);
    while world.send_queued().await {}
    let message = details(&world, &text(&queued, "id")).await;
    assert_eq!((&message["outcome"], &message["errorCode"]), (&json!("REFUSED"), &json!("template_not_found")));
}
