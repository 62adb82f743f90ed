//! Platform notifications: their authentication, routing and processing.

use std::time::Duration;

use aws_smithy_types::base64;
use domain::platform_words::explanation;
use futures_util::future::join_all;
use http::Method;
use ring::digest::{SHA256, digest};
use serde_json::{Value, json};
use tests::chat::{Line, connect, event_counts, events, notification};
use tests::request::text;
use tests::settings::of_size;
use tests::standin::{APP_SECRET, Misbehave, VERIFY_TOKEN, app_document, error, signature};
use tests::{Call, Service as _, World};

const PATH: &str = "/v1/platform/notifications";

#[tokio::test]
async fn the_handshake_answers_the_challenge_to_who_knows_the_token() {
    let world = World::new().await;
    let ask = |mode: &str, token: &str, challenge: &str| {
        Call::get(format!("{PATH}?hub.mode={mode}&hub.challenge={challenge}&hub.verify_token={token}"))
    };
    let reply = world.send(ask("subscribe", VERIFY_TOKEN, "1158201444")).await;
    assert_eq!((reply.status.as_u16(), reply.text.as_str()), (200, "1158201444"));
    for call in
        [ask("subscribe", "wrong", "1"), ask("subscribe", "", "1"), ask("other", VERIFY_TOKEN, "1"), Call::get(PATH)]
    {
        let body = world.send(call).await.refused(403, None, None);
        assert_eq!(body["error"]["type"], "invalid_request_error");
    }
}

/// Without a configured token, an empty token is rejected.
#[tokio::test]
async fn the_handshake_refuses_all_where_no_token_is_set() {
    let world = World::new().await;
    let secret = ("appSecret", APP_SECRET);
    for document in [app_document(&[secret, ("verifyToken", "")]), app_document(&[secret])] {
        let put = world.account.secrets.put_secret_value().secret_id("platform");
        put.secret_string(&document).send().await.unwrap();
        let restarted = world.notifications(Duration::from_secs(600));
        for token in ["&hub.verify_token=", "", &format!("&hub.verify_token={VERIFY_TOKEN}")] {
            let call = Call::get(format!("{PATH}?hub.mode=subscribe&hub.challenge=1{token}"));
            assert_eq!(restarted.respond(call.request()).await.status(), 403, "{document} {token}");
        }
    }
}

#[tokio::test]
async fn only_a_signed_body_is_believed() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "701").await;
    let body = line.message(&json!({"id": "wamid.1", "type": "text", "text": {"body": "Grüße"}})).to_string();
    // The platform escapes non-ASCII characters; the signature covers the bytes as sent.
    let body = body.replace('ü', "\\u00fc").into_bytes();
    let right = signature(APP_SECRET, &body);
    let before = world.account.items().await;
    for wrong in
        [None, Some("sha256=".to_owned()), Some(signature("another", &body)), Some(right.replace("sha256", "sha1"))]
    {
        let call = Call::post(PATH).bytes(body.clone());
        let call = wrong.iter().fold(call, |call, header| call.header("x-hub-signature-256", header));
        let reply = world.send(call).await;
        assert_eq!(reply.refused(401, Some("X-Hub-Signature-256"), None)["error"]["type"], "authentication_error");
    }
    assert_eq!(world.account.items().await, before);
    world.send(Call::post(PATH).header("x-hub-signature-256", &right).bytes(body)).await.expect(200);
    assert_eq!(line.only_message(&world).await["textBody"], "Grüße");
    // A new function instance sees a new secret while the previous one is still valid.
    let new = r#"n"e\w é"#;
    let document =
        app_document(&[("appSecret", new), ("previousAppSecret", APP_SECRET), ("verifyToken", VERIFY_TOKEN)]);
    world.account.secrets.put_secret_value().secret_id("platform").secret_string(document).send().await.unwrap();
    let restarted = world.notifications(Duration::from_secs(600));
    for (secret, status) in [(new, 200), (APP_SECRET, 200), ("another", 401)] {
        let body = br#"{"entry": []}"#;
        let call = Call::post(PATH).header("x-hub-signature-256", &signature(secret, body)).bytes(body.to_vec());
        assert_eq!(restarted.respond(call.request()).await.status(), status, "{secret}");
    }
    for (body, status) in
        [(vec![b' '; 3 * 1024 * 1024 + 1], 413), (b"[]".to_vec(), 400), (b"{\"entry\": 1}".to_vec(), 400)]
    {
        let signed = signature(APP_SECRET, &body);
        let reply = world.send(Call::new(Method::POST, PATH).header("x-hub-signature-256", &signed).bytes(body)).await;
        assert_eq!(reply.status.as_u16(), status);
    }
}

