//! Times as numbers: seconds of a monotonic clock, and seconds since 1970.

use std::sync::LazyLock;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

static START: LazyLock<Instant> = LazyLock::new(Instant::now);

pub(crate) fn monotonic() -> f64 {
    START.elapsed().as_secs_f64()
}

pub(crate) fn wall() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs_f64()
}

pub(crate) fn sleep(seconds: f64) {
    std::thread::sleep(Duration::from_secs_f64(seconds));
}
