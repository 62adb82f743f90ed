//! What this process does once per hour and key, such as recording the use of the key.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use domain::Timestamp;

/// The highest number of remembered keys. When it is exceeded, the memory is cleared.
const MOST: usize = 1024;

/// The hour in which this process has last done something for each key.
#[derive(Clone, Debug, Default)]
pub struct OncePerHour(Arc<Mutex<HashMap<String, Timestamp>>>);

impl OncePerHour {
    /// Returns whether it is to be done for a key in this hour, which happens once.
    pub fn begin(&self, key: &str, hour: Timestamp) -> bool {
        let mut hours = self.hours();
        if hours.get(key) == Some(&hour) {
            return false;
        }
        if hours.len() >= MOST {
            hours.clear();
        }
        hours.insert(key.to_owned(), hour);
        true
    }

    /// Returns whether it was begun for a key in this hour.
    pub fn has_begun(&self, key: &str, hour: Timestamp) -> bool {
        self.hours().get(key) == Some(&hour)
    }

    fn hours(&self) -> MutexGuard<'_, HashMap<String, Timestamp>> {
        // A poisoned lock does no harm, because a panic cannot leave the map in an invalid state.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_has_its_turn_once_per_hour() {
        let uses = OncePerHour::default();
        let hour = |number: i64| Timestamp::from_millis(number * 3_600_000);
        assert!(uses.begin("a", hour(1)) && uses.begin("b", hour(1)));
        assert!(!uses.begin("a", hour(1)) && uses.has_begun("a", hour(1)));
        assert!(!uses.has_begun("a", hour(2)));
        assert!(uses.begin("a", hour(2)));
    }

    #[test]
    fn the_memory_is_bounded() {
        let uses = OncePerHour::default();
        let hour = Timestamp::from_millis(0);
        for key in 0..=MOST {
            assert!(uses.begin(&key.to_string(), hour));
        }
        assert_eq!(uses.0.lock().expect("no panic").len(), 1);
    }
}
