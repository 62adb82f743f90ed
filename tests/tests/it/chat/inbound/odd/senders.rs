//! Odd senders, and odd lists of contacts and messages.

use super::IS_TEXT;
use crate::chat::inbound::harness::{Case, received};

pub(super) fn cases() -> Vec<Case> {
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
