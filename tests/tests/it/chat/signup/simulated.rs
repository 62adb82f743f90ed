//! Signups in test mode: simulated accounts, which have nothing to do with live ones.

use serde_json::{Value, json};
use tests::catalogue::{PROFILES, Policy, SIGNUP, cases, fresh_account, simulated_profile};
use tests::chat::notification;
use tests::request::text;
use tests::world::Organization;
use tests::{Call, Service as _, World};

use super::connected;
use crate::chat::{assert_fields, profile_secrets};

/// A simulated account without random values and times.
async fn simulated(world: &World, org: &Organization, account: &str) -> Value {
    let body = json!({"code": format!("code.{account}"), "wabaId": account, "test": true});
    let mut profile = world.send(Call::post(SIGNUP).key(&org.admin).json(&body)).await.expect(201);
    let id = text(&profile, "id");

    let sync = json!({"chatBusinessProfileId": id});
    let sync = Call::post("/v1/organization/chat/templates/sync").key(&org.admin).json(&sync);
    let counts = world.send(sync).await.expect(200);

    let path = format!("/v1/organization/chat/templates?chatBusinessProfileId={id}");
    let mut templates = world.send(Call::get(path).key(&org.admin)).await.expect(200)["data"].take();
    for template in templates.as_array_mut().unwrap() {
        forget(template, &["chatBusinessProfileId", "createdAt", "updatedAt"]);
    }

    forget(&mut profile, &["id", "organizationId", "onboardingCompletedAt", "createdAt"]);
    let numbers = profile["phoneNumbers"].as_array_mut().unwrap();
    numbers.iter_mut().for_each(|number| forget(number, &["id"]));
    numbers.sort_by_key(|number| text(number, "providerPhoneNumberId"));

    json!({"profile": profile, "counts": counts, "templates": templates})
}

/// Removes fields that the object has.
fn forget(object: &mut Value, fields: &[&str]) {
    for field in fields {
        object.as_object_mut().unwrap().remove(*field).unwrap();
    }
}

#[tokio::test]
async fn a_simulated_account_is_the_same_every_time() {
    let world = World::new().await;
    let stranger = world.organization("Stranger").await;

    for account in ["1001", "4917000001"] {
        let once = simulated(&world, &world.org, account).await;
        assert_eq!(simulated(&world, &stranger, account).await, once);

        for (index, number) in once["profile"]["phoneNumbers"].as_array().unwrap().iter().enumerate() {
            let display = text(number, "displayPhoneNumber");
            assert!(display.starts_with("+447700900") && display.len() == 13, "{display}");
            assert_eq!(text(number, "providerPhoneNumberId"), format!("{account}0{}", index + 1));
        }
    }
}

/// Requests with a test key never leave the service, and simulated accounts are separate per organization.
#[tokio::test]
async fn test_mode_never_touches_live() {
    let world = World::new().await;
    let live = connected(&world, "511").await;
    let stranger = world.organization("Stranger").await;
    let before = world.platform.state().seen.len();

    // With the id of a live account.
    let body = json!({"code": "x", "wabaId": "511", "test": true});
    let simulated = world.send(Call::post(SIGNUP).key(&stranger.admin).json(&body)).await.expect(201);
    assert_fields(&simulated, &json!({"isTestProfile": true, "providerWabaId": "511"}));
    let own = json!({"code": "x", "wabaId": "511"});
    let own = world.send(Call::post(SIGNUP).key(&world.org.test_admin).json(&own)).await.expect(201);
    assert_ne!(own["id"], live["id"]);

    // A test key creates only test objects.
    let body = json!({"code": "x", "test": false});
    world.send(Call::post(SIGNUP).key(&stranger.test_admin).json(&body)).await.refused(403, Some("test"), None);

    // A live object is hidden from a test key.
    let path = format!("{PROFILES}/{}", text(&live, "id"));
    world.send(Call::get(path).key(&world.org.test_admin)).await.refused(404, Some("profileId"), None);

    // No operation reaches the platform.
    for case in cases(&world).await {
        if matches!(case.policy, Policy::Admin | Policy::Member) {
            world.send(case.call.clone().key(&world.org.test_admin)).await;
        }
    }
    let account = fresh_account();
    simulated_profile(&world, &account, false).await;
    assert_eq!(world.platform.state().seen.len(), before, "a simulated request reached the platform");
    assert_eq!(profile_secrets(&world).await.len(), 1);

    // A notification about the live account affects only the live profile.
    let review = notification("511", 2_000_000_000, "account_review_update", &json!({"decision": "APPROVED"}));
    world.notify(&review).await.expect(200);
    let shown =
        world.send(Call::get(format!("{PROFILES}/{}", text(&simulated, "id"))).key(&stranger.admin)).await.expect(200);
    assert!(shown.get("reviewDecision").is_none());
    let shown = world.admin(Call::get(format!("{PROFILES}/{}", text(&live, "id")))).await.expect(200);
    assert_eq!(shown["reviewDecision"], "APPROVED");
}
