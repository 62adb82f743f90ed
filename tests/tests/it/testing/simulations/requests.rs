//! Requests that begin simulations, and what a key sees of them.

use messaging_client::types::WebhookDeliveryStatus;
use serde_json::json;
use tests::receiver::{Receiver, status};
use tests::{Call, Service as _, World};

use super::{SCENARIOS, SIMULATIONS, assert_unchanged, play, run, simulation};

/// A repeated request plays nothing twice, and what is not allowed plays nothing.
#[tokio::test]
async fn requests_are_checked_and_repeated_ones_answered() {
    let world = World::new().await;
    let key = world.org.test_app_key.as_str();
    let body = json!({"scenario": "account_rejected"});
    let once = || Call::post(SIMULATIONS).key(key).header("idempotency-key", "k-1").json(&body);
    let first = world.send(once()).await.expect(201);
    assert_eq!(world.send(once()).await.expect(201), first);

    let before = world.account.items().await;
    for (body, param) in [
        (json!({}), "scenario"),
        (json!({"scenario": "earthquake"}), "scenario"),
        (json!({"scenario": "account_rejected", "target": "x"}), "target"),
        (json!({"scenario": "account_rejected", "target": "+16505551234"}), "target"),
        (json!({"scenario": "contact_renamed", "target": "x"}), "target"),
        (json!({"scenario": "template_paused", "target": "welcome"}), "target"),
        (json!({"scenario": "group_joined"}), "target"),
        (json!({"scenario": "group_joined", "target": "wapn_test_0ujtsYcgvSTl8PAuAdqWYSMnLOv"}), "target"),
        (json!({"scenario": "account_rejected", "delaySeconds": 3601}), "delaySeconds"),
        (json!({"scenario": "account_rejected", "delaySeconds": -1}), "delaySeconds"),
    ] {
        let refused = run(&world, key, &body).await.expect(400);
        assert_eq!(refused["error"]["param"], param, "{body} {refused}");
    }

    run(&world, &world.org.test_admin, &body).await.refused(400, Some("target"), None);

    for live in [&world.org.admin, &world.org.app_key] {
        run(&world, live, &body).await.expect(403);
        world.send(Call::get(SCENARIOS).key(live)).await.expect(403);
    }

    assert_unchanged(&world, &before).await;
}

/// An event of an account is delivered to every app that listens to it. A test admin key sees all of these deliveries, the
/// key of an app its own only.
#[tokio::test]
async fn an_admin_key_sees_the_deliveries_to_all_apps() {
    let world = World::with_local_webhooks().await;
    let receiver = Receiver::start(status(204));
    let org = &world.org;
    let (other, _) = world.app(&org.admin, &json!({"name": "Listener", "test": true})).await;
    let hook = json!({"url": receiver.url, "events": ["chat.account.disconnected"]});
    let hooks = format!("/v1/organization/apps/{other}/webhooks");
    world.admin(Call::post(hooks).json(&hook)).await.expect(201);

    let played = play(&world, org, &org.test_app_key, &json!({"scenario": "account_disconnected"})).await;
    world.send_events().await;
    assert_eq!(receiver.got().len(), 1);

    let deliveries = async |key: &str| {
        let steps = simulation(&world, key, &played.id).await.steps;
        steps.into_iter().flat_map(|step| step.deliveries.unwrap_or_default()).collect::<Vec<_>>()
    };

    let [delivery] = &deliveries(&org.test_admin).await[..] else { panic!("not one delivery") };
    assert_eq!((&delivery.app_id, &delivery.status), (&other, &WebhookDeliveryStatus::Delivered));
    assert!(deliveries(&org.test_app_key).await.is_empty());
}
