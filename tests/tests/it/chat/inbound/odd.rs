//! Payloads that differ from the documented forms in a type, a container or a missing field. The odd field is left out and kept
//! in `systemData`; everything else of the message is there.

use serde_json::{Value, json};
use tests::World;
use tests::chat::connect;

use super::harness::{Case, expect_all, filled, inbound, notification, post, received, stored};

const TEXT: &str = r#""type": "text", "text": {"body": "Hi"}"#;
const IS_TEXT: &str = r#""type": "text", "textBody": "Hi""#;

/// A text with one more field, and what it changes in the message.
fn text(name: &'static str, field: &str, changed: &str) -> Case {
    let comma = if changed.is_empty() { "" } else { ", " };
    inbound(name, &format!("{TEXT}, {field}"), &format!("{{{IS_TEXT}{comma}{changed}}}"))
}

fn scalars() -> Vec<Case> {
    vec![
        text("numeric sender", r#""from": $NUMERIC"#, ""),
        text("sender with a plus", r#""from": "+$FROM""#, ""),
        text("sender with spaces", r#""from": " +1 (650) 555-1234 ""#, r#""fromPhoneNumber": "+16505551234""#),
        text("sender null", r#""from": null"#, ""),
        text("sender an object", r#""from": {"wa_id": 1}"#, r#""systemData": {"from": {"wa_id": 1}}"#),
        text("sender a user id", r#""from": "US.13.x""#, r#""fromPhoneNumber": "+$FROM", "fromUserId": "US.13.x""#),
        text("numeric time", r#""timestamp": 2000000000"#, ""),
        text("time in milliseconds", r#""timestamp": "2000000000000""#, ""),
        text(
            "numeric time in milliseconds",
            r#""timestamp": 2000000000123"#,
            r#""sentAt": "2033-05-18T03:33:20.123Z""#,
        ),
        text("time with a fraction", r#""timestamp": 2000000000.0"#, ""),
        text("time in RFC 3339", r#""timestamp": "2033-05-18T03:33:20Z""#, ""),
        text("type doubled with null", r#""type": null"#, ""),
        text("context null", r#""context": null"#, ""),
        text("context empty", r#""context": {}"#, ""),
        text("context an empty list", r#""context": []"#, r#""systemData": {"context": []}"#),
        text("context a list", r#""context": [{"id": "wamid.other"}]"#, r#""replyToMessageId": "wamid.other""#),
        text("context a text", r#""context": "wamid.other""#, r#""systemData": {"context": "wamid.other"}"#),
        text("context with a numeric id", r#""context": {"id": 17}"#, r#""replyToMessageId": "17""#),
        text("forwarded as a text", r#""context": {"forwarded": "true"}"#, r#""isForwarded": true"#),
        text(
            "forwarded as a number",
            r#""context": {"forwarded": 1, "frequently_forwarded": 0}"#,
            r#""isForwarded": true"#,
        ),
        text(
            "forwarded otherwise",
            r#""context": {"forwarded": "maybe"}"#,
            r#""systemData": {"context": {"forwarded": "maybe"}}"#,
        ),
        text(
            "referral with numbers",
            r#""referral": {"source_id": 12345678901234567, "headline": 7}"#,
            r#""hasReferral": true, "referral": {"sourceId": "12345678901234567", "headline": "7"}"#,
        ),
        text(
            "referral as a list",
            r#""referral": [{"source_id": "1"}]"#,
            r#""hasReferral": true, "referral": {"sourceId": "1"}"#,
        ),
        text(
            "welcome message as a text",
            r#""referral": {"welcome_message": "W"}"#,
            r#""hasReferral": true, "referral": {}, "systemData": {"referral": {"welcome_message": "W"}}"#,
        ),
        text("errors null", r#""errors": null"#, ""),
        text("errors a text", r#""errors": "none""#, r#""systemData": {"errors": "none"}"#),
        text("group id a number", r#""group_id": 120363"#, r#""groupId": "120363""#),
        text("group id an object", r#""group_id": {"id": 1}"#, r#""systemData": {"group_id": {"id": 1}}"#),
        inbound("text body null", r#""type": "text", "text": {"body": null}"#, r#"{"type": "text"}"#),
        inbound("text null", r#""type": "text", "text": null"#, r#"{"type": "text"}"#),
        inbound(
            "text body a number",
            r#""type": "text", "text": {"body": 42}"#,
            r#"{"type": "text", "textBody": "42"}"#,
        ),
        inbound(
            "text body a list",
            r#""type": "text", "text": {"body": ["a"]}"#,
            r#"{"type": "text", "systemData": {"text": {"body": ["a"]}}}"#,
        ),
        inbound("text a text", r#""type": "text", "text": "Hi""#, r#"{"type": "text", "systemData": {"text": "Hi"}}"#),
        inbound("text a list", r#""type": "text", "text": [{"body": "Hi"}]"#, r#"{"type": "text", "textBody": "Hi"}"#),
        inbound(
            "text with a lone surrogate",
            r#""type": "text", "text": {"body": "a\ud83db"}"#,
            "{\"type\": \"text\", \"textBody\": \"a\u{fffd}b\"}",
        ),
        inbound(
            "text with a low surrogate",
            r#""type": "text", "text": {"body": "\ude00\ud83d\ude00"}"#,
            "{\"type\": \"text\", \"textBody\": \"\u{fffd}😀\"}",
        ),
        inbound(
            "text with a zero",
            r#""type": "text", "text": {"body": "a\u0000b"}"#,
            r#"{"type": "text", "textBody": "a\u0000b"}"#,
        ),
    ]
}

fn content() -> Vec<Case> {
    vec![
        inbound("type missing", r#""text": {"body": "Hi"}"#, r#"{"type": "text", "textBody": "Hi"}"#),
        inbound(
            "type null",
            r#""type": null, "location": {"latitude": 1, "longitude": 2}"#,
            r#"{"type": "location", "locationLatitude": "1", "locationLongitude": "2"}"#,
        ),
        inbound(
            "type an object",
            r#""type": {"name": "text"}, "text": {"body": "Hi"}"#,
            r#"{"type": "text", "textBody": "Hi", "systemData": {"type": {"name": "text"}}}"#,
        ),
        inbound("type missing of an image", r#""image": {"id": "900"}"#, r#"{"type": "image"}"#),
        inbound(
            "type and object missing",
            "\"note\": 1",
            r#"{"type": "unknown", "systemData": {"id": "$ID", "from": "$FROM", "timestamp": "2000000000", "note": 1}}"#,
        ),
        inbound(
            "voice as a text",
            r#""type": "audio", "audio": {"id": 901, "voice": "true"}"#,
            r#"{"type": "audio", "isVoiceNote": true}"#,
        ),
        inbound(
            "voice otherwise",
            r#""type": "audio", "audio": {"id": 901, "voice": "yes"}"#,
            r#"{"type": "audio", "systemData": {"audio": {"voice": "yes"}}}"#,
        ),
        inbound(
            "animated as a number",
            r#""type": "sticker", "sticker": {"id": "1", "animated": 0}"#,
            r#"{"type": "sticker", "isAnimatedSticker": false}"#,
        ),
        inbound(
            "medium without an id",
            r#""type": "image", "image": {"caption": "C"}"#,
            r#"{"type": "image", "mediaCaption": "C"}"#,
        ),
        inbound(
            "medium under another name",
            r#""type": "image", "video": {"id": "1", "caption": "C"}"#,
            r#"{"type": "image", "systemData": {"video": {"id": "1", "caption": "C"}}}"#,
        ),
        inbound(
            "digest null",
            r#""type": "image", "image": {"id": "1", "sha256": null, "mime_type": 7}"#,
            r#"{"type": "image", "mediaMimeType": "7"}"#,
        ),
        inbound(
            "location as texts",
            r#""type": "location", "location": {"latitude": "37.4830", "longitude": "-122.1", "name": 5}"#,
            r#"{"type": "location", "locationLatitude": "37.4830", "locationLongitude": "-122.1", "locationName": "5"}"#,
        ),
        inbound(
            "latitude an object",
            r#""type": "location", "location": {"latitude": {"deg": 1}, "longitude": 2}"#,
            r#"{"type": "location", "locationLongitude": "2", "systemData": {"location": {"latitude": {"deg": 1}}}}"#,
        ),
        inbound(
            "contacts an object",
            r#""type": "contacts", "contacts": {"name": {"formatted_name": "Bob"}}"#,
            r#"{"type": "contacts", "contactsData": {"name": {"formatted_name": "Bob"}}}"#,
        ),
        inbound(
            "button with numbers",
            r#""type": "button", "button": {"payload": 1, "text": true}"#,
            r#"{"type": "button", "buttonPayload": "1", "buttonText": "true"}"#,
        ),
        inbound(
            "interactive a text",
            r#""type": "interactive", "interactive": "x""#,
            r#"{"type": "interactive", "interactiveData": "x"}"#,
        ),
        inbound(
            "order with one item",
            r#""type": "order", "order": {"catalog_id": 194, "product_items": {"product_retailer_id": 7, "quantity": "3"}}"#,
            r#"{"type": "order", "order": {"catalogId": "194", "totalItems": 3, "items": [{"productRetailerId": "7", "quantity": 3}]}}"#,
        ),
        inbound(
            "order with odd items",
            r#""type": "order", "order": {"product_items": [null, "x", {"quantity": -1}, {"quantity": "many", "item_price": [1]}]}"#,
            r#"{"type": "order", "order": {"totalItems": 0, "items": [{"quantity": 0}, {"quantity": 0}]},
                "systemData": {"order": {"product_items": ["x", null, {"quantity": "many", "item_price": [1]}]}}}"#,
        ),
        inbound(
            "reaction with a numeric id",
            r#""type": "reaction", "reaction": {"message_id": 5, "emoji": null}"#,
            r#"{"type": "reaction", "reactionMessageId": "5"}"#,
        ),
        inbound(
            "system a text",
            r#""type": "system", "system": "changed""#,
            r#"{"type": "system", "systemData": "changed"}"#,
        ),
        inbound(
            "error data a text",
            r#""type": "unsupported", "errors": [{"code": "131051", "title": "T", "error_data": "D"}], "x": 1"#,
            r#"{"type": "unknown", "errorCode": "unsupported_message_type", "errorTitle": "T", "errorDetails": "D",
                "errorMessage": "$UNSUPPORTED", "provider": {"source": "platform", "code": 131051, "message": "T"},
                "systemData": {"id": "$ID", "from": "$FROM", "timestamp": "2000000000", "type": "unsupported",
                    "errors": [{"code": "131051", "title": "T", "error_data": "D"}], "x": 1}}"#,
        ),
        inbound(
            "error data the text of an object",
            r#""type": "interactive", "errors": {"code": 131051, "message": "M", "error_data": "{\"details\": \"D\"}"}"#,
            r#"{"type": "interactive", "errorCode": "unsupported_message_type", "errorTitle": "M", "errorDetails": "D",
                "errorMessage": "$UNSUPPORTED", "provider": {"source": "platform", "code": 131051, "message": "M"}}"#,
        ),
        inbound(
            "long id of a reply",
            &format!(r#""type": "text", "text": {{"body": "Hi"}}, "context": {{"id": "{}"}}"#, "w".repeat(600)),
            r#"{"type": "text", "textBody": "Hi", "replyToMessageId": "sha256:dc7853417af8b075f03832598335a43ca067a6b600782d4a16db1439755cd536"}"#,
        ),
    ]
}

fn senders() -> Vec<Case> {
    let text = |more: &str| {
        format!(r#"{{"id": "$ID", "timestamp": "2000000000", "type": "text", "text": {{"body": "Hi"}}{more}}}"#)
    };
    let from = text(r#", "from": "$FROM""#);
    let with = |contacts: &str, message: &str| format!(r#""contacts": {contacts}, "messages": [{message}]"#);
    let case = |name, value: String, changed: &str| {
        let comma = if changed.is_empty() { "" } else { ", " };
        received(name, &value, &format!("{{{IS_TEXT}{comma}{changed}}}"))
    };
    let ann = r#"{"profile": {"name": "Ann"}, "wa_id": "$FROM", "user_id": "$USER"}"#;
    vec![
        case("contacts an object", with(ann, &from), ""),
        case("contacts empty object", with("{}", &from), r#""fromUserId": null, "contactName": null"#),
        case("contacts null", with("null", &from), r#""fromUserId": null, "contactName": null"#),
        case("contacts a text", with(r#""x""#, &from), r#""fromUserId": null, "contactName": null"#),
        case("contacts with rubbish", with(&format!(r#"[null, 7, "x", {ann}]"#), &from), ""),
        case("messages an object", format!(r#""contacts": [{ann}], "messages": {from}"#), ""),
        case(
            "statuses a text beside a message",
            format!(r#""contacts": [{ann}], "messages": [{from}], "statuses": "x""#),
            "",
        ),
        case(
            "errors beside a message",
            format!(r#""contacts": [{ann}], "messages": [{from}], "errors": [{{"code": 130429, "title": "T"}}]"#),
            "",
        ),
        case(
            "numeric wa_id",
            with(r#"[{"profile": {"name": "Ann"}, "wa_id": $NUMERIC}]"#, &from),
            r#""fromUserId": null"#,
        ),
        case(
            "numeric name",
            with(r#"[{"profile": {"name": 123}, "wa_id": "$FROM"}]"#, &from),
            r#""fromUserId": null, "contactName": "123""#,
        ),
        case(
            "name an object",
            with(r#"[{"profile": {"name": {"first": "Ann"}}, "wa_id": "$FROM", "user_id": "$USER"}]"#, &from),
            r#""contactName": null"#,
        ),
        case(
            "profile a text",
            with(r#"[{"profile": "Ann", "wa_id": "$FROM", "user_id": "$USER"}]"#, &from),
            r#""contactName": null"#,
        ),
        case(
            "the only contact has another number",
            with(r#"[{"profile": {"name": "Ann"}, "wa_id": "5521$FROM", "user_id": "$USER"}]"#, &from),
            "",
        ),
        case(
            "the only contact has no number",
            with(r#"[{"profile": {"name": "Ann"}, "user_id": "$USER"}]"#, &from),
            "",
        ),
        case(
            "known by user id only",
            with(
                r#"[{"profile": {"name": "Ann", "username": "ann"}, "user_id": "$USER"}]"#,
                &text(r#", "from_user_id": "$USER""#),
            ),
            r#""fromPhoneNumber": null"#,
        ),
        case(
            "user id in the contact only",
            with(r#"[{"profile": {"name": "Ann"}, "user_id": "$USER"}]"#, &text("")),
            r#""fromPhoneNumber": null"#,
        ),
        case("number in the contact only", with(&format!("[{ann}]"), &text("")), ""),
        case(
            "empty number",
            with(
                r#"[{"profile": {"name": "Ann"}, "wa_id": "", "user_id": "$USER"}]"#,
                &text(r#", "from": "", "from_user_id": "$USER""#),
            ),
            r#""fromPhoneNumber": null"#,
        ),
        case(
            "two contacts",
            with(&format!(r#"[{{"profile": {{"name": "Bob"}}, "wa_id": "16505550000"}}, {ann}]"#), &from),
            "",
        ),
        case("nobody", with("[]", &text("")), r#""fromPhoneNumber": null, "fromUserId": null, "contactName": null"#),
    ]
}

fn all() -> Vec<Case> {
    let mut cases: Vec<Case> = scalars().into_iter().chain(content()).chain(senders()).collect();
    for (n, case) in cases.iter_mut().enumerate() {
        case.value = case.value.replace("$NUMERIC", &format!("1650555{n:04}"));
    }
    cases
}

#[tokio::test]
async fn an_odd_field_costs_the_field_alone() {
    expect_all("2102", all()).await;
}

/// Numbers that no common type holds are shown digit by digit.
#[tokio::test]
async fn numbers_in_json_data_stay_exact() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "2103").await;
    let exact = r#"{"type":"nfm_reply","big":123456789012345678901234567890,"fraction":0.1000000000000000055511151231257827,"e":1E400}"#;
    let value = format!(
        r#""messages": [{{"id": "$ID", "from": "$FROM", "timestamp": 2000000000, "type": "interactive", "interactive": {exact}}}]"#
    );
    post(&world, notification(&line, "messages", &[filled(&value, 0, &line)])).await;
    let item = world.account.items().await.into_iter().find(|item| item["PK"].starts_with("MSG#")).unwrap();
    let id = item["PK"].rsplit('#').next().unwrap();
    let call = tests::Call::get(format!("/v1/organization/chat/messages/{id}"));
    let reply = world.send_undocumented(call.key(&world.org.admin)).await;
    assert!(reply.text.contains(exact), "{}", reply.text);
    let event = world
        .account
        .items()
        .await
        .into_iter()
        .find(|item| item["PK"].starts_with("EVT#") && item["data"].contains("nfm_reply"));
    assert!(event.unwrap()["data"].contains(exact));
}

/// What cannot be read is counted, once per field.
#[tokio::test]
async fn fields_that_cannot_be_read_are_counted() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "2104").await;
    let count = |name: &str| {
        let lines = world.metrics.json();
        lines.iter().filter_map(|line| line.get(name).and_then(Value::as_u64)).sum::<u64>()
    };
    let message = r#"{"id": "$ID", "from": {}, "timestamp": [], "type": "text", "text": {"body": []}}"#;
    let value = format!(
        r#""contacts": "x", "messages": [{message}], "statuses": 1, "errors": [{{"code": 130429}}, {{"code": 1}}]"#
    );
    post(&world, notification(&line, "messages", &[filled(&value, 0, &line)])).await;
    assert_eq!(stored(&world, &line).await.len(), 1);
    assert_eq!((count("UnreadablePlatformFields"), count("PlatformErrors")), (5, 2));
}

/// What has no id cannot be told from its repetition. It becomes a dead letter at its first failure, with the reason.
#[tokio::test]
async fn what_can_never_be_applied_is_a_dead_letter_at_once() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "2105").await;
    let messages = r#""messages": [{"from": "$FROM", "type": "text", "text": {"body": "nameless"}}, 7, {"id": "$ID", "type": "text"}]"#;
    let statuses = r#""statuses": [{"status": "sent", "timestamp": "2000000000"}]"#;
    let values = [filled(messages, 0, &line), statuses.to_owned()];
    assert_eq!(post(&world, notification(&line, "messages", &values)).await, json!({"accepted": 4, "ignored": 0}));
    assert!(world.work().await);
    assert!(!world.work().await, "nothing waits for another attempt");
    assert_eq!(stored(&world, &line).await.len(), 1);
    let call = world.account.sqs.receive_message().queue_url(&world.account.dead_letters).max_number_of_messages(10);
    let letters = call.message_attribute_names("All").send().await.unwrap().messages.unwrap_or_default();
    let mut reasons: Vec<String> = letters
        .iter()
        .map(|letter| letter.message_attributes.as_ref().unwrap()["Reason"].string_value.clone().unwrap())
        .collect();
    reasons.sort();
    assert_eq!(reasons, ["a message has no id", "a status has no id", "the update is not an object"]);
    // A dead letter is a job: moved back to the queue, it is applied if a later version can.
    for letter in letters {
        let body: Value = serde_json::from_str(&letter.body.unwrap()).unwrap();
        assert_eq!((&body["job"], body["updates"].as_array().map(Vec::len)), (&json!("updates"), Some(1)));
    }
}

/// A message that no item of the table can hold is stored with its longest parts cut.
#[tokio::test]
async fn a_message_that_is_too_large_is_cut_and_marked() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "2106").await;
    let long = "\\u00e4\\\"\\n😀".repeat(30_000);
    let messages = [
        format!(
            r#"{{"id": "wamid.0.", "from": "1", "timestamp": "2000000000", "type": "text", "text": {{"body": "{long}"}}}}"#
        ),
        format!(
            r#"{{"id": "wamid.1.", "from": "1", "timestamp": "2000000000", "type": "novel", "novel": {{"text": "{long}"}}}}"#
        ),
        format!(
            r#"{{"id": "wamid.2.", "from": "1", "timestamp": "2000000000", "type": "contacts", "contacts": [{}]}}"#,
            vec![r#"{"name": {"formatted_name": "Bob"}}"#; 12_000].join(",")
        ),
        format!(
            r#"{{"id": "wamid.3.", "from": "{}", "timestamp": "2000000000", "type": "text", "text": {{"body": "Hi"}}}}"#,
            "9".repeat(400_000)
        ),
        r#"{"id": "wamid.4.", "from": "1", "timestamp": "2000000000", "type": "text", "text": {"body": "Hi"}}"#
            .to_owned(),
    ];
    let contact = format!(r#"{{"profile": {{"name": "{}"}}, "user_id": "US.1", "wa_id": "1"}}"#, "n".repeat(300_000));
    let value = format!(r#""contacts": [{contact}], "messages": [{}]"#, messages.join(","));
    // At once, and through the queue.
    post(&world, notification(&line, "messages", std::slice::from_ref(&value))).await;
    world.work_off().await;
    let known = stored(&world, &line).await;
    assert_eq!((known.len(), world.dead_letters().await.len()), (5, 0));
    let body = known["wamid.0."].0["textBody"].as_str().unwrap();
    assert!(body.starts_with("ä\"\n😀ä") && body.len() > 50_000 && body.len() < 180_000, "{}", body.len());
    assert!(known["wamid.1."].0["systemData"]["novel"]["text"].as_str().unwrap().len() > 50_000);
    assert!(known["wamid.2."].0["contactsData"].as_array().unwrap().len() > 2_000);
    assert_eq!(known["wamid.4."].0["textBody"], "Hi");
    for (details, events) in known.values() {
        assert_eq!((&details["isTruncated"], events.len()), (&json!(true), 1), "the contact of all is cut");
        assert_eq!(events[0].1, *details);
    }
    let queued = notification(&line, "messages", &[value.replace("wamid.", "wamid.q.")]).into_bytes();
    let signed = tests::standin::signature(tests::standin::APP_SECRET, &queued);
    let call = tests::Call::post("/v1/platform/notifications").header("x-hub-signature-256", &signed).bytes(queued);
    assert_eq!(world.notifications(std::time::Duration::ZERO).respond(call.request()).await.status(), 200);
    world.work_off().await;
    let known = stored(&world, &line).await;
    assert_eq!((known.len(), world.dead_letters().await.len()), (10, 0));
    assert!(known.values().all(|(details, _)| details["isTruncated"] == true));
}
