//! The pace of a number's queued messages: one item per number, which counts the taken slots of the current second, and
//! assigns appointments in later seconds while there are more messages than slots. A message that finds a slot costs
//! one write. The rules are in docs/adr/0026-queued-sends.md.

mod pauses;

use std::time::Duration;

use domain::number::NumberId;
use domain::{Failure, Timestamp};
use serde::Deserialize;

use crate::engine::expression::Update;
use crate::engine::item::{Item, TTL, entity, number};
use crate::keys::Key;
use crate::{OrganizationStore, keys};

/// The highest number of attempts of a write. Each failure returns the current item, so another attempt fails only if a
/// concurrent worker has changed the item since.
const TRIES: usize = 8;
const KEPT_DAYS: u32 = 1;
const MICROS: i64 = 1_000_000;

/// A queued message that asks for a slot.
#[derive(Clone, Copy, Debug)]
pub struct Waiting {
    pub now: Timestamp,
    /// Until when it may be sent.
    pub end: Timestamp,
    pub has_appointment: bool,
    /// When the line of its number was last renewed. Earlier appointments are void.
    pub line_reset_at: Option<Timestamp>,
}

/// When a queued message may be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// Now: the message has taken a slot of the current second.
    Now,
    /// At this time. Messages with an appointment come before those without.
    Appointment(Timestamp),
    /// Not in time: all appointments before the message's end are taken.
    Never,
}

/// The state of a number's pace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Pace {
    /// The second, since 1970, whose slots are counted.
    second: i64,
    /// The slots of that second, and how many of them are taken.
    slots: u32,
    taken: u32,
    /// The next free appointment, in microseconds since 1970: at a thousand messages per second, they are a millisecond
    /// apart.
    line: i64,
    /// When this line began, in milliseconds since 1970: a copy of the number's `line_reset_at`.
    line_reset_at: i64,
    /// The latest reset of the line after which its waiting messages have been processed.
    renewed_for: i64,
    paused_until: i64,
    pause_millis: u64,
}

/// The next write for a message that asks for a slot.
#[derive(Debug, PartialEq, Eq)]
enum Step {
    /// Take a slot of the second that is being counted.
    Take,
    /// Begin to count the current second.
    Begin,
    /// Make an appointment.
    Book,
    /// No appointment is free before the message's end.
    Never,
}

impl Pace {
    fn of(item: Option<Item>) -> Result<Self, Failure> {
        item.map(entity).transpose().map(Option::unwrap_or_default)
    }

    /// Returns the pace without a line from before the number's last reset.
    fn of_line(self, reset_at: Option<Timestamp>) -> Self {
        if reset_at.is_some_and(|at| self.line_reset_at < at.millis()) { Pace { line: 0, ..self } } else { self }
    }

    fn step(&self, waiting: &Waiting) -> Step {
        let Waiting { now, end, has_appointment, .. } = *waiting;
        let is_paused = self.paused_until > now.millis();
        if is_paused || (!has_appointment && self.line > end_of_second(now)) {
            return self.book(end);
        }
        match self.second {
            second if second < now.seconds() => Step::Begin,
            _ if self.taken < self.slots => Step::Take,
            _ => self.book(end),
        }
    }

    fn book(&self, end: Timestamp) -> Step {
        if Timestamp::from_millis(self.line / 1000) < end { Step::Book } else { Step::Never }
    }

    /// Returns the distance between two appointments, in microseconds.
    fn distance(&self) -> i64 {
        MICROS / i64::from(self.slots.max(1))
    }
}

/// Returns the end of the current second, in microseconds.
fn end_of_second(now: Timestamp) -> i64 {
    (now.seconds() + 1) * MICROS
}