#[tokio::test]
async fn every_kind_of_message_has_its_fields() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "703").await;
    let medium =
        json!({"id": "900", "mime_type": "image/jpeg", "sha256": "c2hh", "caption": "Look", "filename": "a.jpg"});
    let cases = [
        ("text", json!({"text": {"body": "Hi"}}), json!({"type": "text", "textBody": "Hi"})),
        (
            "image",
            json!({"image": medium}),
            json!({"type": "image", "mediaMimeType": "image/jpeg", "mediaCaption": "Look", "mediaSha256": "c2hh"}),
        ),
        ("video", json!({"video": medium}), json!({"type": "video"})),
        ("document", json!({"document": medium}), json!({"type": "document", "mediaFilename": "a.jpg"})),
        (
            "audio",
            json!({"audio": {"id": 901, "mime_type": "audio/ogg; codecs=opus", "voice": true}}),
            json!({"type": "audio", "isVoiceNote": true}),
        ),
        (
            "sticker",
            json!({"sticker": {"id": "902", "animated": true}}),
            json!({"type": "sticker", "isAnimatedSticker": true}),
        ),
        (
            "location",
            json!({"location": {"latitude": 37.483, "longitude": -122.148981, "name": "HQ", "address": "1 Way"}}),
            json!({"type": "location", "locationLatitude": "37.483", "locationLongitude": "-122.148981", "locationName": "HQ", "locationAddress": "1 Way"}),
        ),
        (
            "contacts",
            json!({"contacts": [{"name": {"formatted_name": "Bob"}}]}),
            json!({"type": "contacts", "contactsData": [{"name": {"formatted_name": "Bob"}}]}),
        ),
        (
            "interactive",
            json!({"interactive": {"type": "button_reply", "button_reply": {"id": "1", "title": "Yes"}}}),
            json!({"type": "interactive", "interactiveData": {"type": "button_reply", "button_reply": {"id": "1", "title": "Yes"}}}),
        ),
        (
            "button",
            json!({"button": {"payload": "p", "text": "t"}}),
            json!({"type": "button", "buttonText": "t", "buttonPayload": "p"}),
        ),
        (
            "reaction",
            json!({"reaction": {"message_id": "wamid.text", "emoji": "👍"}}),
            json!({"type": "reaction", "reactionEmoji": "👍"}),
        ),
        (
            "system",
            json!({"system": {"body": "changed", "type": "user_changed_number", "wa_id": "16505559999"}, "identity": {"hash": "h"}}),
            json!({"type": "system", "textBody": "changed", "systemData": {"body": "changed", "type": "user_changed_number", "wa_id": "16505559999", "identity": {"hash": "h"}}}),
        ),
        (
            "unsupported",
            json!({"errors": [{"code": 131_051, "title": "Unsupported", "message": "m", "error_data": {"details": "d"}}]}),
            json!({"type": "unknown", "errorCode": "unsupported_message_type", "errorTitle": "Unsupported", "errorMessage": explanation(131_051), "errorDetails": "d", "provider": {"source": "platform", "code": 131_051, "message": "m"}}),
        ),
        ("edit", json!({"edit": {"original_message_id": "wamid.text"}}), json!({"type": "unknown"})),
    ];
    for (kind, parts, expected) in &cases {
        let mut message = json!({"id": format!("wamid.{kind}"), "type": kind});
        message.as_object_mut().unwrap().extend(parts.as_object().unwrap().clone());
        world.notify(&line.message(&message)).await.expect(200);
        let known = line.messages(&world).await;
        let ids: Vec<String> = known.iter().map(|message| text(message, "id")).collect();
        let mut found = None;
        for id in ids {
            let details = line.details(&world, &id).await;
            let is_kind = details["type"] != "unknown" || details["systemData"]["type"] == *kind;
            let matches = is_kind && expected.as_object().unwrap().iter().all(|(name, value)| &details[name] == value);
            found = found.or(matches.then_some(details));
        }
        let found = found.unwrap_or_else(|| panic!("{kind}: {known:?}"));
        for name in ["isForwarded", "isFrequentlyForwarded", "hasReferral"] {
            assert_eq!(found[name], false, "{kind}");
        }
        assert!(found.get("mediaUrl").is_none());
        match *kind {
            // The reaction names the id of the stored message.
            "reaction" => assert!(text(&found, "reactionMessageId").starts_with("msg_wa_")),
            "edit" => assert_eq!(found["systemData"]["edit"]["original_message_id"], "wamid.text"),
            _ => {}
        }
    }
    assert_eq!(line.messages(&world).await.len(), cases.len());
    assert_eq!(event_counts(&world, &world.org).await["messages.chat.received"], cases.len());
}

#[tokio::test]
async fn kinds_that_are_rare_keep_what_they_hold() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "732").await;
    let tell = async |id: &str, parts: Value| {
        world.clock.advance(Duration::from_secs(1));
        let mut message = json!({"id": id, "type": "text", "text": {"body": "Hi"}});
        message.as_object_mut().unwrap().extend(parts.as_object().unwrap().clone());
        world.notify(&line.message(&message)).await.expect(200);
        line.details(&world, &text(&line.messages(&world).await[0], "id")).await
    };
    let pin = tell("wamid.pin", json!({"type": "pin", "pin": {"message_id": "wamid.1", "type": "pin"}})).await;
    assert_eq!((&pin["type"], &pin["systemData"]["pin"]["message_id"]), (&json!("pin"), &json!("wamid.1")));
    let named = json!({"name": "welcome", "language": {"code": "en_US"}});
    let template = tell("wamid.template", json!({"type": "template", "template": named})).await;
    assert_eq!((&template["type"], &template["templateData"]), (&json!("template"), &named));
    let often = tell("wamid.often", json!({"context": {"frequently_forwarded": true}})).await;
    assert_eq!((&often["isForwarded"], &often["isFrequentlyForwarded"]), (&json!(true), &json!(true)));
    let product = json!({"catalog_id": "194", "product_retailer_id": "di9ozbzfi4"});
    let asked = tell("wamid.asked", json!({"context": {"from": "1", "referred_product": product}})).await;
    assert_eq!((&asked["textBody"], &asked["systemData"]["referred_product"]), (&json!("Hi"), &product));
    assert_eq!(asked["isForwarded"], false);
}

/// A referenced message is named by its own id if it is stored, and by the platform's id otherwise.
#[tokio::test]
async fn replies_and_reactions_name_what_they_are_about() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "733").await;
    world.notify(&line.message(&json!({"id": "wamid.text", "type": "text", "text": {"body": "Hi"}}))).await.expect(200);
    let held = line.only_message(&world).await;
    assert_eq!(held["createdAt"], world.now().to_string(), "stored now, whenever it was sent");
    assert_ne!(held["sentAt"], held["createdAt"]);
    let tell = async |message: Value| {
        world.clock.advance(Duration::from_secs(1));
        world.notify(&line.message(&message)).await.expect(200);
        line.details(&world, &text(&line.messages(&world).await[0], "id")).await
    };
    let context = json!({"id": "wamid.text", "from": line.display});
    let reply = json!({"id": "wamid.reply", "type": "text", "text": {"body": "Ho"}, "context": context});
    assert_eq!(tell(reply).await["replyToMessageId"], held["id"]);
    let reaction =
        json!({"id": "wamid.reaction", "type": "reaction", "reaction": {"message_id": "wamid.nobody", "emoji": "👍"}});
    assert_eq!(tell(reaction).await["reactionMessageId"], "wamid.nobody");
}

/// A job fetches media from the platform, validates it and stores it for the retention period.
#[tokio::test]
async fn inbound_media_are_fetched_and_presigned() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "704").await;
    let bytes = b"\xFF\xD8\xFF\xE0 a picture".to_vec();
    world.platform.state().media.insert("900".to_owned(), bytes.clone());
    let image = json!({"id": "wamid.image", "type": "image", "image": {"id": "900", "mime_type": "image/jpeg"}});
    world.notify(&line.message(&image)).await.expect(200);
    assert!(line.only_message(&world).await.get("mediaUrl").is_none());
    world.work_off().await;
    let message = line.only_message(&world).await;
    assert_eq!(message["mediaFileSize"], bytes.len());
    let url = text(&message, "mediaUrl");
    assert!(url.contains("/media/org_") && url.contains("X-Amz-Expires=3600"), "{url}");
    let (status, mime, _, found) = tests::catalogue::download(url).await;
    assert_eq!((status, mime.as_str(), found), (200, "image/jpeg", bytes));
    // A repeated notification fetches nothing again.
    let before = world.platform.seen("bytes").len();
    world.notify(&line.message(&image)).await.expect(200);
    world.work_off().await;
    assert_eq!(world.platform.seen("bytes").len(), before);
    // The URL never outlives the media.
    world.clock.advance(Duration::from_secs(30 * 86_400 - 100));
    let url = text(&line.only_message(&world).await, "mediaUrl");
    assert!(url.contains("X-Amz-Expires=100&"), "{url}");
    world.clock.advance(Duration::from_secs(86_400));
    assert!(line.only_message(&world).await.get("mediaUrl").is_none(), "past its retention");
}

