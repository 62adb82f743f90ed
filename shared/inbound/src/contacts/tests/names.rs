//! Tests of new contacts, and of changes of their names.

use super::*;

const NEW_ANN: Row = Row { id: NEW_ID, created: NOW, updated: NOW, named: Some(10), numbered: Some(10), ..ANN };

#[test]
fn a_person_becomes_a_contact_when_they_write_or_when_the_business_app_knows_them() {
    check([
        Case {
            name: "a first message",
            stored: Vec::new(),
            reported: named_message(10, "12015550101", "Ann"),
            expected: becomes(NEW_ANN, Some(EventName::ContactsChatCreated)),
        },
        Case {
            name: "a first message without a name",
            stored: Vec::new(),
            reported: message(10, &json!({"from": "12015550101"}), &json!({})),
            expected: becomes(Row { name: None, named: None, ..NEW_ANN }, Some(EventName::ContactsChatCreated)),
        },
        Case {
            name: "a first message with number and user id",
            stored: Vec::new(),
            reported: message(10, &json!({"from": "12015550101", "from_user_id": "US.1"}), &json!({"username": "ann"})),
            expected: Some(Expected {
                after: Row { identity: "US.1", user_id: Some("US.1"), name: None, username: Some("ann"), ..NEW_ANN },
                event: Some(EventName::ContactsChatCreated),
                names: &["12015550101"],
                merged: &[],
            }),
        },
        Case {
            name: "an entry of the business app's contacts",
            stored: Vec::new(),
            reported: sync(10, &json!({"full_name": "Ann", "phone_number": "+1 201-555-0101"})),
            expected: becomes(NEW_ANN, Some(EventName::ContactsChatCreated)),
        },
        Case { name: "a status", stored: Vec::new(), reported: status(10, "+12015550101", "US.1"), expected: None },
    ]);
}

#[test]
fn the_latest_name_counts() {
    let later = Row { named: Some(100), numbered: Some(100), ..ANN };
    check([
        Case {
            name: "the same name within the confirmation interval",
            stored: vec![ANN.record()],
            reported: named_message(59, "12015550101", "Ann"),
            expected: stays(ANN),
        },
        Case {
            name: "the same name after the confirmation interval",
            stored: vec![ANN.record()],
            reported: named_message(60, "12015550101", "Ann"),
            expected: becomes(Row { named: Some(60), numbered: Some(60), revision: 2, ..ANN }, None),
        },
        Case {
            name: "another name later",
            stored: vec![ANN.record()],
            reported: named_message(1, "12015550101", "Ann Lee"),
            expected: becomes(
                Row { name: Some("Ann Lee"), named: Some(1), updated: NOW, revision: 2, ..ANN },
                Some(EventName::ContactsChatUpdated),
            ),
        },
        Case {
            name: "a username beside the known name",
            stored: vec![ANN.record()],
            reported: message(1, &json!({"from": "12015550101"}), &json!({"username": "ann"})),
            expected: becomes(
                Row { username: Some("ann"), named: Some(1), updated: NOW, revision: 2, ..ANN },
                Some(EventName::ContactsChatUpdated),
            ),
        },
        Case {
            name: "another name in the business app later",
            stored: vec![ANN.record()],
            reported: sync(70, &json!({"full_name": "Ann Lee", "phone_number": "12015550101"})),
            expected: becomes(
                Row { name: Some("Ann Lee"), named: Some(70), numbered: Some(70), updated: NOW, revision: 2, ..ANN },
                Some(EventName::ContactsChatUpdated),
            ),
        },
        Case {
            name: "another name earlier",
            stored: vec![later.record()],
            reported: named_message(50, "12015550101", "Anna"),
            expected: stays(later),
        },
        Case {
            name: "another name within the same second",
            stored: vec![later.record()],
            reported: named_message(100, "12015550101", "Anna"),
            expected: stays(later),
        },
        Case {
            name: "no name",
            stored: vec![ANN.record()],
            reported: message(50, &json!({"from": "12015550101"}), &json!({})),
            expected: stays(ANN),
        },
    ]);
}