impl OrganizationStore {
    /// Takes a slot for a queued message of this number, or makes an appointment. `slots` returns how many messages may be
    /// sent in the current second; each worker that sees a new second asks, and the first one counts.
    pub async fn take_turn<F>(&self, id: &NumberId, waiting: &Waiting, slots: impl Fn() -> F) -> Result<Turn, Failure>
    where
        F: Future<Output = Result<u32, Failure>>,
    {
        let (key, now) = (keys::pace(&self.organization, id), waiting.now);
        let mut step = Step::Take;
        let mut seen = Pace::default();
        for _ in 0..TRIES {
            let update = match step {
                Step::Take => take(&key, waiting),
                Step::Begin => begin(&key, now, slots().await?),
                Step::Book => book(&key, waiting, &seen),
                Step::Never => return Ok(Turn::Never),
            };
            seen = match self.table.try_update(update).await? {
                Ok(item) => {
                    let written = Pace::of(Some(item))?;
                    match step {
                        Step::Book => return Ok(Turn::Appointment(appointment(&written, &seen))),
                        // This second has no slots: the number receives as many messages as the provider accepts.
                        Step::Begin if written.slots == 0 => written,
                        _ => return Ok(Turn::Now),
                    }
                }
                Err(item) => Pace::of(item)?,
            }
            .of_line(waiting.line_reset_at);
            step = seen.step(waiting);
        }

        Ok(Turn::Appointment(now.plus(Duration::from_secs(1))))
    }

    /// Returns the latest reset of the line after which its waiting messages have been processed.
    pub async fn line_renewed_at(&self, id: &NumberId) -> Result<Option<Timestamp>, Failure> {
        let pace = Pace::of(self.table.get(&keys::pace(&self.organization, id)).await?)?;
        Ok(Some(Timestamp::from_millis(pace.renewed_for)).filter(|at| at.millis() > 0))
    }

    /// Records that the messages that waited at the reset at `reset_at` have been processed.
    pub async fn note_line_renewed(&self, id: &NumberId, reset_at: Timestamp, now: Timestamp) -> Result<(), Failure> {
        let update = Update::new(keys::pace(&self.organization, id))
            .set_value("renewedFor", number(reset_at.millis()))
            .set_value("v", number(1))
            .set_value(TTL, number(now.plus_days(KEPT_DAYS).seconds()))
            .when("attribute_not_exists(#renewedFor) OR #renewedFor < :reset")
            .value(":reset", number(reset_at.millis()));
        self.table.try_update(update).await.map(|_| ())
    }
}

/// Takes a slot. The condition is equivalent to [`Pace::step`], so that no read is needed.
fn take(key: &Key, waiting: &Waiting) -> Update {
    let Waiting { now, has_appointment, line_reset_at, .. } = *waiting;
    let update = Update::new(key.clone())
        .add("taken", 1)
        .when("#second >= :current AND #taken < #slots")
        .value(":current", number(now.seconds()))
        .when("attribute_not_exists(#pausedUntil) OR #pausedUntil <= :now")
        .value(":now", number(now.millis()));
    if has_appointment {
        return update;
    }
    let update = update.value(":end", number(end_of_second(now)));
    match line_reset_at {
        None => update.when("attribute_not_exists(#line) OR #line <= :end"),
        Some(at) => update
            .when(&format!("attribute_not_exists(#line) OR #line <= :end OR {OF_AN_EARLIER_LINE}"))
            .value(":reset", number(at.millis())),
    }
}

/// The condition that the line is from before the number's last reset.
const OF_AN_EARLIER_LINE: &str = "attribute_not_exists(#lineResetAt) OR #lineResetAt < :reset";

fn begin(key: &Key, now: Timestamp, slots: u32) -> Update {
    Update::new(key.clone())
        .set_value("second", number(now.seconds()))
        .set_value("slots", number(slots))
        .set_value("taken", number(slots.min(1)))
        .set_value("v", number(1))
        .set_value(TTL, number(now.plus_days(KEPT_DAYS).seconds()))
        .when("attribute_not_exists(#second) OR #second < :current")
        .value(":current", number(now.seconds()))
        .when("attribute_not_exists(#pausedUntil) OR #pausedUntil <= :now")
        .value(":now", number(now.millis()))
}

