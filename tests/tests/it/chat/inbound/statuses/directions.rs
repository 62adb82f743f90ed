//! Statuses and echoes of messages that somebody else sent.

use serde_json::json;
use tests::World;
use tests::chat::connect;

use crate::chat::inbound::harness::{filled, inbound, notification, post, stored};

/// Statuses and echoes with the id of an inbound message are counted. An inbound message whose status came first is stored all
/// the same: every order has the same outcome.
#[tokio::test]
async fn directions_are_respected() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "2109").await;
    let message = inbound("inbound", r#""type": "text", "text": {"body": "Hi"}"#, "{}").value;
    let parts = |n: usize| {
        let status = r#""statuses": [{"id": "$ID", "status": "failed", "timestamp": "2000000001", "recipient_id": "$FROM",
            "errors": [{"code": 131026}], "pricing": {"billable": true}, "biz_opaque_callback_data": "x"}]"#;
        let revocation = r#""messages": [{"id": "$ID-revoke", "from": "$FROM", "timestamp": "2000000002", "type": "revoke",
            "revoke": {"original_message_id": "$ID"}}]"#;
        [filled(&message, n, &line), filled(status, n, &line), filled(revocation, n, &line)]
    };
    let echo = r#""message_echoes": [{"id": "$ID", "to": "$FROM", "timestamp": "2000000000", "type": "text",
        "text": {"body": "Ho"}}]"#;
    let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

    for (n, order) in orders.iter().enumerate() {
        for at in order {
            post(&world, notification(&line, "messages", &[parts(n)[*at].clone()])).await;
        }
        post(&world, notification(&line, "smb_message_echoes", &[filled(echo, n, &line)])).await;
    }

    let messages = stored(&world, &line).await;
    assert_eq!(messages.len(), 12);
    for (n, order) in orders.iter().enumerate() {
        let (details, events) = &messages[&format!("wamid.{n}.")];
        let expected = json!({
            "id": details["id"], "chatPhoneNumberId": line.number, "displayPhoneNumber": format!("+{}", line.display),
            "direction": "INBOUND", "type": "text", "textBody": "Hi", "contactName": "Ann",
            "fromPhoneNumber": format!("+1650555{n:04}"), "fromUserId": format!("US.{n}"),
            "toPhoneNumber": format!("+{}", line.display), "isForwarded": false, "isFrequentlyForwarded": false,
            "hasReferral": false, "providerMessageId": format!("wamid.{n}."), "sentAt": "2033-05-18T03:33:20.000Z",
            "revokedAt": "2033-05-18T03:33:22.000Z", "recipients": [], "createdAt": details["createdAt"],
            "updatedAt": details["updatedAt"],
        });
        assert_eq!(*details, expected, "{order:?}");
        assert_eq!(events.iter().filter(|(name, _)| name == "messages.chat.received").count(), 1);

        let (revocation, _) = &messages[&format!("wamid.{n}.-revoke")];
        let place = |part: usize| order.iter().position(|at| *at == part);
        assert!(revocation["replyToMessageId"] == details["id"] || place(2) < place(0), "{order:?}");
    }

    let lines = world.metrics.json();
    let misdirected = lines.iter().filter(|line| line.get("MisdirectedUpdates").is_some()).count();
    assert_eq!(misdirected, 6 + 3, "each echo, and each status that came after its message");
}
