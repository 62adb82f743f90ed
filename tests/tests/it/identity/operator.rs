use std::collections::BTreeSet;
use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Value, json};
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
    let unknown = "ses_0ujtsYcgvSTl8PAuAdqWYSMnLOv";
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
        (json!({"operation": "listSessions", "organizationId": world.org.id, "before": "x"}), "pattern"),
        (json!({"operation": "revokeSessions", "organizationId": nobody, "sessionId": unknown}), "sessionId"),
    ] {
        let refusal = world.operate(request).await.unwrap_err();
        assert!(refusal.contains(part), "{refusal}");
    }
}

/// The ids of the sessions that a reply lists.
fn listed(reply: &Value) -> Vec<String> {
    reply["sessions"].as_array().unwrap().iter().map(|session| text(session, "id")).collect()
}

#[tokio::test]
async fn sessions_are_listed_and_revoked_without_their_values() {
    let world = World::new().await;
    let other = world.organization("Other").await;
    let list = async |organization: &str| {
        world.operate(json!({"operation": "listSessions", "organizationId": organization})).await.unwrap()
    };
    let create = async |seconds: u64| {
        let request = json!({"operation": "createSession", "organizationId": world.org.id, "expiresIn": seconds});
        world.operate(request).await.unwrap()
    };
    let works = async |token: &str| world.send(Call::get("/v1/organization/apps").key(token)).await.status == 200;
    let revoke = async |organization: &str, session: Option<&str>| {
        let request = json!({"operation": "revokeSessions", "organizationId": organization, "sessionId": session});
        world.operate(request).await
    };
    // The organization's first session was created with it.
    let first = listed(&list(&world.org.id).await);
    assert_eq!(first.len(), 1);
    world.clock.advance(Duration::from_secs(1));
    let short = create(60).await;
    world.clock.advance(Duration::from_secs(1));
    let long = create(600).await;
    let reply = list(&world.org.id).await;
    assert_eq!(listed(&reply), [text(&long, "id"), text(&short, "id"), first[0].clone()], "newest first");
    let shown: BTreeSet<&str> = reply["sessions"][0].as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(shown, BTreeSet::from(["id", "createdAt", "expiresAt"]));
    assert_eq!(reply["sessions"][0]["expiresAt"], long["expiresAt"]);
    for made in [&short, &long] {
        assert!(!reply.to_string().contains(&text(made, "sessionToken")));
    }
    world.clock.advance(Duration::from_secs(60));
    assert_eq!(listed(&list(&world.org.id).await), [text(&long, "id"), first[0].clone()], "one has expired");

    let token = text(&long, "sessionToken");
    assert!(works(&token).await);
    let of_another = revoke(&other.id, Some(&text(&long, "id"))).await.unwrap_err();
    assert!(of_another.contains("sessionId") && works(&token).await, "{of_another}");
    assert_eq!(revoke(&world.org.id, Some(&text(&long, "id"))).await.unwrap(), json!({"revoked": 1}));
    assert!(!works(&token).await);
    assert!(revoke(&world.org.id, Some(&text(&long, "id"))).await.unwrap_err().contains("sessionId"));

    // These are more sessions than a transaction can revoke and than a page shows.
    let tokens = join_all((0..104).map(|_| create(600))).await;
    let page = list(&world.org.id).await;
    assert_eq!((listed(&page).len(), &page["hasMore"]), (100, &json!(true)));
    let request = json!({"operation": "listSessions", "organizationId": world.org.id, "before": listed(&page)[99]});
    let rest = world.operate(request).await.unwrap();
    assert_eq!((listed(&rest).len(), &rest["hasMore"]), (5, &json!(false)));
    // 104, the organization's first one, and the expired one.
    assert_eq!(revoke(&world.org.id, None).await.unwrap(), json!({"revoked": 106}));
    assert!(listed(&list(&world.org.id).await).is_empty());
    for made in [&tokens[0], &tokens[103]] {
        assert!(!works(&text(made, "sessionToken")).await);
    }
    assert_eq!(listed(&list(&other.id).await).len(), 1, "of another organization");
    let token = text(&create(600).await, "sessionToken");
    world.operate(json!({"operation": "revokeSession", "sessionToken": token})).await.unwrap();
    assert!(!works(&token).await && listed(&list(&world.org.id).await).is_empty());

    // More sessions than a page shows have expired before an older one that is valid.
    let valid = create(3600).await;
    world.clock.advance(Duration::from_secs(1));
    join_all((0..101).map(|_| create(60))).await;
    world.clock.advance(Duration::from_secs(60));
    assert_eq!(listed(&list(&world.org.id).await), [text(&valid, "id")]);
}
