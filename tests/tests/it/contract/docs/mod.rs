//! Operations without a credential: health, error codes, the document and the HTML pages; and what errors say.

mod codes;
mod console;
mod messages;
mod pages;
mod provider_codes;

use http::Method;
use serde_json::json;
use tests::faults::Fault;
use tests::{Call, Service as _, World};

#[tokio::test]
async fn health_needs_no_credential() {
    let world = World::new().await;
    let health = world.send(Call::get("/v1/health")).await.expect(200);
    assert_eq!(health, json!({"status": "ok", "version": env!("CARGO_PKG_VERSION")}));
}

/// The health check must not depend on the storage.
#[tokio::test]
async fn health_needs_no_storage() {
    let world = World::new().await;
    world.faults.calls();
    world.faults.set(Fault::TimedOut);
    world.send(Call::get("/v1/health")).await.expect(200);
    assert_eq!(world.faults.calls(), Vec::<String>::new());
}

/// The interface has a version of its own, whatever the version of the software is.
#[tokio::test]
async fn the_interface_has_version_1_0_0() {
    let world = World::new().await;
    assert_eq!(contract::document()["info"]["version"], "1.0.0");
    assert_eq!(world.send(Call::get("/v1/health")).await.expect(200)["version"], env!("CARGO_PKG_VERSION"));
    assert_ne!(env!("CARGO_PKG_VERSION"), "1.0.0", "this test distinguishes nothing any more");
}

#[tokio::test]
async fn unknown_paths_and_methods_are_answered_without_authentication() {
    let world = World::new().await;
    for path in [
        "/v1",
        "/v1/nope",
        "/v1/organization/settings/",
        "/v2/health",
        "/v1/health/x",
        "//",
        "/v1/organization/apps/a/b/c/d",
    ] {
        world.send(Call::get(path)).await.refused(404, None, None);
    }

    for (method, path, allow) in [
        (Method::PUT, "/v1/organization/settings", "GET, PATCH"),
        (Method::POST, "/v1/health", "GET"),
        (Method::GET, "/v1/media", "POST"),
        (Method::DELETE, "/v1/organization/apps", "GET, POST"),
        (Method::OPTIONS, "/v1/organization/apps/x/webhooks", "GET, POST"),
    ] {
        let reply = world.send(Call::new(method, path)).await;
        assert_eq!(reply.header("allow"), Some(allow), "{path}");
        reply.refused(405, None, None);
    }

    let head = world.send(Call::new(Method::HEAD, "/v1/health")).await;
    assert_eq!(
        (head.status, head.header("allow"), head.text.as_str()),
        (http::StatusCode::METHOD_NOT_ALLOWED, Some("GET"), "")
    );
}

#[tokio::test]
async fn no_webhook_may_drive_this_api() {
    let world = World::new().await;
    for call in [Call::get("/v1/organization/settings"), Call::get("/v1/health"), Call::get("/nope")] {
        let call = call.key(&world.org.admin).header("webhook-id", "evt_1");
        world.send(call).await.refused(400, Some("webhook-id"), None);
    }
}
