//! A session never sees contents: texts, media and payloads of messages, responses of receivers, and values of headers.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use tests::catalogue::SESSION;
use tests::chat::connect;
use tests::receiver::{Receiver, plain};
use tests::request::text;
use tests::samples::PNG;
use tests::{Call, Service as _, World};

/// In every content and in nothing else.
const MARK: &str = "confidential";
const HIDDEN: &str = "••••••••";

/// Objects of every kind whose contents have the mark.
struct Marked {
    world: World,
    /// The path of each operation that takes sessions, by its path in the OpenAPI document.
    paths: Vec<(&'static str, String)>,
    chat_number: String,
    sms_number: String,
    hook: String,
}

/// Has a user send a message of each kind that has contents of its own to the live number.
async fn receive_messages(world: &World, line: &tests::chat::Line) {
    world.platform.state().media.insert("900".to_owned(), PNG.to_vec());
    let reply_to = |kind: &str, content: Value| json!({"id": format!("wamid.{kind}"), "type": kind, kind: content});
    for message in [
        reply_to("text", json!({"body": MARK})),
        reply_to("image", json!({"id": "900", "mime_type": "image/png", "caption": MARK})),
        reply_to(
            "document",
            json!({"id": "900", "mime_type": "application/pdf", "filename": format!("{MARK}.pdf"), "caption": MARK, "sha256": "aGFzaA=="}),
        ),
        reply_to("location", json!({"latitude": 1.5, "longitude": 2.5, "name": MARK, "address": MARK})),
        reply_to("button", json!({"text": MARK, "payload": MARK})),
        reply_to("reaction", json!({"message_id": "wamid.text", "emoji": MARK})),
        reply_to("contacts", json!([{"name": {"formatted_name": MARK}}])),
    ] {
        world.notify(&line.message(&message)).await.expect(200);
    }
    world.work_off().await;
}

async fn marked() -> Marked {
    let world = World::with_local_webhooks().await;
    let receiver = Receiver::start(std::sync::Arc::new(|_, _| (std::time::Duration::ZERO, plain(500, MARK))));
    let org = world.org.clone();
    let apps = "/v1/organization/apps";
    let hooks = format!("{apps}/{}/webhooks", org.app);
    let body = json!({"url": receiver.url, "events": ["messages.chat.received"], "headers": {"X-Team": MARK}});
    let hook = text(&world.admin(Call::post(&hooks).json(&body)).await.expect(201), "id");
    let line = connect(&world, &org, "5921").await;
    receive_messages(&world, &line).await;
    world.send_events().await;
    let listed = world.admin(Call::get(format!("{hooks}/{hook}/deliveries"))).await.expect(200);
    let delivery = text(&listed["data"][0], "id");
    let recover = json!({"since": "2020-01-01T00:00:00Z"});
    let recovery = world.admin(Call::post(format!("{hooks}/{hook}/recover")).json(&recover)).await.expect(202);

    let system = world.send(Call::get("/v1/playground/phone-numbers/system").key(&org.test_app_key)).await.expect(200);
    let sms = json!({"from": "+442079460111", "to": system["numbers"][0], "text": MARK});
    let sms = Call::post("/v1/playground/sms/inbound").key(&org.test_app_key).json(&sms);
    let sms_number = text(&world.send(sms).await.expect(201), "phoneNumberId");
    let template = json!({"chatBusinessProfileId": line.profile, "name": "hello", "language": "en_US", "category": "UTILITY",
        "components": [{"type": "BODY", "text": "Hello."}]});
    let template =
        text(&world.admin(Call::post("/v1/organization/chat/templates").json(&template)).await.expect(201), "id");

    let ann = tests::catalogue::member(&world, "ann@example.com", "VIEWER").await;
    let (chat, profile, number) = ("/v1/organization/chat", &line.profile, line.number.clone());
    let paths = vec![
        ("/v1/organization/admin-keys", "/v1/organization/admin-keys".to_owned()),
        ("/v1/organization/audit-log", "/v1/organization/audit-log".to_owned()),
        ("/v1/organization/members", "/v1/organization/members".to_owned()),
        ("/v1/organization/failures", "/v1/organization/failures".to_owned()),
        ("/v1/organization/members/{memberId}", format!("/v1/organization/members/{ann}")),
        ("/v1/organization/apps", apps.to_owned()),
        ("/v1/organization/apps/{appId}", format!("{apps}/{}", org.app)),
        ("/v1/organization/apps/{appId}/keys", format!("{apps}/{}/keys", org.app)),
        ("/v1/organization/apps/{appId}/webhooks", hooks.clone()),
        ("/v1/organization/apps/{appId}/webhooks/{webhookId}", format!("{hooks}/{hook}")),
        ("/v1/organization/apps/{appId}/webhooks/{webhookId}/deliveries", format!("{hooks}/{hook}/deliveries")),
        (
            "/v1/organization/apps/{appId}/webhooks/{webhookId}/deliveries/{deliveryId}",
            format!("{hooks}/{hook}/deliveries/{delivery}"),
        ),
        (
            "/v1/organization/apps/{appId}/webhooks/{webhookId}/recoveries/{recoveryId}",
            format!("{hooks}/{hook}/recoveries/{}", text(&recovery, "id")),
        ),
        ("/v1/organization/chat/business-profiles", format!("{chat}/business-profiles")),
        ("/v1/organization/chat/messages", format!("{chat}/messages?chatPhoneNumberId={number}")),
        ("/v1/organization/chat/phone-numbers", format!("{chat}/phone-numbers")),
        ("/v1/organization/chat/phone-numbers/{chatPhoneNumberId}", format!("{chat}/phone-numbers/{number}")),
        (
            "/v1/organization/chat/phone-numbers/{chatPhoneNumberId}/business-profile",
            format!("{chat}/phone-numbers/{number}/business-profile"),
        ),
        ("/v1/organization/chat/templates", format!("{chat}/templates?chatBusinessProfileId={profile}")),
        ("/v1/organization/chat/templates/{templateId}", format!("{chat}/templates/{template}")),
        ("/v1/organization/phone-numbers", "/v1/organization/phone-numbers".to_owned()),
        ("/v1/organization/phone-numbers/{phoneNumberId}", format!("/v1/organization/phone-numbers/{sms_number}")),
        (
            "/v1/organization/playground/chat/phone-numbers/user",
            "/v1/organization/playground/chat/phone-numbers/user".to_owned(),
        ),
        ("/v1/organization/usage", "/v1/organization/usage".to_owned()),
        ("/v1/organization/attention", "/v1/organization/attention".to_owned()),
        ("/v1/organization/sms/messages", format!("/v1/organization/sms/messages?phoneNumberId={sms_number}")),
    ];
    Marked { world, paths, chat_number: number, sms_number, hook: format!("{hooks}/{hook}") }
}

/// The paths of all operations that take sessions.
fn operations_for_sessions() -> BTreeSet<String> {
    let document = contract::document();
    let mut found = BTreeSet::new();
    for (path, operations) in document["paths"].as_object().unwrap() {
        for (method, operation) in operations.as_object().unwrap() {
            let takes = operation["security"].as_array().is_some_and(|all| all.contains(&json!({"session": []})));
            // What a session does with itself shows nothing else.
            let takes = takes && !path.starts_with(SESSION);
            assert!(!takes || method == "get", "{method} {path} takes a session");
            found.extend(takes.then(|| path.clone()));
        }
    }
    found
}

#[tokio::test]
async fn no_operation_shows_contents_to_a_session() {
    let marked = marked().await;
    let world = &marked.world;
    let known: BTreeSet<String> = marked.paths.iter().map(|(template, _)| (*template).to_owned()).collect();
    assert_eq!(known, operations_for_sessions(), "each operation that takes sessions has a path here");
    let mut with_contents = BTreeSet::new();
    for (template, path) in &marked.paths {
        let get = |key: &str| world.send(Call::get(path).key(key));
        let (whole, hidden) = (get(&world.org.admin).await, get(&world.org.session).await);
        let (whole, hidden) = (whole.expect(200).to_string(), hidden.expect(200).to_string());
        assert!(!hidden.contains(MARK) && !hidden.contains("X-Amz-Signature"), "{template}: {hidden}");
        if whole.contains(MARK) {
            with_contents.insert(*template);
        }
    }
    // The admin key sees them all, so that the test is about contents.
    let expected = [
        "/v1/organization/apps/{appId}/webhooks",
        "/v1/organization/apps/{appId}/webhooks/{webhookId}",
        "/v1/organization/apps/{appId}/webhooks/{webhookId}/deliveries",
        "/v1/organization/apps/{appId}/webhooks/{webhookId}/deliveries/{deliveryId}",
        "/v1/organization/chat/messages",
        "/v1/organization/sms/messages",
    ];
    assert_eq!(with_contents, BTreeSet::from(expected));
}

/// The fields of an object that the other one lacks.
fn left_out(whole: &Value, hidden: &Value) -> BTreeSet<String> {
    let hidden = hidden.as_object().unwrap();
    let whole = whole.as_object().unwrap();
    assert!(hidden.iter().all(|(name, value)| whole.get(name) == Some(value)), "{hidden:?}");
    whole.keys().filter(|name| !hidden.contains_key(*name)).cloned().collect()
}

#[tokio::test]
async fn everything_but_the_contents_is_shown_to_a_session() {
    let marked = marked().await;
    let Marked { world, chat_number, sms_number, hook, .. } = &marked;
    let both = async |path: &str| {
        let get = |key: &str| world.send(Call::get(path).key(key));
        (get(&world.org.admin).await.expect(200), get(&world.org.session).await.expect(200))
    };
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();

    let (whole, hidden) = both(&format!("/v1/organization/chat/messages?chatPhoneNumberId={chat_number}")).await;
    let mut seen = BTreeSet::new();
    for (whole, hidden) in whole["data"].as_array().unwrap().iter().zip(hidden["data"].as_array().unwrap()) {
        seen.extend(left_out(whole, hidden));
    }
    let contents = names(&[
        "textBody",
        "mediaUrl",
        "mediaFilename",
        "mediaCaption",
        "mediaSha256",
        "locationLatitude",
        "locationLongitude",
        "locationName",
        "locationAddress",
        "reactionEmoji",
        "buttonText",
        "buttonPayload",
    ]);
    assert_eq!(seen, contents);

    let (whole, hidden) = both(&format!("/v1/organization/sms/messages?phoneNumberId={sms_number}")).await;
    assert_eq!(left_out(&whole["data"][0], &hidden["data"][0]), names(&["text"]));

    let (whole, hidden) = both(&format!("{hook}/deliveries")).await;
    let attempts = |list: &Value| list["data"][0]["attempts"][0].clone();
    assert_eq!(left_out(&attempts(&whole), &attempts(&hidden)), names(&["responseBody"]));
    let delivery = text(&whole["data"][0], "id");
    let (whole, hidden) = both(&format!("{hook}/deliveries/{delivery}")).await;
    let attempt = |details: &Value| details["attempts"][0].clone();
    assert_eq!(left_out(&attempt(&whole), &attempt(&hidden)), names(&["responseBody"]));
    assert!(whole["payload"].is_object() && hidden.get("payload").is_none(), "{hidden}");

    let (whole, hidden) = both(hook).await;
    assert_eq!((&whole["headers"], &hidden["headers"]), (&json!({"X-Team": MARK}), &json!({"X-Team": HIDDEN})));
}
