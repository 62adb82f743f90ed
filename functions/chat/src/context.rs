use std::time::Duration;

use aws::presign::Presigner;
use aws::queue::Queue;
use axum::extract::FromRef;
use platform::Platforms;
use runtime::{Context, Environment};

/// How long the template sync waits for its job: less than the 30 s after which the gateway gives up on a request.
pub const SYNC_PATIENCE: Duration = Duration::from_secs(25);

/// The state of this function's operations.
#[derive(Clone)]
pub struct ChatContext {
    pub context: Context,
    pub platforms: Platforms,
    pub presigner: Presigner,
    /// The worker's queue.
    pub queue: Queue,
    /// How long the template sync waits for its job.
    pub sync_patience: Duration,
    /// The base URL of this API, without a trailing slash.
    pub api_url: String,
    /// The name of this installation on the pages for customers.
    pub installation_name: String,
    /// The id of the configuration of the app's embedded signup at the platform; empty if there is none.
    pub signup_configuration: String,
}

impl ChatContext {
    /// Reads the function's configuration from its environment.
    pub fn from_environment(environment: &mut Environment) -> Result<Self, String> {
        let connection = environment.connection()?;
        Ok(ChatContext {
            context: environment.context(&connection),
            platforms: platform::from_environment(&connection, |name| environment.required(name))?,
            presigner: Presigner::new(&connection, &environment.required("BUCKET_NAME")),
            queue: Queue::new(&connection, environment.required("QUEUE_URL")),
            sync_patience: SYNC_PATIENCE,
            api_url: environment.required("API_URL").trim_end_matches('/').to_owned(),
            installation_name: environment.required("INSTALLATION_NAME"),
            signup_configuration: Environment::optional("PLATFORM_SIGNUP_CONFIGURATION_ID").unwrap_or_default(),
        })
    }
}

impl FromRef<ChatContext> for Context {
    fn from_ref(chat: &ChatContext) -> Self {
        chat.context.clone()
    }
}
