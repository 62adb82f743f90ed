//! Tests of contacts that move to another number or user id, and of identities that belong to one person.

use super::*;

/// Eve after her user id has changed.
const MOVED_EVE: Row = Row { user_id: Some("US.2"), moved: Some(100), updated: NOW, revision: 2, ..EVE };
/// Ann after her number has changed.
const MOVED_ANN: Row =
    Row { number: Some("+12015550102"), numbered: Some(100), moved: Some(100), updated: NOW, revision: 2, ..ANN };

#[test]
fn a_contact_follows_a_changed_user_id() {
    let changed = json!({"user_id": {"previous": "US.1", "current": "US.2"}});
    let stored = || vec![MOVED_EVE.record(), alias("US.2", "US.1")];
    let message = |at: i64, user_id: &str, name: &str| {
        message(at, &json!({"from_user_id": user_id}), &json!({"profile": {"name": name}, "user_id": user_id}))
    };
    check([
        Case {
            name: "a change",
            stored: vec![EVE.record()],
            reported: user_id_change(100, &changed),
            expected: Some(Expected {
                after: MOVED_EVE,
                event: Some(EventName::ContactsChatUpdated),
                names: &["US.2"],
                merged: &[],
            }),
        },
        Case {
            name: "a change that is repeated",
            stored: stored(),
            reported: user_id_change(100, &changed),
            expected: stays(MOVED_EVE),
        },
        Case {
            name: "a late message, which has a later name",
            stored: stored(),
            reported: message(50, "US.1", "Evelyn"),
            expected: becomes(
                Row { name: Some("Evelyn"), named: Some(50), revision: 3, ..MOVED_EVE },
                Some(EventName::ContactsChatUpdated),
            ),
        },
        Case {
            name: "a message after the change",
            stored: stored(),
            reported: message(150, "US.2", "Eve"),
            expected: becomes(Row { named: Some(150), revision: 3, ..MOVED_EVE }, None),
        },
        Case {
            name: "a change of somebody who has no contact",
            stored: Vec::new(),
            reported: user_id_change(100, &changed),
            expected: Some(Expected {
                after: Row {
                    id: NEW_ID,
                    identity: "US.2",
                    name: None,
                    created: NOW,
                    named: None,
                    removed: Some(EVER),
                    revision: 1,
                    ..MOVED_EVE
                },
                event: None,
                names: &["US.1"],
                merged: &[],
            }),
        },
    ]);
}

#[test]
fn a_contact_follows_a_changed_number() {
    let system = json!({"from": "12015550101", "type": "system", "system": {
        "type": "user_changed_number", "wa_id": "12015550102",
    }});
    let stored = || vec![MOVED_ANN.record(), alias("12015550102", "12015550101")];
    check([
        Case {
            name: "a change",
            stored: vec![ANN.record()],
            reported: message(100, &system, &json!({})),
            expected: Some(Expected {
                after: MOVED_ANN,
                event: Some(EventName::ContactsChatUpdated),
                names: &["12015550102"],
                merged: &[],
            }),
        },
        Case {
            name: "a late message from the previous number",
            stored: stored(),
            reported: named_message(50, "12015550101", "Ann"),
            expected: stays(MOVED_ANN),
        },
        Case {
            name: "a later message from the previous number, which does not prove that it is the same person",
            stored: stored(),
            reported: named_message(200, "12015550101", "Ann"),
            expected: becomes(Row { named: Some(200), revision: 3, ..MOVED_ANN }, None),
        },
        Case {
            name: "a message from the new number",
            stored: stored(),
            reported: named_message(200, "12015550102", "Ann"),
            expected: becomes(Row { named: Some(200), numbered: Some(200), revision: 3, ..MOVED_ANN }, None),
        },
    ]);
}

#[test]
fn identities_that_an_update_names_together_are_one_person() {
    let with_number = Row { number: Some("+12015550101"), ..EVE };
    check([
        Case {
            name: "a status names the number and the user id of two contacts",
            stored: vec![ANN.record(), EVE.record()],
            reported: status(10, "+12015550101", "US.1"),
            expected: Some(Expected {
                after: Row { numbered: Some(10), updated: NOW, revision: 2, ..with_number },
                event: None,
                names: &["12015550101"],
                merged: &[ANNS_ID],
            }),
        },
        Case {
            name: "a status names the user id of a contact that is known by number",
            stored: vec![ANN.record()],
            reported: status(10, "+12015550101", "US.1"),
            expected: Some(Expected {
                after: Row { user_id: Some("US.1"), updated: NOW, revision: 2, ..ANN },
                event: None,
                names: &["US.1"],
                merged: &[],
            }),
        },
        Case {
            name: "the number now belongs to a person with another user id",
            stored: vec![with_number.record(), alias("12015550101", "US.1")],
            reported: message(10, &json!({"from": "12015550101", "from_user_id": "US.9"}), &json!({})),
            expected: Some(Expected {
                after: Row {
                    id: NEW_ID,
                    identity: "US.9",
                    user_id: Some("US.9"),
                    name: None,
                    created: NOW,
                    updated: NOW,
                    named: None,
                    numbered: Some(10),
                    ..with_number
                },
                event: Some(EventName::ContactsChatCreated),
                names: &["12015550101"],
                merged: &[],
            }),
        },
        Case {
            name: "the number holds the record of a person with another user id",
            stored: vec![
                Row { user_id: Some("US.1"), ..ANN }.record(),
                Row { user_id: Some("US.9"), identity: "US.9", ..EVE }.record(),
            ],
            reported: status(10, "+12015550101", "US.9"),
            expected: becomes(
                Row {
                    identity: "US.9",
                    user_id: Some("US.9"),
                    numbered: Some(10),
                    updated: NOW,
                    revision: 2,
                    ..with_number
                },
                None,
            ),
        },
    ]);
}