/// Makes an appointment: after the others or, if there are none, after the current second or the pause.
fn book(key: &Key, waiting: &Waiting, seen: &Pace) -> Update {
    let (end, distance) = (end_of_second(waiting.now).max(seen.paused_until * 1000), seen.distance());
    let update = Update::new(key.clone());
    if seen.line > end {
        return update.add("line", distance).when("#line > :end").value(":end", number(end));
    }
    let update = update.set_value("line", number(end + distance));
    match waiting.line_reset_at {
        Some(at) if seen.line_reset_at < at.millis() => update
            .set_value("lineResetAt", number(at.millis()))
            .when(OF_AN_EARLIER_LINE)
            .value(":reset", number(at.millis())),
        _ => update.when("attribute_not_exists(#line) OR #line <= :end").value(":end", number(end)),
    }
}

/// Returns the appointment that was made: the place in the line before the next free one.
fn appointment(written: &Pace, before: &Pace) -> Timestamp {
    Timestamp::from_millis((written.line - before.distance()) / 1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> Timestamp {
        Timestamp::from_millis(5_000_250)
    }

    fn waiting(has_appointment: bool) -> Waiting {
        let end = Timestamp::from_millis(6_000_000);
        Waiting { now: now(), end, has_appointment, line_reset_at: None }
    }

    #[test]
    fn a_message_takes_a_slot_of_this_second_while_there_is_one() {
        let pace = |second, taken| Pace { second, slots: 80, taken, ..Pace::default() };
        assert_eq!(Pace::default().step(&waiting(false)), Step::Begin);
        assert_eq!(pace(4999, 80).step(&waiting(false)), Step::Begin);
        assert_eq!(pace(5000, 79).step(&waiting(false)), Step::Take);
        assert_eq!(pace(5001, 79).step(&waiting(false)), Step::Take, "another worker's clock is ahead");
        assert_eq!(pace(5000, 80).step(&waiting(false)), Step::Book);
    }

    #[test]
    fn messages_with_an_appointment_come_first() {
        let pace = Pace { second: 5000, slots: 80, taken: 3, line: 5_002_000_000, ..Pace::default() };
        assert_eq!((pace.step(&waiting(true)), pace.step(&waiting(false))), (Step::Take, Step::Book));
        let past = Pace { line: 5_001_000_000, ..pace };
        assert_eq!(past.step(&waiting(false)), Step::Take, "the line ends with this second");
    }

    #[test]
    fn a_pause_holds_for_all_and_appointments_end_with_the_message() {
        let pace = Pace { second: 5000, slots: 80, paused_until: 5_000_251, ..Pace::default() };
        assert_eq!((pace.step(&waiting(true)), pace.step(&waiting(false))), (Step::Book, Step::Book));
        let long = Pace { line: 5_999_000_000, ..pace.clone() };
        assert_eq!(long.step(&waiting(true)), Step::Book);
        let longer = Pace { line: 6_000_000_000, ..pace };
        assert_eq!(longer.step(&waiting(true)), Step::Never);
    }
    #[test]
    fn a_renewed_line_loses_appointments_but_no_pause() {
        let at = |millis| Some(Timestamp::from_millis(millis));
        let pace = Pace { second: 5000, slots: 80, taken: 3, line: 5_900_000_000, ..Pace::default() };
        assert_eq!(pace.clone().of_line(None).step(&waiting(false)), Step::Book);
        assert_eq!(pace.clone().of_line(at(4_000_000)).step(&waiting(false)), Step::Take);
        let anew = Pace { line_reset_at: 4_000_000, ..pace };
        assert_eq!(anew.clone().of_line(at(4_000_000)).step(&waiting(false)), Step::Book);
        assert_eq!(anew.clone().of_line(at(3_999_999)).step(&waiting(false)), Step::Book, "read before");
        let paused = Pace { paused_until: 5_000_251, ..anew };
        assert_eq!(paused.of_line(at(4_000_001)).step(&waiting(false)), Step::Book);
    }
}
