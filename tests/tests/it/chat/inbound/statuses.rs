//! Statuses in each documented form, and in odd ones.

use serde_json::{Value, json};
use tests::World;
use tests::chat::connect;

use super::harness::{Case, expect_all, filled, inbound, notification, outbound, post, stored};

/// A status of the message to `$FROM`, and the recipient that it makes.
fn one(name: &'static str, status: &'static str, more: &str, changed: &str) -> Case {
    let comma = if more.is_empty() { "" } else { ", " };
    let sent = format!(
        r#"[{{"id": "$ID", "status": "{status}", "timestamp": "2000000000", "recipient_id": "$FROM"{comma}{more}}}]"#
    );
    let (time, rank) = match status {
        "sent" => ("sentAt", "SENT"),
        "delivered" => ("deliveredAt", "DELIVERED"),
        "failed" => ("failedAt", "FAILED"),
        _ => ("readAt", "READ"),
    };
    let at = "2033-05-18T03:33:20.000Z";
    let comma = if changed.is_empty() { "" } else { ", " };
    let expected = format!(
        r#"{{"toPhoneNumber": "+$FROM", "{time}": "{at}",
            "recipients": [{{"phoneNumber": "+$FROM", "status": "{rank}", "{time}": "{at}"}}]{comma}{changed}}}"#
    );
    let event = match status {
        "sent" | "delivered" | "failed" => status,
        _ => "read",
    };
    outbound(name, &sent, &expected, &[event])
}

const UNDELIVERABLE: &str = "$UNDELIVERABLE";

