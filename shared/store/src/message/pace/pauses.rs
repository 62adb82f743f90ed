//! The pauses of numbers, and of single recipients of a number, after the provider has reported a rate limit.

use std::time::Duration;

use domain::message::pace::{Pause, RateLimit};
use domain::number::NumberId;
use domain::{Failure, Timestamp};

use super::{KEPT_DAYS, Pace, TRIES};
use crate::engine::expression::Update;
use crate::engine::item::{TTL, number};
use crate::keys::Key;
use crate::{OrganizationStore, keys};

impl Pace {
    fn pause(&self) -> Option<Pause> {
        let length = Duration::from_millis(self.pause_millis);
        (self.pause_millis > 0).then(|| Pause { until: Timestamp::from_millis(self.paused_until), length })
    }
}

impl OrganizationStore {
    /// Pauses a number after the provider has refused an attempt with a rate limit, and returns the end of the pause.
    pub async fn pause_number(
        &self,
        id: &NumberId,
        limit: RateLimit,
        began: Timestamp,
        now: Timestamp,
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
        began: Timestamp,
        now: Timestamp,
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

/// Writes a pause, unless another one has been written since `seen` was read.
fn paused(key: &Key, pause: Pause, seen: &Pace, now: Timestamp) -> Update {
    Update::new(key.clone())
        .set_value("pausedUntil", number(pause.until.millis()))
        .set_value("pauseMillis", number(pause.length.as_millis()))
        .set_value("v", number(1))
        .set_value(TTL, number(now.plus_days(KEPT_DAYS).seconds()))
        .when("attribute_not_exists(#pausedUntil) OR #pausedUntil = :seenUntil")
        .value(":seenUntil", number(seen.paused_until))
}
