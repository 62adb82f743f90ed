//! Odd fields of text messages.

use super::IS_TEXT;
use crate::chat::inbound::harness::{Case, inbound};

const TEXT: &str = r#""type": "text", "text": {"body": "Hi"}"#;

/// A text with one more field, and what it changes in the message.
fn text(name: &'static str, field: &str, changed: &str) -> Case {
    let comma = if changed.is_empty() { "" } else { ", " };
    inbound(name, &format!("{TEXT}, {field}"), &format!("{{{IS_TEXT}{comma}{changed}}}"))
}

pub(super) fn cases() -> Vec<Case> {
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
