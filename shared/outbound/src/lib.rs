//! Sending: one attempt per message, whose outcome is recorded whatever it is
//! ([ADR 25](../../../docs/adr/0025-send-once.md), [ADR 28](../../../docs/adr/0028-sms.md)).

mod attempt;
mod chat;
mod checks;
mod lost;
mod sms;
mod waiting;

pub use attempt::{Outbound, Posted, Ready, Sent};
pub use chat::ReadyChat;
pub use checks::{Named, Sendable, assigned, connected, link};
pub use lost::{lost, lost_chat_number, lost_phone_number};
pub use sms::{ReadySms, assigned_number, sent_medium};
pub use waiting::{Unsent, end_waiting};
