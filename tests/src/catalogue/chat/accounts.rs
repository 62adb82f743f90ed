//! Simulated accounts and their numbers.

use std::sync::atomic::{AtomicU64, Ordering};

use domain::port::{Clock as _, SystemClock};
use serde_json::{Value, json};

use super::super::Case;
use super::super::Policy::{Admin, Member};
use super::NUMBERS;
use super::templates::SYNC;
use crate::request::{Call, text};
use crate::world::Service;

pub const SIGNUP: &str = "/v1/organization/chat/business-profiles/callback";
pub const PROFILES: &str = "/v1/organization/chat/business-profiles";
const PROFILE: &str = "/v1/organization/chat/business-profiles/{profileId}";
const CHECK: &str = "/v1/organization/chat/platform-check";
const NUMBER: &str = "/v1/organization/chat/phone-numbers/{chatPhoneNumberId}";
const REQUEST_CODE: &str = "/v1/organization/chat/phone-numbers/{chatPhoneNumberId}/request-code";
const VERIFY_CODE: &str = "/v1/organization/chat/phone-numbers/{chatPhoneNumberId}/verify-code";
const REGISTER: &str = "/v1/organization/chat/phone-numbers/{chatPhoneNumberId}/register";
const DEREGISTER: &str = "/v1/organization/chat/phone-numbers/{chatPhoneNumberId}/deregister";
const PIN: &str = "/v1/organization/chat/phone-numbers/{chatPhoneNumberId}/pin";

pub(super) async fn cases(service: &impl Service, profile: &str, number: &str, unregistered: &Value) -> Vec<Case> {
    let account = fresh_account();
    let signup = json!({"code": format!("code.{account}"), "wabaId": account, "test": true});
    let account = fresh_account();
    let token = json!({"accessToken": format!("token.{account}"), "wabaId": account, "test": true});
    let doomed = text(&simulated_profile(service, &fresh_account(), false).await, "id");

    vec![
        Case::get(Member, PROFILES, &[]),
        Case::post(Admin, SIGNUP, &[]).json(&signup).created(),
        Case::post(Admin, PROFILES, &[]).json(&token).created(),
        Case::delete(Admin, PROFILE, &[&doomed]),
        Case::get(Admin, PROFILE, &[profile]),
        Case::get(Admin, CHECK, &[]).query(&format!("profileId={profile}")).naming_an_object(),
        Case::get(Member, NUMBERS, &[]),
        Case::post(Admin, NUMBERS, &[]).json(unregistered).created().naming_an_object(),
        Case::get(Member, NUMBER, &[number]),
    ]
}

/// Cases for the verification of a number and the registration of another. No other case uses them.
pub(super) async fn life_of_a_number(service: &impl Service) -> Vec<Case> {
    let profile = simulated_profile(service, &fresh_account(), false).await;
    let number = text(verified_number(&profile), "id");
    let unverified = profile["phoneNumbers"].as_array().unwrap().iter().find(|number| number["verified"] == false);
    let unverified = text(unverified.unwrap(), "id");
    let code = json!({"codeMethod": "SMS", "language": "en_US"});
    let pin = json!({"pin": "482915"});

    vec![
        Case::post(Admin, REQUEST_CODE, &[&unverified]).json(&code),
        Case::post(Admin, VERIFY_CODE, &[&unverified]).json(&json!({"code": "123830"})),
        Case::put(Admin, PIN, &[&number]).json(&pin),
        Case::post(Admin, DEREGISTER, &[&number]),
        Case::post(Admin, REGISTER, &[&number]).json(&pin),
    ]
}

/// Connects a new simulated account.
pub async fn simulated_profile(service: &impl Service, account: &str, is_coexistence: bool) -> Value {
    let body =
        json!({"code": format!("code.{account}"), "wabaId": account, "test": true, "isCoexistence": is_coexistence});
    service.admin(Call::post(SIGNUP).json(&body)).await.expect(201)
}

/// A simulated account whose third number is not registered yet. Returns the account's id and the number.
pub async fn number_that_came_later(service: &impl Service) -> (String, String) {
    let account = fresh_account();
    let profile = simulated_profile(service, &account, false).await;
    let sync = json!({"chatBusinessProfileId": profile["id"]});
    service.admin(Call::post(SYNC).json(&sync)).await.expect(200);
    // The three numbers of an account are consecutive.
    let first: u64 = text(verified_number(&profile), "displayPhoneNumber")[1..].parse().unwrap();
    (account, format!("+{}", first + 2))
}

/// The body that registers the third number of an account.
pub(super) fn registration(account: &str, number: &str) -> Value {
    json!({
        "displayPhoneNumber": number,
        "providerPhoneNumberId": format!("{account}03"),
        "providerBusinessAccountId": account,
    })
}

/// The account's number that can be registered. While the test clock stands still, the list's order is undefined.
pub fn verified_number(profile: &Value) -> &Value {
    profile["phoneNumbers"].as_array().unwrap().iter().find(|number| number["verified"] == true).unwrap()
}

/// The id of the chat number that the test app was created with.
pub(in crate::catalogue) async fn number_of_test_app(service: &impl Service) -> String {
    let app = &service.org().test_app;
    let numbers = service.admin(Call::get(format!("{NUMBERS}?limit=100"))).await.expect(200);
    let is_own = |number: &&Value| number["apps"][0]["appId"] == app.as_str();
    text(numbers["data"].as_array().unwrap().iter().find(is_own).unwrap(), "id")
}

/// The id of an unused account.
pub fn fresh_account() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    format!("2{}{:03}", SystemClock.now().millis(), NEXT.fetch_add(1, Ordering::SeqCst) % 1000)
}