/// A status that failed with the platform's code 131026 and these words.
fn failed(name: &'static str, errors: &str, words: &str, title_and_details: &str) -> Case {
    let (at, code, message) = ("2033-05-18T03:33:20.000Z", "message_undeliverable", UNDELIVERABLE);
    let provider = format!(r#"{{"source": "platform", "code": 131026, "message": "{words}"}}"#);
    let changed = format!(
        r#""errorCode": "{code}", "errorMessage": "{message}", "provider": {provider}{title_and_details},
            "recipients": [{{"phoneNumber": "+$FROM", "status": "FAILED", "failedAt": "{at}", "errorCode": "{code}", "errorMessage": "{message}",
                "provider": {provider}}}]"#
    );
    one(name, "failed", errors, &changed)
}

fn single() -> Vec<Case> {
    let window = |parts: &str| format!(r#""conversationWindow": {{"startedAt": "2033-05-18T03:33:20.000Z"{parts}}}"#);
    vec![
        one("sent", "sent", "", ""),
        one("delivered", "delivered", "", ""),
        one("read", "read", "", ""),
        one("played", "played", "", ""),
        one("in capitals", "sent", r#""status": "SENT""#, ""),
        one("type message", "sent", r#""type": "message""#, ""),
        one("numeric recipient", "sent", r#""recipient_id": $NUMERIC"#, ""),
        one("recipient null", "sent", r#""recipient_id": null"#, ""),
        one("recipient type individual", "sent", r#""recipient_type": "individual""#, ""),
        one("numeric time", "sent", r#""timestamp": 2000000000"#, ""),
        one("time in milliseconds", "sent", r#""timestamp": "2000000000000""#, ""),
        one(
            "time an object",
            "sent",
            r#""timestamp": {}"#,
            r#""systemData": {"statuses": {"sent": {"timestamp": {}}}}"#,
        ),
        one(
            "user id too",
            "sent",
            r#""recipient_user_id": "$USER""#,
            r#""toUserId": "$USER", "recipients": [{"phoneNumber": "+$FROM", "userId": "$USER", "status": "SENT", "sentAt": "2033-05-18T03:33:20.000Z"}]"#,
        ),
        one(
            "user id for a number",
            "sent",
            r#""recipient_id": "$USER""#,
            r#""toPhoneNumber": null, "toUserId": "$USER", "recipients": [{"userId": "$USER", "status": "SENT", "sentAt": "2033-05-18T03:33:20.000Z"}]"#,
        ),
        one(
            "parent's user id",
            "sent",
            r#""recipient_parent_user_id": "US.ENT.1""#,
            r#""systemData": {"statuses": {"sent": {"recipient_parent_user_id": "US.ENT.1"}}}"#,
        ),
        one(
            "identity hash",
            "delivered",
            r#""recipient_identity_key_hash": "h""#,
            r#""systemData": {"statuses": {"delivered": {"recipient_identity_key_hash": "h"}}}"#,
        ),
        one(
            "callback data",
            "sent",
            r#""biz_opaque_callback_data": "order-7""#,
            r#""systemData": {"biz_opaque_callback_data": "order-7"}"#,
        ),
        one(
            "conversation and price",
            "sent",
            r#""conversation": {"id": "c1", "expiration_timestamp": "2000086400", "origin": {"type": "service"}},
                "pricing": {"billable": true, "pricing_model": "CBP", "type": "regular", "category": "service"}"#,
            &window(
                r#", "id": "c1", "expiresAt": "2033-05-19T03:33:20.000Z", "originType": "service", "pricingBillable": true,
                "pricingModel": "CBP", "pricingType": "regular", "pricingCategory": "service""#,
            ),
        ),
        one(
            "price alone",
            "delivered",
            r#""pricing": {"billable": false, "pricing_model": "PMP", "type": "free_customer_service", "category": "utility"}"#,
            &window(
                r#", "pricingBillable": false, "pricingModel": "PMP", "pricingType": "free_customer_service", "pricingCategory": "utility""#,
            ),
        ),
        one(
            "billable as a text",
            "sent",
            r#""pricing": {"billable": "true"}"#,
            &window(r#", "pricingBillable": true"#),
        ),
        one(
            "billable otherwise",
            "sent",
            r#""pricing": {"billable": "perhaps", "category": "utility"}"#,
            &format!(
                r#"{}, "systemData": {{"statuses": {{"sent": {{"pricing": {{"billable": "perhaps"}}}}}}}}"#,
                window(r#", "pricingCategory": "utility""#)
            ),
        ),
        one(
            "origin a text",
            "sent",
            r#""conversation": {"id": "c1", "origin": "service"}"#,
            &format!(
                r#"{}, "systemData": {{"statuses": {{"sent": {{"conversation": {{"origin": "service"}}}}}}}}"#,
                window(r#", "id": "c1""#)
            ),
        ),
        one(
            "conversation a text",
            "sent",
            r#""conversation": "c1""#,
            r#""systemData": {"statuses": {"sent": {"conversation": "c1"}}}"#,
        ),
        one("conversation null", "sent", r#""conversation": null, "pricing": null, "errors": null"#, ""),
        one("pricing a list", "sent", r#""pricing": [{"billable": 1}]"#, &window(r#", "pricingBillable": true"#)),
        one(
            "expiry a number in milliseconds",
            "sent",
            r#""conversation": {"expiration_timestamp": 2000086400000}"#,
            &window(r#", "expiresAt": "2033-05-19T03:33:20.000Z""#),
        ),
        failed(
            "failed",
            r#""errors": [{"code": 131026, "title": "T", "message": "M", "error_data": {"details": "D"}, "href": "https://x"}]"#,
            "M",
            r#", "errorTitle": "T", "errorDetails": "D""#,
        ),
        failed(
            "failed with a code as a text",
            r#""errors": [{"code": "131026", "title": "T"}]"#,
            "T",
            r#", "errorTitle": "T""#,
        ),
        failed(
            "failed of the old form",
            r#""errors": [{"code": 131026, "title": "T", "details": "D"}]"#,
            "T",
            r#", "errorTitle": "T", "errorDetails": "D""#,
        ),
        failed(
            "error data a text",
            r#""errors": [{"code": 131026, "title": "T", "error_data": "D"}]"#,
            "T",
            r#", "errorTitle": "T", "errorDetails": "D""#,
        ),
        failed(
            "error data the text of an object",
            r#""errors": [{"code": 131026, "error_data": "{\"details\":\"D\"}"}]"#,
            "D",
            r#", "errorDetails": "D""#,
        ),
        failed("errors an object", r#""errors": {"code": 131026, "title": "T"}"#, "T", r#", "errorTitle": "T""#),
        one("failed without errors", "failed", "", ""),
        one(
            "errors a text",
            "failed",
            r#""errors": "bad""#,
            r#""systemData": {"statuses": {"failed": {"errors": "bad"}}}"#,
        ),
    ]
}

fn others() -> Vec<Case> {
    let at = |second: u32| format!("2033-05-18T03:33:{second}.000Z");
    let status = |status: &str, second: u32, more: &str| {
        format!(r#"{{"id": "$ID", "status": "{status}", "timestamp": "20000000{:02}"{more}}}"#, second - 20)
    };
    let group = r#", "recipient_id": "G1", "recipient_type": "group""#;
    let member = |more: &str| format!("{group}, {more}");
    let (sent, delivered, read) = (at(20), at(21), at(22));
    let in_group = |recipients: &str| {
        format!(r#"{{"groupId": "G1", "deliveredAt": "{delivered}", "recipients": [{recipients}]}}"#)
    };
    let by_number =
        format!(r#"{{"id": "$FROM", "phoneNumber": "+$FROM", "status": "DELIVERED", "deliveredAt": "{delivered}"}}"#);
    let by_user =
        format!(r#"{{"id": "$USER", "userId": "$USER", "status": "DELIVERED", "deliveredAt": "{delivered}"}}"#);
    let by_both = format!(
        r#"{{"id": "$FROM", "phoneNumber": "+$FROM", "userId": "$USER", "status": "DELIVERED", "deliveredAt": "{delivered}"}}"#
    );
    let delivered_to = |name, participant: &str, recipient: &str| {
        outbound(
            name,
            &format!("[{}]", status("delivered", 21, &member(participant))),
            &in_group(recipient),
            &["delivered"],
        )
    };
    let whole = |text: &str| text.to_owned();
    vec![
        outbound(
            "known by user id",
            &format!("[{}]", status("sent", 20, r#", "recipient_user_id": "$USER""#)),
            &format!(
                r#"{{"toUserId": "$USER", "sentAt": "{sent}", "recipients": [{{"userId": "$USER", "status": "SENT", "sentAt": "{sent}"}}]}}"#
            ),
            &["sent"],
        ),
        outbound(
            "nobody",
            &format!("[{}]", status("sent", 20, "")),
            &format!(r#"{{"sentAt": "{sent}", "recipients": [{{"status": "SENT", "sentAt": "{sent}"}}]}}"#),
            &["sent"],
        ),
        outbound(
            "statuses an object",
            &status("sent", 20, r#", "recipient_id": "$FROM""#),
            &format!(
                r#"{{"toPhoneNumber": "+$FROM", "sentAt": "{sent}", "recipients": [{{"phoneNumber": "+$FROM", "status": "SENT", "sentAt": "{sent}"}}]}}"#
            ),
            &["sent"],
        ),
        outbound(
            "all in one notification",
            &format!(
                "[{}, {}, {}]",
                status("read", 22, r#", "recipient_id": "$FROM""#),
                status("sent", 20, r#", "recipient_id": "$FROM""#),
                status("delivered", 21, r#", "recipient_id": "$FROM""#)
            ),
            &format!(
                r#"{{"toPhoneNumber": "+$FROM", "sentAt": "{sent}", "deliveredAt": "{delivered}", "readAt": "{read}",
                "recipients": [{{"phoneNumber": "+$FROM", "status": "READ", "sentAt": "{sent}", "deliveredAt": "{delivered}", "readAt": "{read}"}}]}}"#
            ),
            &["sent", "delivered", "read"],
        ),
        outbound(
            "sent to a group",
            &format!("[{}]", status("sent", 20, group)),
            &format!(r#"{{"groupId": "G1", "sentAt": "{sent}", "recipients": []}}"#),
            &["sent"],
        ),
        outbound(
            "failed for a group",
            &format!("[{}]", status("failed", 20, &member(r#""errors": [{"code": 131026, "title": "T"}]"#))),
            &format!(
                r#"{{"groupId": "G1", "failedAt": "{sent}", "recipients": [], "errorCode": "message_undeliverable", "errorTitle": "T",
                "errorMessage": "{UNDELIVERABLE}",
                "provider": {{"source": "platform", "code": 131026, "message": "T"}}}}"#
            ),
            &["failed"],
        ),
        delivered_to("a member by number", r#""recipient_participant_id": "$FROM""#, &by_number),
        delivered_to("a member by number, the other name", r#""participant_recipient_id": "$FROM""#, &by_number),
        delivered_to("a member by a numeric number", r#""recipient_participant_id": $NUMERIC"#, &by_number),
        delivered_to("a member by user id", r#""recipient_participant_user_id": "$USER""#, &by_user),
        delivered_to("a member by user id, the other name", r#""participant_recipient_user_id": "$USER""#, &by_user),
        delivered_to("a member by user id for a number", r#""recipient_participant_id": "$USER""#, &by_user),
        delivered_to(
            "a member by both",
            r#""recipient_participant_id": "$FROM", "recipient_participant_user_id": "$USER""#,
            &by_both,
        ),
        delivered_to(
            "a member and an empty user id",
            r#""recipient_participant_id": "$FROM", "recipient_participant_user_id": """#,
            &by_number,
        ),
        outbound(
            "a member without the type of the recipient",
            &format!("[{}]", status("delivered", 21, r#", "recipient_id": "G1", "recipient_participant_id": "$FROM""#)),
            &in_group(&by_number),
            &["delivered"],
        ),
        outbound(
            "the price of a group",
            &format!(
                "[{}, {}]",
                status(
                    "delivered",
                    21,
                    &member(
                        r#""recipient_participant_id": "$FROM", "pricing": {"billable": false, "pricing_model": "PMP", "type": "free_customer_service", "category": "group_service"}"#
                    )
                ),
                status(
                    "delivered",
                    21,
                    &member(
                        r#""recipient_participant_user_id": "US.x", "pricing": {"billable": true, "pricing_model": "PMP", "type": "regular", "category": "group_marketing"}"#
                    )
                )
            ),
            &format!(
                r#"{{"groupId": "G1", "deliveredAt": "{delivered}",
                "recipients": [{by_number}, {{"id": "US.x", "userId": "US.x", "status": "DELIVERED", "deliveredAt": "{delivered}"}}],
                "conversationWindow": {{"startedAt": "{delivered}", "pricingBillable": true, "pricingModel": "PMP", "pricingType": "free_customer_service", "pricingCategory": "group_marketing"}}}}"#
            ),
            &["delivered", "delivered"],
        ),
        outbound(
            "a failed payment",
            &whole(
                r#"[{"id": "$ID", "status": "failed", "type": "payment", "timestamp": "2000000000", "payment": {"reference_id": "r"}}]"#,
            ),
            r#"{"recipients": [], "systemData": {"statuses": {"payment": {"id": "$ID", "status": "failed", "type": "payment", "timestamp": "2000000000", "payment": {"reference_id": "r"}}}}}"#,
            &[],
        ),
        outbound(
            "a status of the future",
            &whole(r#"[{"id": "$ID", "status": "warning", "timestamp": "2000000000"}]"#),
            r#"{"recipients": [], "systemData": {"statuses": {"warning": {"id": "$ID", "status": "warning", "timestamp": "2000000000"}}}}"#,
            &[],
        ),
        outbound(
            "no status",
            &whole(r#"[{"id": "$ID", "status": null, "timestamp": "2000000000"}]"#),
            r#"{"recipients": [], "systemData": {"statuses": {"unknown": {"id": "$ID", "status": null, "timestamp": "2000000000"}}}}"#,
            &[],
        ),
    ]
}

#[tokio::test]
async fn each_status_becomes_what_it_says() {
    let mut cases: Vec<Case> = single().into_iter().chain(others()).collect();
    for (n, case) in cases.iter_mut().enumerate() {
        case.value = case.value.replace("$NUMERIC", &format!("1650555{n:04}"));
    }
    expect_all("2107", cases).await;
}

/// An echo in the form of `case`.
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
        assert_eq!(
            (&details["type"], &details["textBody"], &details["direction"]),
            (&json!("text"), &json!("Hi"), &json!("OUTBOUND"))
        );
        let is_group = expected.get("groupId").is_some();
        assert_eq!(details["recipients"].as_array().unwrap().len(), usize::from(!is_group), "{name}");
        assert_eq!((events.len(), &events[0].1), (1, details), "{name}");
    }
}

/// Statuses and echoes with the id of an inbound message are counted. An inbound message whose status came first is stored all
/// the same: every order has the same outcome.
#[tokio::test]
async fn directions_are_respected() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "2109").await;
    let message = inbound("inbound", r#""type": "text", "text": {"body": "Hi"}"#, "{}").value;
    let parts = |n: usize| {
        let status = r#""statuses": [{"id": "$ID", "status": "failed", "timestamp": "2000000001", "recipient_id": "$FROM", "errors": [{"code": 131026}],
            "pricing": {"billable": true}, "biz_opaque_callback_data": "x"}]"#;
        let revocation = r#""messages": [{"id": "$ID-revoke", "from": "$FROM", "timestamp": "2000000002", "type": "revoke", "revoke": {"original_message_id": "$ID"}}]"#;
        [filled(&message, n, &line), filled(status, n, &line), filled(revocation, n, &line)]
    };
    let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    for (n, order) in orders.iter().enumerate() {
        for at in order {
            post(&world, notification(&line, "messages", &[parts(n)[*at].clone()])).await;
        }
        let echo = filled(
            r#""message_echoes": [{"id": "$ID", "to": "$FROM", "timestamp": "2000000000", "type": "text", "text": {"body": "Ho"}}]"#,
            n,
            &line,
        );
        post(&world, notification(&line, "smb_message_echoes", &[echo])).await;
    }
    let messages = stored(&world, &line).await;
    assert_eq!(messages.len(), 12);
    for n in 0..6 {
        let (details, events) = &messages[&format!("wamid.{n}.")];
        let expected = json!({
            "id": details["id"], "chatPhoneNumberId": line.number, "displayPhoneNumber": format!("+{}", line.display), "direction": "INBOUND",
            "type": "text", "textBody": "Hi", "contactName": "Ann", "fromPhoneNumber": format!("+1650555{n:04}"), "fromUserId": format!("US.{n}"),
            "toPhoneNumber": format!("+{}", line.display), "isForwarded": false, "isFrequentlyForwarded": false, "hasReferral": false,
            "providerMessageId": format!("wamid.{n}."), "sentAt": "2033-05-18T03:33:20.000Z", "revokedAt": "2033-05-18T03:33:22.000Z", "recipients": [],
            "createdAt": details["createdAt"], "updatedAt": details["updatedAt"],
        });
        assert_eq!(*details, expected, "{:?}", orders[n]);
        assert_eq!(events.iter().filter(|(name, _)| name == "messages.chat.received").count(), 1);
        let (revocation, _) = &messages[&format!("wamid.{n}.-revoke")];
        assert!(
            revocation["replyToMessageId"] == details["id"]
                || orders[n].iter().position(|at| *at == 2) < orders[n].iter().position(|at| *at == 0)
        );
    }
    let lines = world.metrics.json();
    let misdirected = lines.iter().filter(|line| line.get("MisdirectedUpdates").is_some()).count();
    assert_eq!(misdirected, 6 + 3, "each echo, and each status that came after its message");
}
