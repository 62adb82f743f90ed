//! Removing members, and what becomes of the keys that they have made.

use serde_json::json;
use tests::catalogue::MEMBERS;
use tests::request::text;
use tests::{Call, Service as _, World};

use super::{signed_in, works};

const ADMIN_KEYS: &str = "/v1/organization/admin-keys";

async fn made_with(world: &World, key: &str) -> (String, String) {
    let made = world.send(Call::post(ADMIN_KEYS).key(key).json(&json!({"name": "Made"}))).await.expect(201);
    (text(&made, "id"), text(&made, "key"))
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
        let of_app = world.send(of_app).await.expect(201);
        let path = format!("{MEMBERS}/{}", ann.member);
        world.admin(Call::delete(&path)).await.refused(400, Some("keys"), None);
        world.admin(Call::delete(format!("{path}?keys=burn"))).await.refused(400, Some("keys"), None);

        let removed = world.admin(Call::delete(format!("{path}?keys={fate}"))).await.expect(200);
        let expected = if is_kept { json!([]) } else { json!([first, second, of_app["id"]]) };
        assert_eq!(removed["revokedKeys"], expected, "{fate}");
        assert_eq!(works(&world, &first_key).await, is_kept);
        assert_eq!(works(&world, &second_key).await, is_kept);
        let as_app = Call::get("/v1/playground/phone-numbers/system").key(&text(&of_app, "key"));
        assert_eq!(world.send(as_app).await.status == 200, is_kept);
    }
}
