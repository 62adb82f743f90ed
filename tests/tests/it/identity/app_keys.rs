use serde_json::json;
use tests::request::text;
use tests::{Call, Service as _, World};

#[tokio::test]
async fn a_key_works_until_it_is_deleted() {
    let world = World::new().await;
    let path = format!("/v1/organization/apps/{}/keys", world.org.app);
    world.clock.advance(std::time::Duration::from_millis(1));
    let made = world.admin(Call::post(&path).json(&json!({"name": "Server"}))).await.expect(201);
    let (id, key) = (text(&made, "id"), text(&made, "key"));
    assert!(key.starts_with("sk_live_app_") && id.starts_with("key_app_") && !id.starts_with("key_app_test_"));
    let listed = world.send(Call::get(&path).key(&world.org.session)).await.expect(200);
    assert_eq!(listed["data"].as_array().unwrap().len(), 2);
    assert_eq!(
        listed["data"][0],
        json!({"id": id, "appId": world.org.app, "name": "Server", "lastFour": key[key.len() - 4..], "createdAt": made["createdAt"],
            "createdBy": {"kind": "KEY", "id": made["createdBy"]["id"]}})
    );
    world.send(Call::get("/v1/media/x").key(&key)).await.refused(404, Some("mediaId"), None);
    assert_eq!(
        world.admin(Call::delete(format!("{path}/{id}"))).await.expect(200),
        json!({"message": "App key deleted"})
    );
    world.send(Call::get("/v1/media/x").key(&key)).await.unauthenticated("Invalid API key");
    world.admin(Call::delete(format!("{path}/{id}"))).await.refused(404, Some("keyId"), None);
}

#[tokio::test]
async fn the_mode_of_the_app_is_the_mode_of_its_keys() {
    let world = World::new().await;
    let path = format!("/v1/organization/apps/{}/keys", world.org.test_app);
    let made = world.send(Call::post(&path).key(&world.org.test_admin)).await.expect(201);
    assert!(text(&made, "id").starts_with("key_app_test_") && text(&made, "key").starts_with("sk_test_app_"));
    assert!(made.get("name").is_none());
    let live = format!("/v1/organization/apps/{}/keys", world.org.app);
    world.send(Call::post(&live).key(&world.org.test_admin)).await.refused(404, Some("appId"), None);
    world.send(Call::get(&live).key(&world.org.test_admin)).await.refused(404, Some("appId"), None);
}

#[tokio::test]
async fn wrong_input_is_refused() {
    let world = World::new().await;
    let path = format!("/v1/organization/apps/{}/keys", world.org.app);
    let missing = "/v1/organization/apps/app_0ujtsYcgvSTl8PAuAdqWYSMnLOv/keys";
    world.admin(Call::post(&path).json(&json!({"name": ""}))).await.refused(400, Some("name"), None);
    world.admin(Call::post(&path).json(&json!({"test": true}))).await.refused(400, Some("test"), None);
    world.admin(Call::post(missing)).await.refused(404, Some("appId"), None);
    world.admin(Call::get(missing)).await.refused(404, Some("appId"), None);
    let key = "key_app_0ujtsYcgvSTl8PAuAdqWYSMnLOv";
    world.admin(Call::delete(format!("{missing}/{key}"))).await.refused(404, Some("appId"), None);
    world.admin(Call::delete(format!("{path}/{key}"))).await.refused(404, Some("keyId"), None);
    world.admin(Call::delete(format!("{path}/key_x"))).await.refused(400, Some("keyId"), None);
    world.admin(Call::delete(format!("/v1/organization/apps/x/keys/{key}"))).await.refused(400, Some("appId"), None);
    world.admin(Call::delete("/v1/organization/apps/x/keys/y")).await.refused(400, Some("appId"), None);
}

#[tokio::test]
async fn an_app_has_at_most_twenty() {
    let world = World::new().await;
    let path = format!("/v1/organization/apps/{}/keys", world.org.app);
    for _ in 1..20 {
        world.admin(Call::post(&path)).await.expect(201);
    }
    world.admin(Call::post(&path)).await.refused(400, Some("keys"), None);
    // Deleting the app deletes all of them in one transaction.
    for _ in 0..20 {
        let hook = json!({"url": "https://example.com", "events": ["messages.sms.sent"]});
        world
            .admin(Call::post(format!("/v1/organization/apps/{}/webhooks", world.org.app)).json(&hook))
            .await
            .expect(201);
    }
    world.admin(Call::delete(format!("/v1/organization/apps/{}", world.org.app))).await.expect(200);
}
