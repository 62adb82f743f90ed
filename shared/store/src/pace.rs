//! The pace of a number's queued messages: one item per number, which counts the slots that are taken in the current
//! second, and hands out appointments in later seconds while there are more messages than slots. A message that finds a
//! slot costs one write. The rules are in docs/adr/0026-queued-sends.md.

use std::time::Duration;

use domain::number::NumberId;
use domain::pace::{Pause, RateLimit};
use domain::{Failure, Timestamp};
use serde::Deserialize;

use crate::expression::Update;
use crate::item::{Item, TTL, entity, number};
use crate::keys::Key;
use crate::{OrganizationStore, keys};

/// How many writes are tried. Each failure shows the item as it is, so another one only fails if a concurrent worker has
/// changed the item since.
const TRIES: usize = 8;
const KEPT_DAYS: u32 = 1;
const MICROS: i64 = 1_000_000;

/// When a queued message may be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// Now: the message has taken a slot of the current second.
    Now,
    /// At this time. Messages with an appointment come before those without.
    Appointment(Timestamp),
    /// Not in time: all appointments until the message's end are given.
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
    /// The next free appointment, in microseconds since 1970: a thousand messages a second are a millisecond apart.
    line: i64,
    paused_until: i64,
    pause_millis: u64,
}

/// What to write next for a message that wants a slot.
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

    fn step(&self, (now, end): (Timestamp, Timestamp), has_appointment: bool) -> Step {
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

    fn pause(&self) -> Option<Pause> {
        let length = Duration::from_millis(self.pause_millis);
        (self.pause_millis > 0).then(|| Pause { until: Timestamp::from_millis(self.paused_until), length })
    }
}

/// Returns the end of the current second, in microseconds.
fn end_of_second(now: Timestamp) -> i64 {
    (now.seconds() + 1) * MICROS
}

impl OrganizationStore {
    /// Takes a slot for a queued message of this number, which ends at `end`, or makes an appointment. `slots` returns how
    /// many messages may be sent in the current second; each worker that sees a new second asks, and the first one counts.
    pub async fn take_turn<F>(
        &self,
        id: &NumberId,
        (now, end): (Timestamp, Timestamp),
        has_appointment: bool,
        slots: impl Fn() -> F,
    ) -> Result<Turn, Failure>
    where
        F: Future<Output = Result<u32, Failure>>,
    {
        let key = keys::pace(&self.organization, id);
        let mut step = Step::Take;
        let mut seen = Pace::default();
        for _ in 0..TRIES {
            let update = match step {
                Step::Take => take(&key, now, has_appointment),
                Step::Begin => begin(&key, now, slots().await?),
                Step::Book => book(&key, now, &seen),
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
            };
            step = seen.step((now, end), has_appointment);
        }
        Ok(Turn::Appointment(now.plus(Duration::from_secs(1))))
    }

    /// Pauses a number after the provider has refused an attempt with a rate limit, and returns the end of the pause.
    pub async fn pause_number(
        &self,
        id: &NumberId,
        limit: RateLimit,
        (began, now): (Timestamp, Timestamp),
    ) -> Result<Timestamp, Failure> {
        let key = keys::pace(&self.organization, id);
        let mut seen = Pace::of(self.table.get(&key).await?)?;
        for _ in 0..TRIES {
            let pause = Pause::after(seen.pause(), limit, began, now);
            if seen.pause() == Some(pause) {
                return Ok(pause.until);
            }
            let update = paused(&key, pause, &seen, now)
                // Appointments begin when the pause ends.
                .set_value("line", number(seen.line.max(pause.until.millis() * 1000)));
            match self.table.try_update(update).await? {
                Ok(_) => return Ok(pause.until),
                Err(item) => seen = Pace::of(item)?,
            }
        }
        Ok(Timestamp::from_millis(seen.paused_until).max(now))
    }

    /// Pauses one recipient of a number after the provider has refused an attempt, and returns the end of the pause.
    pub async fn pause_recipient(
        &self,
        id: &NumberId,
        recipient: &str,
        (began, now): (Timestamp, Timestamp),
    ) -> Result<Timestamp, Failure> {
        let key = keys::recipient_pause(&self.organization, id, recipient);
        let mut seen = Pace::of(self.table.get(&key).await?)?;
        for _ in 0..TRIES {
            let pause = Pause::after(seen.pause(), RateLimit::Recipient, began, now);
            if seen.pause() == Some(pause) {
                return Ok(pause.until);
            }
            match self.table.try_update(paused(&key, pause, &seen, now)).await? {
                Ok(_) => return Ok(pause.until),
                Err(item) => seen = Pace::of(item)?,
            }
        }
        Ok(Timestamp::from_millis(seen.paused_until).max(now))
    }

