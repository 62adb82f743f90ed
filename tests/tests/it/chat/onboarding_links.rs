//! Onboarding links: a customer connects an account without a key of the organization.

use std::time::Duration;

use serde_json::{Value, json};
use tests::catalogue::{begun_onboarding, fresh_account, onboarding_link};
use tests::faults::Fault;
use tests::logs::Captured;
use tests::request::text;
use tests::standin::{APP_ID, Misbehave, error};
use tests::{Call, Service as _, World};

const LINKS: &str = "/v1/organization/chat/onboarding-links";

fn urls() -> Value {
    json!({"successUrl": "https://example.com/done?a=b", "failureUrl": "https://example.com/failed", "state": "c 7"})
}

fn with(more: &Value) -> Call {
    let mut body = urls();
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    Call::post(LINKS).json(&body)
}

fn complete(token: &str, cookie: &str, code: &str, state: &str) -> Call {
    let body = json!({"code": code, "state": state});
    Call::post("/v1/onboarding/complete").key(token).header("cookie", cookie).json(&body)
}

/// Returns the profile of a platform account.
async fn connected(world: &World, account: &str) -> Option<Value> {
    let list = world.admin(Call::get("/v1/organization/chat/business-profiles")).await.expect(200);
    let profiles = list["data"].as_array().unwrap();
    profiles.iter().find(|profile| profile["providerWabaId"] == account).cloned()
}

async fn shown(world: &World, id: &str) -> Value {
    world.admin(Call::get(format!("{LINKS}/{id}"))).await.expect(200)
}

#[tokio::test]
async fn a_link_shows_its_url_once_and_stores_only_a_hash_of_its_token() {
    let world = World::new().await;
    // Smaller than the numbers of the table, and as deep as JSON is read.
    let deep = (0..100).fold(json!(-1.577e-244), |inner, _| json!([inner]));
    let metadata = json!({"plan": {"name": "gold"}, "deep": deep});
    let made = world.admin(with(&json!({"metadata": metadata, "expiresIn": 900, "test": true}))).await.expect(201);
    let url = text(&made, "url");
    let (page, token) = url.split_once('#').unwrap();
    assert_eq!(page, format!("{}/onboarding", tests::settings::API_URL));
    let link = shown(&world, &text(&made, "id")).await;
    assert_eq!((&link["status"], &link["metadata"]), (&json!("PENDING"), &metadata));
    assert!(link.get("url").is_none() && !link.to_string().contains(token));
    assert!(!world.admin(Call::get(LINKS)).await.expect(200).to_string().contains(token));
    assert!(world.account.items().await.iter().all(|item| !item.values().any(|value| value.contains(token))));
    let page = world.send(Call::get("/v1/onboarding").key(token)).await.expect(200);
    assert_eq!((&page["organizationName"], &page["isTestLink"]), (&json!("Acme"), &json!(true)));
    assert_eq!((&page["installationName"], page.get("continueUrl")), (&json!("Messages of Example"), None));
    assert!(page.get("metadata").is_none() && page.get("state").is_none());
    // Looking at the link does not use it up; time does.
    world.clock.advance(Duration::from_secs(901));
    assert_eq!(shown(&world, &text(&made, "id")).await["status"], "EXPIRED");
    world.send(Call::put("/v1/onboarding/signup").key(token)).await.refused(409, Some("onboardingLinkId"), None);
    let page = world.send(Call::get("/v1/onboarding").key(token)).await.expect(200);
    let next = format!("https://example.com/failed?id={}&state=c+7&error=expired", text(&made, "id"));
    assert_eq!((&page["status"], &page["continueUrl"]), (&json!("EXPIRED"), &json!(next)));
}