#[tokio::test]
async fn media_that_are_not_what_was_announced_are_left_out() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "705").await;
    world.platform.state().media.insert("900".to_owned(), b"something else".to_vec());
    let image =
        json!({"id": "wamid.1", "type": "image", "image": {"id": "900", "mime_type": "image/jpeg", "sha256": "AAAA"}});
    world.notify(&line.message(&image)).await.expect(200);
    let gone = json!({"id": "wamid.2", "type": "image", "image": {"id": "404", "mime_type": "image/jpeg"}});
    world.notify(&line.message(&gone)).await.expect(200);
    world.work_off().await;
    assert!(line.messages(&world).await.iter().all(|message| message.get("mediaUrl").is_none()));
    assert_eq!((world.account.objects().await.len(), world.dead_letters().await.len()), (0, 0));
}

/// The platform encodes the digest in base64.
#[tokio::test]
async fn media_whose_digest_is_right_are_kept() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "734").await;
    let bytes = b"\xFF\xD8\xFF\xE0 a picture";
    world.platform.state().media.insert("900".to_owned(), bytes.to_vec());
    let sha256 = base64::encode(digest(&SHA256, bytes));
    let image = json!({"id": "900", "mime_type": "image/jpeg", "sha256": sha256});
    world.notify(&line.message(&json!({"id": "wamid.1", "type": "image", "image": image}))).await.expect(200);
    world.work_off().await;
    let message = line.only_message(&world).await;
    assert!(message["mediaUrl"].is_string());
    assert_eq!(message["mediaSha256"], sha256);
}

/// Media that exceeds 100 MiB, the platform's limit, by one byte is not stored.
#[tokio::test]
async fn a_medium_that_is_too_large_is_given_up() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "735").await;
    world.platform.state().media.insert("900".to_owned(), vec![b'x'; 100 * 1024 * 1024 + 1]);
    let document = json!({"id": "900", "mime_type": "text/plain"});
    world.notify(&line.message(&json!({"id": "wamid.1", "type": "document", "document": document}))).await.expect(200);
    world.work_off().await;
    assert!(line.only_message(&world).await.get("mediaUrl").is_none());
    let item = world.account.items().await.into_iter().find(|item| item["SK"] == "MSG").unwrap();
    assert!(item["inboundMedia"].contains("the limit of 104857600 bytes"), "{item:?}");
    assert_eq!((world.account.objects().await.len(), world.dead_letters().await.len()), (0, 0));
}

#[tokio::test]
async fn repetitions_change_nothing() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "706").await;
    let told = [
        line.message(&json!({"id": "wamid.1", "type": "text", "text": {"body": "Hi"}})),
        line.status(
            &json!({"id": "wamid.2", "status": "delivered", "timestamp": "2000000001", "recipient_id": "16505551234"}),
        ),
        line.about(
            "smb_message_echoes",
            &json!({"message_echoes": [{"from": line.display, "to": "16505551234", "id": "wamid.3",
            "timestamp": "2000000002", "type": "text", "text": {"body": "From the phone"}}]}),
        ),
        line.about(
            "smb_app_state_sync",
            &json!({"state_sync": [{"type": "contact", "action": "add",
            "contact": {"full_name": "Bob", "phone_number": "16505550000"}, "metadata": {"timestamp": "2000000003"}}]}),
        ),
        notification("706", 2_000_000_004, "account_review_update", &json!({"decision": "APPROVED"})),
        notification(
            "706",
            2_000_000_005,
            "message_template_status_update",
            &json!({"event": "APPROVED", "message_template_id": 77,
            "message_template_name": "t", "message_template_language": "en-US"}),
        ),
        notification(
            "706",
            2_000_000_006,
            "phone_number_quality_update",
            &json!({"display_phone_number": line.display, "event": "THROUGHPUT_UPGRADE"}),
        ),
        notification("706", 2_000_000_007, "account_update", &json!({"event": "PARTNER_REMOVED"})),
    ];
    for notification in &told {
        world.notify(notification).await.expect(200);
    }
    let once = world.account.items().await;
    for _ in 0..2 {
        for notification in &told {
            world.notify(notification).await.expect(200);
        }
    }
    world.work_off().await;
    assert_eq!(world.account.items().await, once);
}

#[tokio::test]
async fn echoes_say_what_statuses_could_not() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "707").await;
    let read = json!({"id": "wamid.1", "status": "read", "timestamp": "2000000009", "recipient_id": "16505551234",
        "conversation": {"id": "c1", "origin": {"type": "service"}, "expiration_timestamp": "1800086400"},
        "pricing": {"billable": false, "pricing_model": "PMP", "category": "service"}});
    world.notify(&line.status(&read)).await.expect(200);
    let unknown = line.only_message(&world).await;
    assert_eq!((&unknown["type"], &unknown["direction"]), (&json!("unknown"), &json!("OUTBOUND")));
    assert_eq!(
        (&unknown["toPhoneNumber"], &unknown["readAt"]),
        (&json!("+16505551234"), &json!("2033-05-18T03:33:29.000Z"))
    );
    let window = &unknown["conversationWindow"];
    assert_eq!(
        (&window["id"], &window["originType"], &window["pricingBillable"]),
        (&json!("c1"), &json!("service"), &json!(false))
    );
    assert_eq!((&window["pricingModel"], &window["pricingCategory"]), (&json!("PMP"), &json!("service")));
    let echo = json!({"message_echoes": [{"from": line.display, "to": "16505551234", "id": "wamid.1", "timestamp": "2000000000",
        "type": "text", "text": {"body": "From the phone"}}]});
    world.notify(&line.about("smb_message_echoes", &echo)).await.expect(200);
    let filled = line.only_message(&world).await;
    assert_eq!(
        (&filled["type"], &filled["textBody"], &filled["id"]),
        (&json!("text"), &json!("From the phone"), &unknown["id"])
    );
    assert_eq!((&filled["sentAt"], &filled["readAt"]), (&json!("2033-05-18T03:33:20.000Z"), &unknown["readAt"]));
    assert_eq!(filled["recipients"][0]["status"], "READ");
    let counts = event_counts(&world, &world.org).await;
    assert_eq!((counts["messages.chat.sent"], counts["messages.chat.read"]), (1, 1));
}

