use aws::queue::Queue;
use axum::extract::FromRef;
use runtime::{Context, Environment};

/// The state of this function's operations.
#[derive(Clone)]
pub struct AppsContext {
    pub context: Context,
    /// The normal delivery queue.
    pub queue: Queue,
}

impl AppsContext {
    /// Reads the function's configuration from its environment.
    pub fn from_environment(environment: &mut Environment) -> Result<Self, String> {
        let connection = environment.connection()?;
        let context = environment.context(&connection);
        Ok(AppsContext { context, queue: Queue::new(&connection, environment.required("DELIVERY_QUEUE_URL")) })
    }
}

impl FromRef<AppsContext> for Context {
    fn from_ref(apps: &AppsContext) -> Self {
        apps.context.clone()
    }
}
