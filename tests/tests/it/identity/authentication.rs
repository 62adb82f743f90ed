//! The rules of authentication (docs/specification.md).

use domain::identity::credential::Bearer;
use domain::identity::credential_kind::CredentialKind;
use ring::rand::SystemRandom;
use serde_json::json;
use tests::request::text;
use tests::{Call, Service as _, World};

const SETTINGS: &str = "/v1/organization/settings";

#[tokio::test]
async fn the_three_plain_answers() {
    let world = World::new().await;
    let admin = &world.org.admin;
    world.send(Call::get(SETTINGS)).await.unauthenticated("Missing Authorization header");
    for header in ["", "Bearer", "Bearer ", "Basic abc", admin.as_str()] {
        let call = Call::get(SETTINGS).header("authorization", header);
        world.send(call).await.unauthenticated("Missing Authorization header: expected \"Bearer <key>\"");
    }
    let mut damaged = admin.clone();
    damaged.replace_range(30..31, if &admin[30..31] == "x" { "y" } else { "x" });
    for key in ["x", "sk_admin_", "sk_live_app_abc", &damaged, &format!("{admin}x"), "é", "a b"] {
        let call = Call::get(SETTINGS).header("authorization", "placeholder");
        let mut call = call;
        call.headers
            .insert("authorization", http::HeaderValue::from_bytes(format!("Bearer {key}").as_bytes()).unwrap());
        world.send(call).await.unauthenticated("Invalid API key");
    }
    for key in [&world.org.app_key, &world.org.test_app_key, &world.org.session] {
        world.send(Call::get(SETTINGS).key(key)).await.wrong_kind(key);
    }
    let takes = "Invalid credentials: this operation takes ";
    for (call, key, kinds) in [
        (
            Call::get(SETTINGS),
            &world.org.test_app_key,
            "an admin key (sk_admin_...), but this is a test app key (sk_test_app_...).",
        ),
        (
            Call::get("/v1/organization/apps"),
            &world.org.app_key,
            "an admin key (sk_admin_...) or a session token (session_...), but this is a live app key (sk_live_app_...).",
        ),
        (
            Call::get("/v1/media/x"),
            admin,
            "a live app key (sk_live_app_...) or a test app key (sk_test_app_...), but this is an admin key (sk_admin_...).",
        ),
        (
            Call::get("/v1/playground/phone-numbers/system"),
            &world.org.session,
            "a test app key (sk_test_app_...), but this is a session token (session_...).",
        ),
    ] {
        world.send(call.key(key)).await.unauthenticated(&format!("{takes}{kinds}"));
    }
    for scheme in ["bearer", "BEARER", "Bearer  "] {
        world.send(Call::get(SETTINGS).header("authorization", &format!("{scheme} {admin}"))).await.expect(200);
    }
}

/// A key with a valid form and checksum that was never issued.
#[tokio::test]
async fn a_well_formed_key_that_was_never_issued_is_invalid() {
    let world = World::new().await;
    let organization = world.org.id.parse().unwrap();
    for kind in [CredentialKind::AdminKey, CredentialKind::AppKey(domain::Mode::Live)] {
        let forged = Bearer::mint(kind, &organization, &SystemRandom::new());
        world.send(Call::get(SETTINGS).key(forged.secret.expose())).await.unauthenticated("Invalid API key");
    }
}

#[tokio::test]
async fn the_credential_is_judged_before_everything_else() {
    let world = World::new().await;
    let body = json!({"nonsense": true});
    for call in [
        Call::get("/v1/organization/apps/not-an-id/webhooks/neither"),
        Call::post("/v1/organization/apps/not-an-id/webhooks").json(&body),
        Call::post("/v1/media").bytes("x"),
        Call::get("/v1/organization/apps?limit=x"),
        Call::post("/v1/organization/apps").header("idempotency-key", "").header("content-type", "text/plain"),
    ] {
        world.send(call.clone()).await.unauthenticated("Missing Authorization header");
        world.send(call.key("nope")).await.unauthenticated("Invalid API key");
    }
}

