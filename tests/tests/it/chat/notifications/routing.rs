//! Routing: the numbers and the account in a notification decide which organization it reaches.

use std::time::Duration;

use serde_json::{Value, json};
use tests::catalogue::SIGNUP;
use tests::chat::{connect, notification};
use tests::request::text;
use tests::{Call, Service as _, World};

use super::{SENT, shown_number, signed, text_message};
use crate::chat::grant_token;

/// The notification as the platform would send it for another account.
fn under(account: &str, mut notification: Value) -> Value {
    notification["entry"][0]["id"] = json!(account);
    notification
}

/// A number moves to another account of its organization. Its updates are applied before the new account's signup tells
/// of the move, and after it also those that still name the old account.
#[tokio::test]
async fn a_number_that_moves_between_accounts_keeps_receiving_its_updates() {
    let world = World::new().await;
    let (old, new) = (connect(&world, &world.org, "724").await, connect(&world, &world.org, "725").await);
    let message = |account: &str, id: &str| under(account, old.message(&text_message(id, "Hi")));
    let quality = |account: &str, seconds: i64, event: &str| {
        let value = json!({"display_phone_number": old.display, "event": event, "current_limit": "TIER_1K"});
        notification(account, SENT + seconds, "phone_number_quality_update", &value)
    };
    let accepted = async |told: &Value| {
        assert_eq!(world.notify(told).await.expect(200), json!({"accepted": 1, "ignored": 0}), "{told}");
    };

    // The platform names the new account before the signup does.
    accepted(&message("725", "wamid.before")).await;
    accepted(&quality("725", 10, "FLAGGED")).await;
    assert_eq!(old.messages(&world).await.len(), 1);
    assert_eq!(shown_number(&world, &old).await["qualityEvent"], "FLAGGED");

    world.platform.account("724", &[]);
    let both = [(old.platform_number.as_str(), old.display.as_str()), (&new.platform_number, &new.display)];
    world.platform.account("725", &both);
    grant_token(&world, "token-725", 1);
    let again = Call::post(SIGNUP).json(&json!({"code": "another", "wabaId": "725"}));
    world.admin(again).await.expect(200);
    assert_eq!(shown_number(&world, &old).await["businessProfile"]["id"], json!(new.profile));

    accepted(&message("724", "wamid.late")).await;
    accepted(&quality("724", 20, "UNFLAGGED")).await;
    assert_eq!(old.messages(&world).await.len(), 2);
    assert_eq!(shown_number(&world, &old).await["qualityEvent"], "UNFLAGGED");

    // The worker finds the number too.
    let late = signed(quality("724", 30, "FLAGGED").to_string());
    let queued = world.notifications(Duration::ZERO).respond(late.request()).await;
    assert_eq!(queued.status(), 200);
    world.work_off().await;
    assert_eq!(shown_number(&world, &old).await["qualityEvent"], "FLAGGED");
}

/// An update is applied only if the number and the account belong to the same organization; others are acknowledged and
/// ignored.
#[tokio::test]
async fn a_notification_reaches_the_organization_of_its_number_and_account_alone() {
    let world = World::new().await;
    let other = world.organization("Other").await;
    let (own, foreign) = (connect(&world, &world.org, "710").await, connect(&world, &other, "711").await);
    let message = text_message("wamid.1", "secret");
    let mut no_number = own.message(&message);
    no_number["entry"][0]["changes"][0]["value"].as_object_mut().unwrap().remove("metadata");

    let before = world.account.items().await;
    for told in [
        under("710", foreign.message(&message)),
        under("711", own.message(&message)),
        under("999", own.message(&message)),
        no_number,
        notification("999", 1, "account_update", &json!({"event": "PARTNER_REMOVED"})),
        notification("710", 1, "account_update", &json!({"event": "PARTNER_REMOVED", "waba_info": {"waba_id": "999"}})),
        notification("710", 1, "flows", &json!({"event": "FLOW_STATUS_CHANGE"})),
        notification("710", 1, "unheard_of", &json!([1, 2])),
    ] {
        assert_eq!(world.notify(&told).await.expect(200), json!({"accepted": 0, "ignored": 1}), "{told}");
        assert_eq!(world.account.items().await, before, "{told}");
    }

    world.notify(&foreign.message(&message)).await.expect(200);
    assert!(own.messages(&world).await.is_empty());
    assert_eq!(foreign.messages(&world).await.len(), 1);

    // The same platform id in another organization is another message.
    world.notify(&own.message(&message)).await.expect(200);
    let id = text(&own.only_message(&world).await, "id");
    assert_ne!(foreign.only_message(&world).await["id"], json!(id));

    let path = format!("/v1/organization/chat/messages/{id}");
    for key in [&other.admin, &world.org.test_admin] {
        world.send(Call::get(&path).key(key)).await.refused(404, Some("messageId"), None);
    }
}
