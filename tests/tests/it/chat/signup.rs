//! Signup: from an authorization code to a connected profile.

use std::time::Duration;

use http::StatusCode;
use serde_json::{Value, json};
use tests::catalogue::{SIGNUP, fresh_account, simulated_profile};
use tests::faults::Fault;
use tests::request::text;
use tests::standin::{Misbehave, error};
use tests::world::Organization;
use tests::{Call, Reply, Service as _, World};

const PROFILES: &str = "/v1/organization/chat/business-profiles";

fn signup(account: &str) -> Call {
    Call::post(SIGNUP).json(&json!({"code": format!("code.{account}")}))
}

/// A live account with two numbers, connected to the test organization.
async fn connected(world: &World, account: &str) -> Value {
    world
        .platform
        .account(account, &[(&format!("{account}1"), "+1 201-555-0101"), (&format!("{account}2"), "12015550102")]);
    world.admin(signup(account)).await.expect(201)
}

async fn secrets(world: &World) -> Vec<String> {
    let listed = world.account.secrets.list_secrets().send().await.unwrap();
    let names = listed.secret_list().iter().filter_map(|secret| secret.name().map(str::to_owned));
    names.filter(|name| name.starts_with("profiles/")).collect()
}

async fn secret(world: &World, profile: &str) -> Value {
    let value = world.account.secrets.get_secret_value().secret_id(format!("profiles/{profile}")).send().await.unwrap();
    serde_json::from_str(value.secret_string().unwrap()).unwrap()
}

async fn events(world: &World, kind: &str) -> Vec<Value> {
    let items = world.account.items().await;
    let of_kind = items.into_iter().filter(|item| item["PK"].starts_with("EVT#") && item["type"] == kind);
    of_kind.map(|item| serde_json::from_str(&item["data"]).unwrap()).collect()
}

#[tokio::test]
async fn a_live_account_is_connected_with_its_numbers() {
    let world = World::new().await;
    let profile = connected(&world, "501").await;
    let id = text(&profile, "id");
    assert_eq!(profile["organizationId"], world.org.id.as_str());
    assert_eq!(profile["providerWabaId"], "501");
    assert_eq!(profile["providerBusinessId"], "9501");
    assert_eq!(profile["businessName"], "Business 501");
    assert_eq!(profile["tokenExpiresAt"], Value::Null);
    assert!(profile["onboardingCompletedAt"].is_string() && profile["createdAt"].is_string());
    assert_eq!(profile["isTestProfile"], false);
    let mut displays: Vec<_> =
        profile["phoneNumbers"].as_array().unwrap().iter().map(|number| text(number, "displayPhoneNumber")).collect();
    displays.sort();
    assert_eq!(displays, ["+12015550101", "+12015550102"]);
    assert_eq!(world.admin(Call::get(format!("{PROFILES}/{id}"))).await.expect(200), profile);
    let listed = world.admin(Call::get(PROFILES)).await.expect(200);
    assert!(listed["data"].as_array().unwrap().contains(&profile));
    // Both were verified and not connected, so they are registered, with one stored PIN.
    let kept = secret(&world, &id).await;
    assert_eq!(kept["accessToken"], "token-501");
    let pins: Vec<String> = world.platform.state().registered.values().cloned().collect();
    assert_eq!(pins, [text(&kept, "pin"), text(&kept, "pin")]);
    assert_eq!(pins[0].len(), 6);
    let number = text(&profile["phoneNumbers"][0], "id");
    let number = world.admin(Call::get(format!("/v1/organization/chat/phone-numbers/{number}"))).await.expect(200);
    assert_eq!((&number["cloudApiRegistered"], &number["nameStatus"]), (&json!(true), &json!("APPROVED")));
    assert_eq!(world.platform.seen("501/subscribed_apps").len(), 1);
    assert_eq!(events(&world, "chat.account.connected").await, [profile]);
}