#[tokio::test]
async fn a_token_reaches_its_own_link_only() {
    let world = World::new().await;
    let stranger = world.organization("Stranger").await;
    let body = with(&json!({"test": true}));
    let foreign = world.send(body.key(&stranger.admin)).await.expect(201);
    let (id, token) = onboarding_link(&world).await;
    let foreign_token = text(&foreign, "url").split_once('#').unwrap().1.to_owned();
    let page = world.send(Call::get("/v1/onboarding").key(&foreign_token)).await.expect(200);
    assert_eq!((&page["id"], &page["organizationName"]), (&foreign["id"], &json!("Stranger")));
    // A signup of one link cannot be completed with the token of another, of this organization or of another.
    let (cookie, state) = begun_onboarding(&world, &token).await;
    let code = format!("code.{}", fresh_account());
    world.send(complete(&foreign_token, &cookie, &code, &state)).await.refused(422, Some("state"), None);
    let cancelled = world.send(Call::post("/v1/onboarding/cancel").key(&foreign_token)).await.expect(200);
    assert_eq!(cancelled["id"], foreign["id"]);
    for call in [Call::get(format!("{LINKS}/{id}")), Call::delete(format!("{LINKS}/{id}"))] {
        world.send(call.key(&stranger.admin)).await.refused(404, Some("onboardingLinkId"), None);
    }
    assert_eq!(shown(&world, &id).await["status"], "PENDING");
    // The token opens no other operation.
    for call in [Call::get(LINKS), Call::get("/v1/organization/settings"), Call::get("/v1/chat/messages")] {
        world.send(call.key(&token)).await.wrong_kind(&token);
    }
    world.send(complete(&token, &cookie, &code, &state)).await.expect(200);
}

#[tokio::test]
async fn a_malformed_link_names_its_parameter() {
    let world = World::new().await;
    for (more, param) in [
        (json!({"successUrl": "http://example.com"}), "successUrl"),
        (json!({"failureUrl": "https://10.0.0.1/"}), "failureUrl"),
        (json!({"failureUrl": "https://api.example.com/"}), "failureUrl"),
        (json!({"state": "x".repeat(513)}), "state"),
        (json!({"metadata": {"x": "y".repeat(10 * 1024)}}), "metadata"),
        (json!({"metadata": []}), "metadata"),
        (json!({"expiresIn": 899}), "expiresIn"),
        (json!({"expiresIn": 2_592_001}), "expiresIn"),
    ] {
        world.admin(with(&more)).await.refused(400, Some(param), None);
    }
    let live = with(&json!({"test": false})).key(&world.org.test_admin);
    world.send(live).await.refused(403, Some("test"), None);
    assert!(world.admin(Call::get(LINKS)).await.expect(200)["data"].as_array().unwrap().is_empty());
}

#[tokio::test]
async fn an_organization_has_at_most_a_hundred_open_links() {
    let world = World::new().await;
    let mut ids = Vec::new();
    for index in 0..100 {
        let seconds = if index == 0 { 900 } else { 86_400 };
        let made = world.admin(with(&json!({"expiresIn": seconds, "test": true}))).await.expect(201);
        ids.push(text(&made, "id"));
    }
    let another = || with(&json!({"test": true}));
    world.admin(another()).await.refused(400, Some("onboardingLinks"), None);
    // One place is free after a link was cancelled, and one after a link has expired.
    let cancelled = world.admin(Call::delete(format!("{LINKS}/{}", ids[1]))).await.expect(200);
    assert_eq!(cancelled["status"], "CANCELLED");
    assert_eq!(world.admin(Call::delete(format!("{LINKS}/{}", ids[1]))).await.expect(200), cancelled);
    world.admin(another()).await.expect(201);
    world.admin(another()).await.refused(400, Some("onboardingLinks"), None);
    world.clock.advance(Duration::from_secs(901));
    world.admin(another()).await.expect(201);
    world.admin(another()).await.refused(400, Some("onboardingLinks"), None);
}

#[tokio::test]
async fn a_customer_connects_an_account_in_test_mode() {
    let world = World::new().await;
    let made = world.send(with(&json!({})).key(&world.org.test_admin)).await.expect(201);
    let (id, url) = (text(&made, "id"), text(&made, "url"));
    let token = url.split_once('#').unwrap().1;
    assert!(id.starts_with("onb_test_"));
    let begun = world.send(Call::put("/v1/onboarding/signup").key(token)).await;
    let cookie = begun.header("set-cookie").unwrap().to_owned();
    assert!(cookie.starts_with("__Host-onboarding="), "{cookie}");
    assert!(cookie.ends_with("; Path=/; Secure; HttpOnly; SameSite=Lax"), "{cookie}");
    let (cookie, state) = begun_onboarding(&world, token).await;
    let done = world.send(complete(token, &cookie, "code", &state)).await.expect(200);
    let next = format!("https://example.com/done?a=b&id={id}&state=c+7");
    assert_eq!((&done["status"], &done["continueUrl"]), (&json!("COMPLETED"), &json!(next)));
    let link = shown(&world, &id).await;
    let profile = text(&link, "profileId");
    let profile =
        world.admin(Call::get(format!("/v1/organization/chat/business-profiles/{profile}"))).await.expect(200);
    assert_eq!(profile["isTestProfile"], true);
    // The same request has the same outcome; everything else finds the link used.
    assert_eq!(world.send(complete(token, &cookie, "code", &state)).await.expect(200), done);
    world.send(complete(token, &cookie, "other", &state)).await.refused(422, Some("code"), None);
    world.send(complete(token, "", "code", &state)).await.refused(422, Some("state"), None);
    world.send(Call::put("/v1/onboarding/signup").key(token)).await.refused(409, Some("onboardingLinkId"), None);
    assert_eq!(world.admin(Call::delete(format!("{LINKS}/{id}"))).await.expect(200), link);
    assert!(world.platform.state().seen.is_empty());
}

