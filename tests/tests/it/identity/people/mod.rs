//! Members, signing in, and what sessions can and cannot do.

mod attacks;
pub(crate) mod issuer;
mod members;
mod removal;
mod roles;
mod session_keys;
mod sign_in;

use serde_json::{Value, json};
use tests::catalogue::{MEMBERS, SESSION, SESSION_KEY, SIGN_IN, session_of, token_of};
use tests::request::text;
use tests::{Call, Service as _, World};

/// The origin of the pages of the API under test.
const ORIGIN: &str = tests::settings::API_URL;

/// A member who is signed in.
struct Signed {
    member: String,
    session: String,
}

impl Signed {
    /// Returns an admin key of the session.
    async fn key(&self, world: &World, mode: &str) -> String {
        let call = Call::post(SESSION_KEY).key(&self.session).json(&json!({"mode": mode}));
        text(&world.send(call).await.expect(201), "key")
    }
}

/// Signs in a member whom the operator creates with a role.
async fn signed_in(world: &World, email: &str, role: &str) -> Signed {
    let token = operators_token(world, email, role).await;
    let begun = world.send(Call::post(SIGN_IN).json(&json!({"token": token, "as": "bearer"}))).await.expect(200);
    Signed { member: text(&begun, "memberId"), session: text(&begun, "sessionToken") }
}

/// Returns the token of a link that the operator creates.
async fn operators_token(world: &World, email: &str, role: &str) -> String {
    let request = json!({
        "operation": "createSignInLink", "organizationId": world.org.id, "email": email, "role": role,
    });
    token_of(&world.operate(request).await.unwrap())
}

/// Signs in as a page does, and returns the cookie.
async fn cookie_of(world: &World, token: &str) -> String {
    let call = Call::post(SIGN_IN).json(&json!({"token": token})).header("origin", ORIGIN);
    let reply = world.send(call).await;
    let cookie = reply.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
    reply.expect(200);
    cookie
}

async fn shown(world: &World, member: &str) -> Value {
    world.admin(Call::get(format!("{MEMBERS}/{member}"))).await.expect(200)
}

/// Whether a credential still works.
async fn works(world: &World, key: &str) -> bool {
    let path = if key.starts_with("session_") { SESSION } else { "/v1/organization/settings" };
    world.send(Call::get(path).key(key)).await.status == 200
}

#[tokio::test]
async fn a_session_of_the_operator_belongs_to_no_member() {
    let world = World::new().await;
    let refused = world.send(Call::get(SESSION).key(&world.org.session)).await.expect(403);
    assert!(refused["error"]["message"].as_str().unwrap().contains("operator"), "{refused}");
    let token = operators_token(&world, "ann@example.com", "OWNER").await;
    let session = session_of(&world, &token).await;
    assert!(works(&world, &session).await);
}