/// Token expiry, account discovery and rejections (docs/specification.md).
#[tokio::test]
async fn what_cannot_be_connected_is_refused_with_its_parameter() {
    let world = World::new().await;
    world.platform.account("502", &[]);
    let refused = world.admin(Call::post(SIGNUP).json(&json!({"code": "unknown"}))).await;
    let body = refused.refused(422, Some("code"), Some("platform_api_error"));
    // A refusal names the parameter whatever its code is.
    for (code, status, expected) in
        [("x-132001", 404, "template_not_found"), ("x-131051", 400, "unsupported_message_type")]
    {
        let refused = world.admin(Call::post(SIGNUP).json(&json!({"code": code, "test": true}))).await;
        let refused = refused.refused(status, Some("code"), Some(expected));
        assert_eq!(refused["error"]["type"], "provider_error");
    }
    assert_eq!(body["error"]["provider"]["platform_trace_id"], "AbCdEf");
    assert_eq!(body["error"]["type"], "provider_error");
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
    let told = json!({"data": {"is_valid": true, "expires_at": 2_100_000_000}});
    world.platform.misbehave("debug_token", Misbehave::Status(200, told.to_string()), 1);
    let call = Call::post(SIGNUP).json(&json!({"code": "code.530", "wabaId": "530"}));
    let profile = world.admin(call).await.expect(201);
    assert_eq!(profile["tokenExpiresAt"], "2036-07-18T13:20:00.000Z");
    assert_eq!(world.admin(Call::get(format!("{PROFILES}/{}", text(&profile, "id")))).await.expect(200), profile);
}

/// A code may come from anywhere, so its token is validated before it is used.
#[tokio::test]
async fn a_token_that_is_void_or_another_apps_connects_nothing() {
    let world = World::new().await;
    for (account, told) in [("531", json!({"is_valid": false})), ("532", json!({"is_valid": true, "app_id": "1"}))] {
        world.platform.account(account, &[]);
        world.platform.misbehave("debug_token", Misbehave::Status(200, json!({"data": told}).to_string()), 1);
        let call = Call::post(SIGNUP).json(&json!({"code": format!("code.{account}"), "wabaId": account}));
        world.admin(call).await.refused(422, Some("code"), None);
    }
    assert!(world.platform.seen("subscribed_apps").is_empty());
    let listed = world.admin(Call::get(PROFILES)).await.expect(200);
    assert!(listed["data"].as_array().unwrap().iter().all(|profile| profile["isTestProfile"] == true));
}

#[tokio::test]
async fn an_owner_that_nobody_names_is_left_out() {
    let world = World::new().await;
    world.platform.account("533", &[]);
    // The account and its numbers are requested concurrently; this fault affects either request.
    let told = json!({"id": "533", "name": "Nobody's", "data": []});
    world.platform.misbehave("/533", Misbehave::Status(200, told.to_string()), 2);
    let profile = world.admin(signup("533")).await.expect(201);
    assert_eq!(profile["businessName"], "Nobody's");
    assert!(profile.get("providerBusinessId").is_none());
}

#[tokio::test]
async fn coexistence_registers_nothing() {
    let world = World::new().await;
    world.platform.account("503", &[("5031", "+12015550103")]);
    let body = json!({"code": "code.503", "isCoexistence": true, "businessId": "77"});
    let profile = world.admin(Call::post(SIGNUP).json(&body)).await.expect(201);
    assert_eq!(profile["providerBusinessId"], "77");
    assert!(world.platform.seen("register").is_empty());
    // A number that is used on a phone, unverified or already connected is never registered either.
    world.platform.account("504", &[("5041", "+12015550104"), ("5042", "+12015550105"), ("5043", "+12015550106")]);
    {
        let mut state = world.platform.state();
        let numbers = &mut state.accounts.get_mut("504").unwrap().numbers;
        numbers[0]["is_on_biz_app"] = json!(true);
        numbers[1]["code_verification_status"] = json!("NOT_VERIFIED");
        numbers[2]["status"] = json!("CONNECTED");
        numbers[2]["platform_type"] = json!("CLOUD_API");
    }
    world.admin(signup("504")).await.expect(201);
    assert!(world.platform.seen("register").is_empty());
    let listed = world.admin(Call::get("/v1/organization/chat/phone-numbers")).await.expect(200);
    let registered: Vec<_> =
        listed["data"].as_array().unwrap().iter().filter(|number| number["cloudApiRegistered"] == true).collect();
    assert!(registered.iter().any(|number| number["displayPhoneNumber"] == "+12015550106"));
    assert!(
        registered
            .iter()
            .all(|number| number["isTestNumber"] == true || number["displayPhoneNumber"] == "+12015550106")
    );
}