/// The statuses of a group message with three participants, in six orders with repetitions. The unit tests of the rule
/// (shared/domain/src/chat/status/tests.rs) cover all orders.
#[tokio::test]
async fn statuses_of_many_orders_make_one_message_and_one_set_of_events() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "708").await;
    let status = |wamid: &str, (who, status, at): (u32, &str, u32)| {
        let error = if status == "failed" { json!([{"code": 131_026, "title": "Undeliverable"}]) } else { json!([]) };
        line.status(&json!({"id": wamid, "status": status, "timestamp": (2_000_000_000 + at).to_string(), "recipient_id": "group-1",
            "recipient_type": "group", "recipient_participant_id": format!("1650555000{who}"), "errors": error}))
    };
    let told = [
        (0, "sent", 3),
        (0, "delivered", 5),
        (0, "played", 9),
        (1, "sent", 4),
        (1, "sent", 2),
        (1, "failed", 8),
        (2, "failed", 7),
        (2, "read", 1),
    ];
    let mut outcomes = Vec::new();
    for turn in 0..6 {
        let wamid = format!("wamid.{turn}");
        let mut order = told.to_vec();
        order.rotate_left(turn);
        if turn % 2 == 1 {
            order.reverse();
        }
        order.extend_from_within(..turn);
        let before = event_counts(&world, &world.org).await;
        for one in order {
            world.notify(&status(&wamid, one)).await.expect(200);
        }
        let after = event_counts(&world, &world.org).await;
        let made: Vec<(String, usize)> = after
            .into_iter()
            .map(|(name, count)| {
                let had = before.get(&name).copied().unwrap_or(0);
                (name, count - had)
            })
            .collect();
        let mut message = line.messages(&world).await.into_iter().next().unwrap();
        for message in line.messages(&world).await {
            if !outcomes.iter().any(|(_, id, _)| *id == message["id"]) {
                outcomes.push((made.clone(), message["id"].clone(), line.details(&world, &text(&message, "id")).await));
            }
        }
        message.take();
    }
    let comparable = |message: &Value| {
        let mut message = message.clone();
        for name in ["id", "providerMessageId", "createdAt", "updatedAt"] {
            message.as_object_mut().unwrap().remove(name);
        }
        message
    };
    assert_eq!(outcomes.len(), 6);
    for (events, _, message) in &outcomes {
        assert_eq!((events, comparable(message)), (&outcomes[0].0, comparable(&outcomes[0].2)));
    }
    assert!(outcomes[0].2.get("toPhoneNumber").is_none(), "a group is no number");
    let recipients = outcomes[0].2["recipients"].as_array().unwrap();
    let statuses: Vec<_> = recipients.iter().map(|recipient| text(recipient, "status")).collect();
    assert_eq!(statuses, ["READ", "FAILED", "FAILED"]);
}

#[tokio::test]
async fn twenty_statuses_at_once_of_an_unknown_message_make_one() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "709").await;
    let told = (0..20).map(|n| {
        let status = ["sent", "delivered", "read", "failed"][n % 4];
        line.status(&json!({"id": "wamid.busy", "status": status, "timestamp": (2_000_000_000 + n).to_string(), "recipient_id": "16505551234"}))
    });
    for reply in join_all(told.collect::<Vec<_>>().iter().map(|told| world.notify(told))).await {
        reply.expect(200);
    }
    world.work_off().await;
    let message = line.only_message(&world).await;
    for (name, at) in [("sentAt", "20"), ("deliveredAt", "21"), ("readAt", "22"), ("failedAt", "23")] {
        assert_eq!(message[name], format!("2033-05-18T03:33:{at}.000Z"));
    }
    let counts = event_counts(&world, &world.org).await;
    for name in ["sent", "delivered", "read", "failed"] {
        assert_eq!(counts[&format!("messages.chat.{name}")], 1);
    }
}

/// A number moves to another account of its organization. Its updates are applied before the new account's signup tells
/// of the move, and after it also those that still name the old account.
#[tokio::test]
async fn a_number_that_moves_between_accounts_keeps_receiving_its_updates() {
    let world = World::new().await;
    let (old, new) = (connect(&world, &world.org, "724").await, connect(&world, &world.org, "725").await);
    let under = |account: &str, wamid: &str| {
        let mut told = old.message(&json!({"id": wamid, "type": "text", "text": {"body": "Hi"}}));
        told["entry"][0]["id"] = json!(account);
        told
    };
    let quality = |account: &str, time: i64, event: &str| {
        let value = json!({"display_phone_number": old.display, "event": event, "current_limit": "TIER_1K"});
        notification(account, time, "phone_number_quality_update", &value)
    };
    let shown = async || {
        let number = world.admin(Call::get(format!("/v1/organization/chat/phone-numbers/{}", old.number))).await;
        number.expect(200)
    };
    let accepted = async |told: &Value| {
        let reply = world.notify(told).await.expect(200);
        assert_eq!((&reply["accepted"], &reply["ignored"]), (&json!(1), &json!(0)), "{told}");
    };
    accepted(&under("725", "wamid.before")).await;
    accepted(&quality("725", 2_000_000_010, "FLAGGED")).await;
    assert_eq!(old.messages(&world).await.len(), 1);
    assert_eq!(shown().await["qualityEvent"], "FLAGGED");

    world.platform.account("724", &[]);
    let both = [(old.platform_number.as_str(), old.display.as_str()), (&new.platform_number, &new.display)];
    world.platform.account("725", &both);
    let token = json!({"access_token": "token-725"}).to_string();
    world.platform.misbehave("oauth", Misbehave::Status(200, token), 1);
    let again = Call::post(tests::catalogue::SIGNUP).json(&json!({"code": "another", "wabaId": "725"}));
    world.admin(again).await.expect(200);
    assert_eq!(shown().await["businessProfile"]["id"], json!(new.profile));

    accepted(&under("724", "wamid.late")).await;
    accepted(&quality("724", 2_000_000_020, "UNFLAGGED")).await;
    assert_eq!(old.messages(&world).await.len(), 2);
    assert_eq!(shown().await["qualityEvent"], "UNFLAGGED");

    // The worker finds the number too.
    let late = quality("724", 2_000_000_030, "FLAGGED").to_string().into_bytes();
    let call = Call::post("/v1/platform/notifications").header("x-hub-signature-256", &signature(APP_SECRET, &late));
    let queued = world.notifications(Duration::ZERO).respond(call.bytes(late).request()).await;
    assert_eq!(queued.status(), 200);
    world.work_off().await;
    assert_eq!(shown().await["qualityEvent"], "FLAGGED");
}

