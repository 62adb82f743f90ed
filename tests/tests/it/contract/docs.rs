use std::collections::{BTreeMap, BTreeSet};
use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;

use api::HttpService;
use domain::ErrorCode;
use domain::platform_error::TRANSLATIONS;
use domain::webhook::AddressPolicy;
use flate2::read::GzDecoder;
use http::Method;
use http_body_util::BodyExt as _;
use reference::ReferenceContext;
use runtime::Installation;
use serde_json::{Value, json};
use tests::faults::Fault;
use tests::request::text;
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

/// The closed list of error codes, written down once more, so that a change of the code and the documentation is
/// noticed.
const CODES: [&str; 44] = [
    "message_undeliverable",
    "conversation_window_expired",
    "recipient_not_on_chat",
    "phone_number_not_assigned",
    "unsupported_message_type",
    "media_too_large",
    "invalid_phone_number",
    "template_not_found",
    "template_parameter_mismatch",
    "groups_not_eligible",
    "account_restricted",
    "display_name_not_approved",
    "chat_not_configured",
    "platform_api_error",
    "platform_api_unavailable",
    "carrier_api_error",
    "carrier_api_unavailable",
    "rate_limit_exceeded",
    "chat_rate_limited",
    "resource_already_exists",
    "test_app_required",
    "call_not_found",
    "call_already_ended",
    "call_failed",
    "call_rejected",
    "call_timeout",
    "call_busy",
    "calling_not_configured",
    "calling_disabled",
    "max_concurrent_calls_reached",
    "recording_not_found",
    "recording_already_in_progress",
    "recording_failed",
    "voicemail_not_found",
    "voicemail_disabled",
    "invalid_call_command",
    "command_not_applicable",
    "chat_calling_not_enabled",
    "chat_call_permission_required",
    "chat_call_permission_limit",
    "chat_pstn_bridge_forbidden",
    "rtc_api_error",
    "rtc_room_error",
    "sip_trunk_error",
];

/// The rows of the table of error codes in docs/specification.md: code, type, status, retry.
fn specified() -> BTreeSet<[String; 4]> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/specification.md");
    let page = std::fs::read_to_string(page).unwrap();
    let section = page.split("### Error codes").nth(1).unwrap();
    let table = section.split("| code | type | status | retry |").nth(1).unwrap();
    let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    let cells =
        |row: &str| row.trim_matches('|').split('|').map(|cell| cell.trim().replace('`', "")).collect::<Vec<_>>();
    rows.map(|row| cells(row).try_into().unwrap()).collect()
}

#[tokio::test]
async fn the_catalogue_is_the_list_of_codes_and_the_table_of_the_specification() {
    let world = World::new().await;
    let catalogue = world.send(Call::get("/v1/errors")).await.expect(200);
    let entries = catalogue["data"].as_array().unwrap();
    let names: Vec<_> = entries.iter().map(|entry| entry["code"].as_str().unwrap()).collect();
    assert_eq!(names, CODES);
    let shown = |entry: &Value| {
        let retry = if entry["retryable"] == true { "yes" } else { "no" };
        [text(entry, "code"), text(entry, "type"), entry["status"].to_string(), retry.to_owned()]
    };
    assert_eq!(entries.iter().map(shown).collect::<BTreeSet<_>>(), specified());
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

/// The tables of docs/specification.md, the document and the code hold the same codes, types, statuses and translations.
#[test]
fn the_specification_lists_the_codes_and_translations_of_the_code() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/specification.md")).unwrap();
    let (_, chapter) = page.split_once("\n### Error codes\n").unwrap();
    let (codes, platform) = chapter.split_once("| platform code | ours |").unwrap();
    let row = |line: &str| line.split('|').map(|cell| cell.trim().replace('`', "")).collect::<Vec<_>>();
    let listed: Vec<Vec<String>> =
        codes.lines().filter(|line| line.starts_with("| `")).map(|line| row(line)[1..5].to_vec()).collect();
    let entries = ErrorCode::ALL.iter().map(|code| code.entry());
    let expected: Vec<Vec<String>> = entries
        .map(|entry| {
            let retry = if entry.retryable { "yes" } else { "no" };
            let kind = json!(entry.kind).as_str().unwrap().to_owned();
            vec![entry.code.to_owned(), kind, entry.status.to_string(), retry.to_owned()]
        })
        .collect();
    assert_eq!(listed, expected);
    let named: Vec<&str> = ErrorCode::ALL.iter().map(|code| code.as_str()).collect();
    assert_eq!(contract::document()["components"]["schemas"]["ErrorCode"]["enum"], json!(named));

    let rows = platform.lines().skip(2).take_while(|line| line.starts_with('|')).map(row);
    let mut told = BTreeMap::new();
    for cells in rows {
        for platform in cells[1].split(',').filter_map(|code| code.trim().parse::<i64>().ok()) {
            assert_eq!(told.insert(platform, cells[2].split(',').next().unwrap().to_owned()), None, "{platform}");
        }
    }
    let translated =
        TRANSLATIONS.iter().flat_map(|(all, code, _)| all.iter().map(|one| (*one, code.as_str().to_owned())));
    assert_eq!(told, translated.collect());
}

