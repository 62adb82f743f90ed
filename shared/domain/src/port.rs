//! The ports of the domain besides storage: time and randomness.

use std::time::{SystemTime, UNIX_EPOCH};

use ring::rand::{SecureRandom, SystemRandom};

use crate::Timestamp;

/// A source of the current time.
pub trait Clock: Send + Sync {
    fn now(&self) -> Timestamp;
}

/// A source of cryptographically secure random bytes.
pub trait Random: Send + Sync {
    fn fill(&self, bytes: &mut [u8]);
}

/// The clock of the operating system.
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        let millis = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis());
        Timestamp::from_millis(i64::try_from(millis).unwrap_or(i64::MAX))
    }
}

impl Random for SystemRandom {
    fn fill(&self, bytes: &mut [u8]) {
        // The generator fails only if the kernel has none. Continuing with predictable keys would be worse than a
        // panic.
        #[expect(clippy::expect_used, reason = "no key may be created without randomness")]
        SecureRandom::fill(self, bytes).expect("the system's random generator");
    }
}

/// Returns `N` random bytes.
pub fn random_bytes<const N: usize>(random: &dyn Random) -> [u8; N] {
    let mut bytes = [0; N];
    random.fill(&mut bytes);
    bytes
}

/// Returns a uniformly distributed index below `bound`.
pub fn random_index(random: &dyn Random, bound: usize) -> usize {
    // With 64 random bits and bounds below a thousand, the modulo bias is below 2^-54.
    let wide = u64::from_le_bytes(random_bytes(random));
    usize::try_from(wide % bound.max(1) as u64).unwrap_or(0)
}