/// Outcomes of reviews that the specification does not know are counted and change nothing.
#[tokio::test]
async fn unknown_outcomes_of_reviews_change_nothing() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "726").await;
    let name = |decision: &str| json!({"display_phone_number": line.display, "decision": decision, "requested_verified_name": "Acme"});
    let tell = async |time: i64, field: &str, value: Value| {
        world.notify(&notification("726", time, field, &value)).await.expect(200);
    };
    tell(2_000_000_010, "account_review_update", json!({"decision": "DEFERRED"})).await;
    tell(2_000_000_010, "phone_number_name_update", name("DECLINED")).await;
    let shown = async || {
        let profile = world.admin(Call::get(format!("/v1/organization/chat/business-profiles/{}", line.profile))).await;
        let number = world.admin(Call::get(format!("/v1/organization/chat/phone-numbers/{}", line.number))).await;
        (profile.expect(200), number.expect(200))
    };
    let before = shown().await;
    assert_eq!((&before.0["reviewDecision"], &before.1["nameStatus"]), (&json!("DEFERRED"), &json!("REJECTED")));
    let is_of_unknown = |line: &&Value| line.get("UnknownPlatformValues").is_some();
    let counted = || world.metrics.json().iter().filter(is_of_unknown).count();
    assert_eq!(counted(), 0);
    tell(2_000_000_020, "account_review_update", json!({"decision": "NOVEL"})).await;
    tell(2_000_000_020, "phone_number_name_update", name("NOVEL")).await;
    assert_eq!(shown().await, before);
    assert_eq!(counted(), 2);
}

/// The error of a failed recipient has the code and text of the API, and the title and details of the platform.
#[tokio::test]
async fn failed_recipients_have_the_apis_error_codes() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "727").await;
    for (code, expected) in [
        (131_026, "message_undeliverable"),
        (131_047, "conversation_window_expired"),
        (132_015, "template_not_found"),
        (131_000, "platform_api_error"),
        (999_999, "platform_api_error"),
    ] {
        let error =
            json!({"code": code, "title": "The title", "message": "m", "error_data": {"details": "The details"}});
        let status = json!({"id": format!("wamid.{code}"), "status": "failed", "timestamp": "2000000000",
            "recipient_id": "16505551234", "errors": [error]});
        world.clock.advance(Duration::from_millis(1));
        world.notify(&line.status(&status)).await.expect(200);
        let newest = text(&line.messages(&world).await[0], "id");
        let message = line.details(&world, &newest).await;
        assert_eq!(message["errorCode"], expected, "{code}");
        assert_eq!((&message["errorTitle"], &message["errorDetails"]), (&json!("The title"), &json!("The details")));
        assert!(message["errorMessage"].as_str().is_some_and(|text| text.ends_with('.') && text != "m"), "{message}");
        assert_eq!(message["recipients"][0]["errorCode"], expected);
        assert_eq!(message["recipients"][0]["errorMessage"], message["errorMessage"]);
    }
}

/// An update is applied only if the number and the account belong to the same organization; others are acknowledged and ignored.
#[tokio::test]
async fn a_notification_reaches_the_organization_of_its_number_and_account_alone() {
    let world = World::new().await;
    let other = world.organization("Other").await;
    let (own, foreign) = (connect(&world, &world.org, "710").await, connect(&world, &other, "711").await);
    let before = world.account.items().await;
    let text_message = json!({"id": "wamid.1", "type": "text", "text": {"body": "secret"}});
    let mixed = |account: &str, number: &Line| {
        let mut told = number.message(&text_message);
        told["entry"][0]["id"] = json!(account);
        told
    };
    let mut no_number = own.message(&text_message);
    no_number["entry"][0]["changes"][0]["value"].as_object_mut().unwrap().remove("metadata");
    for told in [
        mixed("710", &foreign),
        mixed("711", &own),
        mixed("999", &own),
        no_number,
        notification("999", 1, "account_update", &json!({"event": "PARTNER_REMOVED"})),
        notification("710", 1, "account_update", &json!({"event": "PARTNER_REMOVED", "waba_info": {"waba_id": "999"}})),
        notification("710", 1, "history", &json!({"history": []})),
        notification("710", 1, "unheard_of", &json!([1, 2])),
    ] {
        let reply = world.notify(&told).await.expect(200);
        assert_eq!((&reply["accepted"], &reply["ignored"]), (&json!(0), &json!(1)), "{told}");
        assert_eq!(world.account.items().await, before, "{told}");
    }
    world.notify(&foreign.message(&text_message)).await.expect(200);
    assert!(own.messages(&world).await.is_empty());
    assert_eq!(foreign.messages(&world).await.len(), 1);
    // The same platform id in another organization is another message.
    world.notify(&own.message(&text_message)).await.expect(200);
    assert_ne!(own.only_message(&world).await["id"], foreign.only_message(&world).await["id"]);
    let path = format!("/v1/organization/chat/messages/{}", text(&own.only_message(&world).await, "id"));
    world.send(Call::get(&path).key(&other.admin)).await.refused(404, Some("messageId"), None);
    world.send(Call::get(&path).key(&world.org.test_admin)).await.refused(404, Some("messageId"), None);
}

/// Updates of many organizations, 25 of each and one of them invalid: the response waits for few calls after one another,
/// and all other updates are applied.
#[tokio::test]
async fn many_updates_with_one_poisonous() {
    let organizations = of_size(8, 40);
    let world = World::new().await;
    let mut lines = Vec::new();
    for n in 0..organizations {
        let org = if n == 0 { world.org.clone() } else { world.organization(&format!("Tenant {n}")).await };
        lines.push(connect(&world, &org, &format!("8{n:02}")).await);
    }
    let entries: Vec<Value> = lines
        .iter()
        .enumerate()
        .map(|(n, line)| {
            let message = |m: usize| {
                let body = json!({"body": format!("message {m}")});
                // A message without an id cannot be stored.
                let id = if (n, m) == (5, 13) { Value::Null } else { json!(format!("wamid.{n}.{m}")) };
                let time = (2_000_000_000 + m).to_string();
                json!({"id": id, "from": "16505551234", "timestamp": time, "type": "text", "text": body})
            };
            let messages: Vec<Value> = (0..25).map(message).collect();
            line.about("messages", &json!({"messages": messages}))["entry"][0].clone()
        })
        .collect();
    let notification = json!({"object": "whatsapp_business_account", "entry": entries});
    let (reply, cost) = world.faults.meter.of(world.notify(&notification)).await;
    assert_eq!(reply.expect(200), json!({"accepted": 25 * organizations, "ignored": 0}));
    // Sequential processing would need hundreds of round trips.
    assert!(cost.depth <= 50, "the platform waits for {} calls after one another", cost.depth);
    world.work_off().await;
    let mut applied = 0;
    for (n, line) in lines.iter().enumerate() {
        let messages = line.messages(&world).await;
        assert_eq!(messages.len(), if n == 5 { 24 } else { 25 }, "tenant {n}");
        applied += messages.len();
        assert_eq!(event_counts(&world, &line.org).await["messages.chat.received"], messages.len());
    }
    assert_eq!(applied, 25 * organizations - 1);
    let dead = world.dead_letters().await;
    assert_eq!(dead.len(), 1);
    assert!(dead[0].contains("message 13"));
}

