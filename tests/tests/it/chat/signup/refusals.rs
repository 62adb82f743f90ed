//! Codes, tokens and accounts that cannot be connected.

use serde_json::json;
use tests::catalogue::{PROFILES, SIGNUP};
use tests::request::text;
use tests::standin::{Misbehave, error};
use tests::{Call, Service as _, World};

use super::{connected, describe_token, secret, signup};
use crate::chat::{grant_token, profile_secrets};

/// Token expiry, account discovery and rejections (docs/specification.md).
#[tokio::test]
async fn a_rejected_connection_names_its_parameter() {
    let world = World::new().await;
    world.platform.account("502", &[]);

    let refused = world.admin(Call::post(SIGNUP).json(&json!({"code": "unknown"}))).await;
    let body = refused.refused(422, Some("code"), Some("platform_api_error"));
    assert_eq!(body["error"]["provider"]["platform_trace_id"], "AbCdEf");
    assert_eq!(body["error"]["type"], "provider_error");

    // A refusal names the parameter whatever its code is.
    for (code, status, expected) in
        [("x-132001", 404, "template_not_found"), ("x-131051", 400, "unsupported_message_type")]
    {
        let refused = world.admin(Call::post(SIGNUP).json(&json!({"code": code, "test": true}))).await;
        let refused = refused.refused(status, Some("code"), Some(expected));
        assert_eq!(refused["error"]["type"], "provider_error");
    }

    let other = Call::post(SIGNUP).json(&json!({"code": "code.502", "wabaId": "777"}));
    world.admin(other).await.refused(400, Some("wabaId"), None);
    for (body, param) in [
        (json!({}), "code"),
        (json!({"code": ""}), "code"),
        (json!({"code": "x", "wabaId": "abc"}), "wabaId"),
        (json!({"code": "x", "redirectUri": "nowhere"}), "redirectUri"),
        (json!({"code": "x", "isCoexistence": "yes"}), "isCoexistence"),
        (json!({"code": "x", "phoneNumberId": "#"}), "phoneNumberId"),
    ] {
        world.admin(Call::post(SIGNUP).json(&body)).await.refused(400, Some(param), None);
    }

    // The exchange is never repeated, not even after a platform failure.
    world.platform.misbehave("oauth", Misbehave::Status(500, error(2, "temporary").to_string()), 1);
    let before = world.platform.seen("oauth").len();
    world.platform.account("512", &[]);
    let failed = world.admin(signup("512")).await;
    assert_eq!(failed.header("retry-after"), Some("5"));
    failed.refused(503, None, Some("platform_api_unavailable"));
    assert_eq!(world.platform.seen("oauth").len(), before + 1);

    world.platform.misbehave("oauth", Misbehave::Status(500, error(1, "unknown").to_string()), 1);
    world.admin(signup("512")).await.refused(502, None, Some("platform_api_error"));
    world.admin(signup("512")).await.expect(201);

    // The token of the first code is stored: with the right account, its signup continues without another exchange.
    let before = world.platform.seen("oauth").len();
    world.admin(Call::post(SIGNUP).json(&json!({"code": "code.502", "wabaId": "502"}))).await.expect(201);
    assert_eq!(world.platform.seen("oauth").len(), before);
}

/// The platform gives expiry times in seconds, and 0 for tokens that never expire.
#[tokio::test]
async fn a_token_that_ends_is_shown_with_its_end() {
    let world = World::new().await;
    world.platform.account("530", &[]);
    describe_token(&world, &json!({"is_valid": true, "expires_at": 2_100_000_000}), 1);

    let call = Call::post(SIGNUP).json(&json!({"code": "code.530", "wabaId": "530"}));
    let profile = world.admin(call).await.expect(201);
    assert_eq!(profile["tokenExpiresAt"], "2036-07-18T13:20:00.000Z");
    assert_eq!(world.admin(Call::get(format!("{PROFILES}/{}", text(&profile, "id")))).await.expect(200), profile);
}

