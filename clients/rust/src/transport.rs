//! HTTP: connections, time limits and bodies.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Either, Full, Limited};
use hyper::body::{Body, Frame, SizeHint};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use tokio::sync::mpsc::Receiver;

use crate::Error;

const CONNECT: Duration = Duration::from_secs(10);
/// A page of events has at most 4 MiB.
const MAX_RESPONSE_BYTES: usize = 16 * 1024 * 1024;

pub(crate) type Outgoing = Either<Full<Bytes>, Streamed>;

/// Sends requests over kept connections, with TLS by ring and the roots of Mozilla. It follows no redirects.
#[derive(Clone, Debug)]
pub(crate) struct Transport(Client<HttpsConnector<HttpConnector>, Outgoing>);

impl Transport {
    pub(crate) fn new() -> Result<Self, Error> {
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        tcp.set_connect_timeout(Some(CONNECT));
        tcp.set_nodelay(true);
        let https = HttpsConnectorBuilder::new()
            .with_provider_and_webpki_roots(rustls::crypto::ring::default_provider())
            .map_err(|error| Error::Invalid(error.to_string()))?
            .https_or_http()
            .enable_http1()
            .wrap_connector(tcp);
        Ok(Transport(Client::builder(TokioExecutor::new()).pool_timer(TokioTimer::new()).build(https)))
    }

    /// Sends one request and reads the whole response.
    pub(crate) async fn send(
        &self,
        request: http::Request<Outgoing>,
        limit: Duration,
    ) -> Result<http::Response<Bytes>, Error> {
        let address = request.uri().authority().map_or_else(String::new, ToString::to_string);
        let exchange = async {
            let response = self.0.request(request).await.map_err(|error| unreachable(&address, &error))?;
            let (head, body) = response.into_parts();
            let body = Limited::new(body, MAX_RESPONSE_BYTES).collect().await;
            let body = body.map_err(|error| unreachable(&address, &*error))?.to_bytes();
            Ok(http::Response::from_parts(head, body))
        };
        match tokio::time::timeout(limit, exchange).await {
            Ok(done) => done,
            Err(_) => Err(Error::Timeout { address, limit }),
        }
    }
}

/// Names the innermost cause, which says most ("Connection refused"), and what it happened in.
fn unreachable(address: &str, error: &(dyn std::error::Error + 'static)) -> Error {
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    Error::Unreachable { address: address.to_owned(), reason: innermost.to_string() }
}

/// A body of known length that another thread reads.
pub(crate) struct Streamed {
    pub(crate) chunks: Receiver<std::io::Result<Bytes>>,
    pub(crate) left: u64,
}

impl Body for Streamed {
    type Data = Bytes;
    type Error = std::io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, std::io::Error>>> {
        self.chunks.poll_recv(context).map(|chunk| {
            chunk.map(|chunk| {
                let chunk = chunk?;
                self.left = self.left.saturating_sub(chunk.len() as u64);
                Ok(Frame::data(chunk))
            })
        })
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left)
    }
}