/// The interface has a version of its own, whatever the version of the software is.
#[tokio::test]
async fn the_interface_has_version_1_0_0() {
    let world = World::new().await;
    assert_eq!(contract::document()["info"]["version"], "1.0.0");
    assert_eq!(world.send(Call::get("/v1/health")).await.expect(200)["version"], env!("CARGO_PKG_VERSION"));
    assert_ne!(env!("CARGO_PKG_VERSION"), "1.0.0", "this test distinguishes nothing any more");
}

/// A new user's mistakes, and what is said about each: what is wrong, what is allowed, and what to do.
#[tokio::test]
async fn messages_say_what_is_allowed() {
    let world = World::new().await;
    let (apps, ksuid) = ("/v1/organization/apps", "0ujtsYcgvSTl8PAuAdqWYSMnLOv");
    let hooks = format!("{apps}/{}/webhooks", world.org.app);
    let hook = |body: Value| Call::post(&hooks).json(&body);
    for (call, status, message) in [
        (
            hook(json!({"url": "https://example.com", "events": ["message.received"]})),
            400,
            "events[0]: \"message.received\" is not an event name. Allowed: messages.sms.received, ",
        ),
        (hook(json!({"url": "https://example.com", "events": "messages.sms.sent"})), 400, "events must be an array."),
        (hook(json!({"url": "https://example.com", "events": [1]})), 400, "events[0] must be a string."),
        (Call::post(apps).json(&json!({"name": 5})), 400, "name must be a string."),
        (Call::post(apps).json(&json!({"name": "x", "test": "yes"})), 400, "test must be a boolean."),
        (
            Call::post(apps).json(&json!({"name": "x", "colour": 1})),
            400,
            "\"colour\" is not a field of this operation. Allowed: name, slug, test, eventFeed.",
        ),
        (
            Call::get(format!("{apps}?page=2")),
            400,
            "\"page\" is not a query parameter of this list. Allowed: limit, cursor.",
        ),
        (
            Call::get(format!("{apps}/whk_{ksuid}")),
            400,
            "appId must be the id of an app, such as app_0ujtsYcgvSTl8PAuAdqWYSMnLOv, and match ^app_(?:test_)?[a-zA-Z0-9]{27}$. \
             This is the id of a webhook.",
        ),
        (
            Call::get(format!("/v1/organization/chat/messages?chatPhoneNumberId=ph_{ksuid}")),
            400,
            "chatPhoneNumberId must be the id of a chat phone number, such as wapn_0ujtsYcgvSTl8PAuAdqWYSMnLOv, and match \
             ^wapn_(?:test_)?[a-zA-Z0-9]{27}$. This is the id of a phone number.",
        ),
        (
            Call::post("/v1/organization/phone-numbers")
                .json(&json!({"number": "+4917123456", "appIds": [format!("ph_{ksuid}")]})),
            400,
            "appIds[0] must be the id of an app, such as app_0ujtsYcgvSTl8PAuAdqWYSMnLOv, and match ^app_(?:test_)?[a-zA-Z0-9]{27}$. \
             This is the id of a phone number.",
        ),
        (Call::get(format!("{apps}/app_{ksuid}")), 404, "No such app. Check appId; a test key sees test objects only."),
        (
            Call::get("/v1/organization/app"),
            404,
            "No operation has this path. Did you mean GET /v1/organization/apps? GET /v1/openapi.json describes all operations.",
        ),
    ] {
        let told = world.admin(call).await.expect(status);
        let told = told["error"]["message"].as_str().unwrap();
        assert!(told.starts_with(message), "{told}");
    }
    let groups = Call::post("/v1/chat/groups").key(&world.org.test_app_key);
    let never = groups.json(&json!({"chatPhoneNumberId": "x", "subject": "x", "joinApprovalMode": "never"}));
    let told = world.send(never).await.refused(400, Some("joinApprovalMode"), None);
    assert_eq!(told["error"]["message"], "joinApprovalMode must be auto_approve or approval_required.");
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
    for page in ["/api_reference", "/api_reference/error-codes", "/onboarding", "/onboarding/simulated-consent"] {
        let html = world.send(Call::get(page)).await;
        assert!(html.header("content-security-policy").unwrap().starts_with("default-src 'none'"));
        for link in html.text.split(['"', '\'']).filter(|link| link.contains("assets/")) {
            let name = link.rsplit('/').next().unwrap();
            let file = world.send(Call::get(format!("/api_reference/assets/{name}"))).await;
            assert_eq!((file.status.as_u16(), file.header("content-encoding")), (200, Some("gzip")), "{name}");
            assert_eq!(file.header("cache-control"), Some("public, max-age=31536000, immutable"), "{name}");
            files += 1;
        }
        // The addresses of the API and of the documentation are data: nothing is loaded from them.
        let loaded = html.text.replace(&format!("\"{API_URL}\""), "").replace(&format!("\"{DOCS_URL}\""), "");
        assert!(!loaded.contains("//"), "{page} refers to another host");
    }
    assert_eq!(files, 8);
    world.send(Call::get("/api_reference/assets/style.css")).await.refused(404, Some("asset"), None);
}

