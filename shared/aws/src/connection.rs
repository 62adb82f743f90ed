//! A function's connection to AWS: one HTTP client for every service (docs/adr/0003-start-up.md).

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use aws_credential_types::Credentials;
use aws_smithy_runtime_api::client::http::SharedHttpClient;
use aws_smithy_types::timeout::TimeoutConfig;

use crate::http::AwsHttpClient;

/// Re-exported for `client_config!`.
pub use aws_smithy_async::rt::sleep::TokioSleep;

/// The HTTP client, region, credentials and endpoint with which AWS is called. The credentials come from the
/// environment and are valid as long as the execution environment lives.
#[derive(Clone)]
pub struct Connection {
    pub http_client: SharedHttpClient,
    pub region: String,
    pub credentials: Credentials,
    /// Set for the local stack and for tests; `None` calls AWS itself.
    pub endpoint_url: Option<String>,
    /// The time limits of one attempt and of all attempts together. Connecting has a limit of its own (http.rs).
    pub timeouts: TimeoutConfig,
}

const ATTEMPT: Duration = Duration::from_secs(8);
const ALL_ATTEMPTS: Duration = Duration::from_secs(20);

/// A client that is created on first use, for services that not every request calls: creating a client takes a
/// considerable part of a function's start (docs/performance.md).
pub type OnDemand<C> = Arc<LazyLock<C, Box<dyn FnOnce() -> C + Send>>>;

/// Returns a client that `make` creates on first use.
pub fn on_demand<C>(make: impl FnOnce() -> C + Send + 'static) -> OnDemand<C> {
    Arc::new(LazyLock::new(Box::new(make)))
}

/// Returns a service's configuration builder with the settings that all clients share: `client_config!(aws_sdk_sqs,
/// connection)`. With the SDK's own `SdkConfig`, each start takes 3 % more instructions (docs/adr/0003-start-up.md).
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
            .timeout_config(connection.timeouts.clone());
        config.set_endpoint_url(connection.endpoint_url.clone());
        config
    }};
}

impl Connection {
    /// Returns a connection with a new HTTP client. Fails if the TLS configuration cannot be built.
    pub fn new(region: String, credentials: Credentials, endpoint_url: Option<String>) -> Result<Self, String> {
        let http_client = SharedHttpClient::new(AwsHttpClient::new(true)?);
        let timeouts =
            TimeoutConfig::builder().operation_attempt_timeout(ATTEMPT).operation_timeout(ALL_ATTEMPTS).build();
        Ok(Connection { http_client, region, credentials, endpoint_url, timeouts })
    }

    /// Returns the same connection with an HTTP client that never reuses connections: a request that fails before it has
    /// one was certainly not sent. Fails if the TLS configuration cannot be built.
    pub fn without_reuse(&self) -> Result<Self, String> {
        let http_client = SharedHttpClient::new(AwsHttpClient::new(false)?);
        Ok(Connection { http_client, ..self.clone() })
    }
}