/// A rejected registration leaves the number unregistered, but the signup succeeds.
#[tokio::test]
async fn a_refused_registration_never_fails_the_signup() {
    let world = World::new().await;
    world.platform.misbehave("register", Misbehave::Status(400, error(133_005, "wrong PIN").to_string()), 2);
    let profile = connected(&world, "505").await;
    let number = text(&profile["phoneNumbers"][0], "id");
    let number = world.admin(Call::get(format!("/v1/organization/chat/phone-numbers/{number}"))).await.expect(200);
    assert_eq!(number["cloudApiRegistered"], false);
}

/// Profiles show the current state of their numbers, whatever changed them.
#[tokio::test]
async fn a_profile_shows_what_became_of_its_numbers() {
    let world = World::new().await;
    let profile = connected(&world, "507").await;
    let number = text(&profile["phoneNumbers"][0], "id");
    let at_platform = text(&profile["phoneNumbers"][0], "providerPhoneNumberId");
    for shown in world.platform.state().accounts.get_mut("507").unwrap().numbers.iter_mut() {
        if shown["id"] == at_platform.as_str() {
            shown["quality_rating"] = json!("RED");
            shown["code_verification_status"] = json!("EXPIRED");
        }
    }
    world.platform.misbehave("oauth", Misbehave::Status(200, json!({"access_token": "token-507"}).to_string()), 1);
    let again = json!({"code": "another", "wabaId": "507"});
    world.admin(Call::post(SIGNUP).json(&again)).await.expect(200);
    let whole = world.admin(Call::get(format!("/v1/organization/chat/phone-numbers/{number}"))).await.expect(200);
    assert_eq!((&whole["qualityRating"], &whole["verified"]), (&json!("RED"), &json!(false)));
    let one = format!("/v1/organization/chat/business-profiles/{}", text(&profile, "id"));
    let one = world.admin(Call::get(one)).await.expect(200);
    let list = world.admin(Call::get("/v1/organization/chat/business-profiles?limit=100")).await.expect(200);
    let listed = list["data"].as_array().unwrap().iter().find(|listed| listed["id"] == profile["id"]).unwrap();
    for shown in [&one, listed] {
        let of_profile = shown["phoneNumbers"].as_array().unwrap();
        let own = of_profile.iter().find(|shown| shown["id"] == number.as_str()).unwrap();
        assert_eq!((&own["qualityRating"], &own["verified"]), (&json!("RED"), &json!(false)), "{shown}");
        assert_eq!(of_profile.len(), profile["phoneNumbers"].as_array().unwrap().len());
    }
}

#[tokio::test]
async fn the_same_account_again_is_connected_again() {
    let world = World::new().await;
    let first = connected(&world, "506").await;
    let id = text(&first, "id");
    let pin = text(&secret(&world, &id).await, "pin");
    world.platform.state().accounts.get_mut("506").unwrap().name = "Renamed".to_owned();
    // The same code, with more fields.
    let again =
        Call::post(SIGNUP).json(&json!({"code": "code.506", "redirectUri": "https://example.com/", "wabaId": "506"}));
    // The completed signup is stored under its code.
    let remembered = world.admin(again).await.expect(200);
    assert_eq!(remembered["id"], first["id"]);
    world.platform.state().accounts.insert("506b".to_owned(), Default::default());
    world.platform.misbehave("oauth", Misbehave::Status(200, json!({"access_token": "token-506"}).to_string()), 1);
    let other_code = Call::post(SIGNUP).json(&json!({"code": "another"}));
    let again = world.admin(other_code).await.expect(200);
    assert_eq!((again["id"].as_str(), again["businessName"].as_str()), (Some(id.as_str()), Some("Renamed")));
    assert_eq!(again["phoneNumbers"].as_array().unwrap().len(), 2);
    let kept = secret(&world, &id).await;
    assert_eq!(text(&kept, "pin"), pin, "the numbers are registered with this one");
    assert_eq!(secrets(&world).await, [format!("profiles/{id}")]);
    assert_eq!(events(&world, "chat.account.connected").await.len(), 2);
}

