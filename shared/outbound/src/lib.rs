//! Sending: one attempt per message, whose outcome is always recorded ([ADR 25](../../../docs/adr/0025-send-once.md),
//! [ADR 28](../../../docs/adr/0028-sms.md)).
//!
//! Chat and SMS implement [`Channel`] for every send, and [`QueuedChannel`] for queued messages; everything else is the
//! same for both.

mod attempt;
mod chat;
mod queued;
mod sms;

pub use attempt::{Channel, IdOf, Outbound, Posted, Sent};
pub use chat::{ChatChannel, Named, ReadyChat, assigned, connected, link};
pub use queued::{QueuedChannel, Unsent, end_waiting};
pub use sms::{ReadySms, SmsChannel, assigned_number, sent_medium};