#[tokio::test]
async fn a_foreign_state_code_or_browser_connects_nothing() {
    let world = World::new().await;
    let (id, token) = onboarding_link(&world).await;
    let (_, other) = onboarding_link(&world).await;
    let (first_cookie, first_state) = begun_onboarding(&world, &token).await;
    let (other_cookie, other_state) = begun_onboarding(&world, &other).await;
    let (cookie, state) = begun_onboarding(&world, &token).await;
    for (cookie, state) in [
        (first_cookie.as_str(), first_state.as_str()),
        (cookie.as_str(), first_state.as_str()),
        (first_cookie.as_str(), state.as_str()),
        (other_cookie.as_str(), other_state.as_str()),
        (cookie.as_str(), other_state.as_str()),
        ("", state.as_str()),
    ] {
        world.send(complete(&token, cookie, "code", state)).await.refused(422, Some("state"), None);
    }
    let forged = tests::request::altered(&token);
    world.send(complete(&forged, &cookie, "code", &state)).await.unauthenticated("Invalid API key");
    assert_eq!(shown(&world, &id).await["status"], "PENDING");
    // The attempts with another state have used nothing up.
    world.send(complete(&token, &cookie, "code", &state)).await.expect(200);
}

/// A refused code is one of five attempts. Each needs a signup of its own, because the platform accepts a code once.
#[tokio::test]
async fn five_refused_codes_end_a_link() {
    let world = World::new().await;
    let (id, token) = onboarding_link(&world).await;
    let signup = || Call::put("/v1/onboarding/signup").key(&token);
    for attempt in 1..=4 {
        let (cookie, state) = begun_onboarding(&world, &token).await;
        let call = || complete(&token, &cookie, "refused", &state);
        let refused = world.send(call()).await;
        let error = refused.refused(422, Some("code"), Some("platform_api_error"));
        let hints = error["error"]["additional_info"].to_string();
        assert!(hints.contains(&format!("attempt {attempt} of 5")), "{hints}");
        // The same request has the same outcome, and is no other attempt.
        for _ in 0..3 {
            assert_eq!(world.send(call()).await.refused(422, Some("code"), Some("platform_api_error")), error);
        }
        assert_eq!(shown(&world, &id).await["status"], "PENDING", "attempt {attempt}");
        let page = world.send(Call::get("/v1/onboarding").key(&token)).await.expect(200);
        assert_eq!((&page["status"], page.get("error")), (&json!("PENDING"), None));
    }
    let (cookie, state) = begun_onboarding(&world, &token).await;
    let call = || complete(&token, &cookie, "refused", &state);
    let refused = world.send(call()).await.expect(200);
    assert_eq!((&refused["status"], &refused["error"]["code"]), (&json!("FAILED"), &json!("platform_api_error")));
    let next = text(&refused, "continueUrl");
    assert_eq!(next, format!("https://example.com/failed?id={id}&error=platform_api_error"));
    assert_eq!(world.send(call()).await.expect(200), refused);
    assert_eq!(shown(&world, &id).await["error"], refused["error"]);
    world.send(signup()).await.refused(409, Some("onboardingLinkId"), None);
}

/// Whatever was refused before: the next signup connects the account, and the link can still be cancelled.
#[tokio::test]
async fn a_link_works_after_a_refused_code() {
    let world = World::new().await;
    for ending in ["completed", "cancelled", "expired"] {
        let (id, token) = onboarding_link(&world).await;
        let (cookie, state) = begun_onboarding(&world, &token).await;
        let refused = world.send(complete(&token, &cookie, "refused", &state)).await;
        refused.refused(422, Some("code"), Some("platform_api_error"));
        match ending {
            "completed" => {
                let (cookie, state) = begun_onboarding(&world, &token).await;
                let code = format!("code.{}", fresh_account());
                let done = world.send(complete(&token, &cookie, &code, &state)).await.expect(200);
                assert_eq!(done["status"], "COMPLETED");
            }
            "cancelled" => {
                let cancelled = world.send(Call::post("/v1/onboarding/cancel").key(&token)).await.expect(200);
                assert_eq!(cancelled["status"], "CANCELLED");
            }
            _ => {
                world.clock.advance(Duration::from_secs(86_401));
                assert_eq!(shown(&world, &id).await["status"], "EXPIRED");
            }
        }
    }
}

