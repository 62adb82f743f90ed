//! Whose numbers can be the target, and whose media are fetched for it.

use std::time::Duration;

use serde_json::json;
use tests::catalogue::{fresh_account, simulated_profile};
use tests::chat::connect;
use tests::request::text;
use tests::samples::PNG;
use tests::{Call, Service as _, World};

use super::{NOTIFICATIONS, apply, message, own_number, replay};

/// Only numbers of the key's app can be a target, and nobody else hears of it.
#[tokio::test]
async fn the_target_is_a_number_of_the_app() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "993").await;
    let (_, other_key) = world.app(&world.org.admin, &json!({"name": "T2", "test": true})).await;
    let own = own_number(&world).await;
    let value = json!({"messages": [message("wamid.1", "16505551234")]});

    let before = world.account.items().await;
    let body = json!({"field": "messages", "value": value, "target": own});
    let foreign = world.send(Call::post(NOTIFICATIONS).key(&other_key).json(&body)).await;
    foreign.refused(404, Some("target"), None);
    replay(&world, &line.number, "messages", &value).await.refused(404, Some("target"), None);
    assert_eq!(world.account.items().await, before);

    // The ids of a live account lead nowhere: the target's take their place.
    let captured = line.about("messages", &value)["entry"][0]["changes"][0]["value"].clone();
    apply(&world, &own, "messages", &captured).await;
    assert!(line.messages(&world).await.is_empty());
    let items = world.account.items().await;
    let messages: Vec<_> = items.iter().filter(|item| item["PK"].starts_with("MSG#")).collect();
    assert!(!messages.is_empty() && messages.iter().all(|item| item["PK"].contains("msg_wa_test_")), "{messages:?}");
}

/// A test admin key names any test number of the organization; an app key may leave the target out.
#[tokio::test]
async fn a_test_admin_key_names_the_target() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "997").await;
    let own = own_number(&world).await;
    let profile = simulated_profile(&world, &fresh_account(), false).await;
    let unassigned = text(&profile["phoneNumbers"][0], "id");
    let other = world.organization("Other").await;
    let send = async |key: &str, target: Option<&str>| {
        let decision = json!({"decision": "REJECTED"});
        let mut body = json!({"field": "account_review_update", "value": decision});
        if let Some(target) = target {
            body["target"] = json!(target);
        }
        world.clock.advance(Duration::from_secs(2));
        world.send(Call::post(NOTIFICATIONS).key(key).json(&body)).await
    };
    let test_admin = &world.org.test_admin;

    for target in [&own, &unassigned] {
        assert_eq!(send(test_admin, Some(target)).await.expect(202)["applied"], 1, "{target}");
    }
    send(test_admin, None).await.refused(400, Some("target"), None);
    send(test_admin, Some("424242")).await.refused(400, Some("target"), None);
    send(test_admin, Some(&line.number)).await.refused(404, Some("target"), None);
    send(&other.test_admin, Some(&own)).await.refused(404, Some("target"), None);
    send(&world.org.admin, Some(&own)).await.refused(403, None, None);
    send(&world.org.app_key, Some(&own)).await.refused(403, None, Some("test_app_required"));
    send(&world.org.session, Some(&own)).await.wrong_kind(&world.org.session);

    // The app's own number.
    assert_eq!(send(&world.org.test_app_key, None).await.expect(202)["applied"], 1);
    send(&world.org.test_app_key, Some(&unassigned)).await.refused(404, Some("target"), None);
}

/// A notification can name any medium, but only those of the number's apps are fetched.
#[tokio::test]
async fn a_medium_of_another_app_is_not_fetched() {
    let world = World::new().await;
    let own = own_number(&world).await;
    let (other, other_key) = world.app(&world.org.admin, &json!({"name": "T2", "test": true})).await;
    let upload = async |key: &str| {
        let call = Call::post("/v1/media").key(key).file("a.png", Some("image/png"), PNG);
        text(&world.send(call).await.expect(201), "id")
    };
    let (mine, theirs) = (upload(&world.org.test_app_key).await, upload(&other_key).await);
    let receive = async |id: &str, medium: &str| {
        let image = json!({"id": medium, "mime_type": "image/png"});
        let value = json!({"messages": [{"id": id, "from": "16505551234", "type": "image", "image": image}]});
        apply(&world, &own, "messages", &value).await;
        world.work_off().await;
        let list = Call::get("/v1/chat/messages?limit=100").key(&world.org.test_app_key);
        let listed = world.send(list).await.expect(200);
        let own = listed["data"].as_array().unwrap().iter().find(|message| message["providerMessageId"] == id).cloned();
        let path = format!("/v1/chat/messages/{}", text(&own.unwrap(), "id"));
        world.send(Call::get(path).key(&world.org.test_app_key)).await.expect(200)["mediaUrl"].is_string()
    };

    assert!(receive("wamid.mine", &mine).await);
    assert!(!receive("wamid.theirs", &theirs).await);

    // A number of both apps gets media of both.
    world.admin(Call::put(format!("/v1/organization/apps/{other}/phone-numbers/{own}"))).await.expect(200);
    assert!(receive("wamid.shared", &theirs).await);
}
