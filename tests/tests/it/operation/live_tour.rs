//! The deployed stack in live mode, with a stand-in for the platform.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tests::catalogue::SIGNUP;
use tests::deployed::Deployed;
use tests::request::text;
use tests::standin::{StandIn, signature, template};
use tests::{Call, Service as _};

/// A failed job is retried after ten seconds, then after fifty.
const PATIENCE: Duration = Duration::from_secs(240);

/// Repeats a sync request that takes longer than a response may, and a notification that was not accepted.
async fn when_done(stack: &Deployed, call: Call) -> Value {
    let started = Instant::now();
    loop {
        let reply = match call.path.starts_with("/v1/platform") {
            true => stack.send(call.clone()).await,
            false => stack.admin(call.clone()).await,
        };
        if reply.status != 503 || started.elapsed() > PATIENCE {
            return reply.expect(200);
        }
        eprintln!("asked again after {:?}: {reply:?}", started.elapsed());
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

/// A signup, a sync, and an inbound order in a signed notification, which the API then returns.
#[tokio::test]
async fn end_to_end_from_the_signup_to_an_order() {
    let stack = Deployed::from_env();
    let variable = |name: &str| std::env::var(name).unwrap();
    let address = variable("PLATFORM_BASE_URL").strip_prefix("http://").unwrap().to_owned();
    let platform = StandIn::serving(TcpListener::bind(address).unwrap(), &variable("PLATFORM_APP_SECRET"));
    platform.account("4001", &[("40011", "+1 201-555-0141")]);
    platform.state().accounts.get_mut("4001").unwrap().templates =
        (0..150).map(|n| template(&format!("{}", 1000 + n), "t")).collect();
    let profile = stack.admin(Call::post(SIGNUP).json(&json!({"code": "code.4001"}))).await.expect(201);
    let number = &profile["phoneNumbers"][0];
    let sync =
        Call::post("/v1/organization/chat/templates/sync").json(&json!({"chatBusinessProfileId": profile["id"]}));
    let synced = when_done(&stack, sync).await;
    assert_eq!(synced, json!({"added": 150, "updated": 0, "removed": 0, "total": 150}));
    platform.state().media.insert("900".to_owned(), b"\xFF\xD8\xFF\xE0 a picture".to_vec());
    let message = |id: &str, more: Value| {
        let mut message = json!({"from": "16505551234", "id": id, "timestamp": "2000000000"});
        message.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        message
    };
    let order = json!({"type": "order", "order": {"catalog_id": "194", "product_items": [
        {"product_retailer_id": "shoes", "quantity": 2, "item_price": 30, "currency": "USD"}]}});
    let image = json!({"type": "image", "image": {"id": "900", "mime_type": "image/jpeg"}});
    // More updates than are applied directly, so that some go through the queue.
    let mut messages: Vec<_> =
        (0..40).map(|n| message(&format!("wamid.{n}"), json!({"type": "text", "text": {"body": "Hi"}}))).collect();
    messages.push(message("wamid.image", image));
    messages.push(message("wamid.order", order));
    let value = json!({"metadata": {"phone_number_id": "40011"}, "contacts": [{"profile": {"name": "Ann"}, "wa_id": "16505551234"}], "messages": messages});
    let body = json!({"object": "whatsapp_business_account", "entry": [{"id": "4001", "changes": [{"field": "messages", "value": value}]}]});
    let body = body.to_string().into_bytes();
    let signed = signature(&variable("PLATFORM_APP_SECRET"), &body);
    let call = Call::post("/v1/platform/notifications").header("x-hub-signature-256", &signed).bytes(body.clone());
    assert_eq!(when_done(&stack, call.clone()).await, json!({"accepted": 42, "ignored": 0}));
    stack.send(call.header("x-hub-signature-256", &signature("wrong", &body))).await.refused(
        401,
        Some("X-Hub-Signature-256"),
        None,
    );
    let path = format!("/v1/organization/chat/messages?chatPhoneNumberId={}&limit=100", text(number, "id"));
    let started = Instant::now();
    let shown = loop {
        let shown = stack.admin(Call::get(&path)).await.expect(200)["data"].as_array().unwrap().clone();
        let has_picture = shown.iter().any(|message| message["mediaUrl"].is_string());
        if shown.len() == 42 && has_picture {
            break shown;
        }
        assert!(started.elapsed() < PATIENCE, "{} messages, a picture: {has_picture}", shown.len());
        tokio::time::sleep(Duration::from_millis(300)).await;
    };
    let picture = shown.iter().find(|message| message["type"] == "image").unwrap();
    let (status, mime, ..) = tests::catalogue::download(text(picture, "mediaUrl")).await;
    assert_eq!((status, mime.as_str()), (200, "image/jpeg"));
    let order = shown.iter().find(|message| message["type"] == "order").unwrap();
    let details =
        stack.admin(Call::get(format!("/v1/organization/chat/messages/{}", text(order, "id")))).await.expect(200);
    assert_eq!((&details["order"]["totalItems"], &details["contactName"]), (&json!(2), &json!("Ann")));
}