#[tokio::test]
async fn another_organizations_account_is_a_conflict_that_leaves_nothing() {
    let world = World::new().await;
    let profile = connected(&world, "507").await;
    let stranger = world.organization("Stranger").await;
    world.platform.misbehave("oauth", Misbehave::Status(200, json!({"access_token": "token-507"}).to_string()), 1);
    let call = || Call::post(SIGNUP).key(&stranger.admin).json(&json!({"code": "stolen"}));
    for _ in 0..2 {
        world.send(call()).await.refused(409, Some("wabaId"), Some("resource_already_exists"));
    }
    assert_eq!(secrets(&world).await, [format!("profiles/{}", text(&profile, "id"))]);
    let listed = world.send(Call::get(PROFILES).key(&stranger.admin)).await.expect(200);
    assert!(listed["data"].as_array().unwrap().iter().all(|profile| profile["isTestProfile"] == true));
    // If another account also has these numbers, its signup leaves them out.
    world.platform.account("508", &[("5071", "+12015550101"), ("5081", "+12015550108")]);
    let other = world.send(signup("508").key(&stranger.admin)).await.expect(201);
    let numbers = other["phoneNumbers"].as_array().unwrap();
    assert_eq!((numbers.len(), &numbers[0]["providerPhoneNumberId"]), (1, &json!("5081")));
    // A request to register one of them is rejected.
    let wanted = json!({"displayPhoneNumber": "+12015550101", "providerPhoneNumberId": "5071", "providerBusinessAccountId": "508"});
    let asked = world.send(Call::post("/v1/organization/chat/phone-numbers").key(&stranger.admin).json(&wanted)).await;
    asked.refused(409, Some("providerPhoneNumberId"), Some("resource_already_exists"));
}

/// The process stops after each of its AWS calls in turn. A retry of the request always completes with one profile, one token
/// and one event. Only the moment between the platform's response and the storing of the token cannot be covered.
#[tokio::test]
async fn a_stop_after_any_step_is_made_good_by_the_same_request() {
    let world = World::new().await;
    let mut stops = 0;
    for step in 0.. {
        let account = format!("6{step:03}");
        world.platform.account(&account, &[(&format!("{account}1"), &format!("+1201556{step:04}"))]);
        world.faults.set(Fault::StoppedAfter(step));
        let stopped = tokio::select! {
            reply = world.admin(signup(&account)) => Some(reply),
            () = world.faults.struck() => None,
        };
        world.faults.clear();
        if let Some(reply) = stopped {
            assert_eq!(reply.status, StatusCode::CREATED);
            break;
        }
        stops += 1;
        // Wait for the stopped request's lease, and stay within the hourly limit of attempts.
        world.clock.advance(Duration::from_secs(601));
        let resumed: Reply = world.admin(signup(&account)).await;
        let was_exchanged =
            world.platform.seen("oauth").iter().filter(|seen| seen.query["code"] == format!("code.{account}")).count();
        if was_exchanged == 2 {
            resumed.refused(422, Some("code"), Some("platform_api_error"));
            continue;
        }
        assert!([200, 201].contains(&resumed.status.as_u16()), "step {step}: {resumed:?}");
        let profile = resumed.json();
        let id = text(&profile, "id");
        assert_eq!(profile["phoneNumbers"].as_array().unwrap().len(), 1, "step {step}");
        let number = text(&profile["phoneNumbers"][0], "id");
        let number = world.admin(Call::get(format!("/v1/organization/chat/phone-numbers/{number}"))).await.expect(200);
        assert_eq!(number["cloudApiRegistered"], true, "step {step}");
        assert_eq!(secret(&world, &id).await["accessToken"], format!("token-{account}"));
        let announced = events(&world, "chat.account.connected").await;
        assert_eq!(announced.iter().filter(|data| data["id"] == profile["id"]).count(), 1, "step {step}");
    }
    assert!(stops > 10, "{stops} steps");
    every_secret_is_a_profiles(&world).await;
}