#[tokio::test]
async fn sessions_read_on_the_level_of_the_organization_and_end() {
    let world = World::new().await;
    let made = world
        .operate(json!({"operation": "createSession", "organizationId": world.org.id, "expiresIn": 60}))
        .await
        .unwrap();
    let token = text(&made, "sessionToken");
    let apps = || Call::get("/v1/organization/apps").key(&token);
    world.send(apps()).await.expect(200);
    world.send(Call::post("/v1/organization/apps").key(&token).json(&json!({"name": "x"}))).await.wrong_kind(&token);
    world.clock.advance(std::time::Duration::from_secs(61));
    world.send(apps()).await.unauthenticated("Invalid API key");
    let other = world.operate(json!({"operation": "createSession", "organizationId": world.org.id})).await.unwrap();
    let token = text(&other, "sessionToken");
    world.send(Call::get("/v1/organization/apps").key(&token)).await.expect(200);
    world.operate(json!({"operation": "revokeSession", "sessionToken": token})).await.unwrap();
    world.send(Call::get("/v1/organization/apps").key(&token)).await.unauthenticated("Invalid API key");
}

/// Objects that are read together with the credential cause the same response whether they exist or not.
#[tokio::test]
async fn a_forged_key_learns_nothing_of_what_is_read_beside_it() {
    let world = World::new().await;
    let organization = world.org.id.parse().unwrap();
    let forged = |kind| Bearer::mint(kind, &organization, &SystemRandom::new()).secret.expose().to_owned();
    let admin = forged(CredentialKind::AdminKey);
    let app_key = forged(CredentialKind::AppKey(domain::Mode::Live));
    let file =
        world.send(Call::post("/v1/media").key(&world.org.app_key).file("a.png", None, tests::samples::PNG)).await;
    let media = tests::request::text(&file.expect(201), "id");
    let unknown = "app_0ujtsYcgvSTl8PAuAdqWYSMnLOv";
    for (key, path) in [
        (&admin, format!("/v1/organization/apps/{}", world.org.app)),
        (&admin, format!("/v1/organization/apps/{unknown}")),
        (&admin, "/v1/organization/apps/nonsense".to_owned()),
        (&admin, format!("/v1/organization/apps/{}/calling", world.org.app)),
        (&admin, "/v1/organization/settings".to_owned()),
        (&app_key, format!("/v1/media/{media}")),
        (&app_key, "/v1/media/nonsense".to_owned()),
    ] {
        world.send(Call::get(path).key(key)).await.unauthenticated("Invalid API key");
    }
    let doomed = Call::delete(format!("/v1/organization/apps/{}", world.org.app));
    world.send(doomed.key(&admin)).await.unauthenticated("Invalid API key");
    let bad = Call::put(format!("/v1/organization/apps/{unknown}/webhooks/nonsense")).bytes("{");
    world.send(bad.key(&admin)).await.unauthenticated("Invalid API key");
    world.admin(Call::get(format!("/v1/organization/apps/{}", world.org.app))).await.expect(200);
}

/// Malformed credentials must not cause any call of the table.
#[tokio::test]
async fn a_key_with_a_wrong_checksum_is_refused_without_asking_the_table() {
    let world = World::new().await;
    let org = &world.org;
    let app = format!("/v1/organization/apps/{}", org.app);
    for (key, call) in [
        (&org.admin, Call::get(SETTINGS)),
        (&org.admin, Call::get(&app)),
        (&org.admin, Call::delete(&app)),
        (&org.session, Call::get("/v1/organization/apps")),
        (&org.app_key, Call::post("/v1/media/uploads")),
        (&org.test_app_key, Call::get("/v1/playground/phone-numbers/system")),
    ] {
        let (start, end) = key.split_at(key.len() - 1);
        let damaged = format!("{start}{}", if end == "x" { "y" } else { "x" });
        world.faults.calls();
        world.send(call.clone().key(&damaged)).await.unauthenticated("Invalid API key");
        assert_eq!(world.faults.calls(), Vec::<String>::new(), "{call:?}");
    }
    world.admin(Call::get(&app)).await.expect(200);
}
