use serde_json::json;
use tests::request::text;
use tests::{Call, Service as _, World};

const PATH: &str = "/v1/organization/apps";

#[tokio::test]
async fn apps_are_made_read_changed_and_deleted() {
    let world = World::new().await;
    let made = world.admin(Call::post(PATH).json(&json!({"name": "Shop front"}))).await.expect(201);
    let id = text(&made, "id");
    assert_eq!(
        made,
        json!({"id": id, "name": "Shop front", "slug": "shop-front", "isTestApp": false,
            "eventFeed": false, "createdAt": made["createdAt"], "updatedAt": made["createdAt"]})
    );
    let path = format!("{PATH}/{id}");
    assert_eq!(world.send(Call::get(&path).key(&world.org.session)).await.expect(200), made);
    let renamed = world.admin(Call::patch(&path).json(&json!({"name": "Shop"}))).await.expect(200);
    assert_eq!((&renamed["name"], &renamed["slug"]), (&json!("Shop"), &json!("shop-front")));
    let moved = world.admin(Call::patch(&path).json(&json!({"slug": "shop"}))).await.expect(200);
    assert_eq!((&moved["name"], &moved["slug"]), (&json!("Shop"), &json!("shop")));
    // The old slug can be used again.
    world.admin(Call::post(PATH).json(&json!({"name": "x", "slug": "shop-front"}))).await.expect(201);
    assert_eq!(world.admin(Call::delete(&path)).await.expect(200), json!({"message": "App deleted"}));
    world.admin(Call::get(&path)).await.refused(404, Some("appId"), None);
    world.admin(Call::delete(&path)).await.refused(404, Some("appId"), None);
    world.admin(Call::patch(&path).json(&json!({"name": "x"}))).await.refused(404, Some("appId"), None);
    world.admin(Call::patch(&path).json(&json!({"slug": "x"}))).await.refused(404, Some("appId"), None);
    world.admin(Call::post(PATH).json(&json!({"name": "y", "slug": "shop"}))).await.expect(201);
}

#[tokio::test]
async fn a_taken_slug_is_refused_when_chosen_and_varied_when_not() {
    let world = World::new().await;
    world.admin(Call::post(PATH).json(&json!({"name": "a", "slug": "live"}))).await.refused(
        409,
        Some("slug"),
        Some("resource_already_exists"),
    );
    let varied = world.admin(Call::post(PATH).json(&json!({"name": "Live"}))).await.expect(201);
    assert!(text(&varied, "slug").starts_with("live-"), "{varied}");
    let path = format!("{PATH}/{}", text(&varied, "id"));
    world.admin(Call::patch(&path).json(&json!({"slug": "live"}))).await.refused(
        409,
        Some("slug"),
        Some("resource_already_exists"),
    );
    // The app's own slug is not a conflict.
    world.admin(Call::patch(&path).json(&json!({"slug": varied["slug"], "name": "n"}))).await.expect(200);
}

