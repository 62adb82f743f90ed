use serde_json::json;
use tests::request::text;
use tests::{Call, Service as _, World};

#[tokio::test]
async fn organizations_are_apart_and_their_slugs_differ() {
    let world = World::new().await;
    let second = world.organization("Acme").await;
    let settings = world.send(Call::get("/v1/organization/settings").key(&second.admin)).await.expect(200);
    assert_eq!(settings["name"], json!("Acme"));
    assert!(text(&settings, "slug").starts_with("acme-"));
}

#[tokio::test]
async fn a_repeated_request_finds_the_same_organization() {
    let world = World::new().await;
    let request = json!({"operation": "createOrganization", "name": "Once", "requestId": "r-1"});
    let first = world.operate(request.clone()).await.unwrap();
    let again = world.operate(request).await.unwrap();
    assert_eq!(first["organizationId"], again["organizationId"]);
    // A key's value is returned only once; the repeated request got new keys, and all of them work.
    for made in [&first, &again] {
        world.send(Call::get("/v1/organization/settings").key(&text(made, "adminKey"))).await.expect(200);
        world.send(Call::get("/v1/organization/apps").key(&text(made, "sessionToken"))).await.expect(200);
    }
}

#[tokio::test]
async fn it_is_the_way_back_in() {
    let world = World::new().await;
    let keys = world.admin(Call::get("/v1/organization/admin-keys")).await.expect(200);
    for key in keys["data"].as_array().unwrap() {
        let _ = world.admin(Call::delete(format!("/v1/organization/admin-keys/{}", text(key, "id")))).await;
    }
    for test in [true, false] {
        let made = world
            .operate(json!({"operation": "createAdminKey", "organizationId": world.org.id, "test": test}))
            .await
            .unwrap();
        assert_eq!(text(&made, "id").starts_with("key_admin_test_"), test);
        world.send(Call::get("/v1/organization/settings").key(&text(&made, "adminKey"))).await.expect(200);
    }
}

#[tokio::test]
async fn it_is_the_way_back_in_with_as_many_keys_as_there_may_be() {
    let world = World::new().await;
    for _ in 2..50 {
        world.admin(Call::post("/v1/organization/admin-keys").json(&json!({"name": "k"}))).await.expect(201);
    }
    let made = world.operate(json!({"operation": "createAdminKey", "organizationId": world.org.id})).await.unwrap();
    let key = text(&made, "adminKey");
    let path = "/v1/organization/admin-keys";
    world.send(Call::post(path).key(&key).json(&json!({"name": "k"}))).await.refused(400, Some("adminKeys"), None);
    world.send(Call::get("/v1/organization/settings").key(&key)).await.expect(200);
}

#[tokio::test]
async fn wrong_requests_are_refused_with_the_field() {
    let world = World::new().await;
    let nobody = "org_0ujtsYcgvSTl8PAuAdqWYSMnLOv";
    for (request, part) in [
        (json!({"operation": "dropTable"}), "dropTable"),
        (json!({"operation": "createOrganization"}), "name"),
        (json!({"operation": "createOrganization", "name": ""}), "name"),
        (json!({"operation": "createOrganization", "name": "x", "nam": "y"}), "nam"),
        (json!({"operation": "createAdminKey", "organizationId": "x"}), "pattern"),
        (json!({"operation": "createAdminKey", "organizationId": nobody}), "organizationId"),
        (json!({"operation": "createSession", "organizationId": nobody}), "organizationId"),
        (json!({"operation": "createSession", "organizationId": world.org.id, "expiresIn": 43201}), "expiresIn"),
        (json!({"operation": "revokeSession", "sessionToken": world.org.admin}), "sessionToken"),
    ] {
        let refusal = world.operate(request).await.unwrap_err();
        assert!(refusal.contains(part), "{refusal}");
    }
}
