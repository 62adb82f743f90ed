//! SMS and MMS messages.

pub mod carrier_error;
pub mod carrier_link;

mod message;
pub mod outgoing;
pub mod parts;
pub mod receipt;

pub use message::{Price, SmsMessage, SmsStatus, SmsType};

/// The longest text of an SMS message, in characters.
pub const TEXT_LENGTH: usize = 1600;
