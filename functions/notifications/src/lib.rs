//! The endpoint that the platform calls: the handshake of its subscription, and its signed notifications.

mod context;
mod handshake;
mod receive;
mod signature;

pub use context::{INLINE_BUDGET, NotificationContext};
pub use receive::{INLINE, LARGEST_BODY};

api::routes! {
    pub fn routes(NotificationContext);
    handshake::confirm_subscription,
    receive::receive_notification,
}