#[tokio::test]
async fn deletion_takes_everything_under_the_app_with_it() {
    let world = World::new().await;
    let org = &world.org;
    let app = format!("{PATH}/{}", org.app);
    let number = world
        .admin(
            Call::post("/v1/organization/phone-numbers").json(&json!({"number": "+12015550100", "appIds": [org.app]})),
        )
        .await;
    let number = text(&number.expect(201), "id");
    world
        .admin(
            Call::post(format!("{app}/webhooks"))
                .json(&json!({"url": "https://example.com", "events": ["messages.sms.sent"]})),
        )
        .await
        .expect(201);
    world.admin(Call::put(format!("{app}/calling")).json(&json!({}))).await.expect(200);
    world.send(Call::get("/v1/media/media_x").key(&org.app_key)).await.refused(404, Some("mediaId"), None);
    world.admin(Call::delete(&app)).await.expect(200);
    world.send(Call::get("/v1/media/media_x").key(&org.app_key)).await.unauthenticated("Invalid API key");
    for call in [
        Call::get(format!("{app}/keys")),
        Call::get(format!("{app}/webhooks")),
        Call::get(format!("{app}/calling")),
        Call::put(format!("{app}/calling")).json(&json!({})),
        Call::post(format!("{app}/keys")),
        Call::put(format!("{app}/phone-numbers/{number}")),
        Call::delete(format!("{app}/phone-numbers/{number}")),
    ] {
        world.admin(call).await.refused(404, Some("appId"), None);
    }
    let kept = world.admin(Call::get(format!("/v1/organization/phone-numbers/{number}"))).await.expect(200);
    assert_eq!(kept["apps"], json!([]));
    let mut items = world.account.items().await;
    // Removing the time of the assignment needs a read; the next change of the number's apps has one.
    items.iter_mut().for_each(|item| drop(item.remove("assignedAt")));
    // The audit log keeps what was done to it.
    items.retain(|item| !item["PK"].starts_with("AUDIT#"));
    let left: Vec<_> = items.into_iter().filter(|item| format!("{item:?}").contains(&org.app)).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[tokio::test]
async fn a_test_app_comes_with_its_playground() {
    let world = World::new().await;
    let items = world.account.items().await;
    let count = |class: &str| items.iter().filter(|item| item["PK"].starts_with(class)).count();
    assert_eq!((count("WAPN#"), count("WABP#"), count("PGNUM#")), (1, 1, 3));
    world.app(&world.org.admin, &json!({"name": "Second", "test": true})).await;
    let items = world.account.items().await;
    let count = |class: &str| items.iter().filter(|item| item["PK"].starts_with(class)).count();
    assert_eq!((count("WAPN#"), count("WABP#"), count("PGNUM#")), (2, 1, 6));
}

/// The simulated number of a deleted test app goes with it, also from apps that share it. The fictional numbers stay
/// remembered, so that they are never given out again.
#[tokio::test]
async fn a_test_app_takes_its_simulated_number_with_it() {
    let world = World::new().await;
    let numbers = async || {
        let page = world.admin(Call::get("/v1/organization/chat/phone-numbers?limit=100")).await.expect(200);
        page["data"].as_array().unwrap().iter().map(|number| text(number, "id")).collect::<Vec<_>>()
    };
    let kept = numbers().await;
    let before = world.account.items().await;
    for is_shared in [false, true] {
        let (app, _) = world.app(&world.org.admin, &json!({"name": "Short-lived", "test": true})).await;
        let own = numbers().await.into_iter().find(|number| !kept.contains(number)).unwrap();
        let other = format!("{PATH}/{}/phone-numbers/{own}", world.org.test_app);
        if is_shared {
            world.admin(Call::put(&other)).await.expect(200);
        }
        let given = |items: &[std::collections::BTreeMap<String, String>]| {
            items.iter().filter(|item| item["PK"].starts_with("PGNUM#")).cloned().collect::<Vec<_>>()
        };
        let remembered = given(&world.account.items().await);
        world.admin(Call::delete(format!("{PATH}/{app}"))).await.expect(200);
        assert_eq!(numbers().await, kept);
        world.admin(Call::get(format!("/v1/organization/chat/phone-numbers/{own}"))).await.refused(
            404,
            Some("chatPhoneNumberId"),
            None,
        );
        let items = world.account.items().await;
        assert_eq!(given(&items), remembered, "no number is forgotten");
        // Nothing else of the app and its number is left; the other app has the numbers that it had.
        let is_new = |item: &&std::collections::BTreeMap<String, String>| {
            !["PGNUM#", "NUMWAS#", "IDEM#", "AUDIT#"].iter().any(|class| item["PK"].starts_with(class))
                && !before.contains(item)
        };
        let mut left: Vec<_> = items.iter().filter(is_new).cloned().collect();
        for item in &mut left {
            item.remove("revision");
            item.remove("updatedAt");
        }
        let same = |item: &std::collections::BTreeMap<String, String>| {
            before.iter().any(|known| item.iter().all(|(name, value)| known.get(name) == Some(value)))
        };
        assert!(left.iter().all(same), "{left:?}");
    }
}

#[tokio::test]
async fn test_keys_see_and_make_test_apps_only() {
    let world = World::new().await;
    let test = &world.org.test_admin;
    let seen = world.send(Call::get(PATH).key(test)).await.expect(200);
    assert_eq!(seen["data"].as_array().unwrap().len(), 1);
    assert_eq!(seen["data"][0]["id"], json!(world.org.test_app));
    let made = world.send(Call::post(PATH).key(test).json(&json!({"name": "t"}))).await.expect(201);
    assert_eq!(made["isTestApp"], json!(true));
    world.send(Call::post(PATH).key(test).json(&json!({"name": "t", "test": false}))).await.refused(
        403,
        Some("test"),
        None,
    );
    let live = format!("{PATH}/{}", world.org.app);
    world.send(Call::get(&live).key(test)).await.refused(404, Some("appId"), None);
    world.send(Call::delete(&live).key(test)).await.refused(404, Some("appId"), None);
}

#[tokio::test]
async fn wrong_input_is_refused() {
    let world = World::new().await;
    for (body, param) in [
        (json!({}), "name"),
        (json!({"name": []}), "name"),
        (json!({"name": "a\u{0}b"}), "name"),
        (json!({"name": "a", "slug": "A"}), "slug"),
        (json!({"name": "a", "slug": "a".repeat(64)}), "slug"),
        (json!({"name": "a", "test": 1}), "test"),
        (json!({"name": "a", "isTestApp": true}), "isTestApp"),
    ] {
        world.admin(Call::post(PATH).json(&body)).await.refused(400, Some(param), None);
    }
    let app = format!("{PATH}/{}", world.org.app);
    world.admin(Call::patch(&app).json(&json!({}))).await.refused(400, Some("body"), None);
    world.admin(Call::patch(format!("{PATH}/app_x")).json(&json!({}))).await.refused(400, Some("appId"), None);
}

#[tokio::test]
async fn an_organization_has_at_most_a_hundred_of_each_mode() {
    let world = World::new().await;
    for n in 1..100 {
        world.admin(Call::post(PATH).json(&json!({"name": format!("app {n}")}))).await.expect(201);
    }
    world.admin(Call::post(PATH).json(&json!({"name": "one more"}))).await.refused(400, Some("apps"), None);
}