/// A code may come from anywhere, so its token is validated before it is used.
#[tokio::test]
async fn a_token_that_is_void_or_another_apps_connects_nothing() {
    let world = World::new().await;

    for (account, token) in [("531", json!({"is_valid": false})), ("532", json!({"is_valid": true, "app_id": "1"}))] {
        world.platform.account(account, &[]);
        describe_token(&world, &token, 1);
        let call = Call::post(SIGNUP).json(&json!({"code": format!("code.{account}"), "wabaId": account}));
        world.admin(call).await.refused(422, Some("code"), None);
    }
    assert!(world.platform.seen("subscribed_apps").is_empty());

    let listed = world.admin(Call::get(PROFILES)).await.expect(200);
    assert!(listed["data"].as_array().unwrap().iter().all(|profile| profile["isTestProfile"] == true));
}

#[tokio::test]
async fn another_organizations_account_is_a_conflict_that_leaves_nothing() {
    let world = World::new().await;
    let profile = connected(&world, "507").await;
    let stranger = world.organization("Stranger").await;
    grant_token(&world, "token-507", 1);
    let call = || Call::post(SIGNUP).key(&stranger.admin).json(&json!({"code": "stolen"}));

    for _ in 0..2 {
        world.send(call()).await.refused(409, Some("wabaId"), Some("resource_already_exists"));
    }
    assert_eq!(profile_secrets(&world).await, [format!("profiles/{}", text(&profile, "id"))]);
    let listed = world.send(Call::get(PROFILES).key(&stranger.admin)).await.expect(200);
    assert!(listed["data"].as_array().unwrap().iter().all(|profile| profile["isTestProfile"] == true));

    // If another account also has these numbers, its signup leaves them out.
    world.platform.account("508", &[("5071", "+12015550101"), ("5081", "+12015550108")]);
    let other = world.send(signup("508").key(&stranger.admin)).await.expect(201);
    let numbers = other["phoneNumbers"].as_array().unwrap();
    assert_eq!((numbers.len(), &numbers[0]["providerPhoneNumberId"]), (1, &json!("5081")));

    // A request to register one of them is rejected.
    let wanted = json!({"displayPhoneNumber": "+12015550101", "providerPhoneNumberId": "5071",
        "providerBusinessAccountId": "508"});
    let asked = world.send(Call::post("/v1/organization/chat/phone-numbers").key(&stranger.admin).json(&wanted)).await;
    asked.refused(409, Some("providerPhoneNumberId"), Some("resource_already_exists"));
}

/// An invalid token does not affect an existing profile.
#[tokio::test]
async fn a_token_without_access_replaces_nothing() {
    let world = World::new().await;
    let id = text(&connected(&world, "521").await, "id");
    let call = |code: &str, account: &str| Call::post(SIGNUP).json(&json!({"code": code, "wabaId": account}));
    let token_of_all = json!({"is_valid": true, "scopes": ["whatsapp_business_management"]});

    grant_token(&world, "token-without-access", 1);
    describe_token(&world, &token_of_all, 2);
    let no_access = error(100, "no token-without-access may read this").to_string();
    world.platform.misbehave("/521", Misbehave::Status(400, no_access), 2);
    let refused = world.admin(call("two", "521")).await;
    let body = refused.refused(422, Some("wabaId"), Some("platform_api_error"));
    assert_eq!(body["error"]["provider"]["message"], "no [removed] may read this");
    assert_eq!(secret(&world, &id).await["accessToken"], "token-521");

    // A wrong account id is not stored with the code.
    world.platform.state().misbehave.clear();
    world.platform.account("522", &[]);
    grant_token(&world, "token-522", 1);
    describe_token(&world, &token_of_all, 2);
    world.admin(call("three", "999522")).await.refused(422, Some("wabaId"), Some("platform_api_error"));
    world.admin(call("three", "522")).await.expect(201);
}
