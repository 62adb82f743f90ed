//! What others try with sessions: other sites, other organizations, other cookies, and other places.

use serde_json::json;
use tests::catalogue::{MEMBERS, SESSION, SESSION_KEY, SIGN_IN};
use tests::{Call, Service as _, World};

use super::{ORIGIN, cookie_of, operators_token, signed_in};

/// A cookie alone never acts: other sites cannot make a browser sign anybody in or out, or get a key.
#[tokio::test]
async fn a_request_from_another_site_is_refused() {
    let world = World::new().await;
    let token = operators_token(&world, "ann@example.com", "OWNER").await;
    let link = |origin: Option<&str>| {
        let call = Call::post(SIGN_IN).json(&json!({"token": token}));
        origin.map_or(call.clone(), |origin| call.header("origin", origin))
    };
    for origin in [None, Some("https://evil.example"), Some("null"), Some("https://api.example.com.evil.example")] {
        world.send(link(origin)).await.refused(403, Some("Origin"), None);
    }

    let cookie = cookie_of(&world, &token).await;
    for origin in [None, Some("https://evil.example"), Some("http://api.example.com")] {
        let with = |call: Call| {
            let call = call.header("cookie", &cookie);
            origin.map_or(call.clone(), |origin| call.header("origin", origin))
        };
        let key = Call::post(SESSION_KEY).json(&json!({"mode": "live"}));
        world.send(with(key)).await.refused(403, Some("Origin"), None);
        world.send(with(Call::delete(SESSION))).await.refused(403, Some("Origin"), None);
    }
    let get = |site: &str| Call::get(SESSION).header("cookie", &cookie).header("sec-fetch-site", site);
    for site in ["cross-site", "same-site"] {
        world.send(get(site)).await.refused(403, Some("Sec-Fetch-Site"), None);
    }
    for site in ["same-origin", "none"] {
        world.send(get(site)).await.expect(200);
    }
    // A form cannot send JSON.
    let form = Call::post(SESSION_KEY).header("cookie", &cookie).header("origin", ORIGIN);
    let form = form.bytes(br#"{"mode":"live"}"#).header("content-type", "text/plain");
    world.send(form).await.expect(415);
    let untyped = Call::delete(SESSION).header("cookie", &cookie).header("origin", ORIGIN);
    world.send(untyped).await.refused(415, Some("Content-Type"), None);
    world.send(Call::get(SESSION).header("cookie", &cookie)).await.expect(200);
}

/// No other operation accepts the cookie, and a session as a bearer token shows no contents and writes nothing.
#[tokio::test]
async fn a_session_replaces_no_key() {
    let world = World::new().await;
    let token = operators_token(&world, "ann@example.com", "OWNER").await;
    let cookie = cookie_of(&world, &token).await;
    for path in ["/v1/organization/settings", "/v1/organization/apps", MEMBERS] {
        let call = Call::get(path).header("cookie", &cookie).header("origin", ORIGIN);
        world.send(call).await.unauthenticated("Missing Authorization header");
    }
    let ann = signed_in(&world, "ann@example.com", "OWNER").await;
    world.send(Call::get("/v1/organization/apps").key(&ann.session)).await.expect(200);
    let create = Call::post("/v1/organization/apps").json(&json!({"name": "Eve's"}));
    world.send(create.key(&ann.session)).await.wrong_kind(&ann.session);
    // A viewer reads only what the role allows, with the token of the session, too.
    let viewer = signed_in(&world, "bob@example.com", "VIEWER").await;
    world.send(Call::get(MEMBERS).key(&viewer.session)).await.expect(403);
    world.send(Call::get("/v1/organization/apps").key(&viewer.session)).await.expect(200);
}

/// Nobody chooses the value of somebody else's session: signing in always makes a new one.
#[tokio::test]
async fn a_session_cannot_be_fixed() {
    let world = World::new().await;
    let first = cookie_of(&world, &operators_token(&world, "eve@example.com", "VIEWER").await).await;
    let token = operators_token(&world, "ann@example.com", "OWNER").await;
    let call = Call::post(SIGN_IN).json(&json!({"token": token})).header("origin", ORIGIN).header("cookie", &first);
    let reply = world.send(call).await;
    let set = reply.header("set-cookie").unwrap().to_owned();
    reply.expect(200);
    assert!(!set.contains(first.split('=').next_back().unwrap()), "{set}");
    for attribute in ["__Host-session=", "; Path=/", "; Secure", "; HttpOnly", "; SameSite=Strict"] {
        assert!(set.contains(attribute), "{set}");
    }
    assert!(!set.contains("Domain"), "{set}");
    let still = world.send(Call::get(SESSION).header("cookie", &first)).await.expect(200);
    assert_eq!(still["member"]["email"], "eve@example.com");
}

/// Members of one organization are strangers to another.
#[tokio::test]
async fn an_owner_has_no_power_elsewhere() {
    let world = World::new().await;
    let ann = signed_in(&world, "ann@example.com", "OWNER").await;
    let key = ann.key(&world, "live").await;
    let other = world.organization("Other").await;
    let made = Call::post(MEMBERS).key(&other.admin).json(&json!({"email": "bob@example.com", "role": "VIEWER"}));
    let theirs = tests::request::text(&world.send(made).await.expect(201), "id");
    let path = format!("{MEMBERS}/{theirs}");
    for call in [
        Call::get(&path),
        Call::patch(&path).json(&json!({"role": "ADMIN"})),
        Call::delete(&path),
        Call::post(format!("{path}/sign-in-link")),
    ] {
        world.send(call.key(&key)).await.refused(404, Some("memberId"), None);
    }
    let app = Call::post(SESSION_KEY).key(&ann.session).json(&json!({"appId": other.app}));
    world.send(app).await.refused(404, Some("appId"), None);
}
