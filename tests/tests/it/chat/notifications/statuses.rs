//! Statuses of sent messages: their order does not matter, and they may come before the message itself is known.

use futures_util::future::join_all;
use serde_json::{Value, json};
use tests::World;
use tests::chat::{connect, event_counts};
use tests::request::text;

use super::{ANN, SENT, shown, status};
use crate::chat::{assert_fields, merged};

#[tokio::test]
async fn echoes_add_the_contents_that_statuses_lack() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "707").await;

    let window = json!({
        "conversation": {"id": "c1", "origin": {"type": "service"}, "expiration_timestamp": "1800086400"},
        "pricing": {"billable": false, "pricing_model": "PMP", "category": "service"},
    });
    world.notify(&line.status(&merged(status("wamid.1", "read", 9), &window))).await.expect(200);

    let unknown = line.only_message(&world).await;
    let expected = json!({"type": "unknown", "direction": "OUTBOUND", "toPhoneNumber": "+16505551234",
        "readAt": "2033-05-18T03:33:29.000Z"});
    assert_fields(&unknown, &expected);
    let expected = json!({"id": "c1", "originType": "service", "pricingBillable": false, "pricingModel": "PMP",
        "pricingCategory": "service"});
    assert_fields(&unknown["conversationWindow"], &expected);

    let echo = json!({"from": line.display, "to": ANN, "id": "wamid.1", "timestamp": SENT.to_string(),
        "type": "text", "text": {"body": "From the phone"}});
    world.notify(&line.about("smb_message_echoes", &json!({"message_echoes": [echo]}))).await.expect(200);

    let filled = line.only_message(&world).await;
    let expected = json!({"id": unknown["id"], "type": "text", "textBody": "From the phone",
        "sentAt": "2033-05-18T03:33:20.000Z", "readAt": unknown["readAt"]});
    assert_fields(&filled, &expected);
    assert_eq!(filled["recipients"][0]["status"], "READ");
    let counts = event_counts(&world, &world.org).await;
    assert_eq!((counts["messages.chat.sent"], counts["messages.chat.read"]), (1, 1));
}

/// Removes what differs between two messages with the same statuses.
fn comparable(mut message: Value) -> Value {
    for name in ["id", "providerMessageId", "createdAt", "updatedAt"] {
        message.as_object_mut().unwrap().remove(name);
    }
    message
}

/// The statuses of a group message with three participants, in six orders with repetitions. The unit tests of the rule
/// (shared/domain/src/chat/status/tests.rs) cover all orders.
#[tokio::test]
async fn statuses_of_many_orders_make_one_message_and_one_set_of_events() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "708").await;
    // Each with the participant and the seconds after the first.
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
        let id = format!("wamid.{turn}");
        let mut order = told.to_vec();
        order.rotate_left(turn);
        if turn % 2 == 1 {
            order.reverse();
        }
        order.extend_from_within(..turn);

        let before = event_counts(&world, &world.org).await;
        for (participant, kind, seconds) in order {
            let undeliverable = json!([{"code": 131_026, "title": "Undeliverable"}]);
            let of_group = json!({"recipient_id": "group-1", "recipient_type": "group",
                "recipient_participant_id": format!("1650555000{participant}"),
                "errors": if kind == "failed" { undeliverable } else { json!([]) }});
            world.notify(&line.status(&merged(status(&id, kind, seconds), &of_group))).await.expect(200);
        }

        let mut events = event_counts(&world, &world.org).await;
        for (name, count) in &mut events {
            *count -= before.get(name).copied().unwrap_or(0);
        }
        assert_eq!(line.messages(&world).await.len(), turn + 1);
        outcomes.push((events, comparable(shown(&world, &line, &id).await)));
    }

    for outcome in &outcomes {
        assert_eq!(*outcome, outcomes[0]);
    }
    let (_, message) = &outcomes[0];
    assert!(message.get("toPhoneNumber").is_none(), "a group is no number");
    let recipients = message["recipients"].as_array().unwrap();
    let statuses: Vec<_> = recipients.iter().map(|recipient| text(recipient, "status")).collect();
    assert_eq!(statuses, ["READ", "FAILED", "FAILED"]);
}

#[tokio::test]
async fn twenty_statuses_at_once_of_an_unknown_message_make_one() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "709").await;
    let kinds = ["sent", "delivered", "read", "failed"];
    let of_second = |(seconds, kind): (i64, &&str)| line.status(&status("wamid.busy", kind, seconds));
    let told: Vec<Value> = (0..20).zip(kinds.iter().cycle()).map(of_second).collect();

    for reply in join_all(told.iter().map(|told| world.notify(told))).await {
        reply.expect(200);
    }
    world.work_off().await;

    let expected = json!({"sentAt": "2033-05-18T03:33:20.000Z", "deliveredAt": "2033-05-18T03:33:21.000Z",
        "readAt": "2033-05-18T03:33:22.000Z", "failedAt": "2033-05-18T03:33:23.000Z"});
    assert_fields(&line.only_message(&world).await, &expected);
    let counts = event_counts(&world, &world.org).await;
    for kind in kinds {
        assert_eq!(counts[&format!("messages.chat.{kind}")], 1);
    }
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
        let id = format!("wamid.{code}");
        let error =
            json!({"code": code, "title": "The title", "message": "m", "error_data": {"details": "The details"}});
        world.notify(&line.status(&merged(status(&id, "failed", 0), &json!({"errors": [error]})))).await.expect(200);

        let message = shown(&world, &line, &id).await;
        let title_and_details = json!({"errorTitle": "The title", "errorDetails": "The details"});
        assert_fields(&message, &merged(title_and_details, &json!({"errorCode": expected})));
        assert!(message["errorMessage"].as_str().is_some_and(|text| text.ends_with('.') && text != "m"), "{message}");
        let of_recipient = json!({"errorCode": expected, "errorMessage": message["errorMessage"]});
        assert_fields(&message["recipients"][0], &of_recipient);
    }
}
