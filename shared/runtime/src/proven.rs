//! The credentials that this process has validated before.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

/// The highest number of remembered credentials. When it is exceeded, the set is cleared.
const MOST: usize = 1024;

/// The SHA-256 hashes of credentials that this process has validated before. They only determine the order of a
/// request's reads: a remembered credential is still validated against the table on every request.
#[derive(Clone, Debug, Default)]
pub struct Proven(Arc<Mutex<HashSet<String>>>);

impl Proven {
    pub fn contains(&self, hash: &str) -> bool {
        self.hashes(|hashes| hashes.contains(hash))
    }

    pub fn remember(&self, hash: String) {
        self.hashes(|hashes| {
            if hashes.len() >= MOST {
                hashes.clear();
            }
            hashes.insert(hash);
        });
    }

    /// Forgets a credential that turned out to be invalid.
    pub fn forget(&self, hash: &str) {
        self.hashes(|hashes| hashes.remove(hash));
    }

    /// Accesses the set. A poisoned lock does no harm, because a panic cannot leave the set in an invalid state.
    fn hashes<T>(&self, access: impl FnOnce(&mut HashSet<String>) -> T) -> T {
        access(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_memory_is_bounded() {
        let proven = Proven::default();
        for n in 0..=MOST {
            proven.remember(n.to_string());
        }
        assert_eq!(proven.hashes(|hashes| hashes.len()), 1);
        assert!(proven.contains(&MOST.to_string()));
        proven.forget(&MOST.to_string());
        assert!(!proven.contains(&MOST.to_string()));
    }
}
