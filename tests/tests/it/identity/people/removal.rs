//! Removing members, and what becomes of the keys that they have made.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use tests::catalogue::MEMBERS;
use tests::request::text;
use tests::{Call, Service as _, World};

use super::{signed_in, works};

const ADMIN_KEYS: &str = "/v1/organization/admin-keys";

async fn made_with(world: &World, key: &str) -> (String, String) {
    let made = world.send(Call::post(ADMIN_KEYS).key(key).json(&json!({"name": "Made"}))).await.expect(201);
    (text(&made, "id"), text(&made, "key"))
}

fn revoked(removed: &Value) -> BTreeSet<String> {
    removed["revokedKeys"].as_array().unwrap().iter().map(|id| id.as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_removed_member_leaves_no_way_in() {
    let world = World::new().await;
    let ann = signed_in(&world, "ann@example.com", "ADMIN").await;
    let key = ann.key(&world, "live").await;
    let path = format!("{MEMBERS}/{}", ann.member);
    let removed = world.admin(Call::delete(&path)).await.expect(200);
    assert_eq!(removed["revokedKeys"], json!([]));
    assert!(!works(&world, &key).await && !works(&world, &ann.session).await);
    world.admin(Call::get(&path)).await.refused(404, Some("memberId"), None);
    // The address is free again.
    signed_in(&world, "ann@example.com", "VIEWER").await;
}

#[tokio::test]
async fn keys_of_a_removed_member_are_revoked_or_kept() {
    let world = World::new().await;
    for (fate, is_kept) in [("revoke", false), ("keep", true)] {
        let ann = signed_in(&world, "ann@example.com", "ADMIN").await;
        let (first, first_key) = made_with(&world, &ann.key(&world, "live").await).await;
        let (second, second_key) = made_with(&world, &first_key).await;
        let of_app = Call::post(format!("/v1/organization/apps/{}/keys", world.org.test_app)).key(&second_key);
        let of_app = world.send(of_app.json(&json!({"expiresAt": world.now().plus_days(100)}))).await.expect(201);
        let path = format!("{MEMBERS}/{}", ann.member);
        world.admin(Call::delete(&path)).await.refused(400, Some("keys"), None);
        world.admin(Call::delete(format!("{path}?keys=burn"))).await.refused(400, Some("keys"), None);

        let removed = world.admin(Call::delete(format!("{path}?keys={fate}"))).await.expect(200);
        let made = [first, second, text(&of_app, "id")];
        let expected = if is_kept { BTreeSet::new() } else { BTreeSet::from(made) };
        assert_eq!(revoked(&removed), expected, "{fate}");
        assert_eq!(works(&world, &first_key).await, is_kept);
        assert_eq!(works(&world, &second_key).await, is_kept);
        let as_app = Call::get("/v1/playground/phone-numbers/system").key(&text(&of_app, "key"));
        assert_eq!(world.send(as_app).await.status == 200, is_kept);
        world.expect_complete_attention().await;
    }
}

/// Who has made a key is remembered by all that come from it, whatever becomes of it.
#[tokio::test]
async fn keys_of_deleted_keys_are_revoked_too() {
    let world = World::new().await;
    let ann = signed_in(&world, "ann@example.com", "ADMIN").await;
    let (first, first_key) = made_with(&world, &ann.key(&world, "live").await).await;
    let (second, second_key) = made_with(&world, &first_key).await;
    let (third, third_key) = made_with(&world, &second_key).await;
    let rotated = world.send(Call::post(format!("{ADMIN_KEYS}/{third}/rotate")).key(&second_key)).await.expect(200);
    let (fourth, fourth_key) = made_with(&world, &text(&rotated, "key")).await;
    for gone in [&first, &second] {
        world.admin(Call::delete(format!("{ADMIN_KEYS}/{gone}"))).await.expect(200);
    }
    let path = format!("{MEMBERS}/{}", ann.member);
    let removed = world.admin(Call::delete(format!("{path}?keys=revoke"))).await.expect(200);
    assert_eq!(revoked(&removed), BTreeSet::from([third, fourth]));
    for key in [&third_key, &text(&rotated, "key"), &fourth_key] {
        assert!(!works(&world, key).await);
    }
}

/// A removal that failed half-way is finished by the same request; so are keys that were to be kept.
#[tokio::test]
async fn a_removal_can_be_repeated_until_nothing_is_left() {
    let world = World::new().await;
    let ann = signed_in(&world, "ann@example.com", "ADMIN").await;
    let maker = made_with(&world, &ann.key(&world, "live").await).await.1;
    for _ in 0..44 {
        made_with(&world, &maker).await;
    }
    let path = format!("/v1/organization/apps/{}/keys", world.org.test_app);
    for _ in 0..19 {
        world.send(Call::post(&path).key(&maker)).await.expect(201);
    }

    let path = format!("{MEMBERS}/{}", ann.member);
    world.admin(Call::delete(format!("{path}?keys=keep"))).await.expect(200);
    world.admin(Call::delete(&path)).await.refused(404, Some("memberId"), None);
    let scoped = json!({"name": "Members", "scopes": ["members:write"]});
    let scoped = text(&world.admin(Call::post(ADMIN_KEYS).json(&scoped)).await.expect(201), "key");
    world.send(Call::delete(format!("{path}?keys=revoke")).key(&scoped)).await.refused(403, None, None);

    let removed = world.admin(Call::delete(format!("{path}?keys=revoke"))).await.expect(200);
    assert_eq!(removed["revokedKeys"].as_array().unwrap().len(), 45 + 19);
    world.admin(Call::delete(format!("{path}?keys=revoke"))).await.refused(404, Some("memberId"), None);
    // All places are free again.
    for _ in 0..45 {
        made_with(&world, &world.org.admin).await;
    }
    let listed = world.admin(Call::get(format!("{ADMIN_KEYS}?limit=100"))).await.expect(200);
    assert_eq!(listed["data"].as_array().unwrap().len(), 48, "the operator's two, the one with a scope, and these");
}

/// A key that may remove members, but no keys, leaves the keys alone.
#[tokio::test]
async fn revoking_keys_needs_the_right_to() {
    let world = World::new().await;
    let ann = signed_in(&world, "ann@example.com", "ADMIN").await;
    let (_, made) = made_with(&world, &ann.key(&world, "live").await).await;
    let path = format!("{MEMBERS}/{}", ann.member);
    world.admin(Call::patch(&path).json(&json!({"role": "VIEWER"}))).await.expect(200);
    let scopes: Vec<_> = ["settings", "apps", "webhooks", "numbers", "accounts", "templates", "usage", "playground"]
        .map(|subject| format!("{subject}:read"))
        .into_iter()
        .chain(["members:write".to_owned()])
        .collect();
    let key = world.admin(Call::post(ADMIN_KEYS).json(&json!({"name": "M", "scopes": scopes}))).await.expect(201);
    let remove = |fate: &str| Call::delete(format!("{path}?keys={fate}")).key(&text(&key, "key"));
    world.send(remove("revoke")).await.refused(403, None, None);
    assert!(works(&world, &made).await);
    world.send(remove("keep")).await.expect(200);
    assert!(works(&world, &made).await);
}

/// Keys that are made while their maker is removed are revoked as well, or not made.
#[tokio::test]
async fn no_key_is_made_behind_the_back_of_a_removal() {
    let world = World::new().await;
    for _ in 0..5 {
        let ann = signed_in(&world, "ann@example.com", "ADMIN").await;
        let of_session = ann.key(&world, "live").await;
        let (_, made) = made_with(&world, &of_session).await;
        let make = |key: &str| Call::post(ADMIN_KEYS).key(key).json(&json!({"name": "Late"}));
        let remove = Call::delete(format!("{MEMBERS}/{}?keys=revoke", ann.member));
        let (first, second, third, removed) = tokio::join!(
            world.send(make(&of_session)),
            world.send(make(&made)),
            world.send(make(&of_session)),
            world.admin(remove)
        );
        removed.expect(200);
        for reply in [first, second, third] {
            assert!(reply.status == 201 || reply.status == 401, "{reply:?}");
            if reply.status == 201 {
                let key = text(&reply.expect(201), "key");
                assert!(!works(&world, &key).await);
            }
        }
    }
    let listed = world.admin(Call::get(ADMIN_KEYS)).await.expect(200);
    assert_eq!(listed["data"].as_array().unwrap().len(), 2, "the operator's two");
}
