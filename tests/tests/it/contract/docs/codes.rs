//! The error codes, which the code, the document and the specification list.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use api::status;
use domain::ErrorCode;
use domain::chat::platform_error::TRANSLATIONS;
use serde_json::{Value, json};
use tests::request::text;
use tests::settings::DOCS_URL;
use tests::{Call, Service as _, World};

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
            let error_type = json!(entry.error_type).as_str().unwrap().to_owned();
            let status = status::of(entry.kind).as_u16().to_string();
            vec![entry.code.to_owned(), error_type, status, retry.to_owned()]
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

/// The recipients that the page of error codes says are refused get their code.
#[tokio::test]
async fn the_recipients_on_the_error_page_produce_their_codes() {
    let world = World::new().await;
    let key = &world.org.test_app_key;
    let numbers = world.send(Call::get("/v1/phone-numbers").key(key)).await.expect(200);
    let from = |kind: &str| {
        text(numbers["data"].as_array().unwrap().iter().find(|number| number["kind"] == kind).unwrap(), "id")
    };
    let (chat, sms) = (from("chat"), from("sms"));

    let page = world.send(Call::get("/api_reference/error-codes")).await;
    let mut tried = BTreeSet::new();
    for section in page.text.split("<section id=\"").skip(1) {
        let code = section.split('"').next().unwrap();
        for producer in section.split("#tag/messages/POST").skip(1) {
            let (path, rest) = producer.split_once('"').unwrap();
            let how = rest.split("</li>").next().unwrap();
            let to = how.split("<code>").nth(1).unwrap_or_default().split("</code>").next().unwrap();
            if !to.starts_with("+999") || !how.contains("refused") {
                continue;
            }
            let message = match path {
                "/v1/sms" => json!({"from": sms, "to": to, "text": "Hello"}),
                _ => json!({"from": chat, "to": to, "type": "text", "text": {"body": "Hello"}}),
            };
            let refused = world.send(Call::post(path).key(key).json(&message)).await;
            assert_eq!(refused.json()["error"]["code"], code, "{path} to {to}");
            tried.insert(to.to_owned());
        }
    }
    assert!(tried.len() >= 16, "{tried:?}");
}
