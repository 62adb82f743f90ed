//! The uses of keys that this process has recorded.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use domain::Timestamp;

/// The highest number of remembered keys. When it is exceeded, the memory is cleared.
const MOST: usize = 1024;

/// The hour for which this process has last recorded the use of each key, so that it does so once per hour.
#[derive(Clone, Debug, Default)]
pub struct KeyUses(Arc<Mutex<HashMap<String, Timestamp>>>);

impl KeyUses {
    /// Returns whether the use of a key in this hour is to be recorded, which happens once.
    pub fn begin(&self, key: &str, hour: Timestamp) -> bool {
        // A poisoned lock does no harm, because a panic cannot leave the map in an invalid state.
        let mut hours = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if hours.get(key) == Some(&hour) {
            return false;
        }
        if hours.len() >= MOST {
            hours.clear();
        }
        hours.insert(key.to_owned(), hour);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_use_is_recorded_once_per_hour() {
        let uses = KeyUses::default();
        let hour = |number: i64| Timestamp::from_millis(number * 3_600_000);
        assert!(uses.begin("a", hour(1)) && uses.begin("b", hour(1)));
        assert!(!uses.begin("a", hour(1)));
        assert!(uses.begin("a", hour(2)));
    }

    #[test]
    fn the_memory_is_bounded() {
        let uses = KeyUses::default();
        let hour = Timestamp::from_millis(0);
        for key in 0..=MOST {
            assert!(uses.begin(&key.to_string(), hour));
        }
        assert_eq!(uses.0.lock().expect("no panic").len(), 1);
    }
}