/// Checks that every stored token belongs to an existing profile.
async fn every_secret_is_a_profiles(world: &World) {
    let listed = world.admin(Call::get(format!("{PROFILES}?limit=100"))).await.expect(200);
    let profiles: Vec<String> =
        listed["data"].as_array().unwrap().iter().map(|profile| format!("profiles/{}", text(profile, "id"))).collect();
    for secret in secrets(world).await {
        assert!(profiles.contains(&secret), "{secret} is nobody's");
    }
}

/// The same for an account that is already connected: the token moves to its profile, and no other copy remains.
#[tokio::test]
async fn a_stop_after_any_step_of_a_reconnect_is_made_good() {
    let world = World::new().await;
    let id = text(&connected(&world, "520").await, "id");
    let pin = text(&secret(&world, &id).await, "pin");
    for step in 0.. {
        // Each code has its own token.
        let token = json!({"access_token": format!("token-520-{step}")}).to_string();
        world.platform.misbehave("oauth", Misbehave::Status(200, token), 1);
        world.platform.misbehave(
            "debug_token",
            Misbehave::Status(
                200,
                json!({"data": {"is_valid": true, "expires_at": 0,
            "scopes": ["whatsapp_business_management"]}})
                .to_string(),
            ),
            1,
        );
        let again = || Call::post(SIGNUP).json(&json!({"code": format!("another {step}"), "wabaId": "520"}));
        world.faults.set(Fault::StoppedAfter(step));
        let stopped = tokio::select! {
            reply = world.admin(again()) => Some(reply),
            () = world.faults.struck() => None,
        };
        world.faults.clear();
        world.clock.advance(Duration::from_secs(601));
        let is_whole = stopped.is_some();
        let reply = match stopped {
            Some(reply) => reply,
            None => {
                world.platform.state().misbehave.retain(|(path, _, left)| path != "oauth" || *left > 0);
                world.platform.misbehave(
                    "debug_token",
                    Misbehave::Status(
                        200,
                        json!({"data": {"is_valid": true,
                    "scopes": ["whatsapp_business_management"]}})
                        .to_string(),
                    ),
                    1,
                );
                world.admin(again()).await
            }
        };
        world.platform.state().misbehave.clear();
        if reply.status == 422 {
            // The code was exchanged, but its token was lost.
            continue;
        }
        assert_eq!(text(&reply.expect(200), "id"), id, "step {step}");
        let kept = secret(&world, &id).await;
        assert_eq!(
            (text(&kept, "accessToken"), text(&kept, "pin")),
            (format!("token-520-{step}"), pin.clone()),
            "step {step}"
        );
        every_secret_is_a_profiles(&world).await;
        if is_whole {
            break;
        }
    }
}

/// An invalid token does not affect an existing profile.
#[tokio::test]
async fn a_token_without_access_replaces_nothing() {
    let world = World::new().await;
    let id = text(&connected(&world, "521").await, "id");
    let token = json!({"access_token": "token-without-access"}).to_string();
    world.platform.misbehave("oauth", Misbehave::Status(200, token), 1);
    let call = |code: &str, account: &str| Call::post(SIGNUP).json(&json!({"code": code, "wabaId": account}));
    let all = json!({"data": {"is_valid": true, "scopes": ["whatsapp_business_management"]}}).to_string();
    world.platform.misbehave("debug_token", Misbehave::Status(200, all.clone()), 2);
    world.platform.misbehave(
        "/521",
        Misbehave::Status(400, error(100, "no token-without-access may read this").to_string()),
        2,
    );
    let refused = world.admin(call("two", "521")).await;
    let body = refused.refused(422, Some("wabaId"), Some("platform_api_error"));
    assert_eq!(body["error"]["provider"]["message"], "no [removed] may read this");
    assert_eq!(secret(&world, &id).await["accessToken"], "token-521");
    // A wrong account id is not stored with the code.
    world.platform.state().misbehave.clear();
    world.platform.account("522", &[]);
    world.platform.misbehave("oauth", Misbehave::Status(200, json!({"access_token": "token-522"}).to_string()), 1);
    world.platform.misbehave("debug_token", Misbehave::Status(200, all), 2);
    world.admin(call("three", "999522")).await.refused(422, Some("wabaId"), Some("platform_api_error"));
    world.admin(call("three", "522")).await.expect(201);
}

