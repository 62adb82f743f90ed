use proptest::prelude::*;

use super::*;
use crate::chat::{ChatMessage, ChatMessageType, Direction, Outcome};
use crate::{ErrorCode, Failure};

fn unknown_message() -> Tracked {
    let id = "msg_wa_0ujtsYcgvSTl8PAuAdqWYSMnLOv".parse().expect("an id");
    let number = "wapn_0ujtsYcgvSTl8PAuAdqWYSMnLOv".parse().expect("an id");
    let display = "+15550783881".parse().expect("a number");
    let message = ChatMessage::blank(
        id,
        &number,
        &display,
        Direction::Outbound,
        ChatMessageType::Unknown,
        Timestamp::from_millis(0),
    );
    Tracked { message, recipients: Vec::new(), group: None, window: None }
}

fn person(number: Option<usize>, user_id: Option<&str>) -> Person {
    let phone_number = number.and_then(|digit| format!("+1201555010{digit}").parse().ok());
    Person { phone_number, user_id: user_id.map(str::to_owned) }
}

/// Eight status updates of three recipients, with failures and prices that disagree.
fn statuses() -> Vec<StatusUpdate> {
    use RecipientStatus::{Delivered, Failed, Read, Sent};
    let status = |recipient: usize, status, seconds: i64| StatusUpdate {
        recipient: RecipientRef::Member(person(Some(recipient), None)),
        status,
        at: Timestamp::from_millis(1_700_000_000_000 + seconds * 1000),
        error: (status == Failed).then(|| StatusError {
            reason: Reason {
                code: Some(format!("13102{recipient}")),
                message: "undeliverable".into(),
                ..Reason::default()
            },
            title: None,
            details: None,
        }),
        conversation: (status == Sent).then(|| ConversationNote {
            id: Some(format!("conversation-{recipient}")),
            pricing_category: Some(["utility", "marketing", "service"][recipient].into()),
            pricing_billable: Some(recipient == 0),
            ..ConversationNote::default()
        }),
    };
    vec![
        status(0, Sent, 3),
        status(0, Delivered, 5),
        status(0, Read, 9),
        status(1, Sent, 4),
        status(1, Sent, 2),
        status(1, Failed, 8),
        status(2, Failed, 7),
        status(2, Read, 1),
    ]
}

fn outcome<'a>(order: impl IntoIterator<Item = &'a StatusUpdate>) -> (Tracked, Vec<EventName>) {
    let mut tracked = unknown_message();
    let mut events: Vec<_> = order
        .into_iter()
        .filter_map(|update| tracked.record(update, Timestamp::from_millis(1)))
        .map(|first| first.event)
        .collect();
    events.sort();
    (tracked, events)
}

fn permutations<T: Clone>(of: &[T], visit: &mut impl FnMut(&[T])) {
    fn permute<T>(items: &mut Vec<T>, from: usize, visit: &mut impl FnMut(&[T])) {
        if from == items.len() {
            return visit(items);
        }
        for other in from..items.len() {
            items.swap(from, other);
            permute(items, from + 1, visit);
            items.swap(from, other);
        }
    }
    permute(&mut of.to_vec(), 0, visit);
}

#[test]
fn every_order_has_the_same_outcome() {
    let all = statuses();
    let expected = outcome(&all);
    assert_eq!(expected.1.len(), 7);
    let mut count = 0;
    permutations(&all, &mut |order| {
        assert_eq!(outcome(order), expected);
        count += 1;
    });
    assert_eq!(count, 40_320);
}

/// A change of a message that is sent here: by the result of its attempt, by the sweep, or by a status.
#[derive(Clone, Debug)]
enum Step {
    Accepted,
    Refused,
    /// The attempt had no known result, or the sweep found none.
    Unknown,
    Status(Box<StatusUpdate>),
}

/// Applies the steps to a message whose attempt has begun. Returns the message and the events of its statuses.
fn sent(steps: &[Step]) -> (Tracked, Vec<EventName>) {
    let mut tracked = unknown_message();
    tracked.message.outcome = Some(Outcome::Pending.into());
    let (now, mut events) = (Timestamp::from_millis(1), Vec::new());
    for step in steps {
        match step {
            Step::Accepted => tracked.accept("wamid.1", now),
            Step::Refused => {
                let failure = Failure::of_code(ErrorCode::MessageUndeliverable, "refused");
                tracked.refuse(&failure, now);
            }
            Step::Unknown => tracked.mark_unknown(now),
            Step::Status(update) => events.extend(tracked.record(update, now).map(|first| first.event)),
        }
    }
    events.sort();
    (tracked, events)
}

