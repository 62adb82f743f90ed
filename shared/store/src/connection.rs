//! One HTTP client for every AWS service of a function (docs/adr/0003-start-up.md): rustls with ring, and only the roots
//! that AWS endpoints use.

use aws_sdk_dynamodb::config::{BehaviorVersion, Credentials, Region, SharedCredentialsProvider};
use aws_smithy_async::rt::sleep::TokioSleep;
use aws_smithy_http_client::Builder;
use aws_smithy_http_client::tls::rustls_provider::CryptoMode;
use aws_smithy_http_client::tls::{Provider, TlsContext, TrustStore};
use aws_smithy_runtime_api::client::http::SharedHttpClient;
use aws_smithy_types::timeout::TimeoutConfig;
use std::time::Duration;

use crate::trouble::RetryConflicts;

/// Amazon Root CA 1 to 4 and Starfield Services Root CA G2 (https://www.amazontrust.com/repository/).
const AMAZON_ROOTS: &[u8] = include_bytes!("../certificates/amazon-roots.pem");

/// Where AWS is and who asks. The environment gives credentials for the life of a function's environment.
#[derive(Clone)]
pub struct Connection {
    pub http_client: SharedHttpClient,
    pub region: String,
    pub credentials: Credentials,
    /// Set for the local stack and for tests.
    pub endpoint_url: Option<String>,
}

impl Connection {
    pub fn new(region: String, credentials: Credentials, endpoint_url: Option<String>) -> Result<Self, String> {
        let roots = TrustStore::empty().with_pem_certificate(AMAZON_ROOTS);
        let tls = TlsContext::builder().with_trust_store(roots).build().map_err(|error| error.to_string())?;
        let http_client =
            Builder::new().tls_provider(Provider::rustls(CryptoMode::Ring)).tls_context(tls).build_https();
        Ok(Connection { http_client, region, credentials, endpoint_url })
    }

    /// The same for every service: a different time-out would mean another connection pool and another handshake.
    pub fn timeouts() -> TimeoutConfig {
        TimeoutConfig::builder()
            .connect_timeout(Duration::from_secs(2))
            .operation_attempt_timeout(Duration::from_secs(8))
            .operation_timeout(Duration::from_secs(20))
            .build()
    }

    pub fn dynamodb(&self) -> aws_sdk_dynamodb::Client {
        let mut config = aws_sdk_dynamodb::Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(Region::new(self.region.clone()))
            .credentials_provider(SharedCredentialsProvider::new(self.credentials.clone()))
            .http_client(self.http_client.clone())
            .sleep_impl(TokioSleep::new())
            .timeout_config(Self::timeouts())
            .retry_classifier(RetryConflicts);
        config.set_endpoint_url(self.endpoint_url.clone());
        aws_sdk_dynamodb::Client::from_conf(config.build())
    }
}