/// Four concurrent signups create one profile and store one secret.
#[tokio::test]
async fn two_signups_of_one_account_at_once_make_one_profile() {
    let world = World::new().await;
    world.platform.account("509", &[("5091", "+12015550109")]);
    world.platform.misbehave("oauth", Misbehave::Status(200, json!({"access_token": "token-509"}).to_string()), 4);
    let calls = (0..4).map(|n| world.admin(Call::post(SIGNUP).json(&json!({"code": format!("code number {n}")}))));
    let replies = futures_util::future::join_all(calls).await;
    let ids: std::collections::BTreeSet<String> = replies.iter().map(|reply| text(&reply.json(), "id")).collect();
    assert_eq!(ids.len(), 1, "{replies:?}");
    assert_eq!(replies.iter().filter(|reply| reply.status == 201).count(), 1);
    assert_eq!(secrets(&world).await.len(), 1);
}

#[tokio::test]
async fn a_signup_under_way_is_held_by_its_lease() {
    let world = World::new().await;
    world.platform.account("510", &[]);
    let held = world.platform.hold("510/subscribed_apps");
    let (first, second) = tokio::join!(world.admin(signup("510")), async {
        held.arrived().await;
        let second = world.admin(signup("510")).await;
        held.end();
        second
    });
    first.expect(201);
    assert!(second.header("retry-after").is_some());
    second.refused(409, Some("code"), None);
    world.admin(signup("510")).await.expect(200);
}

/// Stops a signup after its token is stored and its account is found, while it waits for the platform.
async fn stop_while_subscribing(world: &World, account: &str) {
    world.platform.account(account, &[]);
    let held = world.platform.hold(&format!("{account}/subscribed_apps"));
    tokio::select! {
        reply = world.admin(signup(account)) => panic!("{reply:?}"),
        () = held.arrived() => {}
    }
}

#[tokio::test]
async fn the_lease_of_a_signup_that_stopped_ends_after_a_minute() {
    let world = World::new().await;
    stop_while_subscribing(&world, "534").await;
    world.clock.advance(Duration::from_secs(59));
    let held = world.admin(signup("534")).await;
    assert!(held.header("retry-after").is_some());
    held.refused(409, Some("code"), None);
    world.clock.advance(Duration::from_secs(2));
    world.admin(signup("534")).await.expect(201);
}

/// Codes can be used once; a retry within a day does not need a new one.
#[tokio::test]
async fn how_far_a_signup_has_come_is_known_for_a_day() {
    const HOUR: Duration = Duration::from_secs(3600);
    let world = World::new().await;
    stop_while_subscribing(&world, "535").await;
    stop_while_subscribing(&world, "536").await;
    world.clock.advance(23 * HOUR);
    world.sweep().await;
    let profile = world.admin(signup("535")).await.expect(201);
    assert_eq!(world.platform.seen("oauth").len(), 2, "one exchange each");
    assert_eq!(secrets(&world).await.len(), 2);
    world.clock.advance(2 * HOUR);
    world.sweep().await;
    assert_eq!(secrets(&world).await, [format!("profiles/{}", text(&profile, "id"))]);
}

/// These limits let the service respond before the gateway's timeout of 30 s.
#[test]
fn a_signup_and_its_calls_end_before_the_gateway_gives_up() {
    assert_eq!(chat::SIGNUP_BUDGET, Duration::from_secs(25));
    assert_eq!(platform::TimeLimits::default().call, Duration::from_secs(8));
}

