//! Connecting an account with an access token.

use std::time::Duration;

use http::StatusCode;
use serde_json::{Value, json};
use tests::catalogue::{PROFILES, SIGNUP, fresh_account};
use tests::chat::events;
use tests::request::text;
use tests::standin::{Misbehave, error};
use tests::{Call, Service as _, World};

use super::{merged, unless_stopped};

fn with_token(token: &str, account: &str) -> Call {
    Call::post(PROFILES).json(&json!({"accessToken": token, "wabaId": account}))
}

/// What the platform says about a token.
fn told(scopes: &Value, more: &Value) -> String {
    let data = json!({"is_valid": true, "app_id": tests::standin::APP_ID, "granular_scopes": scopes});
    json!({"data": merged(data, more)}).to_string()
}

async fn secrets(world: &World) -> Vec<(String, Value)> {
    let listed = world.account.secrets.list_secrets().send().await.unwrap();
    let mut found = Vec::new();
    for name in listed.secret_list().iter().filter_map(|secret| secret.name()) {
        if name.starts_with("profiles/") {
            let value = world.account.secrets.get_secret_value().secret_id(name).send().await.unwrap();
            found.push((name.to_owned(), serde_json::from_str(value.secret_string().unwrap()).unwrap()));
        }
    }
    found
}

#[tokio::test]
async fn a_token_connects_its_account_with_the_numbers() {
    let world = World::new().await;
    world.platform.account("7001", &[("70011", "+12015557001"), ("70012", "+12015557002")]);
    let profile = world.admin(with_token("token-7001", "7001")).await.expect(201);
    assert_eq!((&profile["providerWabaId"], &profile["businessName"]), (&json!("7001"), &json!("Business 7001")));
    assert_eq!(profile["providerBusinessId"], "97001");
    assert_eq!(profile["phoneNumbers"].as_array().unwrap().len(), 2);
    assert!(profile["onboardingCompletedAt"].is_string() && profile.get("disconnectedAt").is_none());
    let asked: Vec<_> = world.platform.seen("debug_token");
    assert_eq!((asked.len(), asked[0].query["input_token"].as_str()), (1, "token-7001"));
    assert!(world.platform.seen("oauth").is_empty());
    let subscribed = world.platform.seen("7001/subscribed_apps");
    assert_eq!((subscribed.len(), subscribed[0].method.as_str()), (1, "POST"));
    assert_eq!(subscribed[0].headers["authorization"], "Bearer token-7001");
    assert_eq!(world.platform.state().registered.len(), 2);
    let kept = secrets(&world).await;
    assert_eq!((kept.len(), &kept[0].1["accessToken"]), (1, &json!("token-7001")));
    assert_eq!(events(&world, &world.org, "chat.account.connected").await, std::slice::from_ref(&profile));
    // The same request again changes nothing, and neither table nor response has the token.
    let calls = world.platform.state().seen.len();
    assert_eq!(world.admin(with_token("token-7001", "7001")).await.expect(200), profile);
    assert_eq!(world.platform.state().seen.len(), calls);
    assert!(!profile.to_string().contains("token-7001"));
    assert!(world.account.items().await.iter().all(|item| !item.values().any(|value| value.contains("token-7001"))));
    assert_eq!(events(&world, &world.org, "chat.account.connected").await.len(), 1);
}

/// A token may replace that of a signup, and the other way round.
#[tokio::test]
async fn another_token_of_a_connected_account_replaces_the_first() {
    let world = World::new().await;
    world.platform.account("7002", &[("70021", "+12015557021")]);
    let coexisting = json!({"code": "code.7002", "isCoexistence": true});
    let first = world.admin(Call::post(SIGNUP).json(&coexisting)).await.expect(201);
    let granted = json!([{"scope": "whatsapp_business_management", "target_ids": ["1", "7002"]},
        {"scope": "whatsapp_business_messaging"}]);
    world.platform.misbehave(
        "debug_token",
        Misbehave::Status(200, told(&granted, &json!({"expires_at": 2_100_000_000}))),
        1,
    );
    let again = world.admin(with_token("token-of-the-system-user", "7002")).await.expect(200);
    assert_eq!((&again["id"], &again["tokenExpiresAt"]), (&first["id"], &json!("2036-07-18T13:20:00.000Z")));
    let kept = secrets(&world).await;
    assert_eq!((kept.len(), &kept[0].1["accessToken"]), (1, &json!("token-of-the-system-user")));
    // A token says nothing about coexistence, so the number is still the business app's.
    assert!(world.platform.seen("register").is_empty());
    // The first token again: it is the profile's from then on.
    world.admin(with_token("token-7002", "7002")).await.expect(200);
    world.platform.misbehave("debug_token", Misbehave::Status(200, told(&granted, &json!({}))), 1);
    world.admin(with_token("token-of-the-system-user", "7002")).await.expect(200);
    assert_eq!(secrets(&world).await[0].1["accessToken"], "token-of-the-system-user");
}

