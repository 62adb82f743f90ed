//! How a function reaches AWS: one HTTP client for every service (docs/adr/0003-start-up.md).

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use aws_credential_types::Credentials;
use aws_smithy_runtime_api::client::http::SharedHttpClient;
use aws_smithy_types::timeout::TimeoutConfig;

use crate::http::AwsHttpClient;

/// For `client_config!`.
pub use aws_smithy_async::rt::sleep::TokioSleep;

/// Where AWS is and who asks. The environment gives credentials for the life of a function's environment.
#[derive(Clone)]
pub struct Connection {
    pub http_client: SharedHttpClient,
    pub region: String,
    pub credentials: Credentials,
    /// Set for the local stack and for tests.
    pub endpoint_url: Option<String>,
}

/// A client of a service that not every request asks: made when it is first used, because making one costs as much as three
/// requests (docs/adr/0003-start-up.md).
pub type OnDemand<C> = Arc<LazyLock<C, Box<dyn FnOnce() -> C + Send>>>;

pub fn on_demand<C>(make: impl FnOnce() -> C + Send + 'static) -> OnDemand<C> {
    Arc::new(LazyLock::new(Box::new(make)))
}

/// What the clients of all services have in common, as a builder of the configuration of one: `client_config!(aws_sdk_sqs,
/// connection)`. The SDK's own way, `SdkConfig`, costs each start 3 % more instructions (docs/adr/0003-start-up.md).
#[macro_export]
macro_rules! client_config {
    ($service:ident, $connection:expr) => {{
        let connection: &$crate::Connection = $connection;
        let mut config = $service::Config::builder()
            .behavior_version($service::config::BehaviorVersion::latest())
            .region($service::config::Region::new(connection.region.clone()))
            .credentials_provider($service::config::SharedCredentialsProvider::new(connection.credentials.clone()))
            .http_client(connection.http_client.clone())
            .sleep_impl($crate::connection::TokioSleep::new())
            .timeout_config($crate::Connection::timeouts());
        config.set_endpoint_url(connection.endpoint_url.clone());
        config
    }};
}

impl Connection {
    pub fn new(region: String, credentials: Credentials, endpoint_url: Option<String>) -> Result<Self, String> {
        let http_client = SharedHttpClient::new(AwsHttpClient::new()?);
        Ok(Connection { http_client, region, credentials, endpoint_url })
    }

    /// Of one attempt and of all of them; connecting has a limit of its own (http.rs).
    pub fn timeouts() -> TimeoutConfig {
        TimeoutConfig::builder()
            .operation_attempt_timeout(Duration::from_secs(8))
            .operation_timeout(Duration::from_secs(20))
            .build()
    }
}
