//! Code paths that no other test covers and that need privileges which are used nowhere else: tools/ci/privileges.py checks that
//! every allowed privilege is used.

mod deliveries;
mod freed_keys;
mod queued_updates;
mod remains;

use serde_json::json;
use tests::catalogue::SIGNUP;
use tests::chat::connect;
use tests::standin::Misbehave;
use tests::{Call, Service as _, World};

const APPS: &str = "/v1/organization/apps";

/// Restores a deleted secret, which Secrets Manager allows for a week.
#[tokio::test]
async fn a_token_deleted_by_mistake_comes_back_with_the_next_signup() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "1905").await;
    let secrets = &world.account.secrets;
    let name = format!("profiles/{}", line.profile);
    secrets.delete_secret().secret_id(&name).recovery_window_in_days(7).send().await.unwrap();

    let token = json!({"access_token": "token-1905"}).to_string();
    world.platform.misbehave("oauth", Misbehave::Status(200, token), 1);
    let again = Call::post(SIGNUP).json(&json!({"code": "another", "wabaId": "1905"}));
    assert_eq!(world.admin(again).await.expect(200)["id"], json!(line.profile));

    let kept = secrets.get_secret_value().secret_id(&name).send().await.unwrap();
    assert!(kept.secret_string.unwrap().contains("accessToken"));
}
