//! Who may disconnect a live account, what is released, and what is refused afterwards.

use serde_json::json;
use tests::catalogue::{PROFILES, SIGNUP, fresh_account, simulated_profile};
use tests::chat::{connect, events, notification};
use tests::request::text;
use tests::standin::{Misbehave, error};
use tests::{Call, Service as _, World};

use super::{claims, disconnect, events_of, hello, profile, send};
use crate::chat::{assert_fields, profile_secrets};

#[tokio::test]
async fn a_disconnected_account_is_unsubscribed_and_its_token_deleted() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "7201").await;
    world.notify(&hello(&line, "wamid.1")).await.expect(200);
    assert_eq!((claims(&world).await.len(), profile_secrets(&world).await.len()), (2, 1));

    let shown = world.admin(disconnect(&line.profile)).await.expect(200);
    assert_fields(&shown, &json!({"id": line.profile, "disconnectedAt": world.now().to_string()}));
    assert_eq!(profile(&world, &line.profile).await, shown);

    let calls = world.platform.seen("7201/subscribed_apps");
    let ended = calls.last().unwrap();
    assert_eq!((calls.len(), ended.method.as_str(), ended.body.len()), (2, "DELETE", 0));
    assert_eq!(
        (ended.path.as_str(), ended.headers["authorization"].as_str()),
        ("/7201/subscribed_apps", "Bearer token-7201")
    );
    assert!(claims(&world).await.is_empty() && profile_secrets(&world).await.is_empty());
    let told = events(&world, &world.org, "chat.account.disconnected").await;
    assert_eq!(told, std::slice::from_ref(&shown));

    // Messages stay readable, for the organization and for the app.
    assert_eq!(line.messages(&world).await.len(), 1);
    let own = Call::get(format!("/v1/chat/messages?chatPhoneNumberId={}", line.number)).key(&line.org.app_key);
    assert_eq!(world.send(own).await.expect(200)["data"].as_array().unwrap().len(), 1);

    // Repeating the request changes nothing.
    assert_eq!(world.admin(disconnect(&line.profile)).await.expect(200), shown);
    assert_eq!(world.platform.seen("7201/subscribed_apps").len(), 2);
    assert_eq!(events(&world, &world.org, "chat.account.disconnected").await.len(), 1);
}

#[tokio::test]
async fn nothing_is_done_through_a_disconnected_account() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "7202").await;
    world.send(send(&line)).await.expect(201);
    world.notify(&hello(&line, "wamid.1")).await.expect(200);
    world.admin(disconnect(&line.profile)).await.expect(200);
    let calls = world.platform.state().seen.len();
    let key = &line.org.app_key;

    let refused = world.send(send(&line)).await.refused(404, None, Some("chat_not_configured"));
    assert!(refused["error"]["message"].as_str().unwrap().contains("Connect it again"), "{refused}");

    let blocked = Call::get(format!("/v1/chat/phone-numbers/{}/blocked-users", line.number)).key(key);
    world.send(blocked).await.refused(404, None, Some("chat_not_configured"));

    let group =
        Call::post("/v1/chat/groups").key(key).json(&json!({"chatPhoneNumberId": line.number, "subject": "Friends"}));
    world.send(group).await.refused(404, None, Some("chat_not_configured"));

    let shown = Call::get(format!("/v1/organization/chat/phone-numbers/{}/business-profile", line.number));
    world.admin(shown).await.refused(404, None, Some("chat_not_configured"));

    let sync = Call::post("/v1/organization/chat/templates/sync").json(&json!({"chatBusinessProfileId": line.profile}));
    world.admin(sync).await.refused(404, None, Some("chat_not_configured"));

    let register = json!({"displayPhoneNumber": format!("+{}", line.display),
        "providerPhoneNumberId": line.platform_number, "providerBusinessAccountId": line.account});
    let register = Call::post("/v1/organization/chat/phone-numbers").json(&register);
    world.admin(register).await.refused(404, Some("providerBusinessAccountId"), None);

    assert_eq!(world.platform.state().seen.len(), calls, "the platform was not called");

    // What the platform still reports is acknowledged, and changes nothing.
    let before = world.account.items().await.len();
    world.notify(&hello(&line, "wamid.2")).await.expect(200);
    let reconnected = json!({"event": "ACCOUNT_RECONNECTED"});
    world.notify(&notification("7202", 2_000_000_000, "account_update", &reconnected)).await.expect(200);
    assert_eq!(world.account.items().await.len(), before);
    assert!(profile(&world, &line.profile).await["disconnectedAt"].is_string());
}

