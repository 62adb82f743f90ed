//! A clock that only the test moves.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use domain::Timestamp;
use domain::port::{Clock, SystemClock};

pub struct TestClock(AtomicI64);

impl Default for TestClock {
    fn default() -> Self {
        TestClock(AtomicI64::new(SystemClock.now().millis()))
    }
}

impl TestClock {
    pub fn advance(&self, by: Duration) {
        self.0.fetch_add(i64::try_from(by.as_millis()).unwrap(), Ordering::SeqCst);
    }
}

impl Clock for TestClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.load(Ordering::SeqCst))
    }
}
