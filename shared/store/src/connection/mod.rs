//! How a function reaches AWS: one HTTP client for every service (docs/adr/0003-start-up.md).

mod failure;
mod http;

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use aws_sdk_dynamodb::config::{BehaviorVersion, Credentials, Region, SharedCredentialsProvider};
use aws_smithy_async::rt::sleep::{SharedAsyncSleep, TokioSleep};
use aws_smithy_runtime_api::client::http::SharedHttpClient;
use aws_smithy_types::timeout::TimeoutConfig;
use aws_types::SdkConfig;

use crate::trouble::RetryConflicts;
use http::AwsHttpClient;

pub(crate) use failure::{AwsError, THROTTLED_RETRY_AFTER};
pub use failure::{aws_code, aws_failure};

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

impl Connection {
    pub fn new(region: String, credentials: Credentials, endpoint_url: Option<String>) -> Result<Self, String> {
        let http_client = SharedHttpClient::new(AwsHttpClient::new()?);
        Ok(Connection { http_client, region, credentials, endpoint_url })
    }

    /// What the clients of all services have in common.
    pub fn sdk_config(&self) -> SdkConfig {
        // Of one attempt and of all of them; connecting has a limit of its own (http.rs).
        let timeouts = TimeoutConfig::builder()
            .operation_attempt_timeout(Duration::from_secs(8))
            .operation_timeout(Duration::from_secs(20))
            .build();
        let mut config = SdkConfig::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(Region::new(self.region.clone()))
            .credentials_provider(SharedCredentialsProvider::new(self.credentials.clone()))
            .http_client(self.http_client.clone())
            .sleep_impl(SharedAsyncSleep::new(TokioSleep::new()))
            .timeout_config(timeouts);
        config.set_endpoint_url(self.endpoint_url.clone());
        config.build()
    }

    pub fn dynamodb(&self) -> aws_sdk_dynamodb::Client {
        let config = aws_sdk_dynamodb::config::Builder::from(&self.sdk_config()).retry_classifier(RetryConflicts);
        aws_sdk_dynamodb::Client::from_conf(config.build())
    }
}
