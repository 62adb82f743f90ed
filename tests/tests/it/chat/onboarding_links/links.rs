//! The links themselves: what they show, whom they belong to, and how many there are.

use std::time::Duration;

use serde_json::json;
use tests::catalogue::{begun_onboarding, fresh_account, onboarding_link};
use tests::request::text;
use tests::settings::API_URL;
use tests::{Call, Service as _, World};

use super::{LINKS, complete, shown, token_of, with};
use crate::chat::assert_fields;

#[tokio::test]
async fn a_link_shows_its_url_once_and_stores_only_a_hash_of_its_token() {
    let world = World::new().await;
    // Smaller than the numbers of the table, and as deep as JSON is read.
    let deep = (0..100).fold(json!(-1.577e-244), |inner, _| json!([inner]));
    let metadata = json!({"plan": {"name": "gold"}, "deep": deep});

    let made = world.admin(with(&json!({"metadata": metadata, "expiresIn": 900, "test": true}))).await.expect(201);
    let url = text(&made, "url");
    let (page, token) = url.split_once('#').unwrap();
    assert_eq!(page, format!("{API_URL}/onboarding"));

    let link = shown(&world, &text(&made, "id")).await;
    assert_fields(&link, &json!({"status": "PENDING", "metadata": metadata}));
    assert!(link.get("url").is_none() && !link.to_string().contains(token));
    assert!(!world.admin(Call::get(LINKS)).await.expect(200).to_string().contains(token));
    assert!(world.account.items().await.iter().all(|item| !item.values().any(|value| value.contains(token))));

    let page = world.send(Call::get("/v1/onboarding").key(token)).await.expect(200);
    let expected = json!({"organizationName": "Acme", "isTestLink": true, "installationName": "Messages of Example"});
    assert_fields(&page, &expected);
    for hidden in ["continueUrl", "metadata", "state"] {
        assert!(page.get(hidden).is_none(), "{page}");
    }

    // Looking at the link does not use it up; time does.
    world.clock.advance(Duration::from_secs(901));
    assert_eq!(shown(&world, &text(&made, "id")).await["status"], "EXPIRED");
    world.send(Call::put("/v1/onboarding/signup").key(token)).await.refused(409, Some("onboardingLinkId"), None);
    let page = world.send(Call::get("/v1/onboarding").key(token)).await.expect(200);
    let next = format!("https://example.com/failed?id={}&state=c+7&error=expired", text(&made, "id"));
    assert_fields(&page, &json!({"status": "EXPIRED", "continueUrl": next}));
}

#[tokio::test]
async fn a_token_reaches_its_own_link_only() {
    let world = World::new().await;
    let stranger = world.organization("Stranger").await;
    let foreign = world.send(with(&json!({"test": true})).key(&stranger.admin)).await.expect(201);
    let foreign_token = token_of(&foreign);
    let (id, token) = onboarding_link(&world).await;

    let page = world.send(Call::get("/v1/onboarding").key(&foreign_token)).await.expect(200);
    assert_fields(&page, &json!({"id": foreign["id"], "organizationName": "Stranger"}));

    // A signup of one link cannot be completed with the token of another, of this organization or of another.
    let (cookie, state) = begun_onboarding(&world, &token).await;
    let code = format!("code.{}", fresh_account());
    world.send(complete(&foreign_token, &cookie, &code, &state)).await.refused(422, Some("state"), None);
    let cancelled = world.send(Call::post("/v1/onboarding/cancel").key(&foreign_token)).await.expect(200);
    assert_eq!(cancelled["id"], foreign["id"]);
    for call in [Call::get(format!("{LINKS}/{id}")), Call::delete(format!("{LINKS}/{id}"))] {
        world.send(call.key(&stranger.admin)).await.refused(404, Some("onboardingLinkId"), None);
    }
    assert_eq!(shown(&world, &id).await["status"], "PENDING");

    // The token opens no other operation.
    for call in [Call::get(LINKS), Call::get("/v1/organization/settings"), Call::get("/v1/chat/messages")] {
        world.send(call.key(&token)).await.wrong_kind(&token);
    }
    world.send(complete(&token, &cookie, &code, &state)).await.expect(200);
}

#[tokio::test]
async fn a_malformed_link_names_its_parameter() {
    let world = World::new().await;

    for (more, param) in [
        (json!({"successUrl": "http://example.com"}), "successUrl"),
        (json!({"failureUrl": "https://10.0.0.1/"}), "failureUrl"),
        (json!({"failureUrl": "https://api.example.com/"}), "failureUrl"),
        (json!({"state": "x".repeat(513)}), "state"),
        (json!({"metadata": {"x": "y".repeat(10 * 1024)}}), "metadata"),
        (json!({"metadata": []}), "metadata"),
        (json!({"expiresIn": 899}), "expiresIn"),
        (json!({"expiresIn": 2_592_001}), "expiresIn"),
    ] {
        world.admin(with(&more)).await.refused(400, Some(param), None);
    }

    let live = with(&json!({"test": false})).key(&world.org.test_admin);
    world.send(live).await.refused(403, Some("test"), None);
    assert!(world.admin(Call::get(LINKS)).await.expect(200)["data"].as_array().unwrap().is_empty());
}

#[tokio::test]
async fn an_organization_has_at_most_a_hundred_open_links() {
    let world = World::new().await;
    let mut ids = Vec::new();
    for index in 0..100 {
        let seconds = if index == 0 { 900 } else { 86_400 };
        let made = world.admin(with(&json!({"expiresIn": seconds, "test": true}))).await.expect(201);
        ids.push(text(&made, "id"));
    }
    let another = || with(&json!({"test": true}));

    world.admin(another()).await.refused(400, Some("onboardingLinks"), None);

    // One place is free after a link was cancelled, and one after a link has expired.
    let cancelled = world.admin(Call::delete(format!("{LINKS}/{}", ids[1]))).await.expect(200);
    assert_eq!(cancelled["status"], "CANCELLED");
    assert_eq!(world.admin(Call::delete(format!("{LINKS}/{}", ids[1]))).await.expect(200), cancelled);
    world.admin(another()).await.expect(201);
    world.admin(another()).await.refused(400, Some("onboardingLinks"), None);

    world.clock.advance(Duration::from_secs(901));
    world.admin(another()).await.expect(201);
    world.admin(another()).await.refused(400, Some("onboardingLinks"), None);
}

#[tokio::test]
async fn an_installation_without_signup_has_test_links_only() {
    let mut world = World::new().await;
    let token = token_of(&world.admin(with(&json!({"test": false}))).await.expect(201));

    world.close_signup();
    world.send(Call::put("/v1/onboarding/signup").key(&token)).await.refused(422, Some("test"), None);
    world.admin(with(&json!({"test": false}))).await.refused(422, Some("test"), None);

    let (_, token) = onboarding_link(&world).await;
    begun_onboarding(&world, &token).await;
}
