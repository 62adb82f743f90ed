use http::Method;
use serde_json::json;
use tests::faults::Fault;
use tests::settings::{API_URL, DOCS_URL};
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

#[tokio::test]
async fn the_catalogue_holds_the_44_codes_of_the_specification() {
    let world = World::new().await;
    let catalogue = world.send(Call::get("/v1/errors")).await.expect(200);
    let entries = catalogue["data"].as_array().unwrap();
    assert_eq!(entries.len(), 44);
    for entry in entries {
        let code = entry["code"].as_str().unwrap();
        assert_eq!(entry["docUrl"], json!(format!("{DOCS_URL}/api_reference/error-codes#{code}")));
        assert!(entry["description"].as_str().is_some_and(|text| text.ends_with('.')), "{code}");
        assert!(entry["retryable"].is_boolean() && entry["status"].as_u64().is_some_and(|status| status >= 400));
    }
    let status = |code: &str| entries.iter().find(|entry| entry["code"] == json!(code)).unwrap()["status"].clone();
    for (code, expected) in [
        ("calling_not_configured", 404),
        ("calling_disabled", 403),
        ("test_app_required", 403),
        ("call_already_ended", 409),
        ("max_concurrent_calls_reached", 409),
        ("chat_rate_limited", 429),
        ("platform_api_error", 502),
        ("rtc_room_error", 502),
        ("platform_api_unavailable", 503),
        ("call_timeout", 504),
        ("call_busy", 422),
        ("invalid_phone_number", 400),
    ] {
        assert_eq!(status(code), json!(expected), "{code}");
    }
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
async fn the_pages_files_are_ours_and_never_change() {
    let world = World::new().await;
    let mut files = 0;
    for page in ["/api_reference", "/api_reference/error-codes"] {
        let html = world.send(Call::get(page)).await;
        assert!(html.header("content-security-policy").unwrap().starts_with("default-src 'none'"));
        for link in html.text.split(['"', '\'']).filter(|link| link.contains("assets/")) {
            let name = link.rsplit('/').next().unwrap();
            let file = world.send(Call::get(format!("/api_reference/assets/{name}"))).await;
            assert_eq!((file.status.as_u16(), file.header("content-encoding")), (200, Some("gzip")), "{name}");
            files += 1;
        }
        assert!(!html.text.contains("//"), "{page} refers to another host");
    }
    assert_eq!(files, 4);
    world.send(Call::get("/api_reference/assets/style.css")).await.refused(404, Some("asset"), None);
}

#[tokio::test]
async fn the_document_and_the_bare_address_name_this_installation() {
    let world = World::new().await;
    let document = world.send(Call::get("/v1/openapi.json")).await.expect(200);
    assert_eq!(document["servers"][0]["url"], json!(API_URL));
    assert!(!document.to_string().contains("https://api.example.com"));
    let bare = world.send(Call::get("/")).await;
    assert_eq!(
        (bare.status.as_u16(), bare.header("location")),
        (302, Some(format!("{API_URL}/api_reference").as_str()))
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
