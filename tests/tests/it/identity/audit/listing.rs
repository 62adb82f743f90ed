//! The list: filters, pages, modes, isolation, and how long entries are kept.

use std::time::Duration;

use domain::audit::DEFAULT_RETENTION_DAYS;
use domain::port::Clock as _;
use serde_json::{Value, json};
use tests::request::text;
use tests::{Call, Service as _, World};

use super::{LOG, entries, only_entry};

const ADMIN_KEYS: &str = "/v1/organization/admin-keys";

async fn created(world: &World, name: &str) -> Value {
    world.admin(Call::post(ADMIN_KEYS).json(&json!({"name": name}))).await.expect(201)
}

#[tokio::test]
async fn an_entry_says_who_changed_what() {
    let world = World::new().await;
    let key = created(&world, "Server").await;
    world.clock.advance(Duration::from_secs(1));
    let path = format!("{ADMIN_KEYS}/{}", text(&key, "id"));
    let call = Call::patch(&path).json(&json!({"name": "Office"})).from("203.0.113.9");
    world.admin(call.header("user-agent", "messaging\t0.1")).await.expect(200);

    let entry = only_entry(&world, "organization.adminKeys.update").await;
    assert_eq!(entry["at"], json!(world.clock.now()));
    assert_eq!((&entry["sourceIp"], &entry["userAgent"]), (&json!("203.0.113.9"), &json!("messaging?0.1")));
    assert_eq!(entry["target"], json!({"kind": "ADMIN_KEY", "id": key["id"]}));
    assert_eq!(entry["changes"], json!([{"field": "name", "from": "Server", "to": "Office"}]));
}

#[tokio::test]
async fn filters_select_entries() {
    let world = World::new().await;
    let first = created(&world, "First").await;
    world.clock.advance(Duration::from_secs(1));
    let second = created(&world, "Second").await;
    let by_second = Call::post(ADMIN_KEYS).key(&text(&second, "key")).json(&json!({"name": "Third"}));
    world.clock.advance(Duration::from_secs(10));
    let before = world.clock.now();
    let third = world.send(by_second).await.expect(201);

    let targets = |found: Vec<Value>| found.iter().map(|entry| entry["target"]["id"].clone()).collect::<Vec<_>>();
    let by = format!("actor={}", text(&second, "id"));
    assert_eq!(targets(entries(&world, &by).await), [third["id"].clone()]);
    let of = format!("target={}", text(&first, "id"));
    assert_eq!(targets(entries(&world, &of).await), [first["id"].clone()]);
    assert!(entries(&world, "actor=OPERATOR").await.iter().all(|entry| entry["actor"]["kind"] == "OPERATOR"));
    assert_eq!(targets(entries(&world, &format!("since={before}")).await), [third["id"].clone()]);
    let earlier = entries(&world, &format!("until={before}&action=organization.adminKeys.create")).await;
    assert_eq!(targets(earlier), [second["id"].clone(), first["id"].clone()]);

    for (query, param) in [
        ("actor=NOBODY", "actor"),
        ("actor=", "actor"),
        ("actor=key_admin_short", "actor"),
        ("action=create%20key", "action"),
        ("target=%C3%A4", "target"),
        ("outcome=done", "outcome"),
        ("since=yesterday", "since"),
        ("since=2026-01-02T00:00:00Z&until=2026-01-01T00:00:00Z", "until"),
        ("kind=KEY", "kind"),
    ] {
        world.admin(Call::get(format!("{LOG}?{query}"))).await.refused(400, Some(param), None);
    }
}

#[tokio::test]
async fn pages_hold_every_entry_once() {
    let world = World::new().await;
    for name in ["a", "b", "c", "d"] {
        created(&world, name).await;
    }
    let whole = entries(&world, "").await;
    for filter in ["", "&action=organization.adminKeys.create"] {
        let (mut found, mut cursor) = (Vec::new(), String::new());
        loop {
            let page = world.admin(Call::get(format!("{LOG}?limit=3{filter}{cursor}"))).await.expect(200);
            found.extend(page["data"].as_array().unwrap().clone());
            let Some(next) = page["nextCursor"].as_str() else { break };
            cursor = format!("&cursor={next}");
        }
        let expected = whole.iter().filter(|entry| filter.is_empty() || filter.ends_with(&text(entry, "action")));
        assert_eq!(found, expected.cloned().collect::<Vec<_>>(), "{filter}");
    }
}

#[tokio::test]
async fn a_test_key_sees_what_concerns_test_objects() {
    let world = World::new().await;
    created(&world, "Live").await;
    let test = world.admin(Call::post(ADMIN_KEYS).json(&json!({"name": "Test", "test": true}))).await.expect(201);
    let page = world.send(Call::get(LOG).key(&world.org.test_admin)).await.expect(200);
    let seen: Vec<_> = page["data"].as_array().unwrap().iter().map(|entry| &entry["target"]["id"]).collect();
    assert!(seen.contains(&&test["id"]), "{seen:?}");
    assert!(seen.iter().all(|id| id.as_str().unwrap().contains("test_")), "{seen:?}");
    // Not even that a live key has done it.
    let of_live = page["data"].as_array().unwrap().iter().find(|entry| entry["target"]["id"] == test["id"]).unwrap();
    assert_eq!((&of_live["actor"], of_live.get("sourceIp")), (&json!({"kind": "KEY"}), None));
}

#[tokio::test]
async fn another_organization_sees_nothing_of_it() {
    let world = World::new().await;
    let key = created(&world, "Server").await;
    let other = world.organization("Other").await;
    let page = world.send(Call::get(LOG).key(&other.admin)).await.expect(200);
    assert!(!page.to_string().contains(&text(&key, "id")), "{page}");
    assert!(!page["data"].as_array().unwrap().is_empty());
}

#[tokio::test]
async fn entries_end_after_400_days_to_the_second() {
    let world = World::new().await;
    created(&world, "Server").await;
    let kept = Duration::from_secs(u64::from(DEFAULT_RETENTION_DAYS) * 86_400);
    world.clock.advance(kept - Duration::from_secs(1));
    assert_eq!(entries(&world, "action=organization.adminKeys.create").await.len(), 1);
    world.clock.advance(Duration::from_secs(1));
    assert!(entries(&world, "").await.is_empty());
}