/// Sends a request with this `Accept-Encoding`. Returns the encoding of the response and its bytes.
async fn encoded(world: &World, path: &str, accepted: Option<&str>) -> (Option<String>, Vec<u8>) {
    let call = Call::get(path);
    let call = accepted.into_iter().fold(call, |call, accepted| call.header("accept-encoding", accepted));
    let response = world.api(path).respond(call.request()).await;
    assert_eq!(response.status(), 200, "{path}");
    assert_eq!(response.headers()["vary"], "Accept-Encoding", "{path}");
    let encoding = response.headers().get("content-encoding").map(|value| value.to_str().unwrap().to_owned());
    (encoding, response.into_body().collect().await.unwrap().to_bytes().to_vec())
}

#[tokio::test]
async fn public_texts_are_compressed_for_who_accepts_it() {
    let world = World::new().await;
    for path in ["/v1/openapi.json", "/v1/errors", "/api_reference", "/api_reference/error-codes"] {
        let (encoding, plain) = encoded(&world, path, None).await;
        assert_eq!(encoding, None, "{path}");
        for refused in ["identity", "br", "gzip;q=0, identity"] {
            assert_eq!(encoded(&world, path, Some(refused)).await, (None, plain.clone()), "{path}: {refused}");
        }
        let (encoding, packed) = encoded(&world, path, Some("gzip, deflate, br")).await;
        assert_eq!(encoding.as_deref(), Some("gzip"), "{path}");
        let mut unpacked = Vec::new();
        GzDecoder::new(packed.as_slice()).read_to_end(&mut unpacked).unwrap();
        assert_eq!(unpacked, plain, "{path}");
        assert!(packed.len() < plain.len() * 3 / 5, "{path}: {} of {}", packed.len(), plain.len());
    }
}

/// If the documentation has an address of its own, the page may send requests to the API's address; otherwise only to
/// its own origin.
#[tokio::test]
async fn the_reference_knows_where_the_api_is() {
    let world = World::new().await;
    let page = world.send(Call::get("/api_reference")).await;
    assert!(page.header("content-security-policy").unwrap().contains(&format!("connect-src 'self' {API_URL};")));
    assert!(page.text.contains(&format!("data-docs=\"{DOCS_URL}\" data-api=\"{API_URL}\"")), "{}", page.text);
    assert_eq!(page.header("cache-control"), Some("public, max-age=60"));
    let errors = world.send(Call::get("/api_reference/error-codes")).await;
    assert!(errors.header("content-security-policy").unwrap().contains("connect-src 'self' ;"));
    let installation = Arc::new(Installation {
        docs_url: API_URL.to_owned(),
        webhook_addresses: AddressPolicy { own: Vec::new(), allow_local: false },
    });
    let alone = HttpService::new(
        reference::routes(ReferenceContext::new(installation.clone(), &format!("{API_URL}/"))),
        installation,
    );
    let page = alone.respond(Call::get("/api_reference").request()).await;
    assert!(page.headers()["content-security-policy"].to_str().unwrap().contains("connect-src 'self' ;"));
    let page = page.into_body().collect().await.unwrap().to_bytes();
    assert!(!String::from_utf8_lossy(&page).contains(API_URL));
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
