//! The HTTP client of the AWS SDK (docs/adr/0013-sdk-http-client.md): HTTP/1.1 over rustls with ring, one pool of
//! connections for every service, and only the roots that AWS endpoints use.

use std::error::Error;
use std::fmt;
use std::pin::Pin;
use std::time::Duration;

use aws_smithy_runtime_api::client::connection::{CaptureSmithyConnection, ConnectionMetadata};
use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_types::body::SdkBody;
use aws_smithy_types::retry::ErrorKind;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::{HttpConnector as TcpConnector, capture_connection};
use hyper_util::client::legacy::{self, Client};
use hyper_util::rt::{TokioExecutor, TokioTimer};
use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;
use tower::Service;
use tower::timeout::Timeout;
use tower::timeout::error::Elapsed;
use tower::timeout::future::ResponseFuture;
use tower::util::MapFuture;

/// The time limit for name resolution, TCP and TLS together.
const CONNECT: Duration = Duration::from_secs(2);

/// The root certificates of Amazon Trust Services, from <https://www.amazontrust.com/repository/>.
const AMAZON_ROOTS: [&[u8]; 5] = [
    include_bytes!("../certificates/AmazonRootCA1.cer"),
    include_bytes!("../certificates/AmazonRootCA2.cer"),
    include_bytes!("../certificates/AmazonRootCA3.cer"),
    include_bytes!("../certificates/AmazonRootCA4.cer"),
    include_bytes!("../certificates/SFSRootCAG2.cer"),
];

/// The HTTP client of all AWS services. It ignores the connector settings of the SDK, which are the same for every
/// service, and limits connecting itself.
#[derive(Clone)]
pub(crate) struct AwsHttpClient(Client<Connector, SdkBody>);

type Https = HttpsConnector<TcpConnector>;
type Connecting = ResponseFuture<<Https as Service<http::Uri>>::Future>;
/// The pool requires an `Unpin` future, hence the boxing.
type Connector = MapFuture<Timeout<Https>, fn(Connecting) -> Pin<Box<Connecting>>>;

/// The error of a request that was never written, because there was no connection.
#[derive(Debug, thiserror::Error)]
#[error("no connection")]
pub(crate) struct NotSent(#[source] legacy::Error);

impl AwsHttpClient {
    /// Returns a client. With `reuse`, requests share connections, and a request is written again if its connection was
    /// closed before it was read. Without, each request has a connection of its own and is written to it once.
    pub(crate) fn new(reuse: bool) -> Result<Self, String> {
        let tls = rustls::ClientConfig::builder_with_provider(rustls::crypto::ring::default_provider().into())
            .with_safe_default_protocol_versions()
            .map_err(|error| error.to_string())?
            .with_root_certificates(amazon_roots()?)
            .with_no_client_auth();

        let mut tcp = TcpConnector::new();
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        // Divided among the addresses of a name, so that one that does not respond leaves time for the next.
        tcp.set_connect_timeout(Some(CONNECT));
        let https =
            HttpsConnectorBuilder::new().with_tls_config(tls).https_or_http().enable_http1().wrap_connector(tcp);
        let connector = Connector::new(Timeout::new(https, CONNECT), Box::pin);

        let mut client = Client::builder(TokioExecutor::new());
        client.pool_timer(TokioTimer::new());
        if !reuse {
            client.pool_max_idle_per_host(0).retry_canceled_requests(false);
        }
        Ok(AwsHttpClient(client.build(connector)))
    }
}

fn amazon_roots() -> Result<RootCertStore, String> {
    let mut roots = RootCertStore::empty();
    for root in AMAZON_ROOTS {
        roots.add(CertificateDer::from_slice(root)).map_err(|error| error.to_string())?;
    }
    Ok(roots)
}

impl fmt::Debug for AwsHttpClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AwsHttpClient")
    }
}

impl HttpClient for AwsHttpClient {
    fn http_connector(&self, _: &HttpConnectorSettings, _: &RuntimeComponents) -> SharedHttpConnector {
        SharedHttpConnector::new(self.clone())
    }
}

impl HttpConnector for AwsHttpClient {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let mut request = match request.try_into_http1x() {
            Ok(request) => request,
            Err(error) => return HttpConnectorFuture::ready(Err(ConnectorError::user(error.into()))),
        };
        let connection = capture_connection(&mut request);

        // The SDK closes connections on which a transient error occurred, so that the retry uses another one.
        if let Some(capture) = request.extensions().get::<CaptureSmithyConnection>() {
            capture.set_connection_retriever(move || {
                let connection = connection.clone();
                connection.connection_metadata().as_ref()?;
                let poison = move || {
                    if let Some(connected) = connection.connection_metadata().as_ref() {
                        connected.poison();
                    }
                };
                Some(ConnectionMetadata::builder().proxied(false).poison_fn(poison).build())
            });
        }

        let response = self.0.request(request);
        HttpConnectorFuture::new(async move {
            let response = response.await.map_err(connector_error)?;
            HttpResponse::try_from(response.map(SdkBody::from_body_1_x))
                .map_err(|error| ConnectorError::other(error.into(), None))
        })
    }
}

/// Classifies errors for the SDK's retries as its own client does: time-outs and connection errors may be retried.
fn connector_error(error: legacy::Error) -> ConnectorError {
    let exchange = cause::<hyper::Error>(&error);
    if cause::<Elapsed>(&error).is_some() {
        // Only connecting has such a limit.
        return ConnectorError::timeout(NotSent(error).into());
    }
    if exchange.is_some_and(hyper::Error::is_timeout) {
        return ConnectorError::timeout(error.into());
    }
    if exchange.is_some_and(hyper::Error::is_user) {
        return ConnectorError::user(error.into());
    }

    if exchange.is_some_and(hyper::Error::is_incomplete_message) {
        return ConnectorError::other(error.into(), Some(ErrorKind::TransientError));
    }
    if error.is_connect() {
        return ConnectorError::io(NotSent(error).into());
    }
    let closed = exchange.is_some_and(|exchange| exchange.is_closed() || exchange.is_canceled());
    if closed || cause::<std::io::Error>(&error).is_some() {
        return ConnectorError::io(error.into());
    }
    ConnectorError::other(error.into(), None)
}

pub(crate) fn cause<'a, E: Error + 'static>(error: &'a (dyn Error + 'static)) -> Option<&'a E> {
    std::iter::successors(Some(error), |&error| error.source()).find_map(|error| error.downcast_ref())
}
