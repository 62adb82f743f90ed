//! Members of the organization, signing in, and sessions.

use serde_json::{Value, json};

use super::Case;
use super::Policy::{Admin, Member, SignInLink, SignedIn};
use crate::request::{Call, text};
use crate::world::Service;

pub const MEMBERS: &str = "/v1/organization/members";
const MEMBER: &str = "/v1/organization/members/{memberId}";
const LINK: &str = "/v1/organization/members/{memberId}/sign-in-link";
pub const SIGN_IN: &str = "/v1/sign-in/link";
pub const SESSION: &str = "/v1/session";
pub const SESSION_KEY: &str = "/v1/session/key";

pub(super) async fn cases(service: &impl Service) -> Vec<Case> {
    let ann = member(service, "ann@example.com", "DEVELOPER").await;
    let bob = member(service, "bob@example.com", "VIEWER").await;
    let shown = sign_in_token(service, &ann).await;
    let session = session_of(service, &sign_in_token(service, &ann).await).await;
    let renewed = session_of(service, &sign_in_token(service, &ann).await).await;
    let new = json!({"email": "eve@example.com", "role": "SUPPORT", "name": "Eve"});

    vec![
        Case::get(Member, MEMBERS, &[]),
        Case::post(Admin, MEMBERS, &[]).json(&new).created(),
        Case::get(Member, MEMBER, &[&ann]),
        Case::post(Admin, LINK, &[&ann]).created(),
        Case::get(SignInLink, SIGN_IN, &[]).token(&shown),
        Case::get(SignedIn, SESSION, &[]).token(&session),
        Case::post(SignedIn, SESSION_KEY, &[]).token(&session).json(&json!({"mode": "test"})).created(),
        Case::put(SignedIn, SESSION, &[]).token(&renewed).json(&json!({"memberId": ann})),
        Case::delete(SignedIn, SESSION, &[]).token(&session),
        Case::patch(Admin, MEMBER, &[&ann]).json(&json!({"name": "Ann", "role": "VIEWER"})),
        Case::delete(Admin, MEMBER, &[&bob]),
    ]
}

/// Creates a member with a role, and returns the id.
pub async fn member(service: &impl Service, email: &str, role: &str) -> String {
    let body = json!({"email": email, "role": role});
    text(&service.admin(Call::post(MEMBERS).json(&body)).await.expect(201), "id")
}

/// Creates a link for a member with the admin key, and returns its token.
pub async fn sign_in_token(service: &impl Service, member: &str) -> String {
    let made = service.admin(Call::post(format!("{MEMBERS}/{member}/sign-in-link"))).await.expect(201);
    token_of(&made)
}

/// Returns the token of a link.
pub fn token_of(link: &Value) -> String {
    text(link, "url").split_once('#').unwrap().1.to_owned()
}

/// Signs in with a link, and returns the token of the session.
pub async fn session_of(service: &impl Service, token: &str) -> String {
    let body = json!({"token": token, "as": "bearer"});
    text(&service.send(Call::post(SIGN_IN).json(&body)).await.expect(200), "sessionToken")
}