/// Updates that cannot be applied, or not in time, are queued like all after the first 25.
#[tokio::test]
async fn what_is_not_applied_at_once_is_queued() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "720").await;
    let message = |n: usize| json!({"id": format!("wamid.{n}"), "from": "16505551234", "timestamp": "2000000000", "type": "text", "text": {"body": "x"}});
    let post = async |messages: Vec<Value>, budget: Duration| {
        let body = line.about("messages", &json!({"messages": messages})).to_string().into_bytes();
        let call = Call::post(PATH).header("x-hub-signature-256", &signature(APP_SECRET, &body)).bytes(body);
        assert_eq!(world.notifications(budget).respond(call.request()).await.status(), 200);
    };
    // Without any time, everything is queued.
    post((0..5).map(message).collect(), Duration::ZERO).await;
    assert!(line.messages(&world).await.is_empty());
    world.work_off().await;
    assert_eq!(line.messages(&world).await.len(), 5);
    // An invalid update among those that are applied directly.
    let poisonous = (5..10).map(|n| if n == 7 { json!({"text": {"body": "no id"}}) } else { message(n) }).collect();
    post(poisonous, Duration::from_secs(5)).await;
    assert_eq!(line.messages(&world).await.len(), 9);
    world.work_off().await;
    assert_eq!((line.messages(&world).await.len(), world.dead_letters().await.len()), (9, 1));
}

/// Updates after the first 25 are queued even if there is time, because the platform waits for the response.
#[tokio::test]
async fn twenty_five_updates_are_applied_before_the_answer() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "736").await;
    let message = |n: usize| {
        let text = json!({"body": "x"});
        json!({"id": format!("wamid.{n}"), "from": "16505551234", "timestamp": "2000000000", "type": "text", "text": text})
    };
    let told = line.about("messages", &json!({"messages": (0..30).map(message).collect::<Vec<_>>()})).to_string();
    let signed = signature(APP_SECRET, told.as_bytes());
    let call = Call::post(PATH).header("x-hub-signature-256", &signed).bytes(told.into_bytes());
    let patient = world.notifications(Duration::from_secs(60));
    assert_eq!(patient.respond(call.request()).await.status(), 200);
    assert_eq!(line.messages(&world).await.len(), 25);
    world.work_off().await;
    assert_eq!(line.messages(&world).await.len(), 30);
}

/// An update that is too large for a queue message does not block the others, whatever its position.
#[tokio::test]
async fn an_update_too_large_for_the_queue_holds_no_other_up() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "721").await;
    let message = |n: usize| {
        let length = if n == 30 { 300_000 } else { 10 };
        json!({"id": format!("wamid.{n}"), "from": "16505551234", "timestamp": "2000000000", "type": "text", "text": {"body": "x".repeat(length)}})
    };
    let told = line.about("messages", &json!({"messages": (0..40).map(message).collect::<Vec<_>>()}));
    world.notify(&told).await.expect(200);
    world.work_off().await;
    assert_eq!(line.messages(&world).await.len(), 40);
    // A message that is too large for a table item is cut.
    let giant = json!({"id": "wamid.giant", "from": "16505551234", "timestamp": "2000000000", "type": "text", "text": {"body": "x".repeat(500_000)}});
    let mut messages: Vec<Value> = (40..70).map(message).collect();
    messages.insert(28, giant);
    world.notify(&line.about("messages", &json!({"messages": messages}))).await.expect(200);
    world.work_off().await;
    assert_eq!((line.messages(&world).await.len(), world.dead_letters().await.len()), (71, 0));
}

/// Malformed updates are counted; the other updates are applied.
#[tokio::test]
async fn malformed_entries_hold_no_other_up() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "722").await;
    let good = line.message(&json!({"id": "wamid.1", "type": "text", "text": {"body": "Hi"}}))["entry"][0].clone();
    let long = "9".repeat(5000);
    let entries = json!([1, {"id": "1"}, {"id": {}, "changes": []}, {"id": "1", "changes": {}}, {"id": "1", "changes": [{"field": "messages"}, "x"]},
        {"id": long, "changes": [{"field": "account_update", "value": {"event": "PARTNER_REMOVED"}}]}, good]);
    let reply = world.notify(&json!({"object": "whatsapp_business_account", "entry": entries})).await.expect(200);
    assert_eq!(reply, json!({"accepted": 1, "ignored": 7}));
    assert_eq!(line.messages(&world).await.len(), 1);
}

/// A platform failure does not lose media: the message stays due.
#[tokio::test]
async fn media_wait_for_the_platform() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "723").await;
    world.platform.state().media.insert("900".to_owned(), b"bytes".to_vec());
    let image = line.message(
        &json!({"id": "wamid.1", "type": "image", "image": {"id": "900", "mime_type": "image/jpeg", "sha256": ""}}),
    );
    for (code, status) in [(130_429, 400), (190, 401), (2, 503)] {
        world.platform.misbehave("/900", Misbehave::Status(status, error(code, "not now").to_string()), 2);
        world.notify(&image).await.expect(200);
        world.work_off().await;
        world.platform.state().misbehave.clear();
        assert!(line.only_message(&world).await.get("mediaUrl").is_none(), "{code}");
    }
    assert_eq!(world.dead_letters().await.len(), 0);
    world.notify(&image).await.expect(200);
    world.work_off().await;
    assert!(line.only_message(&world).await["mediaUrl"].is_string());
    let item = world.account.items().await.into_iter().find(|item| item["SK"] == "MSG").unwrap();
    let retention = item["dueAt"].parse::<i64>().unwrap() - world.now().millis();
    assert_eq!(retention, 30 * 86_400_000, "due when its retention ends");
}

