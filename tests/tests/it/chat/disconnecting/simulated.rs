//! Simulated accounts: disconnected and connected again without a call of the platform.

use std::time::Duration;

use serde_json::{Value, json};
use tests::catalogue::{SIGNUP, fresh_account, simulated_profile, verified_number};
use tests::chat::events;
use tests::request::text;
use tests::{Call, Service as _, World};

use super::{disconnect, profile};
use crate::chat::unless_stopped;

async fn simulated_profile_again(world: &World, account: &str) -> Value {
    let body = json!({"code": format!("again.{account}"), "wabaId": account, "test": true});
    world.admin(Call::post(SIGNUP).json(&body)).await.expect(200)
}

/// The whole life of a simulated account, without a call of the platform.
#[tokio::test]
async fn a_simulated_account_is_disconnected_and_connected_again() {
    let world = World::new().await;
    let account = fresh_account();
    let connected = simulated_profile(&world, &account, false).await;
    let (id, number) = (text(&connected, "id"), verified_number(&connected));
    let (number, display) = (text(number, "id"), text(number, "displayPhoneNumber"));
    let assign = format!("/v1/organization/apps/{}/phone-numbers/{number}", world.org.test_app);
    world.admin(Call::put(assign)).await.expect(200);
    let key = &world.org.test_app_key;
    let message = json!({"from": number, "to": "+12015550100", "type": "text", "text": {"body": "Hello"}});
    let send = || Call::post("/v1/chat/messages").key(key).json(&message);
    let blocked = || Call::get(format!("/v1/chat/phone-numbers/{number}/blocked-users")).key(key);

    let shown = world.admin(disconnect(&id)).await.expect(200);
    assert!(shown["disconnectedAt"].is_string() && shown["isTestProfile"] == true);
    world.send(send()).await.refused(404, None, Some("chat_not_configured"));
    world.send(blocked()).await.refused(404, None, Some("chat_not_configured"));
    let user = world.send(Call::post("/v1/playground/chat/phone-numbers/user").key(key)).await.expect(201);
    let inbound = json!({"from": user["number"], "to": display, "type": "text", "text": {"body": "Hello"}});
    let inbound = || Call::post("/v1/playground/chat/inbound").key(key).json(&inbound);
    world.send(inbound()).await.refused(404, Some("to"), Some("chat_not_configured"));
    let scenario = json!({"scenario": "account_reconnected", "target": id});
    let scenario = Call::post("/v1/playground/simulations").key(key).json(&scenario);
    assert_eq!(world.send(scenario).await.status, 404);
    assert_eq!(events(&world, &world.org, "chat.account.disconnected").await, [shown]);

    let again = simulated_profile_again(&world, &account).await;
    assert_eq!(again["id"], id);
    world.send(send()).await.expect(201);
    world.send(blocked()).await.expect(200);
    world.send(inbound()).await.expect(201);
    assert!(world.platform.state().seen.is_empty());
}

/// The job also completes disconnections of simulated accounts.
#[tokio::test]
async fn a_stopped_disconnection_of_a_simulated_account_is_completed_by_a_job() {
    let world = World::new().await;
    let mut completed = 0;

    for step in (0..).step_by(2) {
        let connected = simulated_profile(&world, &fresh_account(), false).await;
        let id = text(&connected, "id");
        if unless_stopped(&world, step, world.admin(disconnect(&id))).await.is_some() {
            break;
        }

        // Beyond the lease of the stopped request, and the hourly limit of signups.
        world.clock.advance(Duration::from_secs(3601));
        let has_begun = world.account.items().await.iter().any(|item| item["SK"] == "DISC");
        world.sweep().await;
        world.work_off().await;

        assert!(world.account.items().await.iter().all(|item| item["SK"] != "DISC"), "step {step}");
        let is_disconnected = profile(&world, &id).await["disconnectedAt"].is_string();
        assert!(is_disconnected || !has_begun, "step {step}");
        completed += usize::from(has_begun);
    }

    assert!(completed > 2, "{completed} completed");
}
