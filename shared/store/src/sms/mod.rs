//! SMS and MMS. An SMS message is stored like every message (`message/`). `record.rs` is its own part: it has no
//! related records, and the carrier's id beside the message.
//!
//! A live phone number can be linked to a carrier number. The claim on that number is unique across the installation,
//! and names the organization that receives the messages to it. Linking and releasing hold the claim's lease, so that a
//! late call of the carrier undoes nothing (`carrier_number.rs`). The phone numbers themselves are in `number/`.

mod carrier_number;
mod record;

pub use carrier_number::{CarrierClaim, CarrierLease, ClaimToRelease};
pub use record::{Carried, SmsRecord};
