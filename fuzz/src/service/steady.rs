//! Reproducible replacements for random numbers and time, and the captured log.

use std::io::Write;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use domain::Timestamp;
use domain::port::{Clock, Random};

/// 2026-11-21T10:00:00Z
const NOW_MILLIS: i64 = 1_795_255_200_000;

/// The log of the current input.
#[derive(Clone, Default)]
pub(super) struct Log(pub(super) Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Pseudo-random numbers (SplitMix64), the same after every reset. They differ from those before the freeze, because ids
/// of the same millisecond would collide otherwise.
#[derive(Default)]
pub(super) struct Repeating {
    state: AtomicU64,
    frozen: AtomicU64,
}

impl Repeating {
    pub(super) fn freeze(&self) {
        self.frozen.store(self.state.load(Ordering::Relaxed), Ordering::Relaxed);
    }

    pub(super) fn reset(&self) {
        self.state.store(self.frozen.load(Ordering::Relaxed), Ordering::Relaxed);
    }
}

impl Random for Repeating {
    fn fill(&self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(8) {
            let step = self.state.fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::Relaxed);
            let mixed = (step ^ (step >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            chunk.copy_from_slice(&(mixed ^ (mixed >> 31)).to_le_bytes()[..chunk.len()]);
        }
    }
}

/// Milliseconds since `now`; only targets change it.
#[derive(Clone, Default)]
pub(super) struct Standing(pub(super) Arc<AtomicI64>);

impl Clock for Standing {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(NOW_MILLIS + self.0.load(Ordering::Relaxed))
    }
}

pub(crate) fn now() -> Timestamp {
    Timestamp::from_millis(NOW_MILLIS)
}
