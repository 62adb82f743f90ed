//! Sending: one attempt per message, whose outcome is recorded whatever it is
//! ([ADR 25](../../../docs/adr/0025-send-once.md), [ADR 28](../../../docs/adr/0028-sms.md)).
//!
//! [`Channel`] is what chat and SMS supply; everything else is the same for both.

mod attempt;
mod channel;
mod chat;
mod sms;
mod waiting;

pub use attempt::{Outbound, Posted, Sent};
pub use channel::{Channel, IdOf};
pub use chat::{ChatChannel, Named, ReadyChat, assigned, connected, link};
pub use sms::{ReadySms, SmsChannel, assigned_number, sent_medium};
pub use waiting::{Unsent, end_waiting};
