//! Tests of choices about marketing messages.

use super::*;

fn of_ann() -> Value {
    json!({"wa_id": "12015550101"})
}

#[test]
fn the_latest_choice_counts() {
    let stopped = Row { stopped: Some((true, 50)), ..ANN };
    let changed = |choice: (bool, i64)| Row { stopped: Some(choice), updated: NOW, revision: 2, ..stopped };
    check([
        Case {
            name: "a first choice",
            stored: vec![ANN.record()],
            reported: preference(50, &of_ann(), "stop"),
            expected: becomes(changed((true, 50)), Some(EventName::ContactsChatUpdated)),
        },
        Case {
            name: "a repeated one",
            stored: vec![stopped.record()],
            reported: preference(50, &of_ann(), "stop"),
            expected: stays(stopped),
        },
        Case {
            name: "an earlier one",
            stored: vec![stopped.record()],
            reported: preference(49, &of_ann(), "resume"),
            expected: stays(stopped),
        },
        Case {
            name: "another one in the same second",
            stored: vec![stopped.record()],
            reported: preference(50, &of_ann(), "resume"),
            expected: stays(stopped),
        },
        Case {
            name: "the opt-out in the second of a sign-up",
            stored: vec![Row { stopped: Some((false, 50)), ..ANN }.record()],
            reported: preference(50, &of_ann(), "stop"),
            expected: becomes(changed((true, 50)), Some(EventName::ContactsChatUpdated)),
        },
        Case {
            name: "a later one",
            stored: vec![stopped.record()],
            reported: preference(51, &of_ann(), "resume"),
            expected: becomes(changed((false, 51)), Some(EventName::ContactsChatUpdated)),
        },
        Case {
            name: "a later sign-up",
            stored: vec![stopped.record()],
            reported: preference(52, &of_ann(), "signup"),
            expected: becomes(changed((false, 52)), Some(EventName::ContactsChatUpdated)),
        },
    ]);
}

#[test]
fn a_choice_makes_a_contact_and_outlives_its_removal() {
    let removed = Row { removed: Some(100), revision: 2, ..ANN };
    let again = Row { id: NEW_ID, created: NOW, updated: NOW, removed: None, revision: 3, ..removed };
    check([
        Case {
            name: "of a person who has never written",
            stored: Vec::new(),
            reported: preference(10, &of_ann(), "stop"),
            expected: becomes(
                Row {
                    id: NEW_ID,
                    name: None,
                    named: None,
                    numbered: Some(10),
                    stopped: Some((true, 10)),
                    created: NOW,
                    updated: NOW,
                    ..ANN
                },
                Some(EventName::ContactsChatCreated),
            ),
        },
        Case {
            name: "from before the removal",
            stored: vec![removed.record()],
            reported: preference(50, &of_ann(), "stop"),
            expected: becomes(Row { stopped: Some((true, 50)), revision: 3, ..removed }, None),
        },
        Case {
            name: "from after the removal",
            stored: vec![removed.record()],
            reported: preference(101, &of_ann(), "stop"),
            expected: becomes(
                Row { name: None, named: None, numbered: Some(101), stopped: Some((true, 101)), ..again },
                Some(EventName::ContactsChatCreated),
            ),
        },
        Case {
            name: "a removal from before the choice",
            stored: vec![Row { stopped: Some((true, 50)), ..ANN }.record()],
            reported: removal(49, &json!({"phone_number": "12015550101"})),
            expected: None,
        },
        Case {
            name: "the first message after the removal keeps the choice",
            stored: vec![Row { stopped: Some((true, 50)), ..removed }.record()],
            reported: named_message(150, "12015550101", "Ann"),
            expected: becomes(
                Row { named: Some(150), numbered: Some(150), stopped: Some((true, 50)), ..again },
                Some(EventName::ContactsChatCreated),
            ),
        },
    ]);
}

/// Two records turn out to be one person: the latest choice of both stays.
#[test]
fn a_merged_contact_has_the_latest_choice() {
    let both = json!({"from": "12015550101", "from_user_id": "US.1"});
    let choices = [
        (Some((true, 50)), Some((false, 40)), false),
        (Some((true, 30)), Some((false, 40)), true),
        (None, Some((true, 40)), true),
    ];
    for (of_eve, of_ann, is_inherited) in choices {
        let stored = vec![Row { stopped: of_eve, ..EVE }.record(), Row { stopped: of_ann, ..ANN }.record()];
        let change = change(stored, &message(60, &both, &json!({}))).expect("a contact");
        let expected = Row { stopped: if is_inherited { of_ann } else { of_eve }, ..EVE }.contact();
        assert_eq!(change.after.contact.marketing_opt_out, expected.contact.marketing_opt_out, "{of_eve:?} {of_ann:?}");
        assert_eq!(change.after.revision, 2);
        let event = is_inherited.then_some(EventName::ContactsChatUpdated);
        assert_eq!((change.event, change.merged.len()), (event, 1), "{of_eve:?} {of_ann:?}");
    }
}

#[test]
fn an_unknown_choice_is_not_applied() {
    let unknown = |fields: Value, word: &str| {
        let choice = raw(&fields);
        let reading = read(&choice, |choice| Seen::of_preference(choice, &Sender::default(), second(NOW)));
        let seen = reading.expect("an object").value;
        assert_eq!(seen.err().as_deref(), Some(word));
    };
    unknown(json!({"wa_id": "12015550101", "category": "marketing_messages", "value": "pause"}), "pause");
    unknown(json!({"wa_id": "12015550101", "category": "surveys", "value": "stop"}), "surveys");
}