#[tokio::test]
async fn a_customer_can_cancel() {
    let world = World::new().await;
    let (id, token) = onboarding_link(&world).await;
    let (cookie, state) = begun_onboarding(&world, &token).await;
    let cancelled = world.send(Call::post("/v1/onboarding/cancel").key(&token)).await.expect(200);
    assert_eq!(cancelled["continueUrl"], format!("https://example.com/failed?id={id}&error=cancelled"));
    assert_eq!(world.send(Call::post("/v1/onboarding/cancel").key(&token)).await.expect(200), cancelled);
    world.send(complete(&token, &cookie, "code", &state)).await.refused(409, Some("onboardingLinkId"), None);
    assert_eq!(shown(&world, &id).await["status"], "CANCELLED");
}

#[tokio::test]
async fn a_live_link_sends_the_exact_requests_and_no_secret_is_logged() {
    let logs = Captured::start();
    let world = World::new().await;
    world.platform.account("7301", &[("73011", "+12015557301")]);
    let made = world.admin(with(&json!({"isCoexistence": true}))).await.expect(201);
    let token = text(&made, "url").split_once('#').unwrap().1.to_owned();
    let begun = world.send(Call::put("/v1/onboarding/signup").key(&token)).await;
    let cookie = begun.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
    let url = text(&begun.expect(200), "url");
    let back = format!("{}/onboarding", tests::settings::API_URL);
    let encoded = back.replace(':', "%3A").replace('/', "%2F");
    assert!(url.starts_with("https://www.facebook.com/v"), "{url}");
    for part in [
        format!("/dialog/oauth?client_id={APP_ID}&redirect_uri={encoded}&state="),
        format!("&response_type=code&config_id={}&", tests::settings::SIGNUP_CONFIGURATION),
        "whatsapp_business_app_onboarding".to_owned(),
    ] {
        assert!(url.contains(&part), "{part} in {url}");
    }
    let state = url.split_once("state=").unwrap().1.split('&').next().unwrap();
    let id = text(&made, "id");
    // The platform fails before anything changes: the link stays open and can be cancelled. After the account has been
    // subscribed, it can only be continued.
    let send = || world.send(complete(&token, &cookie, "code.7301", state));
    world.platform.misbehave("oauth/access_token", Misbehave::Status(500, error(1, "unknown").to_string()), 9);
    send().await.refused(502, None, Some("platform_api_error"));
    world.platform.state().misbehave.clear();
    for path in ["oauth/access_token", "subscribed_apps"] {
        world.platform.misbehave(path, Misbehave::Status(500, error(2, "down").to_string()), 9);
    }
    send().await.refused(503, None, Some("platform_api_unavailable"));
    assert!(shown(&world, &id).await["status"] == "PENDING" && connected(&world, "7301").await.is_none());
    world.platform.state().misbehave.retain(|(path, ..)| path != "oauth/access_token");
    send().await.refused(503, None, Some("platform_api_unavailable"));
    assert!(shown(&world, &id).await["status"] == "PENDING" && connected(&world, "7301").await.is_none());
    world.platform.state().misbehave.clear();
    let done = send().await.expect(200);
    assert_eq!(done["status"], "COMPLETED");
    let profile = connected(&world, "7301").await.unwrap();
    assert_eq!(shown(&world, &id).await["profileId"], profile["id"]);
    let exchanged = world.platform.seen("oauth/access_token");
    let worked = exchanged.iter().filter(|seen| seen.misbehaviour.is_none()).collect::<Vec<_>>();
    assert_eq!((worked.len(), worked[0].query["redirect_uri"].as_str()), (1, back.as_str()));
    assert!(world.platform.seen("register").is_empty());
    let (log, secret) = (logs.everything(), cookie.split_once('=').unwrap().1);
    assert!(!log.contains(&token) && !log.contains(state) && !log.contains(secret) && !log.contains("code.7301"));
}

