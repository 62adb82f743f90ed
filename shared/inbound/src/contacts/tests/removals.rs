//! Tests of contacts that are removed and created again.

use super::*;

const REMOVED_ANN: Row = Row { removed: Some(100), revision: 2, ..ANN };

fn entry_of_ann() -> Value {
    json!({"full_name": "Ann", "phone_number": "12015550101"})
}

#[test]
fn the_business_app_removes_a_contact() {
    let later = Row { named: Some(200), ..ANN };
    check([
        Case {
            name: "a removal",
            stored: vec![ANN.record()],
            reported: removal(100, &entry_of_ann()),
            expected: becomes(REMOVED_ANN, Some(EventName::ContactsChatDeleted)),
        },
        Case {
            name: "a removal that is older than the name",
            stored: vec![later.record()],
            reported: removal(100, &entry_of_ann()),
            expected: None,
        },
        Case {
            name: "a removal that is repeated",
            stored: vec![REMOVED_ANN.record()],
            reported: removal(100, &entry_of_ann()),
            expected: None,
        },
        Case {
            name: "a later removal",
            stored: vec![REMOVED_ANN.record()],
            reported: removal(200, &entry_of_ann()),
            expected: becomes(Row { removed: Some(200), revision: 3, ..REMOVED_ANN }, None),
        },
        Case {
            name: "the removal of an unknown contact",
            stored: Vec::new(),
            reported: removal(100, &entry_of_ann()),
            expected: becomes(
                Row {
                    id: NEW_ID,
                    created: NOW,
                    updated: NOW,
                    named: Some(100),
                    numbered: Some(100),
                    revision: 1,
                    ..REMOVED_ANN
                },
                None,
            ),
        },
    ]);
}

#[test]
fn only_a_later_update_brings_a_removed_contact_back() {
    let again = Row {
        id: NEW_ID,
        created: NOW,
        updated: NOW,
        named: Some(101),
        numbered: Some(101),
        removed: None,
        revision: 3,
        ..REMOVED_ANN
    };
    check([
        Case {
            name: "a message from before the removal",
            stored: vec![REMOVED_ANN.record()],
            reported: named_message(50, "12015550101", "Anna"),
            expected: stays(REMOVED_ANN),
        },
        Case {
            name: "a message in the second of the removal",
            stored: vec![REMOVED_ANN.record()],
            reported: named_message(100, "12015550101", "Anna"),
            expected: stays(REMOVED_ANN),
        },
        Case {
            name: "a message after the removal",
            stored: vec![REMOVED_ANN.record()],
            reported: named_message(101, "12015550101", "Ann"),
            expected: becomes(again, Some(EventName::ContactsChatCreated)),
        },
        Case {
            name: "a message without a name after the removal",
            stored: vec![REMOVED_ANN.record()],
            reported: message(101, &json!({"from": "12015550101"}), &json!({})),
            expected: becomes(Row { name: None, named: None, ..again }, Some(EventName::ContactsChatCreated)),
        },
        Case {
            name: "an entry of the business app's contacts after the removal",
            stored: vec![REMOVED_ANN.record()],
            reported: sync(101, &entry_of_ann()),
            expected: becomes(again, Some(EventName::ContactsChatCreated)),
        },
        Case {
            name: "a status after the removal, which names the user id too",
            stored: vec![REMOVED_ANN.record()],
            reported: status(101, "+12015550101", "US.1"),
            expected: Some(Expected { after: REMOVED_ANN, event: None, names: &["US.1"], merged: &[] }),
        },
        Case {
            name: "a changed user id after the removal",
            stored: vec![REMOVED_ANN.record()],
            reported: user_id_change(
                150,
                &json!({"wa_id": "12015550101", "user_id": {"previous": "US.1", "current": "US.2"}}),
            ),
            expected: Some(Expected {
                after: Row {
                    user_id: Some("US.2"),
                    numbered: Some(150),
                    moved: Some(150),
                    updated: NOW,
                    revision: 3,
                    ..REMOVED_ANN
                },
                event: None,
                names: &["US.2", "US.1"],
                merged: &[],
            }),
        },
        Case {
            name: "the first message of a person who has only moved",
            stored: vec![Row { name: None, named: None, moved: Some(100), removed: Some(EVER), ..EVE }.record()],
            reported: message(50, &json!({"from_user_id": "US.1"}), &json!({"profile": {"name": "Eve"}})),
            expected: becomes(
                Row { id: NEW_ID, created: NOW, updated: NOW, named: Some(50), moved: Some(100), revision: 2, ..EVE },
                Some(EventName::ContactsChatCreated),
            ),
        },
    ]);
}