/// A simulated account without random values and times.
async fn simulated(world: &World, org: &Organization, account: &str) -> Value {
    let body = json!({"code": format!("code.{account}"), "wabaId": account, "test": true});
    let mut profile = world.send(Call::post(SIGNUP).key(&org.admin).json(&body)).await.expect(201);
    let id = text(&profile, "id");
    let sync = json!({"chatBusinessProfileId": id});
    let sync = Call::post("/v1/organization/chat/templates/sync").key(&org.admin).json(&sync);
    let counts = world.send(sync).await.expect(200);
    let path = format!("/v1/organization/chat/templates?chatBusinessProfileId={id}");
    let mut templates = world.send(Call::get(path).key(&org.admin)).await.expect(200)["data"].take();
    for template in templates.as_array_mut().unwrap() {
        forget(template, &["chatBusinessProfileId", "createdAt", "updatedAt"]);
    }
    forget(&mut profile, &["id", "organizationId", "onboardingCompletedAt", "createdAt"]);
    let numbers = profile["phoneNumbers"].as_array_mut().unwrap();
    numbers.iter_mut().for_each(|number| forget(number, &["id"]));
    numbers.sort_by_key(|number| text(number, "providerPhoneNumberId"));
    json!({"profile": profile, "counts": counts, "templates": templates})
}

fn forget(object: &mut Value, fields: &[&str]) {
    for field in fields {
        object.as_object_mut().unwrap().remove(*field).unwrap();
    }
}

#[tokio::test]
async fn a_simulated_account_is_the_same_every_time() {
    let world = World::new().await;
    let stranger = world.organization("Stranger").await;
    for account in ["1001", "4917000001"] {
        let once = simulated(&world, &world.org, account).await;
        assert_eq!(simulated(&world, &stranger, account).await, once);
        for (index, number) in once["profile"]["phoneNumbers"].as_array().unwrap().iter().enumerate() {
            let display = text(number, "displayPhoneNumber");
            assert!(display.starts_with("+447700900") && display.len() == 13, "{display}");
            assert_eq!(text(number, "providerPhoneNumberId"), format!("{account}0{}", index + 1));
        }
    }
}

/// Requests with a test key never leave the service, and simulated accounts are separate per organization.
#[tokio::test]
async fn test_mode_never_touches_live() {
    let world = World::new().await;
    let live = connected(&world, "511").await;
    let stranger = world.organization("Stranger").await;
    let before = world.platform.state().seen.len();
    // With the id of a live account.
    let body = json!({"code": "x", "wabaId": "511", "test": true});
    let simulated = world.send(Call::post(SIGNUP).key(&stranger.admin).json(&body)).await.expect(201);
    assert_eq!((&simulated["isTestProfile"], &simulated["providerWabaId"]), (&json!(true), &json!("511")));
    let own = json!({"code": "x", "wabaId": "511"});
    let own = world.send(Call::post(SIGNUP).key(&world.org.test_admin).json(&own)).await.expect(201);
    assert_ne!(own["id"], live["id"]);
    // A test key creates only test objects.
    let body = json!({"code": "x", "test": false});
    world.send(Call::post(SIGNUP).key(&stranger.test_admin).json(&body)).await.refused(403, Some("test"), None);
    // A live object is hidden from a test key.
    let path = format!("{PROFILES}/{}", text(&live, "id"));
    world.send(Call::get(path).key(&world.org.test_admin)).await.refused(404, Some("profileId"), None);
    for case in tests::catalogue::cases(&world).await {
        if matches!(case.policy, tests::catalogue::Policy::Admin | tests::catalogue::Policy::Member) {
            world.send(case.call.clone().key(&world.org.test_admin)).await;
        }
    }
    let account = fresh_account();
    simulated_profile(&world, &account, false).await;
    assert_eq!(world.platform.state().seen.len(), before, "a simulated request reached the platform");
    assert_eq!(secrets(&world).await.len(), 1);
    // A notification about the live account affects only the live profile.
    let review = json!({"object": "whatsapp_business_account", "entry": [{"id": "511", "time": 2_000_000_000, "changes": [
        {"field": "account_review_update", "value": {"decision": "APPROVED"}}]}]});
    world.notify(&review).await.expect(200);
    let shown =
        world.send(Call::get(format!("{PROFILES}/{}", text(&simulated, "id"))).key(&stranger.admin)).await.expect(200);
    assert!(shown.get("reviewDecision").is_none());
    let shown = world.admin(Call::get(format!("{PROFILES}/{}", text(&live, "id")))).await.expect(200);
    assert_eq!(shown["reviewDecision"], "APPROVED");
}
