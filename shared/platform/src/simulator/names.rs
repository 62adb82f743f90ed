//! The ids, links and phone numbers that the simulated platform makes up.

use domain::credential::hex;
use domain::port::random_bytes;
use ring::digest::{SHA256, digest};
use ring::rand::SystemRandom;

/// The beginning of the ids of groups whose participants need approval.
pub(crate) const APPROVAL_GROUP: &str = "group-approval-";

/// Returns the id that the simulated platform gives a message with these callback data.
pub fn simulated_message_id(callback_data: &str) -> String {
    let digest = hex(digest(&SHA256, callback_data.as_bytes()).as_ref());
    format!("wamid.simulated.{}", &digest[..24])
}

pub(crate) fn invite_link(own_part: &str) -> String {
    format!("https://example.com/invite/{own_part}")
}

pub(crate) fn random_hex() -> String {
    hex(&random_bytes::<12>(&SystemRandom::new()))
}

/// Returns one of an account's three numbers, from the range that Ofcom reserves for drama: +44 7700 900000 to 900999.
pub(super) fn display_number(account: &str, index: u32) -> String {
    let spread = account.bytes().fold(7_u32, |hash, byte| hash.wrapping_mul(31).wrapping_add(u32::from(byte)));
    format!("+447700900{:03}", spread % 333 * 3 + index)
}
