//! Table tests of statuses: an update, and the new state of the message.

use domain::chat::Outcome;
use domain::events::event::EventName;
use serde_json::json;
use serde_json::value::RawValue;

use super::*;
use crate::lenient::read;
use crate::messages::tests::blank;

fn now() -> Timestamp {
    Timestamp::from_millis(2_000_000_000_000)
}

/// Returns a message that statuses have created, before its first one.
fn message() -> StoredChat {
    blank("msg_wa_0ujtsYcgvSTl8PAuAdqWYSMnLOv", Direction::Outbound, now())
}

fn person(phone_number: Option<&str>, user_id: Option<&str>) -> Person {
    let phone_number = phone_number.map(|number| number.parse().expect("a number"));
    Person { phone_number, user_id: user_id.map(str::to_owned) }
}

fn update(recipient: RecipientRef) -> StatusUpdate {
    StatusUpdate { recipient, status: RecipientStatus::Sent, at: now(), error: None, conversation: None }
}

fn parsed(json: &str) -> Json {
    json.parse().expect("JSON")
}

#[test]
fn statuses_of_messages_are_distinguished_from_others() {
    for (sent, status, wanted_name) in [
        (json!({"status": "sent"}), Some(RecipientStatus::Sent), "sent"),
        (json!({"status": "sent", "type": "message"}), Some(RecipientStatus::Sent), "sent"),
        (json!({"status": "READ"}), Some(RecipientStatus::Read), "READ"),
        (json!({"status": "played"}), Some(RecipientStatus::Read), "played"),
        (json!({"status": "sent", "type": "payment"}), None, "payment"),
        (json!({"status": "on-hold"}), None, "onhold"),
        (json!({}), None, "unknown"),
    ] {
        let body = RawValue::from_string(sent.to_string()).expect("JSON");
        let read = read(&body, Status::read).expect("an object").value;
        assert_eq!((known_status(&read), name(&read).as_str()), (status, wanted_name), "{sent}");
    }
}

#[test]
fn the_rest_of_statuses_is_kept_in_any_order() {
    let report = |name: &str, left: &str, callback_data: &str| Report {
        update: update(RecipientRef::Only(person(Some("+12015550101"), None))),
        group_id: None,
        callback_data: Some(parsed(callback_data)),
        left: Some(parsed(left)),
        name: name.to_owned(),
    };
    let reports = [
        report("sent", r#"{"b":2}"#, r#""theirs""#),
        report("sent", r#"{"a":1}"#, r#""others""#),
        report("failed", r#"{"c":3}"#, r#""theirs""#),
    ];
    let expected = r#"{"biz_opaque_callback_data":"others","statuses":{"failed":{"c":3},"sent":{"a":1}}}"#;
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let merged = order.iter().fold(message(), |known, at| merge(known, "wamid.1", &reports[*at], now()).0);
        assert_eq!(merged.data.system_data, Some(parsed(expected)), "{order:?}");
    }
}

#[test]
fn only_the_first_status_has_an_event() {
    let report = Report {
        update: update(RecipientRef::Group),
        group_id: Some("G1".to_owned()),
        callback_data: None,
        left: None,
        name: "sent".to_owned(),
    };
    let (first, event) = merge(message(), "wamid.1", &report, now());
    assert_eq!(
        (event.map(|first| first.event), first.message().group_id.as_deref()),
        (Some(EventName::MessagesChatSent), Some("G1"))
    );
    let (second, event) = merge(first.clone(), "wamid.1", &report, now());
    assert_eq!((event, second == first), (None, true));
}

#[test]
fn an_unknown_status_shows_that_the_platform_accepted_the_message() {
    for (outcome, expected) in [
        (Some(Outcome::Pending), Some(Outcome::Accepted)),
        (Some(Outcome::Unknown), Some(Outcome::Accepted)),
        (Some(Outcome::Refused), Some(Outcome::Refused)),
        (None, None),
    ] {
        let mut known = message();
        known.tracked.message.outcome = outcome.map(Into::into);
        let merged = merge_unknown(known, "wamid.1", "held", Some(&parsed(r#"{"status":"held"}"#)), now());
        assert_eq!(merged.tracked.outcome(), expected, "{outcome:?}");
        let kept = parsed(r#"{"statuses":{"held":{"status":"held"}}}"#);
        assert_eq!(merged.data.system_data, Some(kept), "{outcome:?}");
    }
}

#[test]
fn a_person_is_met_once_by_number_and_user_id() {
    let both = || person(Some("+12015550101"), Some("US.1"));
    let by_user_id = || person(None, Some("US.1"));
    for (name, before, recipient, is_met) in [
        ("nothing is stored", None, RecipientRef::Only(both()), true),
        ("only the user id was known", Some(RecipientRef::Only(by_user_id())), RecipientRef::Only(both()), true),
        ("both were known", Some(RecipientRef::Only(both())), RecipientRef::Only(both()), false),
        ("both were known of a member", Some(RecipientRef::Member(both())), RecipientRef::Member(both()), false),
        ("only the user id is named", None, RecipientRef::Only(by_user_id()), false),
        ("only the number is named", None, RecipientRef::Only(person(Some("+12015550101"), None)), false),
        ("the group is named", None, RecipientRef::Group, false),
    ] {
        let before = before.map(|known| {
            let mut stored = message();
            stored.tracked.record(&update(known), now());
            stored
        });
        let expected = is_met.then(both);
        assert_eq!(newly_linked(before.as_ref(), &recipient), expected.as_ref(), "{name}");
    }
}
