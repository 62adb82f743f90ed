//! Sending: the chat and SMS messages of apps, the log of SMS messages, and the signals that a chat message was read or
//! that a reply is being written. This is a function of its own, so that a slow provider delays no other operations.

mod log;
pub mod messages;
mod send;
mod signals;

use aws::presign::Presigner;
use aws::queue::Queue;
use axum::extract::FromRef;
use carrier::Carriers;
use outbound::Outbound;
use runtime::{Context, Environment};
use store::DailySends;

use self::send::chat::Known;

api::routes! {
    pub fn routes(SendingContext);
    send::chat::http::send_chat_message as "chat.messages.send" => MessagesWrite,
    send::sms::http::send_sms as "sms.send" => MessagesWrite,
    log::own_http::list_own_sms_messages as "sms.list" => MessagesRead,
    log::own_http::get_own_sms_message as "sms.get" => MessagesRead,
    log::http::list_sms_messages as "organization.sms.messages.list" => MessagesRead,
    log::http::get_sms_message as "organization.sms.messages.get" => MessagesRead,
    signals::http::mark_message_read as "chat.messages.markRead" => MessagesWrite,
    signals::http::show_typing as "chat.messages.showTyping" => MessagesWrite,
}

/// The state of this function's operations.
#[derive(Clone)]
pub struct SendingContext {
    pub outbound: Outbound,
    /// The worker's queue of messages to send.
    pub sends: Queue,
    /// The daily quotas for sending in live mode.
    pub live: DailySends,
    pub(crate) known: Known,
}

impl SendingContext {
    pub fn new(outbound: Outbound, sends: Queue, live: DailySends) -> Self {
        SendingContext { outbound, sends, live, known: Known::default() }
    }

    /// Reads the function's configuration from its environment.
    pub fn from_environment(environment: &mut Environment) -> Result<Self, String> {
        let connection = environment.connection()?;
        let outbound = Outbound {
            context: environment.context(&connection),
            carriers: Carriers::from_environment(&connection, Environment::optional)?,
            platforms: platform::from_environment(&connection, |name| environment.required(name))?,
            queue: Queue::new(&connection, environment.required("QUEUE_URL")),
            presigner: Presigner::new(&connection, &environment.required("BUCKET_NAME")),
        };
        let sends = Queue::new(&connection, environment.required("SEND_QUEUE_URL"));
        let mut quota = |name| {
            let quota = environment.required(name).parse::<u64>();
            quota.map_err(|_| format!("{name} must be a whole number"))
        };
        let live = DailySends { messages: quota("LIVE_MESSAGES_PER_DAY")?, parts: quota("LIVE_SMS_PARTS_PER_DAY")? };
        Ok(Self::new(outbound, sends, live))
    }

    pub fn context(&self) -> &Context {
        &self.outbound.context
    }
}

impl FromRef<SendingContext> for Context {
    fn from_ref(sending: &SendingContext) -> Self {
        sending.context().clone()
    }
}
