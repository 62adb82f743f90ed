use serde_json::json;
use tests::request::text;
use tests::{Call, Service as _, World};

fn path(world: &World) -> String {
    format!("/v1/organization/apps/{}/webhooks", world.org.app)
}

#[tokio::test]
async fn webhooks_are_made_read_changed_and_deleted() {
    let world = World::new().await;
    let path = path(&world);
    let body = json!({"url": "https://example.com/hooks", "events": ["messages.sms.received", "chat.account.connected"], "headers": {"X-Team": "blue"}});
    let mut made = world.admin(Call::post(&path).json(&body)).await.expect(201);
    let secret = made.as_object_mut().unwrap().remove("secret").unwrap();
    assert!(secret.as_str().unwrap().starts_with("whsec_") && secret.as_str().unwrap().len() == 6 + 44);
    let id = text(&made, "id");
    assert_eq!(
        made,
        json!({"id": id, "appId": world.org.app, "url": body["url"], "events": body["events"], "headers": body["headers"],
            "createdAt": made["createdAt"], "updatedAt": made["createdAt"]})
    );
    let one = format!("{path}/{id}");
    assert_eq!(world.admin(Call::get(&one)).await.expect(200), made);
    // A session sees the names of headers only.
    let mut named = made.clone();
    named["headers"] = json!({"X-Team": "••••••••"});
    assert_eq!(world.send(Call::get(&one).key(&world.org.session)).await.expect(200), named);
    let listed = world.send(Call::get(&path).key(&world.org.session)).await.expect(200);
    assert_eq!(listed["data"], json!([named]));
    // Keys see the values in lists, too. A webhook without headers has none to read.
    let plain = json!({"url": "https://example.com/plain", "events": ["messages.sms.sent"]});
    world.clock.advance(std::time::Duration::from_millis(1));
    let mut plain = world.admin(Call::post(&path).json(&plain)).await.expect(201);
    plain.as_object_mut().unwrap().remove("secret");
    assert_eq!(world.admin(Call::get(&path)).await.expect(200)["data"], json!([plain, made]));
    let own = world.send(Call::get("/v1/webhooks").key(&world.org.app_key)).await.expect(200);
    assert_eq!(own["data"], json!([plain, made]));
    world.admin(Call::delete(format!("{path}/{}", text(&plain, "id")))).await.expect(200);

    let url = world.admin(Call::put(&one).json(&json!({"url": "https://example.com/other"}))).await.expect(200);
    assert_eq!(
        (&url["url"], &url["events"], &url["headers"]),
        (&json!("https://example.com/other"), &body["events"], &body["headers"])
    );
    let events =
        world.admin(Call::put(&one).json(&json!({"events": ["messages.sms.sent"], "headers": {}}))).await.expect(200);
    assert_eq!(
        (&events["url"], &events["events"], &events["headers"]),
        (&url["url"], &json!(["messages.sms.sent"]), &json!({}))
    );
    assert_eq!(world.admin(Call::get(&one)).await.expect(200), events);

    assert_eq!(world.admin(Call::delete(&one)).await.expect(200), json!({"message": "Webhook deleted"}));
    world.admin(Call::get(&one)).await.refused(404, Some("webhookId"), None);
    world.admin(Call::delete(&one)).await.refused(404, Some("webhookId"), None);
    world.admin(Call::put(&one).json(&json!({"headers": {}}))).await.refused(404, Some("webhookId"), None);
    assert!(!world.account.items().await.iter().any(|item| item["PK"].starts_with("SEC#")));
}

#[tokio::test]
async fn an_unknown_app_comes_before_an_unknown_webhook() {
    let world = World::new().await;
    let path = "/v1/organization/apps/app_0ujtsYcgvSTl8PAuAdqWYSMnLOv/webhooks";
    let one = format!("{path}/whk_0ujtsYcgvSTl8PAuAdqWYSMnLOv");
    let body = json!({"url": "https://example.com", "events": ["messages.sms.sent"]});
    for call in [
        Call::get(path),
        Call::post(path).json(&body),
        Call::get(&one),
        Call::put(&one).json(&json!({"headers": {}})),
        Call::delete(&one),
    ] {
        world.admin(call).await.refused(404, Some("appId"), None);
    }
    // Ids of test webhooks differ from ids of live webhooks, even with the same ksuid.
    let made = text(&world.admin(Call::post(self::path(&world)).json(&body)).await.expect(201), "id");
    let other = format!("{}/{}", self::path(&world), made.replace("whk_", "whk_test_"));
    world.admin(Call::get(&other)).await.refused(404, Some("webhookId"), None);
    world.admin(Call::delete(&other)).await.refused(404, Some("webhookId"), None);
}

#[tokio::test]
async fn wrong_input_is_refused_in_order() {
    let world = World::new().await;
    let path = path(&world);
    let good = json!({"url": "https://example.com", "events": ["messages.sms.sent"]});
    let with = |field: &str, value: serde_json::Value| {
        let mut body = good.clone();
        body[field] = value;
        body
    };
    let before = world.account.items().await;
    for (body, param) in [
        (json!({}), "url"),
        (json!({"events": 1}), "url"),
        (json!({"url": 1}), "events"),
        (json!({"url": "https://example.com"}), "events"),
        (with("url", json!(1)), "url"),
        (with("url", json!("http://example.com")), "url"),
        (with("url", json!("https://127.0.0.1")), "url"),
        (with("url", json!("https://api.example.com")), "url"),
        (with("url", json!(null)), "url"),
        (with("events", json!([])), "events"),
        (with("events", json!("messages.sms.sent")), "events"),
        (with("events", json!(["messages.sms.sent", 1])), "events[1]"),
        (with("events", json!(["messages.sms.sent", null])), "events[1]"),
        (with("events", json!(["nope"])), "events[0]"),
        (with("events", json!(["messages.sms.sent", "messages.sms.sent"])), "events[1]"),
        (with("headers", json!([])), "headers"),
        (with("headers", json!({"X-Team": 1})), "headers.X-Team"),
        (with("headers", json!({"X-Team": "a\nb"})), "headers.X-Team"),
        (with("headers", json!({"Host": "a"})), "headers.Host"),
        (with("headers", json!({"webhook-id": "a"})), "headers.webhook-id"),
        (with("headers", json!({"X Team": "a"})), "headers"),
        (with("secret", json!("x")), "secret"),
        (json!({"url": "nope", "events": ["messages.sms.sent"], "x": 1}), "url"),
    ] {
        world.admin(Call::post(&path).json(&body)).await.refused(400, Some(param), None);
    }
    world.admin(Call::put(format!("{path}/whk_0ujtsYcgvSTl8PAuAdqWYSMnLOv")).json(&json!({}))).await.refused(
        400,
        Some("body"),
        None,
    );
    world.admin(Call::get(format!("{path}/whk_x"))).await.refused(400, Some("webhookId"), None);
    assert_eq!(world.account.items().await, before);
}

#[tokio::test]
async fn an_app_has_at_most_twenty() {
    let world = World::new().await;
    let path = path(&world);
    let body = json!({"url": "https://example.com", "events": ["messages.sms.sent"]});
    for _ in 0..20 {
        world.admin(Call::post(&path).json(&body)).await.expect(201);
    }
    world.admin(Call::post(&path).json(&body)).await.refused(400, Some("webhooks"), None);
}
