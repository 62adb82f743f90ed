use std::collections::BTreeSet;

use serde_json::{Value, json};
use tests::request::text;
use tests::{Call, Service as _, World};

/// Reads all ids of a list, page by page.
async fn walk(world: &World, key: &str, path: &str, limit: usize) -> Vec<String> {
    let mut ids = Vec::new();
    let mut cursor = String::new();
    loop {
        let page = world.send(Call::get(format!("{path}?limit={limit}{cursor}")).key(key)).await.expect(200);
        let data = page["data"].as_array().unwrap();
        assert!(data.len() <= limit);
        ids.extend(data.iter().map(|entry| text(entry, "id")));
        match &page["nextCursor"] {
            Value::Null => return ids,
            next => {
                assert_eq!(data.len(), limit);
                cursor = format!("&cursor={}", next.as_str().unwrap());
            }
        }
    }
}

#[tokio::test]
async fn lists_are_walked_newest_first_without_gap_or_repetition() {
    let world = World::new().await;
    let path = "/v1/organization/phone-numbers";
    // The numbers that the test app was created with.
    let mut made = walk(&world, &world.org.admin, path, 100).await;
    made.reverse();
    for n in 0..30 {
        world.clock.advance(std::time::Duration::from_millis(1));
        let body = json!({"number": format!("+120155501{n:02}"), "test": n % 3 == 0});
        made.push(text(&world.admin(Call::post(path).json(&body)).await.expect(201), "id"));
    }
    made.reverse();
    for limit in [1, 7, 29, 30, 31, 100] {
        assert_eq!(walk(&world, &world.org.admin, path, limit).await, made, "limit {limit}");
        let tests: Vec<_> = made.iter().filter(|id| id.starts_with("ph_test_")).cloned().collect();
        assert_eq!(walk(&world, &world.org.test_admin, path, limit).await, tests, "limit {limit}");
    }
    let page = world.admin(Call::get(path)).await.expect(200);
    assert_eq!(page["data"].as_array().unwrap().len(), 25, "the default");
}

#[tokio::test]
async fn a_cursor_belongs_to_its_list() {
    let world = World::new().await;
    let (app, _) = world.app(&world.org.admin, &json!({"name": "Second"})).await;
    let keys = |app: &str| format!("/v1/organization/apps/{app}/keys");
    for app in [&app, &world.org.app] {
        world.admin(Call::post(keys(app))).await.expect(201);
    }
    let page = world.admin(Call::get(format!("{}?limit=1", keys(&app)))).await.expect(200);
    let cursor = text(&page, "nextCursor");
    world.admin(Call::get(format!("{}?cursor={cursor}", keys(&app)))).await.expect(200);
    for other in
        [keys(&world.org.app), "/v1/organization/apps".to_owned(), format!("/v1/organization/apps/{app}/webhooks")]
    {
        world.admin(Call::get(format!("{other}?cursor={cursor}"))).await.refused(400, Some("cursor"), None);
    }
    let stranger = world.organization("Stranger").await;
    let foreign = world.send(Call::get(format!("{}?cursor={cursor}", keys(&app))).key(&stranger.admin)).await;
    foreign.refused(400, Some("cursor"), None);
}

#[tokio::test]
async fn concurrent_changes_do_not_disturb_the_pages_of_a_list() {
    let world = World::new().await;
    let path = format!("/v1/organization/apps/{}/webhooks", world.org.app);
    let body = json!({"url": "https://example.com", "events": ["messages.sms.sent"]});
    let mut ids = BTreeSet::new();
    for _ in 0..6 {
        world.clock.advance(std::time::Duration::from_millis(1));
        ids.insert(text(&world.admin(Call::post(&path).json(&body)).await.expect(201), "id"));
    }
    let first = world.admin(Call::get(format!("{path}?limit=3"))).await.expect(200);
    let last = text(&first["data"][2], "id");
    world.admin(Call::delete(format!("{path}/{last}"))).await.expect(200);
    world.clock.advance(std::time::Duration::from_millis(1));
    world.admin(Call::post(&path).json(&body)).await.expect(201);
    let rest =
        world.admin(Call::get(format!("{path}?limit=3&cursor={}", text(&first, "nextCursor")))).await.expect(200);
    let seen: BTreeSet<_> = first["data"]
        .as_array()
        .unwrap()
        .iter()
        .chain(rest["data"].as_array().unwrap())
        .map(|entry| text(entry, "id"))
        .collect();
    assert_eq!(seen, ids);
    assert_eq!(rest["nextCursor"], Value::Null);
}
