//! Sending: the chat and SMS messages of apps, the log of SMS messages, and the signals that a chat message was read or is
//! being answered. A function of its own, so that a provider that hangs delays nothing else.

mod context;
mod known;
mod log;
pub mod messages;
mod send;
mod signals;

pub use context::SendingContext;

api::routes! {
    pub fn routes(SendingContext);
    send::chat::http::send_chat_message,
    send::sms::http::send_sms,
    log::own_http::list_own_sms_messages,
    log::own_http::get_own_sms_message,
    log::http::list_sms_messages,
    log::http::get_sms_message,
    signals::http::mark_message_read,
    signals::http::show_typing,
}