    /// Returns the end of a recipient's pause; `None` if the recipient does not pause.
    pub async fn recipient_paused_until(
        &self,
        id: &NumberId,
        recipient: &str,
        now: Timestamp,
    ) -> Result<Option<Timestamp>, Failure> {
        let item = self.table.get(&keys::recipient_pause(&self.organization, id, recipient)).await?;
        let until = Timestamp::from_millis(Pace::of(item)?.paused_until);
        Ok(Some(until).filter(|until| *until > now))
    }
}

/// Takes a slot. The condition says the same as [`Pace::step`], so that no read is needed.
fn take(key: &Key, now: Timestamp, has_appointment: bool) -> Update {
    let update = Update::new(key.clone())
        .add("taken", 1)
        .when("#second >= :current AND #taken < #slots")
        .value(":current", number(now.seconds()))
        .when("attribute_not_exists(#pausedUntil) OR #pausedUntil <= :now")
        .value(":now", number(now.millis()));
    if has_appointment {
        return update;
    }
    update.when("attribute_not_exists(#line) OR #line <= :end").value(":end", number(end_of_second(now)))
}

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

fn book(key: &Key, now: Timestamp, seen: &Pace) -> Update {
    let (end, distance) = (end_of_second(now), seen.distance());
    let update = Update::new(key.clone()).value(":end", number(end));
    if seen.line > end {
        return update.add("line", distance).when("#line > :end");
    }
    update.set_value("line", number(end + distance)).when("attribute_not_exists(#line) OR #line <= :end")
}

/// Returns the appointment that was made: the place in the line before the next free one.
fn appointment(written: &Pace, before: &Pace) -> Timestamp {
    Timestamp::from_millis((written.line - before.distance()) / 1000)
}

/// Writes a pause, unless another one was written since.
fn paused(key: &Key, pause: Pause, seen: &Pace, now: Timestamp) -> Update {
    Update::new(key.clone())
        .set_value("pausedUntil", number(pause.until.millis()))
        .set_value("pauseMillis", number(pause.length.as_millis()))
        .set_value("v", number(1))
        .set_value(TTL, number(now.plus_days(KEPT_DAYS).seconds()))
        .when("attribute_not_exists(#pausedUntil) OR #pausedUntil = :seenUntil")
        .value(":seenUntil", number(seen.paused_until))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> Timestamp {
        Timestamp::from_millis(5_000_250)
    }

    fn end() -> Timestamp {
        Timestamp::from_millis(6_000_000)
    }

    #[test]
    fn a_message_takes_a_slot_of_this_second_while_there_is_one() {
        let pace = |second, taken| Pace { second, slots: 80, taken, ..Pace::default() };
        assert_eq!(Pace::default().step((now(), end()), false), Step::Begin);
        assert_eq!(pace(4999, 80).step((now(), end()), false), Step::Begin);
        assert_eq!(pace(5000, 79).step((now(), end()), false), Step::Take);
        assert_eq!(pace(5001, 79).step((now(), end()), false), Step::Take, "another worker's clock is ahead");
        assert_eq!(pace(5000, 80).step((now(), end()), false), Step::Book);
    }

    #[test]
    fn messages_with_an_appointment_come_first() {
        let pace = Pace { second: 5000, slots: 80, taken: 3, line: 5_002_000_000, ..Pace::default() };
        assert_eq!((pace.step((now(), end()), true), pace.step((now(), end()), false)), (Step::Take, Step::Book));
        let past = Pace { line: 5_001_000_000, ..pace };
        assert_eq!(past.step((now(), end()), false), Step::Take, "the line ends with this second");
    }

    #[test]
    fn a_pause_holds_for_all_and_a_line_ends_where_the_message_does() {
        let pace = Pace { second: 5000, slots: 80, paused_until: 5_000_251, ..Pace::default() };
        assert_eq!((pace.step((now(), end()), true), pace.step((now(), end()), false)), (Step::Book, Step::Book));
        let long = Pace { line: 5_999_000_000, ..pace.clone() };
        assert_eq!(long.step((now(), end()), true), Step::Book);
        let longer = Pace { line: 6_000_000_000, ..pace };
        assert_eq!(longer.step((now(), end()), true), Step::Never);
    }
}
