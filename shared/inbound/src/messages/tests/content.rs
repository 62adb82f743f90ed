//! Tests of a message's content that arrives after statuses, edits or revocations.

use domain::Json;
use domain::chat::status::StatusError;
use domain::message::reason::Reason;

use super::*;

/// Edits and revocations of a message by both sides, of which only one is the sender.
fn by_both() -> EarlyRevisions {
    EarlyRevisions {
        edited_at: Some(second(21)),
        revoked_at: None,
        own_edited_at: Some(second(22)),
        own_revoked_at: Some(second(23)),
    }
}

fn failed(at: i64) -> StatusUpdate {
    let reason = Reason {
        code: Some("message_undeliverable".to_owned()),
        message: "Not delivered.".to_owned(),
        ..Reason::default()
    };
    let error = StatusError { reason, title: Some("T".to_owned()), details: Some("D".to_owned()) };
    StatusUpdate { error: Some(error), ..status(RecipientStatus::Failed, at) }
}

/// Returns the message that this status has created.
fn created_by(update: &StatusUpdate) -> StoredChat {
    let mut created = stored(Direction::Outbound);
    created.tracked.record(update, second(CREATED));
    created
}

fn known(stored: StoredChat) -> Before {
    Before { stored: Some(stored), early: None }
}

fn with_early(mut stored: StoredChat) -> StoredChat {
    stored.reported.early_revisions = Some(by_both());
    stored
}

#[test]
fn content_is_new_repeated_or_misdirected() {
    let filled = || {
        let mut filled = stored(Direction::Outbound);
        filled.reported.is_filled = true;
        filled
    };
    for (name, before, inbound, outbound) in [
        ("nothing is stored", Before::default(), "new", "new"),
        ("only revisions are stored", Before { stored: None, early: Some(by_both()) }, "new", "new"),
        ("a status has created the message", known(stored(Direction::Outbound)), "new", "new"),
        ("an inbound message is stored", known(stored(Direction::Inbound)), "repeated", "misdirected"),
        ("an outbound message is stored", known(filled()), "misdirected", "repeated"),
    ] {
        let arrival = |direction| match before.arrival(direction, Source::Live) {
            Arrival::New => "new",
            Arrival::Repeated(_) => "repeated",
            Arrival::Misdirected => "misdirected",
        };
        assert_eq!((arrival(Direction::Inbound), arrival(Direction::Outbound)), (inbound, outbound), "{name}");
    }
}

#[test]
fn an_inbound_message_replaces_what_a_status_has_created() {
    let cases = [
        ("nothing is stored", Before::default(), json!({"id": NEW_ID, "createdAt": second(NOW)}), 1),
        (
            "edited and revoked before",
            Before { stored: None, early: Some(by_both()) },
            json!({"id": NEW_ID, "editedAt": second(21), "revokedAt": null}),
            1,
        ),
        (
            "a status before",
            known(created_by(&failed(20))),
            json!({"id": STORED_ID, "createdAt": second(CREATED), "editedAt": null}),
            4,
        ),
        (
            "a status, then edited and revoked before",
            known(with_early(created_by(&failed(20)))),
            json!({"id": STORED_ID, "createdAt": second(CREATED), "editedAt": second(21), "revokedAt": null}),
            4,
        ),
    ];
    for (name, before, expected, revision) in cases {
        let message = after_inbound(&before);
        assert_shown(name, &message, &expected);
        let of_all = json!({
            "direction": "INBOUND", "fromPhoneNumber": "+12015550101", "toPhoneNumber": "+12015550100",
            "contactName": "Ann", "type": "text", "textBody": "Hi", "sentAt": second(10), "failedAt": null,
            "errorCode": null, "errorMessage": null, "recipients": [], "updatedAt": second(NOW),
        });
        assert_shown(name, &message, &of_all);
        assert_eq!((message.kept.revision, message.reported.early_revisions), (revision, None), "{name}");
    }
}

#[test]
fn an_echo_keeps_what_statuses_reported() {
    let no_error = json!({"errorCode": null, "errorMessage": null, "errorTitle": null, "errorDetails": null});
    let error = json!({
        "errorCode": "message_undeliverable", "errorMessage": "Not delivered.", "errorTitle": "T", "errorDetails": "D",
        "failedAt": second(20), "sentAt": second(10),
    });
    let with_rest = || {
        let mut stored = created_by(&failed(20));
        let rest = r#"{"biz_opaque_callback_data":"theirs","other":2,"statuses":{"failed":{"odd":3}}}"#;
        stored.data.system_data = Some(rest.parse::<Json>().expect("JSON"));
        stored
    };
    let sent = Some(EventName::MessagesChatSent);
    let cases = [
        ("nothing is stored", Before::default(), sent, json!({"id": NEW_ID, "sentAt": second(10)}), 1),
        ("nothing is stored, so there is no error", Before::default(), sent, no_error, 1),
        (
            "edited and revoked before",
            Before { stored: None, early: Some(by_both()) },
            sent,
            json!({"editedAt": second(22), "revokedAt": second(23)}),
            1,
        ),
        ("failed before", known(created_by(&failed(20))), sent, error, 4),
        (
            "sent before",
            known(created_by(&status(RecipientStatus::Sent, 5))),
            None,
            json!({"id": STORED_ID, "createdAt": second(CREATED), "sentAt": second(5)}),
            4,
        ),
        (
            "a status, then edited and revoked before",
            known(with_early(created_by(&failed(20)))),
            sent,
            json!({"editedAt": second(22), "revokedAt": second(23), "errorCode": "message_undeliverable"}),
            4,
        ),
        (
            "statuses with fields that this version does not know",
            known(with_rest()),
            sent,
            json!({"systemData": {
                "odd": 1, "biz_opaque_callback_data": "theirs", "statuses": {"failed": {"odd": 3}},
            }}),
            4,
        ),
    ];
    for (name, before, event, expected, revision) in cases {
        let (message, sent) = after_echo(&before);
        assert_shown(name, &message, &expected);
        let of_all = json!({
            "direction": "OUTBOUND", "fromPhoneNumber": "+12015550100", "toPhoneNumber": "+12015550101",
            "type": "text", "textBody": "Hi", "updatedAt": second(NOW),
        });
        assert_shown(name, &message, &of_all);
        assert_eq!((sent, message.kept.revision), (event, revision), "{name}");
        assert_eq!((message.reported.is_filled, message.reported.early_revisions), (true, None), "{name}");
    }
}