#[tokio::test]
async fn an_installation_without_signup_has_test_links_only() {
    let mut world = World::new().await;
    let made = world.admin(with(&json!({"test": false}))).await.expect(201);
    let token = text(&made, "url").split_once('#').unwrap().1.to_owned();
    world.close_signup();
    world.send(Call::put("/v1/onboarding/signup").key(&token)).await.refused(422, Some("test"), None);
    world.admin(with(&json!({"test": false}))).await.refused(422, Some("test"), None);
    let (_, token) = onboarding_link(&world).await;
    begun_onboarding(&world, &token).await;
}

/// Stops a completion after so many of its AWS calls. Returns whether it was stopped; otherwise it has completed the link.
async fn stopped(world: &World, call: Call, calls: u32) -> bool {
    world.faults.set(Fault::StoppedAfter(calls));
    let reply = tokio::select! {
        reply = world.send(call) => Some(reply),
        () = world.faults.struck() => None,
    };
    world.faults.clear();
    // The turn and the lease of a stopped request end.
    world.clock.advance(Duration::from_secs(61));
    reply.map(|reply| assert_eq!(reply.expect(200)["status"], "COMPLETED")).is_none()
}

/// The process stops after each of its AWS calls in turn; the same request always completes the link.
#[tokio::test]
async fn a_stop_after_any_step_is_made_good_by_the_same_request() {
    let world = World::new().await;
    let mut stops = 0;
    for step in 0.. {
        let (id, token) = onboarding_link(&world).await;
        let (cookie, state) = begun_onboarding(&world, &token).await;
        let code = format!("code.{}", fresh_account());
        let call = || complete(&token, &cookie, &code, &state);
        if !stopped(&world, call(), step).await {
            break;
        }
        stops += 1;
        let done = world.send(call()).await.expect(200);
        assert_eq!(done["status"], "COMPLETED", "step {step}");
        assert_eq!(shown(&world, &id).await["status"], "COMPLETED", "step {step}");
        world.clock.advance(Duration::from_secs(3600));
    }
    assert!(stops > 10, "{stops} steps");
}

/// After a stop at any step, a link is cancelled only if nothing of the account is connected, and does not expire while the
/// account may be half connected. The link is completed in the transaction that connects the account.
#[tokio::test]
async fn a_link_that_connects_an_account_is_neither_cancelled_nor_expired() {
    let world = World::new().await;
    let (mut outcomes, mut step) = (Vec::new(), 0);
    loop {
        let account = format!("81{step:02}");
        world.platform.account(&account, &[(&format!("{account}1"), &format!("+1201555{account}"))]);
        let made = world.admin(with(&json!({"test": false, "expiresIn": 900}))).await.expect(201);
        let (id, token) = (text(&made, "id"), text(&made, "url").split_once('#').unwrap().1.to_owned());
        let (cookie, state) = begun_onboarding(&world, &token).await;
        let call = || complete(&token, &cookie, &format!("code.{account}"), &state);
        if !stopped(&world, call(), step).await {
            break;
        }
        let by_admin = Call::delete(format!("{LINKS}/{id}"));
        let by_customer = Call::post("/v1/onboarding/cancel").key(&token);
        let reply = if step % 2 == 0 { world.admin(by_admin).await } else { world.send(by_customer).await };
        let profile = connected(&world, &account).await;
        let is_connected = profile.as_ref().is_some_and(|profile| profile["onboardingCompletedAt"].is_string());
        if reply.status == 409 {
            assert!(!is_connected, "step {step}");
            world.send(Call::put("/v1/onboarding/signup").key(&token)).await.refused(
                409,
                Some("onboardingLinkId"),
                None,
            );
            // Past the expiry of the link, the same request still completes it.
            world.clock.advance(Duration::from_secs(86_400 - 200));
            assert_eq!(shown(&world, &id).await["status"], "PENDING", "step {step}");
            if step % 2 == 0 {
                assert_eq!(world.send(call()).await.expect(200)["status"], "COMPLETED", "step {step}");
            } else {
                world.clock.advance(Duration::from_secs(400));
                let link = shown(&world, &id).await;
                assert_eq!((&link["status"], &link["error"]["code"]), (&json!("FAILED"), &json!("signup_failed")));
            }
            outcomes.push("refused");
        } else if reply.expect(200)["status"] == "COMPLETED" {
            assert!(is_connected, "step {step}");
            outcomes.push("completed");
        } else {
            assert!(profile.is_none(), "step {step}");
            world.send(call()).await.refused(409, Some("onboardingLinkId"), None);
            outcomes.push("cancelled");
        }
        world.clock.advance(Duration::from_secs(3600));
        step += 1;
    }
    outcomes.dedup();
    assert_eq!(outcomes, ["cancelled", "refused", "completed"], "{step} steps");
}
