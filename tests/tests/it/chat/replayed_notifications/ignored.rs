//! Updates without an effect, with the reason, and odd ones.

use std::time::Duration;

use serde_json::{Value, json};
use tests::chat::connect;
use tests::logs::Captured;
use tests::request::text;
use tests::{Call, Service as _, World};

use super::{apply, message, own_number, replay};
use crate::chat::merged;

/// What the live route would ignore is ignored with a reason, and what it could not split is refused.
#[tokio::test]
async fn a_replayed_update_without_effect_has_a_reason() {
    let world = World::new().await;
    let own = own_number(&world).await;
    let reasons = async |field: &str, value: Value| {
        let replayed = replay(&world, &own, field, &value).await.expect(202);
        assert_eq!(replayed["applied"], 0, "{replayed}");
        let ignored = replayed["ignored"].as_array().unwrap();
        ignored.iter().map(|one| text(one, "reason")).collect::<Vec<_>>().join(" ")
    };

    assert_eq!(reasons("flows", json!({"event": "FLOW_STATUS_CHANGE"})).await, "The field flows is not used.");
    assert_eq!(reasons("messages", json!({"metadata": {}})).await, "The value contains no update.");
    assert_eq!(reasons("messages", json!({"messages": 7})).await, "messages cannot be read.");
    let nameless = json!({"messages": [{"from": "16505551234", "type": "text", "text": {"body": "x"}}]});
    assert_eq!(reasons("messages", nameless).await, "The update can never be applied: a message has no id.");
    assert_eq!(world.dead_letters().await, Vec::<String>::new());

    let many: Vec<Value> = (0..26).map(|n| message(&format!("wamid.{n}"), "16505551234")).collect();
    for value in [json!({"messages": many}), json!([]), json!("x"), json!(1)] {
        replay(&world, &own, "messages", &value).await.refused(400, Some("value"), None);
    }
    replay(&world, &own, "", &json!({})).await.refused(400, Some("field"), None);
    replay(&world, "424242", "messages", &json!({})).await.refused(400, Some("target"), None);
}

/// What changes nothing is ignored with its reason, as the live route ignores it.
#[tokio::test]
async fn an_update_that_changes_nothing_is_ignored_with_its_reason() {
    let world = World::new().await;
    let own = own_number(&world).await;
    let time = world.now().seconds().to_string();
    let ignored = async |field: &str, value: Value| {
        let replayed = replay(&world, &own, field, &value).await.expect(202);
        let reasons = replayed["ignored"].as_array().unwrap();
        assert_eq!((&replayed["applied"], reasons.len()), (&json!(0), 1), "{field} {value} {replayed}");
        text(&reasons[0], "reason")
    };
    let status =
        |id: &str, status: &str| json!({"id": id, "status": status, "timestamp": time, "recipient_id": "16505551234"});

    // Unknown values are named with their field.
    for (field, value, name, unknown) in [
        ("account_review_update", json!({"decision": "CELEBRATED"}), "decision", "CELEBRATED"),
        ("phone_number_name_update", json!({"display_phone_number": "1", "decision": "ODD"}), "decision", "ODD"),
        ("account_update", json!({"event": "PARTNER_ADDED"}), "event", "PARTNER_ADDED"),
    ] {
        let reason = ignored(field, value).await;
        assert!(reason.contains(name) && reason.contains(unknown), "{reason}");
    }
    let error = ignored("messages", json!({"errors": [{"code": 131_000, "title": "x"}]})).await;
    assert!(error.contains("concerns no message"), "{error}");

    let message = json!({"messages": [merged(message("wamid.1", "16505551234"), &json!({"timestamp": time}))]});
    apply(&world, &own, "messages", &message).await;
    let again = ignored("messages", message).await;
    assert!(again.contains("has no effect"), "{again}");
    let other_way = ignored("messages", json!({"statuses": [status("wamid.1", "read")]})).await;
    assert!(other_way.contains("other direction"), "{other_way}");

    let quality = json!({"display_phone_number": "1", "event": "FLAGGED"});
    apply(&world, &own, "phone_number_quality_update", &quality).await;
    let again = ignored("phone_number_quality_update", quality).await;
    assert!(again.contains("has no effect") || again.contains("applied before"), "{again}");

    // Some of several.
    let both = json!({"statuses": [status("wamid.2", "sent"), status("wamid.1", "read")]});
    let both = replay(&world, &own, "messages", &both).await.expect(202);
    assert_eq!((&both["applied"], both["ignored"].as_array().unwrap().len()), (&json!(1), 1), "{both}");
}

/// What a tenant makes up is neither counted as a fault of the platform nor logged.
#[tokio::test]
async fn odd_updates_of_test_numbers_are_no_matter_for_the_operator() {
    let captured = Captured::start();
    let world = World::new().await;
    let own = own_number(&world).await;
    let secret = "a-secret-of-the-tenant";
    let body = json!({"from": own, "to": "+16505557777", "type": "text", "text": {"body": "Hello"}});
    let sent = world.send(Call::post("/v1/chat/messages").key(&world.org.test_app_key).json(&body)).await.expect(201);
    let foreign = format!("{}:{}", world.org.id, text(&sent, "id"));
    let status = |fields: &Value| {
        let sent = json!({"id": "wamid.1", "status": "sent", "timestamp": "1790000000", "recipient_id": "16505557777"});
        json!({"statuses": [merged(sent, fields)]})
    };
    let medium = json!({"id": secret, "mime_type": "image/png"});
    let image = json!({"id": "wamid.2", "from": "16505557777", "type": "image", "image": medium});

    for (field, value) in [
        ("messages", status(&json!({"status": secret}))),
        ("messages", status(&json!({"errors": {secret: 1}, "pricing": secret}))),
        // Contradicts what is known of the message.
        ("messages", status(&json!({"biz_opaque_callback_data": foreign}))),
        ("messages", json!({"errors": [{"code": 131_000, "title": secret}]})),
        ("account_review_update", json!({"decision": secret})),
        ("phone_number_name_update", json!({"decision": secret, "requested_verified_name": {secret: 1}})),
        // A medium that no app has uploaded.
        ("messages", json!({"messages": [image]})),
    ] {
        world.clock.advance(Duration::from_secs(2));
        let replayed = replay(&world, &own, field, &value).await;
        assert_eq!(replayed.status.as_u16(), 202, "{field} {value}: {replayed:?}");
    }

    world.work_off().await;
    assert!(!captured.text().contains(secret), "{}", captured.text());
    assert_eq!(world.metrics.json(), Vec::<Value>::new());

    // The same of a live number is counted.
    let line = connect(&world, &world.org, "994").await;
    let value = json!({"decision": "a-value-of-the-platform"});
    world.notify(&line.about("account_review_update", &value)).await.expect(200);
    assert!(world.metrics.json().iter().any(|line| line["UnknownPlatformValues"] == 1));
    assert!(captured.text().contains("a-value-of-the-platform"));
}
