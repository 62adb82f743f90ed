//! Edits and revocations, in all orders with the message and its statuses.

use super::*;

/// An update about the message.
#[derive(Clone, Copy, Debug)]
enum Reported {
    Inbound,
    Echo,
    Status,
    /// Its contact or the business has edited it.
    Edit(Direction, i64),
    Revocation(Direction, i64),
}

use Reported::{Echo, Edit, Inbound, Revocation, Status};

/// The compared fields of a message: its direction, its text, and when it was edited and revoked.
struct Shown {
    direction: Direction,
    text: Option<&'static str>,
    edited: Option<i64>,
    revoked: Option<i64>,
}

/// Applies an update, like the handler does.
fn applied(before: Before, reported: Reported) -> Before {
    let revised = match reported {
        Inbound => return with_content(before, Direction::Inbound),
        Echo => return with_content(before, Direction::Outbound),
        Status => return with_status(before),
        Edit(direction, at) => Revised { is_revocation: false, at: second(at), direction },
        Revocation(direction, at) => Revised { is_revocation: true, at: second(at), direction },
    };
    match &before.stored {
        None => Before { stored: None, early: Some(revised.added_to(before.early)) },
        Some(stored) => match revised.marked(stored, second(NOW)) {
            Some(after) => Before { stored: Some(after), early: None },
            None => before,
        },
    }
}

fn with_content(before: Before, direction: Direction) -> Before {
    if !matches!(before.arrival(direction, Source::Live), Arrival::New) {
        return before;
    }
    let after = match direction {
        Direction::Inbound => after_inbound(&before),
        Direction::Outbound => after_echo(&before).0,
    };
    Before { stored: Some(after), early: None }
}

fn with_status(before: Before) -> Before {
    if before.stored.as_ref().is_some_and(|known| known.message().direction == Direction::Inbound) {
        return before;
    }
    let mut after = before.stored.clone().unwrap_or_else(|| blank(STORED_ID, Direction::Outbound, second(CREATED)));
    after.tracked.record(&status(RecipientStatus::Delivered, 11), second(CREATED));
    before.advance(&mut after);
    Before { stored: Some(after), early: None }
}

/// Returns all orders of the updates.
fn permutations(updates: &[Reported]) -> Vec<Vec<Reported>> {
    let Some((first, others)) = updates.split_first() else { return vec![Vec::new()] };
    let with_first = |order: Vec<Reported>| {
        (0..=order.len()).map(move |at| {
            let mut longer = order.clone();
            longer.insert(at, *first);
            longer
        })
    };
    permutations(others).into_iter().flat_map(with_first).collect()
}

#[test]
fn all_orders_are_generated() {
    let orders = permutations(&[Inbound, Status, Edit(Direction::Inbound, 1), Edit(Direction::Inbound, 2)]);
    let different: std::collections::BTreeSet<String> = orders.iter().map(|order| format!("{order:?}")).collect();
    assert_eq!((orders.len(), different.len()), (24, 24));
}

/// Repeats each update, and applies the updates in every order.
#[test]
fn the_latest_edit_and_the_earliest_revocation_of_the_sender_count() {
    use Direction::{Inbound as Theirs, Outbound as Ours};
    let text = Some("Hi");
    let cases: [(&str, &[Reported], Shown); 7] = [
        ("an edit", &[Inbound, Edit(Theirs, 21)], Shown { direction: Theirs, text, edited: Some(21), revoked: None }),
        (
            "two edits and two revocations",
            &[Inbound, Edit(Theirs, 21), Edit(Theirs, 22), Revocation(Theirs, 24), Revocation(Theirs, 23)],
            Shown { direction: Theirs, text, edited: Some(22), revoked: Some(23) },
        ),
        (
            "an edit after the revocation",
            &[Inbound, Revocation(Theirs, 21), Edit(Theirs, 22)],
            Shown { direction: Theirs, text, edited: Some(22), revoked: Some(21) },
        ),
        (
            "an inbound message with a status, which the business cannot edit",
            &[Inbound, Status, Edit(Theirs, 21), Edit(Ours, 29), Revocation(Ours, 22)],
            Shown { direction: Theirs, text, edited: Some(21), revoked: None },
        ),
        (
            "an echo, which the contact cannot edit",
            &[Echo, Edit(Ours, 21), Edit(Theirs, 29), Revocation(Theirs, 22)],
            Shown { direction: Ours, text, edited: Some(21), revoked: None },
        ),
        (
            "an echo with a status",
            &[Echo, Status, Edit(Ours, 21), Edit(Theirs, 29), Revocation(Ours, 23), Revocation(Ours, 22)],
            Shown { direction: Ours, text, edited: Some(21), revoked: Some(22) },
        ),
        (
            "only a status, so the message seems to be outbound",
            &[Status, Edit(Ours, 21), Edit(Theirs, 29), Revocation(Theirs, 22)],
            Shown { direction: Ours, text: None, edited: Some(21), revoked: None },
        ),
    ];
    for (name, updates, expected) in cases {
        for order in permutations(updates) {
            let once = order.iter().fold(Before::default(), |before, reported| applied(before, *reported));
            let twice = order.iter().fold(once, |before, reported| applied(before, *reported));
            let stored = twice.stored.expect("a message");
            let message = stored.message();
            assert_eq!(message.direction, expected.direction, "{name}: {order:?}");
            assert_eq!(message.text_body.as_deref(), expected.text, "{name}: {order:?}");
            assert_eq!(message.edited_at, expected.edited.map(second), "{name}: {order:?}");
            assert_eq!(message.revoked_at, expected.revoked.map(second), "{name}: {order:?}");
        }
    }
}

#[test]
fn revisions_before_the_message_are_kept_apart_by_sender() {
    use Direction::{Inbound as Theirs, Outbound as Ours};
    let updates = [Edit(Theirs, 21), Edit(Theirs, 22), Edit(Ours, 23), Revocation(Theirs, 25), Revocation(Theirs, 24)];
    let expected = EarlyRevisions {
        edited_at: Some(second(22)),
        revoked_at: Some(second(24)),
        own_edited_at: Some(second(23)),
        own_revoked_at: None,
    };
    for order in permutations(&updates) {
        let before = order.iter().fold(Before::default(), |before, reported| applied(before, *reported));
        assert_eq!((before.early, before.stored), (Some(expected), None), "{order:?}");
    }
}

#[test]
fn a_revision_that_changes_nothing_writes_nothing() {
    let mut message = after_inbound(&Before::default());
    message.tracked.message.edited_at = Some(second(22));
    let edit = |direction, at| Revised { is_revocation: false, at: second(at), direction };
    for (name, revised, edited) in [
        ("an earlier edit", edit(Direction::Inbound, 21), None),
        ("the same edit", edit(Direction::Inbound, 22), None),
        ("an edit of the other side", edit(Direction::Outbound, 23), None),
        ("a later edit", edit(Direction::Inbound, 23), Some((second(23), 2))),
    ] {
        let after = revised.marked(&message, second(NOW));
        let after = after.map(|after| (after.message().edited_at.expect("an edit"), after.kept.revision));
        assert_eq!(after, edited, "{name}");
    }
}
