//! Onboarding links, in test mode, and the signup of their customers.

use serde_json::json;

use super::Case;
use super::Policy::{Admin, Link};
use super::chat::fresh_account;
use crate::request::{Call, text};
use crate::world::Service;

const LINKS: &str = "/v1/organization/chat/onboarding-links";
const LINK: &str = "/v1/organization/chat/onboarding-links/{onboardingLinkId}";
const STATE: &str = "/v1/onboarding";
const SIGNUP: &str = "/v1/onboarding/signup";
const COMPLETE: &str = "/v1/onboarding/complete";
const CANCEL: &str = "/v1/onboarding/cancel";

pub(super) async fn cases(service: &impl Service) -> Vec<Case> {
    let (shown, _) = onboarding_link(service).await;
    let (doomed, _) = onboarding_link(service).await;
    let (_, given_up_token) = onboarding_link(service).await;
    let (_, used_token) = onboarding_link(service).await;
    let (_, open_token) = onboarding_link(service).await;
    let (cookie, state) = begun_onboarding(service, &used_token).await;

    let new = json!({
        "successUrl": "https://example.com/done", "failureUrl": "https://example.com/failed", "state": "customer-7",
        "metadata": {"plan": "gold"}, "test": true,
    });
    let completion = json!({"code": format!("code.{}", fresh_account()), "state": state});
    [
        Case::get(Admin, LINKS, &[]),
        Case::post(Admin, LINKS, &[]).json(&new).created(),
        Case::get(Admin, LINK, &[&shown]),
        Case::delete(Admin, LINK, &[&doomed]),
        Case::get(Link, STATE, &[]).token(&open_token),
        Case::put(Link, SIGNUP, &[]).token(&open_token),
        Case::post(Link, COMPLETE, &[])
            .token(&used_token)
            .with(|call| call.header("cookie", &cookie))
            .json(&completion),
        Case::post(Link, CANCEL, &[]).token(&given_up_token),
    ]
    .into_iter()
    .map(Case::in_test_mode)
    .collect()
}

/// Creates a test link, and returns its id and token.
pub async fn onboarding_link(service: &impl Service) -> (String, String) {
    let body =
        json!({"successUrl": "https://example.com/done", "failureUrl": "https://example.com/failed", "test": true});
    let made = service.admin(Call::post(LINKS).json(&body)).await.expect(201);
    let token = text(&made, "url").split_once('#').unwrap().1.to_owned();
    (text(&made, "id"), token)
}

/// Begins a signup with a link, and returns the cookie and the state.
pub async fn begun_onboarding(service: &impl Service, token: &str) -> (String, String) {
    let reply = service.send(Call::put(SIGNUP).key(token)).await;
    let cookie = reply.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
    let url = text(&reply.expect(200), "url");
    let (_, state) = url.split_once("state=").unwrap();
    (cookie, state.split('&').next().unwrap().to_owned())
}