#[tokio::test]
async fn an_insufficient_token_is_refused_with_all_that_it_lacks() {
    let world = World::new().await;
    world.platform.account("7003", &[]);
    let both = json!([{"scope": "whatsapp_business_management"}, {"scope": "whatsapp_business_messaging"}]);
    let other = json!([{"scope": "whatsapp_business_management", "target_ids": ["7"]}]);
    let cases = [
        (told(&both, &json!({"is_valid": false})), vec!["not valid"]),
        (told(&both, &json!({"app_id": "1"})), vec!["installation's app"]),
        (told(&both, &json!({"app_id": null})), vec!["installation's app"]),
        (
            told(&other, &json!({})),
            vec!["whatsapp_business_management does not include", "whatsapp_business_messaging is missing"],
        ),
        (
            told(&json!([]), &json!({"app_id": "1"})),
            vec!["installation's app", "management is missing", "messaging is missing"],
        ),
    ];
    for (response, lacks) in cases {
        world.platform.misbehave("debug_token", Misbehave::Status(200, response.clone()), 1);
        let refused = world.admin(with_token("token-7003", "7003")).await.refused(422, Some("accessToken"), None);
        let told: Vec<String> = serde_json::from_value(refused["error"]["additional_info"].clone()).unwrap();
        assert_eq!(told.len(), lacks.len(), "{response}: {told:?}");
        assert!(told.iter().zip(&lacks).all(|(told, lack)| told.contains(lack)), "{response}: {told:?}");
    }
    // What the platform says about the token is passed on without the token.
    let echo = error(190, "Malformed access token token-7003").to_string();
    world.platform.misbehave("debug_token", Misbehave::Status(400, echo), 1);
    let refused = world.admin(with_token("token-7003", "7003")).await;
    let refused = refused.refused(422, Some("accessToken"), Some("platform_api_error"));
    assert_eq!(refused["error"]["provider"]["message"], "Malformed access token [removed]");
    // Nothing is left of these requests, neither a token nor a record, and the right account can be connected.
    assert!(secrets(&world).await.is_empty() && world.platform.seen("subscribed_apps").is_empty());
    assert!(world.account.items().await.iter().all(|item| !item["PK"].starts_with("ONB#")));
    // A fault of the platform can be repeated.
    world.platform.misbehave("debug_token", Misbehave::Status(400, error(131_000, "no").to_string()), 2);
    assert_eq!(world.admin(with_token("token-7003", "7003")).await.status, 502);
    world.admin(with_token("token-7003", "7003")).await.expect(201);
}

#[tokio::test]
async fn a_malformed_request_names_its_parameter() {
    let world = World::new().await;
    let long = "x".repeat(4097);
    for (body, param) in [
        (json!({"wabaId": "7004"}), "accessToken"),
        (json!({"accessToken": "t"}), "wabaId"),
        (json!({"accessToken": "", "wabaId": "7004"}), "accessToken"),
        (json!({"accessToken": "a b", "wabaId": "7004"}), "accessToken"),
        (json!({"accessToken": "é", "wabaId": "7004"}), "accessToken"),
        (json!({"accessToken": long, "wabaId": "7004"}), "accessToken"),
        (json!({"accessToken": "t", "wabaId": "x"}), "wabaId"),
        (json!({"accessToken": "t", "wabaId": "7004", "businessId": "x"}), "businessId"),
        (json!({"accessToken": "t", "wabaId": "7004", "code": "c"}), "code"),
    ] {
        world.admin(Call::post(PROFILES).json(&body)).await.refused(400, Some(param), None);
    }
    let live = json!({"accessToken": "t", "wabaId": "7004", "test": false});
    world.send(Call::post(PROFILES).key(&world.org.test_admin).json(&live)).await.refused(403, Some("test"), None);
    assert!(world.platform.state().seen.is_empty());
}