/// The platform reports a disconnection first, which has its event then; the caller's releases the account.
#[tokio::test]
async fn an_account_that_the_platform_has_disconnected_can_be_released() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "7208").await;

    let removed = json!({"event": "PARTNER_REMOVED", "waba_info": {"waba_id": "7208"}});
    world.notify(&notification("7208", 2_000_000_000, "account_update", &removed)).await.expect(200);
    let before = profile(&world, &line.profile).await;
    assert_eq!(before["disconnectedAt"], "2033-05-18T03:33:20.000Z");

    assert_eq!(world.admin(disconnect(&line.profile)).await.expect(200), before);
    assert!(claims(&world).await.is_empty());
    assert_eq!(events_of(&world, &line).await.len(), 1);
}

#[tokio::test]
async fn a_profile_is_disconnected_by_its_organization_only() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "7209").await;
    let stranger = world.organization("Stranger").await;

    for key in [&stranger.admin, &world.org.test_admin] {
        world.send(disconnect(&line.profile).key(key)).await.refused(404, Some("profileId"), None);
    }
    assert_eq!(claims(&world).await.len(), 2);

    let listed = world.admin(Call::get(PROFILES)).await.expect(200);
    let playground = listed["data"].as_array().unwrap().iter().find(|profile| profile["providerWabaId"] == "1000");
    world.admin(disconnect(&text(playground.unwrap(), "id"))).await.refused(409, Some("profileId"), None);
}

#[tokio::test]
async fn many_numbers_are_released_together() {
    let world = World::new().await;
    let numbers: Vec<(String, String)> =
        (0..65).map(|number| (format!("7210{number:02}"), format!("+12015578{number:03}"))).collect();
    let numbers: Vec<(&str, &str)> = numbers.iter().map(|(id, display)| (id.as_str(), display.as_str())).collect();
    world.platform.account("7210", &numbers);

    let body = json!({"code": "code.7210", "isCoexistence": true});
    let profile = world.admin(Call::post(SIGNUP).json(&body)).await.expect(201);
    assert_eq!(claims(&world).await.len(), 66);

    let shown = world.admin(disconnect(&text(&profile, "id"))).await.expect(200);
    assert_eq!(shown["phoneNumbers"].as_array().unwrap().len(), 65);
    assert!(claims(&world).await.is_empty());
}

#[tokio::test]
async fn the_operator_releases_an_account_of_any_organization() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "7211").await;
    let release = |account: &str| world.operate(json!({"operation": "releaseAccount", "wabaId": account}));

    let receipt = release(" 7211 ").await.unwrap();
    let expected = json!({"wabaId": "7211", "status": "RELEASED", "organizationId": world.org.id,
        "profileId": line.profile, "phoneNumbers": 1, "releasedAt": world.now().to_string()});
    assert_eq!(receipt, expected);
    assert!(claims(&world).await.is_empty() && profile_secrets(&world).await.is_empty());
    assert_eq!(world.platform.seen("7211/subscribed_apps").last().unwrap().method, "DELETE");
    assert_eq!(events_of(&world, &line).await.len(), 1);

    for account in ["7211", "999"] {
        assert_eq!(release(account).await.unwrap(), json!({"wabaId": account, "status": "NOT_CONNECTED"}));
    }
    for wrong in ["", "x", "7211#REF", &"1".repeat(33)] {
        assert!(release(wrong).await.unwrap_err().starts_with("wabaId: "), "{wrong}");
    }

    // A simulated account is its organization's own matter.
    let account = fresh_account();
    simulated_profile(&world, &account, false).await;
    assert_eq!(release(&account).await.unwrap()["status"], "NOT_CONNECTED");

    // What a failure interrupts, the same request continues.
    let line = connect(&world, &world.org, "7212").await;
    let fault = error(2, "temporary").to_string();
    world.platform.misbehave("7212/subscribed_apps", Misbehave::Status(500, fault), 1);
    assert!(release("7212").await.unwrap_err().contains("WhatsApp failed"));
    assert_eq!(release("7212").await.unwrap()["profileId"], line.profile);
    assert!(claims(&world).await.is_empty());
}
