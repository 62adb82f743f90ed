//! Statuses of messages to one person.

use super::UNDELIVERABLE;
use crate::chat::inbound::harness::{Case, outbound};

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

/// Statuses in each form, all of one message to one person.
pub(super) fn cases() -> Vec<Case> {
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
