//! The object that a scenario is about.

use std::time::Duration;

use serde_json::json;
use tests::chat::connect;
use tests::request::text;
use tests::{Call, Service as _, World};

use super::{SIMULATIONS, assert_unchanged, group, names, own_number, play, run};

/// Existing objects of every kind as targets, with the keys of the app and of an admin.
#[tokio::test]
async fn a_scenario_is_about_its_target() {
    let world = World::new().await;
    let (org, key) = (&world.org, world.org.test_app_key.as_str());
    let number = own_number(&world, org).await;
    let (id, account) = (text(&number, "id"), text(&number["businessProfile"], "id"));

    let inbound = json!({"from": "+16505551234", "profileName": "Ann", "type": "text", "text": {"body": "Hello"}});
    world.send(Call::post("/v1/playground/chat/inbound").key(key).json(&inbound)).await.expect(201);
    let body = json!({"from": id, "to": "+99930001", "type": "text", "text": {"body": "Hello"}});
    let sent = world.send(Call::post("/v1/chat/messages").key(key).json(&body)).await.expect(201);

    let template = play(&world, org, key, &json!({"scenario": "template_approved"})).await;
    assert_eq!(names(&template), ["templates.chat.created", "templates.chat.connected"]);
    let (template, sent) = (template.target, text(&sent, "id"));

    for (scenario, target, expected) in [
        ("account_rejected", account.as_str(), &[][..]),
        ("account_reviewed", &id, &[]),
        ("number_quality_changed", &id, &[]),
        ("template_approved", &template, &["templates.chat.updated", "templates.chat.connected"]),
        ("template_paused", &template, &["templates.chat.updated"]),
        ("template_category_changed", &template, &["templates.chat.updated"]),
        ("template_deleted", &template, &["templates.chat.deleted"]),
        ("contact_renamed", "+16505551234", &["contacts.chat.updated"]),
        ("contact_removed", "+16505551234", &["contacts.chat.deleted"]),
        ("message_read", &sent, &["messages.chat.delivered", "messages.chat.read"]),
        ("message_failed", &sent, &["messages.chat.failed"]),
        ("account_disconnected", &account, &["chat.account.disconnected"]),
        ("account_disconnected", &account, &["chat.account.connected", "chat.account.disconnected"]),
        ("account_reconnected", &id, &["chat.account.connected"]),
    ] {
        // The platform's decisions about one object are told apart by their second.
        world.clock.advance(Duration::from_secs(2));
        let by_admin = scenario.len() % 2 == 0;
        let key = if by_admin { &world.org.test_admin } else { key };
        let over = play(&world, org, key, &json!({"scenario": scenario, "target": target})).await;
        assert_eq!(names(&over), expected, "{scenario} {over:?}");
        let about = if scenario.starts_with("account_") { &account } else { target };
        assert_eq!(over.target, about, "{scenario}");
    }

    let read = world.send(Call::get(format!("/v1/chat/messages/{sent}")).key(key)).await.expect(200);
    assert_eq!(read["recipients"][0]["status"], "FAILED");
    assert_eq!(read["errorCode"], "message_undeliverable");
}

/// What is live, of another app or of another organization does not exist, and nobody else sees a simulation.
#[tokio::test]
async fn only_own_test_objects_can_be_targets() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "996").await;
    let other = world.organization("Other").await;
    let (_, other_key) = world.app(&world.org.admin, &json!({"name": "T2", "test": true})).await;
    let number = own_number(&world, &world.org).await;
    let (id, account) = (text(&number, "id"), text(&number["businessProfile"], "id"));
    let key = world.org.test_app_key.as_str();

    let group = group(&world, &world.org).await;
    let template = play(&world, &world.org, key, &json!({"scenario": "template_approved"})).await.target;
    let contact = play(&world, &world.org, key, &json!({"scenario": "contact_renamed"})).await.target;
    let message = json!({"from": id, "to": "+99930001", "type": "text", "text": {"body": "Hello"}});
    let message = world.send(Call::post("/v1/chat/messages").key(key).json(&message)).await.expect(201);
    let own = play(&world, &world.org, &world.org.test_app_key, &json!({"scenario": "account_rejected"})).await;
    let path = format!("{SIMULATIONS}/{}", own.id);

    let before = world.account.items().await;
    let message = text(&message, "id");
    let targets = [
        ("account_rejected", &id),
        ("account_rejected", &account),
        ("number_quality_changed", &id),
        ("template_paused", &template),
        ("contact_removed", &contact),
        ("group_joined", &group),
        ("message_read", &message),
    ];

    for (scenario, target) in targets {
        let body = json!({"scenario": scenario, "target": target});
        for key in [&other.test_app_key, &other.test_admin] {
            run(&world, key, &body).await.refused(404, Some("target"), None);
        }
        // The account is shared by all test apps of the organization, and so are its templates.
        if ![&account, &template].contains(&target) {
            run(&world, &other_key, &body).await.refused(404, Some("target"), None);
        }
    }

    for (scenario, target) in [("account_rejected", &line.profile), ("account_rejected", &line.number)] {
        for key in [key, &world.org.test_admin] {
            let body = json!({"scenario": scenario, "target": target});
            run(&world, key, &body).await.refused(404, Some("target"), None);
        }
    }

    for key in [&other.test_app_key, &other.test_admin, &other_key] {
        world.send(Call::get(&path).key(key)).await.refused(404, Some("simulationId"), None);
    }

    assert_unchanged(&world, &before).await;
    world.send(Call::get(&path).key(&world.org.test_admin)).await.expect(200);
}
