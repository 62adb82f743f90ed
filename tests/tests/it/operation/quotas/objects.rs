//! Limits on the number of objects.

use serde_json::{Value, json};
use tests::catalogue::{SIGNUP, fresh_account, number_that_came_later, simulated_profile};
use tests::request::text;
use tests::{Call, Reply, Service as _, World};

use super::{at_once, has};

/// The last object within a limit is created, and the next one is rejected.
async fn one_more_is_left(world: &World, counter: &str, call: impl Fn(usize) -> Call) {
    world.send(call(0)).await.expect(201);
    world.send(call(1)).await.refused(400, Some(counter), None);
}

#[tokio::test]
async fn an_organization_has_a_thousand_phone_numbers() {
    let world = World::new().await;
    has(&world, "phoneNumbers", 999).await;
    let body = |n: usize| json!({"number": format!("+1201555010{n}"), "appIds": [world.org.app]});
    let call = |n| Call::post("/v1/organization/phone-numbers").key(&world.org.admin).json(&body(n));
    one_more_is_left(&world, "phoneNumbers", call).await;
}

#[tokio::test]
async fn an_organization_has_a_thousand_playground_users() {
    let world = World::new().await;
    has(&world, "playgroundUsers", 998).await;
    let call = |_| Call::post("/v1/playground/chat/phone-numbers/user").key(&world.org.test_app_key);
    let keyed = |key| call(0).header("idempotency-key", key);
    let made = world.send(keyed("first")).await.expect(201);
    one_more_is_left(&world, "playgroundUsers", call).await;
    // A repeated request gets its number all the same; a new key does not help.
    assert_eq!(world.send(keyed("first")).await.expect(201), made);
    world.send(keyed("second")).await.expect(400);
}

#[tokio::test]
async fn an_organization_has_fifty_business_profiles() {
    let world = World::new().await;
    has(&world, "chatBusinessProfiles", 49).await;
    let accounts = [fresh_account(), fresh_account()];
    let body = |n: usize| json!({"code": accounts[n], "wabaId": accounts[n], "test": true});
    let call = |n| Call::post(SIGNUP).key(&world.org.admin).json(&body(n));
    one_more_is_left(&world, "chatBusinessProfiles", call).await;
    // Existing accounts can be connected again.
    let again = json!({"code": "another", "wabaId": accounts[0], "test": true});
    world.admin(Call::post(SIGNUP).json(&again)).await.expect(200);
}

/// A signup leaves out numbers over the limit, and a request to register one is rejected.
#[tokio::test]
async fn an_organization_has_a_thousand_chat_numbers() {
    let world = World::new().await;
    let (account, display) = number_that_came_later(&world).await;
    let wanted = json!({"displayPhoneNumber": display, "providerPhoneNumberId": format!("{account}03"),
        "providerBusinessAccountId": account});
    let take_in = async || world.admin(Call::post("/v1/organization/chat/phone-numbers").json(&wanted)).await;

    has(&world, "chatPhoneNumbers", 1000).await;
    take_in().await.refused(400, Some("chatPhoneNumbers"), None);
    has(&world, "chatPhoneNumbers", 999).await;
    take_in().await.expect(201);

    has(&world, "chatPhoneNumbers", 999).await;
    let profile = simulated_profile(&world, &fresh_account(), false).await;
    assert_eq!(profile["phoneNumbers"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn forty_apps_share_a_phone_number() {
    let world = World::new().await;
    let mut apps = vec![world.org.app.clone()];
    for n in 0..40 {
        let made = world.admin(Call::post("/v1/organization/apps").json(&json!({"name": format!("App {n}")}))).await;
        apps.push(text(&made.expect(201), "id"));
    }

    let body = json!({"number": "+12015550100", "appIds": apps[..39]});
    let number = world.admin(Call::post("/v1/organization/phone-numbers").json(&body)).await.expect(201);
    let assign = async |app: &str| {
        let path = format!("/v1/organization/apps/{app}/phone-numbers/{}", text(&number, "id"));
        world.admin(Call::put(path)).await
    };

    assign(&apps[39]).await.expect(200);
    assign(&apps[40]).await.refused(400, Some("phoneNumberId"), None);
    assign(&apps[39]).await.expect(200);
}

fn webhook(events: &[&str]) -> Value {
    json!({"url": "https://example.com/hooks", "events": events})
}

#[tokio::test]
async fn forty_webhooks_listen_to_templates_or_accounts() {
    const OF_ORGANIZATION: &[&str] = &["chat.account.connected"];
    let world = World::new().await;
    let mut paths = Vec::new();
    for name in ["One", "Two", "Three"] {
        let (app, _) = world.app(&world.org.admin, &json!({"name": name})).await;
        paths.push(format!("/v1/organization/apps/{app}/webhooks"));
    }
    let make = |path: &String, events: &[&str]| Call::post(path).key(&world.org.admin).json(&webhook(events));
    for _ in 0..15 {
        world.send(make(&paths[0], OF_ORGANIZATION)).await.expect(201);
        world.send(make(&paths[1], OF_ORGANIZATION)).await.expect(201);
    }
    let (made, refused) = at_once(&world, 20, |_| make(&paths[2], OF_ORGANIZATION)).await;
    assert_eq!(made, 10);
    let is_full = |reply: Reply| {
        assert_eq!(reply.header("retry-after"), None);
        let body = reply.refused(400, Some("events"), None);
        assert!(body["error"]["message"].as_str().unwrap().contains("at most 40 webhooks"), "{body}");
    };
    refused.into_iter().for_each(is_full);

    // Neither a change nor another app circumvents the limit; webhooks for message events do not count.
    let other = world.send(make(&paths[0], &["messages.sms.received"])).await.expect(201);
    let path = format!("{}/{}", paths[0], text(&other, "id"));
    is_full(world.admin(Call::put(&path).json(&webhook(OF_ORGANIZATION))).await);

    // A webhook frees a place if its events change or if it is deleted.
    let page = world.admin(Call::get(&paths[1])).await.expect(200);
    let ids: Vec<String> = page["data"].as_array().unwrap().iter().map(|made| text(made, "id")).collect();
    world
        .admin(Call::put(format!("{}/{}", paths[1], ids[0])).json(&webhook(&["messages.sms.received"])))
        .await
        .expect(200);
    world.admin(Call::put(&path).json(&webhook(OF_ORGANIZATION))).await.expect(200);
    is_full(world.send(make(&paths[0], OF_ORGANIZATION)).await);
    world.admin(Call::delete(format!("{}/{}", paths[1], ids[1]))).await.expect(200);
    world.send(make(&paths[0], OF_ORGANIZATION)).await.expect(201);
    is_full(world.send(make(&paths[0], OF_ORGANIZATION)).await);

    // Deleting an app frees the places of all its webhooks.
    world.admin(Call::delete(paths[2].trim_end_matches("/webhooks"))).await.expect(200);
    world.sweep().await;
    assert!(!world.account.items().await.iter().any(|item| item["PK"].starts_with("GONE#")));
    for _ in 0..4 {
        world.send(make(&paths[1], OF_ORGANIZATION)).await.expect(201);
    }
}
