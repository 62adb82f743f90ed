//! The part of identifiers that sorts by creation.

use svix_ksuid::{Ksuid, KsuidLike};

use crate::Timestamp;
use crate::port::{Random, random_bytes};

pub const KSUID_LENGTH: usize = 27;

/// Returns a new KSUID whose payload begins with the milliseconds of its second. Ids that are minted in a later
/// millisecond of the same second therefore sort later, as lists that show the newest first require.
pub fn mint_ksuid(now: Timestamp, random: &dyn Random) -> String {
    ksuid(now, random_bytes::<14>(random))
}

/// Returns the lowest KSUID that can be minted at this time: all earlier ones sort before it.
pub fn first_ksuid_at(time: Timestamp) -> String {
    ksuid(time, [0; 14])
}

/// The second from which ksuids count.
const EPOCH_SECONDS: i64 = 1_400_000_000;

/// Returns the time of a KSUID, to the millisecond; `None` if the text is not a KSUID.
pub fn ksuid_time(text: &str) -> Option<Timestamp> {
    let ksuid = Ksuid::from_base62(text).ok()?;
    let [a, b, c, d, e, f, ..] = *ksuid.bytes();
    let seconds = EPOCH_SECONDS + i64::from(u32::from_be_bytes([a, b, c, d]));
    Some(Timestamp::from_millis(seconds * 1000 + i64::from(u16::from_be_bytes([e, f]))))
}

fn ksuid(time: Timestamp, rest: [u8; 14]) -> String {
    let seconds = (time.seconds() - EPOCH_SECONDS).clamp(0, u32::MAX.into());
    let milliseconds = u16::try_from(time.millis().rem_euclid(1000)).unwrap_or(0);
    let mut bytes = [0; 20];
    bytes[..4].copy_from_slice(&u32::try_from(seconds).unwrap_or(u32::MAX).to_be_bytes());
    bytes[4..6].copy_from_slice(&milliseconds.to_be_bytes());
    bytes[6..].copy_from_slice(&rest);
    Ksuid::from_bytes(bytes).to_base62()
}
