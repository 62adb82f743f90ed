use std::time::Duration;

use aws::queue::Queue;
use axum::extract::FromRef;
use inbound::Inbox;
use platform::Vault;
use runtime::{Context, Environment};

/// The state of this function's operations.
#[derive(Clone)]
pub struct NotificationContext {
    pub inbox: Inbox,
    pub vault: Vault,
    /// How long after the beginning of the request updates are applied. The remaining ones are queued.
    pub inline_budget: Duration,
}

/// How long updates are applied before the response. The platform expects it within a second, and queueing the rest takes
/// some of it.
pub const INLINE_BUDGET: Duration = Duration::from_millis(700);

impl NotificationContext {
    /// Reads the function's configuration from its environment.
    pub fn from_environment(environment: &mut Environment) -> Result<Self, String> {
        let connection = environment.connection()?;
        let context = environment.context(&connection);
        let queue = Queue::new(&connection, environment.required("QUEUE_URL"));
        let vault = platform::vault_from_environment(&connection, |name| environment.required(name));
        Ok(NotificationContext { inbox: Inbox { context, queue }, vault, inline_budget: INLINE_BUDGET })
    }
}

impl FromRef<NotificationContext> for Context {
    fn from_ref(notifications: &NotificationContext) -> Self {
        notifications.inbox.context.clone()
    }
}
