//! Echoes: messages that the business sends with its phone.

use serde_json::{Value, json};
use tests::World;
use tests::chat::connect;

use crate::chat::assert_fields;
use crate::chat::inbound::harness::{filled, notification, post, stored};

/// An echo with this recipient: its name, its JSON, and the recipient that the API shows.
fn echo(name: &'static str, recipient: &str, expected: &str) -> (&'static str, String, Value) {
    let sent = format!(
        r#""message_echoes": [{{"from": "$OWN", "id": "$ID", "timestamp": "2000000000", "type": "text", "text": {{"body": "Hi"}}{recipient}}}]"#
    );
    (name, sent, serde_json::from_str(expected).unwrap())
}

#[tokio::test]
async fn echoes_name_their_recipients() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "2108").await;
    let cases = [
        echo("number", r#", "to": "$FROM""#, r#"{"toPhoneNumber": "+$FROM"}"#),
        echo("numeric", r#", "to": 16505550001"#, r#"{"toPhoneNumber": "+16505550001"}"#),
        echo("user id", r#", "to_user_id": "$USER""#, r#"{"toUserId": "$USER"}"#),
        echo(
            "both",
            r#", "to": "$FROM", "to_user_id": "$USER""#,
            r#"{"toPhoneNumber": "+$FROM", "toUserId": "$USER"}"#,
        ),
        echo("group", r#", "to": "G1", "group_id": "G1""#, r#"{"groupId": "G1"}"#),
        echo("nobody", "", "{}"),
        echo("an object", r#", "to": {"wa_id": "1"}"#, r#"{"systemData": {"to": {"wa_id": "1"}}}"#),
    ];

    let values: Vec<String> = cases.iter().enumerate().map(|(n, case)| filled(&case.1, n, &line)).collect();
    for _ in 0..2 {
        post(&world, notification(&line, "smb_message_echoes", &values)).await;
    }

    let messages = stored(&world, &line).await;
    for (n, (name, _, expected)) in cases.iter().enumerate() {
        let (details, events) = &messages[&format!("wamid.{n}.")];
        let expected: Value = serde_json::from_str(&filled(&expected.to_string(), n, &line)).unwrap();
        for field in ["toPhoneNumber", "toUserId", "groupId", "systemData"] {
            assert_eq!(details.get(field), expected.get(field), "{name}: {field}");
        }
        assert_fields(details, &json!({"type": "text", "textBody": "Hi", "direction": "OUTBOUND"}));
        let is_group = expected.get("groupId").is_some();
        assert_eq!(details["recipients"].as_array().unwrap().len(), usize::from(!is_group), "{name}");
        assert_eq!((events.len(), &events[0].1), (1, details), "{name}");
    }
}
