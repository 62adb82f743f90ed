//! Statuses in other numbers than one, with other recipients than a number, and of other kinds.

use super::UNDELIVERABLE;
use crate::chat::inbound::harness::{Case, outbound};

/// Statuses of several recipients, of groups, and of kinds that are not those of a delivery.
pub(super) fn cases() -> Vec<Case> {
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
