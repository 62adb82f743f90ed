//! The two-step PINs of numbers whose PIN a caller has chosen, in one secret per number. All other numbers have the PIN
//! of their profile.
//!
//! A PIN is stored before the platform is asked to use it. While the outcome of that is unknown, the number has one of
//! several PINs, and the secret has all of them.

use domain::Failure;
use domain::id::ChatPhoneNumberId;
use domain::identity::credential::Secret;
use serde::{Deserialize, Serialize};

use crate::vault::Vault;

/// The most PINs of a number that are kept. So many changes in a row with an unknown outcome do not happen.
const MOST: usize = 10;

/// The PINs of which a number has one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NumberPins {
    /// Those that it may have if it does not have the newest, oldest first.
    older: Vec<Secret>,
    newest: Secret,
}

#[derive(Serialize, Deserialize)]
struct PinsDocument {
    /// The newest is the last.
    pins: Vec<String>,
}

impl NumberPins {
    /// Returns the PINs of a number that has this one.
    pub fn of(pin: Secret) -> Self {
        NumberPins { older: Vec::new(), newest: pin }
    }

    /// Returns the PIN that the number was asked to have last.
    pub fn newest(&self) -> &Secret {
        &self.newest
    }

    /// Returns the PINs once the platform is asked to use another.
    #[must_use]
    pub fn with(&self, pin: &Secret) -> Self {
        let others = self.older.iter().chain([&self.newest]).filter(|known| *known != pin);
        let mut older: Vec<Secret> = others.cloned().collect();
        older.drain(..older.len().saturating_sub(MOST - 1));
        NumberPins { older, newest: pin.clone() }
    }

    /// Returns the PINs once the platform has accepted the newest.
    #[must_use]
    pub fn confirmed(&self) -> Self {
        NumberPins::of(self.newest.clone())
    }

    /// Returns the PINs once the platform has rejected the newest. The last one is kept.
    #[must_use]
    pub fn refuted(&self) -> Self {
        match self.older.split_last() {
            Some((newest, older)) => NumberPins { older: older.to_vec(), newest: newest.clone() },
            None => self.clone(),
        }
    }
}

impl Vault {
    /// Returns the PINs of a number, or `None` if it has the PIN of its profile.
    pub async fn pins(&self, number: &ChatPhoneNumberId) -> Result<Option<NumberPins>, Failure> {
        let Some(text) = self.read(&self.name(number)).await? else { return Ok(None) };
        let document: Option<PinsDocument> = serde_json::from_str(&text).ok();
        let mut pins: Vec<Secret> = document.into_iter().flat_map(|document| document.pins).map(Secret::new).collect();
        let newest = pins.pop().ok_or_else(|| Failure::internal("the secret of a number is malformed"))?;
        Ok(Some(NumberPins { older: pins, newest }))
    }

    /// Creates or overwrites the secret with the PINs of a number.
    pub async fn keep_pins(&self, number: &ChatPhoneNumberId, pins: &NumberPins) -> Result<(), Failure> {
        let all = pins.older.iter().chain([&pins.newest]);
        let document = PinsDocument { pins: all.map(|pin| pin.expose().to_owned()).collect() };
        let text = serde_json::to_string(&document).map_err(Failure::internal)?;
        self.write(&self.name(number), &text).await
    }

    /// Deletes the secret with the PINs of a number for good. Succeeds if there is none.
    pub async fn erase_pins(&self, number: &ChatPhoneNumberId) -> Result<(), Failure> {
        self.delete(&self.name(number)).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pins(all: &[&str]) -> NumberPins {
        let (newest, older) = all.split_last().expect("a PIN");
        NumberPins { older: older.iter().map(|pin| Secret::new(*pin)).collect(), newest: Secret::new(*newest) }
    }

    #[test]
    fn every_pin_is_kept_until_the_platform_has_decided() {
        let asked = pins(&["000001"]).with(&Secret::new("000002"));
        assert_eq!(asked, pins(&["000001", "000002"]));
        assert_eq!(asked.confirmed(), pins(&["000002"]));
        assert_eq!(asked.refuted(), pins(&["000001"]));
        assert_eq!(asked.refuted().refuted(), pins(&["000001"]), "one is always left");
        assert_eq!(asked.with(&Secret::new("000001")), pins(&["000002", "000001"]), "a known one is not kept twice");
    }

    #[test]
    fn the_oldest_are_dropped() {
        let many = (1..=30).fold(pins(&["000000"]), |pins, pin| pins.with(&Secret::new(format!("{pin:06}"))));
        assert_eq!((many.older.len() + 1, many.newest().expose()), (MOST, "000030"));
        assert_eq!(many.older[0].expose(), "000021");
    }
}
