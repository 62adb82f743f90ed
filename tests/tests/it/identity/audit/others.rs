//! What the operator and the service itself do to an organization.

use serde_json::{Value, json};
use tests::receiver::{Receiver, status};
use tests::{Call, Service as _, World};

use super::{entries, only_entry};

#[tokio::test]
async fn operations_of_the_operator_are_entered() {
    let world = World::new().await;
    let id = &world.org.id;
    for request in [
        json!({"operation": "createAdminKey", "organizationId": id, "name": "Rescue"}),
        json!({"operation": "createSession", "organizationId": id}),
        json!({"operation": "setLimit", "organizationId": id, "requestsPerSecond": 500}),
        json!({"operation": "eraseContact", "organizationId": id, "contact": "+15551234567"}),
        json!({"operation": "revokeSessions", "organizationId": id}),
    ] {
        world.operate(request.clone()).await.unwrap_or_else(|error| panic!("{request}: {error}"));
    }
    let limit = only_entry(&world, "operator.setLimit").await;
    assert_eq!(limit["changes"], json!([{"field": "requestsPerSecond", "to": "500"}]));
    assert_eq!(limit["actor"], json!({"kind": "OPERATOR"}));
    let erasure = only_entry(&world, "operator.eraseContact").await;
    assert_eq!(erasure["target"], json!({"kind": "CONTACT", "id": "4567"}));
    assert_eq!(only_entry(&world, "operator.createAdminKey").await["target"]["kind"], "ADMIN_KEY");
    assert_eq!(only_entry(&world, "operator.createOrganization").await["target"]["id"], json!(id));
    // The sessions of the organization, and the one created here.
    assert_eq!(entries(&world, "action=operator.revokeSessions").await.len(), 2);
}

#[tokio::test]
async fn a_repeated_limit_is_no_change() {
    let world = World::new().await;
    for _ in 0..2 {
        let request = json!({"operation": "setLimit", "organizationId": world.org.id, "requestsPerSecond": 500});
        world.operate(request).await.unwrap();
    }
    only_entry(&world, "operator.setLimit").await;
}

#[tokio::test]
async fn a_webhook_that_the_service_disables_is_entered() {
    let world = World::with_local_webhooks().await;
    let receiver = Receiver::start(status(410));
    let webhook = json!({"url": receiver.url, "events": ["messages.sms.received"]});
    let path = format!("/v1/organization/apps/{}/webhooks", world.org.test_app);
    let made = world.admin(Call::post(&path).json(&webhook)).await.expect(201);
    let id = made["id"].as_str().unwrap();
    world.admin(Call::post(format!("{path}/{id}/test")).json(&json!({}))).await.expect(202);
    world.send_events().await;

    let entry = only_entry(&world, "system.disableWebhook").await;
    assert_eq!(entry["actor"], json!({"kind": "SYSTEM"}));
    assert_eq!(entry["target"], json!({"kind": "WEBHOOK", "id": id}));
    let fields: Vec<&Value> = entry["changes"].as_array().unwrap().iter().map(|change| &change["field"]).collect();
    assert_eq!(fields, ["disabledAt", "disabledReason"]);
}