/// Tries every result of an attempt, with and without the sweep, among every set of statuses, in every order. The
/// message and the events are always the same, and the strongest evidence decides the outcome.
#[test]
fn the_outcome_does_not_depend_on_the_order() {
    use RecipientStatus::{Delivered, Failed, Read, Sent};
    let statuses = [(Sent, 1), (Delivered, 2), (Read, 3), (Failed, 4)].map(|(status, seconds)| StatusUpdate {
        recipient: RecipientRef::Only(person(Some(1), None)),
        status,
        at: Timestamp::from_millis(1_700_000_000_000 + seconds * 1000),
        error: (status == Failed).then(|| StatusError {
            reason: Reason::of_platform(131_026, "undeliverable"),
            title: Some("undeliverable".into()),
            details: None,
        }),
        conversation: None,
    });
    let mut orders = 0;
    for result in [Step::Accepted, Step::Refused, Step::Unknown] {
        for (set, is_swept) in (0..16_u32).flat_map(|set| [(set, false), (set, true)]) {
            let seen: Vec<_> = (0..4).filter(|n| set >> n & 1 == 1).map(|n| statuses[n].clone()).collect();
            let has_arrived = seen.iter().any(|update| update.status != Failed);
            let expected = match &result {
                Step::Refused if !has_arrived => Outcome::Refused,
                Step::Unknown if seen.is_empty() => Outcome::Unknown,
                _ => Outcome::Accepted,
            };
            let mut steps = vec![result.clone()];
            steps.extend(is_swept.then_some(Step::Unknown));
            steps.extend(seen.iter().cloned().map(|update| Step::Status(Box::new(update))));
            let first = sent(&steps);
            assert_eq!((first.0.outcome(), first.1.len()), (Some(expected), seen.len()), "{steps:?}");
            // A refusal that was disproved leaves no error.
            let is_at_fault = expected == Outcome::Refused || seen.iter().any(|update| update.status == Failed);
            assert_eq!(first.0.message.error_code.is_some(), is_at_fault, "{steps:?}");
            permutations(&steps, &mut |order| {
                assert_eq!(sent(order), first, "{order:?}");
                orders += 1;
            });
        }
    }
    assert_eq!(orders, 3 * (1 + 4 * 2 + 6 * 6 + 4 * 24 + 120 + 2 + 4 * 6 + 6 * 24 + 4 * 120 + 720));
}

/// The platform reports one member by number, by user id and by both, and the group without a member.
#[test]
fn a_member_of_a_group_is_one_recipient_however_it_is_identified() {
    let seen = |recipient, status, seconds: i64| StatusUpdate {
        recipient,
        status,
        at: Timestamp::from_millis(1_700_000_000_000 + seconds * 1000),
        error: None,
        conversation: None,
    };
    let all = [
        seen(RecipientRef::Group, RecipientStatus::Sent, 1),
        seen(RecipientRef::Member(person(Some(1), None)), RecipientStatus::Delivered, 2),
        seen(RecipientRef::Member(person(None, Some("US.1"))), RecipientStatus::Read, 3),
        seen(RecipientRef::Member(person(Some(1), Some("US.1"))), RecipientStatus::Delivered, 4),
        seen(RecipientRef::Member(person(None, Some("US.2"))), RecipientStatus::Delivered, 5),
    ];
    let (expected, events) = outcome(&all);
    let ids: Vec<&str> = expected.recipients.iter().map(|recipient| recipient.id.as_str()).collect();
    assert_eq!(ids, ["12015550101", "US.2"]);
    assert_eq!((expected.recipients[0].user_id.as_deref(), events.len()), (Some("US.1"), 4));
    let seconds = |time: Option<Timestamp>| time.map(|time| time.seconds() - 1_700_000_000);
    let message = &expected.message;
    assert_eq!(
        [seconds(message.sent_at), seconds(message.delivered_at), seconds(message.read_at)],
        [Some(1), Some(2), Some(3)]
    );
    permutations(&all, &mut |order| assert_eq!(outcome(order).0, expected));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// Any sequence that contains each update at least once.
    #[test]
    fn repetition_changes_nothing(more in prop::collection::vec(0..8_usize, 0..24), seed in any::<u64>()) {
        let all = statuses();
        let mut order: Vec<usize> = (0..8).chain(more).collect();
        let mut state = seed;
        for at in (1..order.len()).rev() {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            order.swap(at, (state >> 33) as usize % (at + 1));
        }
        prop_assert_eq!(outcome(order.iter().map(|&at| &all[at])), outcome(&all));
    }
}
