//! Changes at the platform: entered before the call, and completed with its outcome.

use serde_json::json;
use tests::catalogue::{fresh_account, simulated_profile, verified_number};
use tests::request::text;
use tests::{Call, Service as _, World};

use super::{entries, only_entry};

/// In test mode, the platform rejects a code that begins with 13 with the error of that number.
#[tokio::test]
async fn a_change_that_the_platform_refuses_has_failed() {
    let world = World::new().await;
    let profile = simulated_profile(&world, &fresh_account(), false).await;
    let number = text(verified_number(&profile), "id");
    let path = format!("/v1/organization/chat/phone-numbers/{number}/verify-code");
    let reply = world.admin(Call::post(&path).json(&json!({"code": "131000"}))).await;
    assert!(!reply.status.is_success(), "{}", reply.text);
    let entry = only_entry(&world, "organization.chat.phoneNumbers.verifyCode").await;
    assert_eq!((&entry["outcome"], &entry["target"]["id"]), (&json!("FAILED"), &json!(number)));

    world.admin(Call::post(&path).json(&json!({"code": "246810"}))).await.expect(200);
    let found = entries(&world, "action=organization.chat.phoneNumbers.verifyCode&outcome=DONE").await;
    assert_eq!(found.len(), 1, "{found:?}");
}

/// Invalid requests change nothing anywhere.
#[tokio::test]
async fn a_request_that_never_reached_the_platform_is_not_entered() {
    let world = World::new().await;
    let path = "/v1/organization/chat/phone-numbers/wapn_0ujtsYcgvSTl8PAuAdqWYSMnLOv/verify-code";
    world.admin(Call::post(path).json(&json!({"code": "246810"}))).await.expect(404);
    assert!(entries(&world, "action=organization.chat.phoneNumbers.verifyCode").await.is_empty());
}
