//! Signups with a link: they complete it, fail, or are cancelled.

use std::time::Duration;

use serde_json::json;
use tests::catalogue::{PROFILES, begun_onboarding, fresh_account, onboarding_link};
use tests::logs::Captured;
use tests::request::{altered, text};
use tests::settings::{API_URL, SIGNUP_CONFIGURATION};
use tests::standin::{APP_ID, Misbehave, error};
use tests::{Call, Service as _, World};

use super::{LINKS, complete, connected, shown, token_of, with};
use crate::chat::assert_fields;

#[tokio::test]
async fn a_customer_connects_an_account_in_test_mode() {
    let world = World::new().await;
    let made = world.send(with(&json!({})).key(&world.org.test_admin)).await.expect(201);
    let (id, token) = (text(&made, "id"), token_of(&made));
    assert!(id.starts_with("onb_test_"));

    let begun = world.send(Call::put("/v1/onboarding/signup").key(&token)).await;
    let cookie = begun.header("set-cookie").unwrap().to_owned();
    assert!(cookie.starts_with("__Host-onboarding="), "{cookie}");
    assert!(cookie.ends_with("; Path=/; Secure; HttpOnly; SameSite=Lax"), "{cookie}");

    let (cookie, state) = begun_onboarding(&world, &token).await;
    let done = world.send(complete(&token, &cookie, "code", &state)).await.expect(200);
    let next = format!("https://example.com/done?a=b&id={id}&state=c+7");
    assert_fields(&done, &json!({"status": "COMPLETED", "continueUrl": next}));
    let link = shown(&world, &id).await;
    let profile = world.admin(Call::get(format!("{PROFILES}/{}", text(&link, "profileId")))).await.expect(200);
    assert_eq!(profile["isTestProfile"], true);

    // The same request has the same outcome; everything else finds the link used.
    assert_eq!(world.send(complete(&token, &cookie, "code", &state)).await.expect(200), done);
    world.send(complete(&token, &cookie, "other", &state)).await.refused(422, Some("code"), None);
    world.send(complete(&token, "", "code", &state)).await.refused(422, Some("state"), None);
    world.send(Call::put("/v1/onboarding/signup").key(&token)).await.refused(409, Some("onboardingLinkId"), None);
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

    world.send(complete(&altered(&token), &cookie, "code", &state)).await.unauthenticated("Invalid API key");
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

        let error = world.send(call()).await.refused(422, Some("code"), Some("platform_api_error"));
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
    let next = format!("https://example.com/failed?id={id}&error=platform_api_error");
    assert_fields(&refused, &json!({"status": "FAILED", "continueUrl": next}));
    assert_eq!(refused["error"]["code"], "platform_api_error");
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
    let (id, token) = (text(&made, "id"), token_of(&made));

    // The URL of the platform's dialog.
    let begun = world.send(Call::put("/v1/onboarding/signup").key(&token)).await;
    let cookie = begun.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
    let url = text(&begun.expect(200), "url");
    let back = format!("{API_URL}/onboarding");
    let encoded = back.replace(':', "%3A").replace('/', "%2F");
    assert!(url.starts_with("https://www.facebook.com/v"), "{url}");
    for part in [
        format!("/dialog/oauth?client_id={APP_ID}&redirect_uri={encoded}&state="),
        format!("&response_type=code&config_id={SIGNUP_CONFIGURATION}&"),
        "&extras=%7B%22featureType%22%3A%22whatsapp_business_app_onboarding%22%2C%22version%22%3A%22v4%22%7D"
            .to_owned(),
    ] {
        assert!(url.contains(&part), "{part} in {url}");
    }

    let state = url.split_once("state=").unwrap().1.split('&').next().unwrap();

    // The platform fails before anything changes: the link stays open and can be cancelled. After the account has been
    // subscribed, it can only be continued.
    let send = || world.send(complete(&token, &cookie, "code.7301", state));
    let is_open = async || shown(&world, &id).await["status"] == "PENDING" && connected(&world, "7301").await.is_none();
    world.platform.misbehave("oauth/access_token", Misbehave::Status(500, error(1, "unknown").to_string()), 9);
    send().await.refused(502, None, Some("platform_api_error"));

    world.platform.state().misbehave.clear();
    for path in ["oauth/access_token", "subscribed_apps"] {
        world.platform.misbehave(path, Misbehave::Status(500, error(2, "down").to_string()), 9);
    }
    send().await.refused(503, None, Some("platform_api_unavailable"));
    assert!(is_open().await);

    world.platform.state().misbehave.retain(|(path, ..)| path != "oauth/access_token");
    send().await.refused(503, None, Some("platform_api_unavailable"));
    assert!(is_open().await);

    world.platform.state().misbehave.clear();
    assert_eq!(send().await.expect(200)["status"], "COMPLETED");
    let profile = connected(&world, "7301").await.unwrap();
    assert_eq!(shown(&world, &id).await["profileId"], profile["id"]);

    let exchanged = world.platform.seen("oauth/access_token");
    let worked = exchanged.iter().filter(|seen| seen.misbehaviour.is_none()).collect::<Vec<_>>();
    assert_eq!((worked.len(), worked[0].query["redirect_uri"].as_str()), (1, back.as_str()));
    assert!(world.platform.seen("register").is_empty());

    let (log, secret) = (logs.everything(), cookie.split_once('=').unwrap().1);
    assert!(!log.contains(&token) && !log.contains(state) && !log.contains(secret) && !log.contains("code.7301"));
}
