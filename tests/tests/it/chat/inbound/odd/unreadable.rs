//! What cannot be read, identified or stored as a whole.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};
use tests::chat::connect;
use tests::standin::{APP_SECRET, signature};
use tests::{Call, World};

use crate::chat::inbound::harness::{filled, notification, post, stored};

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
    let call = Call::get(format!("/v1/organization/chat/messages/{id}"));
    let reply = world.send_undocumented(call.key(&world.org.admin)).await;
    assert!(reply.text.contains(exact), "{}", reply.text);

    let items = world.account.items().await;
    let is_event =
        |item: &&BTreeMap<String, String>| item["PK"].starts_with("EVT#") && item["data"].contains("nfm_reply");
    assert!(items.iter().find(is_event).unwrap()["data"].contains(exact));
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
async fn an_inapplicable_update_becomes_a_dead_letter_at_once() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "2105").await;
    let messages = r#""messages": [{"from": "$FROM", "type": "text", "text": {"body": "nameless"}}, 7,
        {"id": "$ID", "type": "text"}]"#;
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

/// A value of five messages from a person whose name is too long for an item of the table. The text, the content or the
/// sender of four of them is too long as well.
fn too_large() -> String {
    let message = |n: usize, from: &str, kind: &str, content: &str| {
        format!(
            r#"{{"id": "wamid.{n}.", "from": "{from}", "timestamp": "2000000000", "type": "{kind}", "{kind}": {content}}}"#
        )
    };
    let long = "\\u00e4\\\"\\n😀".repeat(30_000);
    let contacts = vec![r#"{"name": {"formatted_name": "Bob"}}"#; 12_000].join(",");
    let messages = [
        message(0, "1", "text", &format!(r#"{{"body": "{long}"}}"#)),
        message(1, "1", "novel", &format!(r#"{{"text": "{long}"}}"#)),
        message(2, "1", "contacts", &format!("[{contacts}]")),
        message(3, &"9".repeat(400_000), "text", r#"{"body": "Hi"}"#),
        message(4, "1", "text", r#"{"body": "Hi"}"#),
    ];
    let contact = format!(r#"{{"profile": {{"name": "{}"}}, "user_id": "US.1", "wa_id": "1"}}"#, "n".repeat(300_000));
    format!(r#""contacts": [{contact}], "messages": [{}]"#, messages.join(","))
}

/// A message that no item of the table can hold is stored with its longest parts cut.
#[tokio::test]
async fn a_message_that_is_too_large_is_cut_and_marked() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "2106").await;
    let value = too_large();

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

    // The same through the queue.
    let queued = notification(&line, "messages", &[value.replace("wamid.", "wamid.q.")]).into_bytes();
    let signed = signature(APP_SECRET, &queued);
    let call = Call::post("/v1/platform/notifications").header("x-hub-signature-256", &signed).bytes(queued);
    assert_eq!(world.notifications(Duration::ZERO).respond(call.request()).await.status(), 200);
    world.work_off().await;
    let known = stored(&world, &line).await;
    assert_eq!((known.len(), world.dead_letters().await.len()), (10, 0));
    assert!(known.values().all(|(details, _)| details["isTruncated"] == true));
}