/// Contacts are identified by number, by user id, or by both. Merging and splitting contacts loses no data.
#[tokio::test]
async fn contacts_under_several_names() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "724").await;
    let mut count = 0;
    let mut write = async |name: &str, wa_id: Option<&str>, user_id: Option<&str>| {
        count += 1;
        let at = (2_000_000_000 + count).to_string();
        let contact = json!({"profile": {"name": name}, "wa_id": wa_id.unwrap_or(""), "user_id": user_id});
        let sent = json!({"id": format!("wamid.{count}"), "from": wa_id, "from_user_id": user_id, "timestamp": at, "type": "text", "text": {"body": "x"}});
        world.notify(&line.about("messages", &json!({"contacts": [contact], "messages": [sent]}))).await.expect(200);
        assert_eq!(line.messages(&world).await.len(), count as usize, "every message is stored");
    };
    let told = async |kind: &str| events(&world, &world.org, &format!("contacts.chat.{kind}")).await;
    // By number, by user id, then by both: one of the two contacts is removed.
    write("Ann", Some("16505551234"), None).await;
    write("Ann", None, Some("US.1")).await;
    assert_eq!(told("created").await.len(), 2);
    write("Ann", Some("16505551234"), Some("US.1")).await;
    write("Ann", Some("16505551234"), None).await;
    assert_eq!((told("created").await.len(), told("deleted").await.len()), (2, 1));
    // The number gets a new owner, who is another contact.
    write("Bob", Some("16505551234"), Some("US.2")).await;
    assert_eq!((told("created").await.len(), told("updated").await.len()), (3, 0));
    write("Ann", None, Some("US.1")).await;
    write("Bob", Some("16505551234"), None).await;
    assert_eq!((told("created").await.len(), told("updated").await.len(), told("deleted").await.len()), (3, 0, 1));
    // First a number with a user id, then the same number with another user id.
    write("Cid", Some("16505550000"), None).await;
    write("Cid", Some("16505550000"), Some("US.3")).await;
    write("Dan", Some("16505550000"), Some("US.4")).await;
    write("Cid", None, Some("US.3")).await;
    assert_eq!((told("created").await.len(), told("updated").await.len()), (5, 0));
}

#[tokio::test]
async fn contacts_come_change_and_go() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "712").await;
    let mut wamid = 0;
    let mut message = |at: i64, name: &str, wa_id: Option<&str>, user_id: Option<&str>| {
        wamid += 1;
        let contact = json!({"profile": {"name": name}, "wa_id": wa_id, "user_id": user_id});
        let sent = json!({"id": format!("wamid.{wamid}"), "from": wa_id, "from_user_id": user_id, "timestamp": at.to_string(), "type": "text", "text": {"body": "x"}});
        line.about("messages", &json!({"contacts": [contact], "messages": [sent]}))
    };
    let contacts = async |name: &str| events(&world, &world.org, &format!("contacts.chat.{name}")).await;
    // By number, then by number and user id, then by user id alone: one contact.
    world.notify(&message(2_000_000_000, "Ann", Some("16505551234"), None)).await.expect(200);
    world.notify(&message(2_000_000_001, "Ann", Some("16505551234"), Some("US.1"))).await.expect(200);
    world.notify(&message(2_000_000_002, "Anna", None, Some("US.1"))).await.expect(200);
    // An older name arrives late.
    world.notify(&message(1_799_999_999, "Old Ann", Some("16505551234"), None)).await.expect(200);
    let created = contacts("created").await;
    assert_eq!(created.len(), 1);
    assert_eq!((&created[0]["name"], &created[0]["phoneNumber"]), (&json!("Ann"), &json!("+16505551234")));
    let updated = contacts("updated").await;
    assert_eq!(updated.len(), 1);
    assert_eq!(
        (&updated[0]["name"], &updated[0]["userId"], &updated[0]["id"]),
        (&json!("Anna"), &json!("US.1"), &created[0]["id"])
    );
    let unnumbered = line.messages(&world).await.into_iter().find(|message| message.get("fromPhoneNumber").is_none());
    assert!(unnumbered.is_some(), "a user without a number is nobody's number");
    // Contacts of the business app.
    let sync = |action: &str, at: i64| {
        let entry = json!({"type": "contact", "action": action, "contact": {"full_name": "Anna B.", "phone_number": "16505551234"}, "metadata": {"timestamp": at}});
        line.about("smb_app_state_sync", &json!({"state_sync": [entry]}))
    };
    world.notify(&sync("remove", 2_000_000_010)).await.expect(200);
    world.notify(&sync("add", 2_000_000_009)).await.expect(200);
    assert_eq!(contacts("deleted").await.len(), 1);
    assert_eq!(contacts("created").await.len(), 1, "what was told before the removal is old");
    world.notify(&sync("add", 2_000_000_011)).await.expect(200);
    let created = contacts("created").await;
    assert_eq!(created.len(), 2);
    assert!(created.iter().any(|contact| contact["name"] == "Anna B."));
}

#[tokio::test]
async fn accounts_and_numbers_show_what_the_platform_decided() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "713").await;
    let profile = format!("/v1/organization/chat/business-profiles/{}", line.profile);
    let number = format!("/v1/organization/chat/phone-numbers/{}", line.number);
    let tell = async |time: i64, field: &str, value: Value| {
        world.notify(&notification("713", time, field, &value)).await.expect(200)
    };
    tell(2_000_000_010, "account_review_update", json!({"decision": "REJECTED"})).await;
    tell(2_000_000_005, "account_review_update", json!({"decision": "PENDING"})).await;
    let shown = world.admin(Call::get(&profile)).await.expect(200);
    assert_eq!(
        (&shown["reviewDecision"], &shown["reviewDecidedAt"]),
        (&json!("REJECTED"), &json!("2033-05-18T03:33:30.000Z"))
    );
    tell(
        2_000_000_010,
        "phone_number_quality_update",
        json!({"display_phone_number": line.display, "event": "THROUGHPUT_UPGRADE", "current_limit": "TIER_100K"}),
    )
    .await;
    tell(
        2_000_000_009,
        "phone_number_quality_update",
        json!({"display_phone_number": line.display, "event": "FLAGGED"}),
    )
    .await;
    tell(
        2_000_000_010,
        "phone_number_name_update",
        json!({"display_phone_number": format!("+{}", line.display), "decision": "REJECTED",
        "requested_verified_name": "Acme", "rejection_reason": "NAME_FORMAT_UNACCEPTABLE"}),
    )
    .await;
    let shown = world.admin(Call::get(&number)).await.expect(200);
    assert_eq!((&shown["qualityEvent"], &shown["throughputTier"]), (&json!("THROUGHPUT_UPGRADE"), &json!("HIGH")));
    assert_eq!((&shown["nameStatus"], &shown["requestedVerifiedName"]), (&json!("REJECTED"), &json!("Acme")));
    assert_eq!(shown["nameRejectionReason"], "NAME_FORMAT_UNACCEPTABLE");
    assert!(shown["qualityEventAt"].is_string() && shown["nameDecisionAt"].is_string());
    // A partner update, which contains the account.
    let gone = notification(
        "77",
        2_100_000_000,
        "account_update",
        &json!({"event": "PARTNER_REMOVED", "waba_info": {"waba_id": "713", "owner_business_id": "1"}}),
    );
    world.notify(&gone).await.expect(200);
    let told = events(&world, &world.org, "chat.account.disconnected").await;
    assert_eq!((told.len(), &told[0]["id"]), (1, &json!(line.profile)));
    tell(2_100_000_001, "account_update", json!({"event": "ACCOUNT_RESTRICTION"})).await;
    assert_eq!(events(&world, &world.org, "chat.account.disconnected").await.len(), 1);
}