#[tokio::test]
async fn another_organizations_account_is_a_conflict_that_leaves_nothing() {
    let world = World::new().await;
    world.platform.account("7005", &[("70051", "+12015557051")]);
    world.admin(with_token("token-7005", "7005")).await.expect(201);
    let stranger = world.organization("Stranger").await;
    for _ in 0..2 {
        let stolen = world.send(with_token("token-7005", "7005").key(&stranger.admin)).await;
        stolen.refused(409, Some("wabaId"), Some("resource_already_exists"));
    }
    assert_eq!(secrets(&world).await.len(), 1);
    // A simulated account of the same id is the stranger's own.
    let simulated = json!({"accessToken": "x", "wabaId": "7005", "test": true});
    let simulated = world.send(Call::post(PROFILES).key(&stranger.admin).json(&simulated)).await.expect(201);
    assert_eq!(simulated["isTestProfile"], true);
}

/// The process stops after each of its AWS calls in turn; the same request always completes with one profile, one token and
/// one event.
#[tokio::test]
async fn a_stop_after_any_step_is_made_good_by_the_same_request() {
    let world = World::new().await;
    let mut stops = 0;
    for step in 0.. {
        let account = format!("71{step:03}");
        let call = || with_token(&format!("token-{account}"), &account);
        world.platform.account(&account, &[(&format!("{account}1"), &format!("+1201557{step:04}"))]);
        if let Some(reply) = unless_stopped(&world, step, world.admin(call())).await {
            assert_eq!(reply.status, StatusCode::CREATED);
            break;
        }
        stops += 1;
        // Wait for the stopped request's lease, and stay within the hourly limit of attempts.
        world.clock.advance(Duration::from_secs(601));
        let resumed = world.admin(call()).await;
        assert!([200, 201].contains(&resumed.status.as_u16()), "step {step}: {resumed:?}");
        let profile = resumed.json();
        assert_eq!(profile["phoneNumbers"].as_array().unwrap().len(), 1, "step {step}");
        let own = format!("profiles/{}", text(&profile, "id"));
        let kept = secrets(&world).await;
        let kept: Vec<_> = kept.iter().filter(|(_, kept)| kept["accessToken"] == format!("token-{account}")).collect();
        assert!(kept.len() == 1 && kept[0].0 == own, "step {step}: {kept:?}");
        let announced = events(&world, &world.org, "chat.account.connected").await;
        assert_eq!(announced.iter().filter(|data| data["id"] == profile["id"]).count(), 1, "step {step}");
    }
    assert!(stops > 10, "{stops} steps");
}

#[tokio::test]
async fn the_simulated_platform_refuses_tokens_on_demand() {
    let world = World::new().await;
    let call = |token: &str, account: &str| {
        Call::post(PROFILES).key(&world.org.test_admin).json(&json!({"accessToken": token, "wabaId": account}))
    };
    let account = fresh_account();
    for (token, lack) in [
        ("refused", "not valid"),
        ("other-app", "installation's app"),
        ("no-management", "whatsapp_business_management is missing"),
        ("no-messaging", "whatsapp_business_messaging is missing"),
        ("other-account", "does not include"),
    ] {
        let refused = world.send(call(token, &account)).await.refused(422, Some("accessToken"), None);
        assert!(refused["error"]["additional_info"][0].as_str().unwrap().contains(lack), "{token}: {refused}");
    }
    world.send(call("token-131057", &account)).await.refused(503, None, Some("platform_api_unavailable"));
    world.send(call("any", domain::testing::playground::SIMULATED_WABA_ID)).await.refused(400, Some("wabaId"), None);
    let profile = world.send(call("any", &account)).await.expect(201);
    assert_eq!((&profile["isTestProfile"], profile["phoneNumbers"].as_array().unwrap().len()), (&json!(true), 2));
    assert_eq!(world.send(call("any", &account)).await.expect(200), profile);
    assert!(world.platform.state().seen.is_empty() && secrets(&world).await.is_empty());
}
