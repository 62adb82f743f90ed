use std::collections::BTreeMap;

use super::*;
use crate::message::Direction;
use crate::{ErrorCode, Failure, Mode};

/// A change of a message after its attempt has begun: by a receipt, or by the response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    Taken,
    Sent(i64),
    Delivered(i64),
    Failed(i64, usize),
    Accepted,
    Unknown,
    Refused,
}

use Step::{Accepted, Delivered, Failed, Refused, Sent, Taken, Unknown};

const RECEIPTS: [Step; 7] = [Taken, Sent(10), Sent(20), Delivered(30), Delivered(15), Failed(25, 0), Failed(25, 1)];
const RESPONSES: [Step; 3] = [Accepted, Unknown, Refused];
const CODES: [ErrorCode; 2] = [ErrorCode::CarrierApiError, ErrorCode::MessageUndeliverable];
/// All sequences of receipts up to this length are tried, repetitions included.
const LONGEST: usize = 4;

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_millis(1_790_000_000_000 + seconds * 1000)
}

fn pending() -> SmsMessage {
    let number = |text: &str| text.parse().expect("a number");
    let id = "msg_sms_0ujtsYcgvSTl8PAuAdqWYSMnLOv".parse().expect("an id");
    let own = "ph_0ujtsYcgvSTl8PAuAdqWYSMnLOv".parse().expect("an id");
    let (from, to) = (number("+12015550123"), number("+12015550124"));
    let mut message = SmsMessage::blank(id, &own, Direction::Outbound, from, to, at(0));
    message.outcome = Some(Outcome::Pending.into());
    message
}

fn price(step: Step) -> Price {
    let amount = if matches!(step, Delivered(_)) { "0.00945" } else { "0.00645" };
    Price { amount: amount.to_owned(), currency: "USD".to_owned() }
}

fn take(message: &mut SmsMessage, step: Step) -> Option<EventName> {
    let (progress, seconds) = match step {
        Taken => (Progress::Taken, 5),
        Sent(seconds) => (Progress::Sent, seconds),
        Delivered(seconds) => (Progress::Delivered, seconds),
        Failed(seconds, code) => {
            let code = Some(CODES[code].as_str().to_owned());
            (Progress::Failed(Reason { code, ..Reason::default() }), seconds)
        }
        Accepted => {
            message.accept(at(100));
            return None;
        }
        Unknown => {
            message.mark_unknown(at(100));
            return None;
        }
        Refused => {
            message.refuse(&Failure::of_code(ErrorCode::RateLimitExceeded, "refused"), at(100));
            return None;
        }
    };
    // Receipts need not agree.
    let parts = Some(if progress == Progress::Sent { 2 } else { 1 });
    let receipt = Receipt { progress, at: at(seconds), parts, price: Some(price(step)) };
    message.record(&receipt, at(100))
}

/// The message after these steps, and the events that were emitted.
fn after(steps: &[Step]) -> (SmsMessage, BTreeMap<EventName, usize>) {
    let (mut message, mut events) = (pending(), BTreeMap::new());
    for step in steps {
        let before = message.clone();
        if let Some(event) = take(&mut message, *step) {
            *events.entry(event).or_default() += 1;
        }
        if *step != Refused {
            is_not_taken_back(&before, &message, steps);
        }
        let once = message.clone();
        assert_eq!((take(&mut message, *step), &message), (None, &once), "a repetition changes nothing: {steps:?}");
    }
    (message, events)
}

/// A status never goes back, except that a delivery outranks a failure. Refusals do not count, because any receipt
/// disproves them.
fn is_not_taken_back(before: &SmsMessage, after: &SmsMessage, steps: &[Step]) {
    let rank = |message: &SmsMessage| match message.status.known() {
        _ if message.outcome() == Some(Outcome::Refused) => 0,
        Some(SmsStatus::Queued) => 0,
        Some(SmsStatus::Sent) => 1,
        Some(SmsStatus::Failed) => 2,
        Some(SmsStatus::Delivered) => 3,
        _ => panic!("{message:?}"),
    };
    assert!(rank(before) <= rank(after), "{steps:?}");
}