/// The platform has several events for a disconnected account and one for its return.
#[tokio::test]
async fn accounts_end_in_several_ways_and_may_come_back() {
    let world = World::new().await;
    for (account, end) in [
        ("737", "PARTNER_APP_UNINSTALLED"),
        ("738", "ACCOUNT_OFFBOARDED"),
        ("739", "ACCOUNT_DELETED"),
        ("740", "PARTNER_REMOVED"),
    ] {
        let line = connect(&world, &world.org, account).await;
        let tell = async |at: i64, event: &str| {
            let told = notification(account, at, "account_update", &json!({"event": event}));
            world.notify(&told).await.expect(200);
            let told = events(&world, &world.org, "chat.account.disconnected").await;
            told.iter().filter(|profile| profile["id"] == line.profile.as_str()).count()
        };
        assert_eq!(tell(2_100_000_000, end).await, 1, "{end}");
        assert_eq!(tell(2_100_000_001, end).await, 1, "it is gone already");
        assert_eq!(tell(2_100_000_002, "ACCOUNT_RECONNECTED").await, 1);
        assert_eq!(tell(2_100_000_003, end).await, 2, "{end}");
    }
}

#[tokio::test]
async fn templates_come_back_and_are_warned_of() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "741").await;
    let mut at = 2_000_000_000;
    let mut tell = async |event: &str| {
        at += 10;
        let told = json!({"event": event, "message_template_id": 7, "message_template_name": "t",
            "message_template_language": "en_US", "message_template_category": "UTILITY"});
        world.notify(&notification("741", at, "message_template_status_update", &told)).await.expect(200);
        let path = format!("/v1/organization/chat/templates?chatBusinessProfileId={}", line.profile);
        text(&world.admin(Call::get(path)).await.expect(200)["data"][0], "status")
    };
    for (event, status) in [
        ("APPROVED", "APPROVED"),
        ("DISABLED", "DISABLED"),
        ("REINSTATED", "APPROVED"),
        ("ARCHIVED", "ARCHIVED"),
        ("UNARCHIVED", "APPROVED"),
        ("FLAGGED", "APPROVED"),
    ] {
        assert_eq!(tell(event).await, status, "{event}");
    }
    let counts = event_counts(&world, &world.org).await;
    let of = |name: &str| counts.get(&format!("templates.chat.{name}")).copied().unwrap_or(0);
    assert_eq!((of("created"), of("connected"), of("updated")), (1, 2, 2), "a warning changes nothing");
}

#[tokio::test]
async fn templates_follow_their_notifications() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "714").await;
    let tell = async |time: i64, field: &str, value: Value| {
        let mut value = value;
        value["message_template_id"] = json!(12_345_678_901_234_567_u64);
        world.notify(&notification("714", time, field, &value)).await.expect(200)
    };
    let listed = async || {
        let path = format!("/v1/organization/chat/templates?chatBusinessProfileId={}", line.profile);
        world.admin(Call::get(path)).await.expect(200)["data"].as_array().unwrap().clone()
    };
    let named = json!({"event": "PENDING", "message_template_name": "welcome", "message_template_language": "en-US", "message_template_category": "UTILITY", "reason": null});
    tell(2_000_000_000, "message_template_status_update", named).await;
    let templates = listed().await;
    assert_eq!((&templates[0]["id"], &templates[0]["language"]), (&json!("12345678901234567"), &json!("en_US")));
    tell(2_000_000_010, "message_template_status_update", json!({"event": "APPROVED", "reason": "NONE"})).await;
    tell(2_000_000_005, "message_template_status_update", json!({"event": "REJECTED", "reason": "SCAM"})).await;
    // An update of one property does not make updates of other properties outdated.
    tell(2_000_000_020, "message_template_quality_update", json!({"new_quality_score": "YELLOW"})).await;
    tell(
        2_000_000_019,
        "template_category_update",
        json!({"new_category": "UTILITY", "previous_category": "MARKETING"}),
    )
    .await;
    tell(2_000_000_018, "message_template_status_update", json!({"event": "PAUSED"})).await;
    // Repeated and overtaken updates: the newest status is approved.
    tell(2_000_000_025, "message_template_status_update", json!({"event": "APPROVED"})).await;
    tell(2_000_000_024, "message_template_status_update", json!({"event": "PAUSED", "reason": "late"})).await;
    tell(
        2_000_000_030,
        "template_category_update",
        json!({"new_category": "MARKETING", "previous_category": "UTILITY"}),
    )
    .await;
    let template = &listed().await[0];
    assert_eq!(
        (&template["status"], &template["qualityScore"], &template["category"]),
        (&json!("APPROVED"), &json!("YELLOW"), &json!("MARKETING"))
    );
    tell(2_000_000_040, "message_template_status_update", json!({"event": "REJECTED", "reason": "SCAM"})).await;
    assert_eq!(listed().await[0]["rejectedReason"], "SCAM");
    tell(2_000_000_050, "message_template_status_update", json!({"event": "DELETED"})).await;
    assert!(listed().await.is_empty());
    // A late update does not restore the template.
    tell(
        2_000_000_045,
        "message_template_status_update",
        json!({"event": "PENDING_DELETION", "message_template_name": "welcome"}),
    )
    .await;
    assert!(listed().await.is_empty());
    let counts = event_counts(&world, &world.org).await;
    let of = |name: &str| counts.get(&format!("templates.chat.{name}")).copied().unwrap_or(0);
    assert_eq!((of("created"), of("connected"), of("updated"), of("deleted")), (1, 2, 4, 1));
}
