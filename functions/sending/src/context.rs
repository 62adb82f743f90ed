use aws::presign::Presigner;
use aws::queue::Queue;
use axum::extract::FromRef;
use carrier::Carriers;
use outbound::Outbound;
use runtime::{Context, Environment};
use store::DailySends;

use crate::known::Known;

/// The state of this function's operations.
#[derive(Clone)]
pub struct SendingContext {
    pub outbound: Outbound,
    /// The worker's queue of messages to send.
    pub sends: Queue,
    /// How much may be sent in live mode.
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