fn sequences(length: usize) -> Vec<Vec<Step>> {
    let shorter = if length == 0 { return vec![Vec::new()] } else { sequences(length - 1) };
    let longer = shorter
        .iter()
        .filter(|steps| steps.len() == length - 1)
        .flat_map(|steps| RECEIPTS.map(|receipt| steps.iter().copied().chain([receipt]).collect::<Vec<_>>()));
    longer.chain(shorter.iter().cloned()).collect()
}

#[test]
fn every_order_of_receipts_and_the_response_makes_the_same_message() {
    let mut expected: BTreeMap<Vec<Step>, SmsMessage> = BTreeMap::new();
    let mut count = 0;
    for receipts in sequences(LONGEST) {
        let responses = RESPONSES.iter().map(|response| Some(*response)).chain([None]);
        for (response, place) in responses.flat_map(|response| (0..=receipts.len()).map(move |place| (response, place)))
        {
            let mut steps = receipts.clone();
            if let Some(response) = response {
                steps.insert(place, response);
            }
            let (message, events) = after(&steps);
            count += 1;
            assert!(events.values().all(|times| *times == 1), "{steps:?}: {events:?}");
            // Every recorded time was reported by an event. A failure after the delivery is neither recorded nor
            // reported.
            for (event, time) in
                [(EventName::MessagesSmsSent, message.sent_at), (EventName::MessagesSmsDelivered, message.delivered_at)]
            {
                assert_eq!(events.contains_key(&event), time.is_some(), "{steps:?}");
            }
            steps.sort();
            steps.dedup();
            let known = expected.entry(steps.clone()).or_insert_with(|| message.clone());
            assert_eq!(*known, message, "{steps:?}");
        }
    }
    assert!(count > 30_000 && expected.len() > 300, "{count} sequences of {} sets", expected.len());
}

#[test]
fn the_receipts_decide_the_message() {
    let show = |steps: &[Step]| {
        let (message, _) = after(steps);
        (message.outcome().expect("an outcome"), message.status.known().expect("a status"), message.error_code)
    };
    let code = |code: ErrorCode| Some(code.as_str().to_owned());
    for (steps, expected) in [
        (&[Unknown] as &[Step], (Outcome::Unknown, SmsStatus::Queued, None)),
        (&[Unknown, Taken], (Outcome::Accepted, SmsStatus::Queued, None)),
        (&[Sent(10)], (Outcome::Accepted, SmsStatus::Sent, None)),
        (&[Delivered(30), Sent(10)], (Outcome::Accepted, SmsStatus::Delivered, None)),
        (&[Failed(25, 1)], (Outcome::Accepted, SmsStatus::Failed, code(CODES[1]))),
        (&[Failed(25, 1), Failed(25, 0)], (Outcome::Accepted, SmsStatus::Failed, code(CODES[0]))),
        (&[Failed(25, 1), Delivered(30)], (Outcome::Accepted, SmsStatus::Delivered, None)),
        (&[Delivered(15), Failed(25, 1)], (Outcome::Accepted, SmsStatus::Delivered, None)),
        (&[Refused], (Outcome::Refused, SmsStatus::Failed, code(ErrorCode::RateLimitExceeded))),
        (&[Refused, Sent(10)], (Outcome::Accepted, SmsStatus::Sent, None)),
        (&[Taken, Refused], (Outcome::Accepted, SmsStatus::Queued, None)),
    ] {
        assert_eq!(show(steps), expected, "{steps:?}");
    }
    let (message, _) = after(&[Sent(20), Sent(10), Delivered(30), Delivered(15)]);
    assert_eq!((message.sent_at, message.delivered_at), (Some(at(10)), Some(at(15))));
    assert_eq!((message.parts, message.price), (Some(2), Some(price(Delivered(15)))));
    assert_eq!(message.id.mode(), Mode::Live);
}
