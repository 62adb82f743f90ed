//! Time and chance, which tests can replace.

use std::fmt::Debug;
use std::future::Future;
use std::pin::Pin;
use std::time::{Duration, SystemTime};

use ring::rand::{SecureRandom as _, SystemRandom};

/// A wait, as [`Clock::sleep`] returns it.
pub type Pause<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// Time and chance, which tests can replace. Time limits of requests are always real time.
pub trait Clock: Debug + Send + Sync {
    /// Returns the time.
    fn now(&self) -> SystemTime;

    /// Returns a number from 0 up to, but not including, 1.
    fn random(&self) -> f64;

    /// Waits so long.
    fn sleep(&self, duration: Duration) -> Pause<'_>;
}

/// The clock of the machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> SystemTime {
        SystemTime::now()
    }

    fn random(&self) -> f64 {
        f64::from(u32::from_le_bytes(random())) / (f64::from(u32::MAX) + 1.0)
    }

    fn sleep(&self, duration: Duration) -> Pause<'_> {
        Box::pin(tokio::time::sleep(duration))
    }
}

pub(crate) fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    // The system's source never fails once it is open; without it, nothing that needs a key or TLS works.
    let _ = SystemRandom::new().fill(&mut bytes);
    bytes
}

/// Returns 32 random hexadecimal digits.
pub(crate) fn random_text() -> String {
    random::<16>().iter().map(|byte| format!("{byte:02x}")).collect()
}
