//! HTTP: connections and bodies. A program can put another transport in place of the library's.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Limited};
use hyper::body::{Frame, SizeHint};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};

use crate::Error;
use crate::content::{Stream, WrongContent};

const CONNECT: Duration = Duration::from_secs(10);
/// A page of events has at most 4 MiB.
const MAX_RESPONSE_BYTES: usize = 16 * 1024 * 1024;

/// A request on its way, as [`Transport::send`] returns it.
pub type Sending<'a> = Pin<Box<dyn Future<Output = Result<http::Response<Bytes>, TransportError>> + Send + 'a>>;

/// Sends single requests: without retries, and without following redirects.
pub trait Transport: fmt::Debug + Send + Sync {
    /// Sends a request, and reads the whole response. It is dropped when the time limit of the request is over.
    fn send(&self, request: http::Request<Body>) -> Sending<'_>;
}

/// Why no response came.
#[derive(Clone, Debug)]
pub struct TransportError {
    /// Such as `Connection refused`.
    pub reason: String,
    /// Whether nothing was sent because no connection was made. Such a request may be repeated, whatever it does.
    pub was_refused: bool,
    pub(crate) usage: Option<Error>,
}

impl TransportError {
    /// Makes an error.
    pub fn new(reason: impl Into<String>, was_refused: bool) -> TransportError {
        TransportError { reason: reason.into(), was_refused, usage: None }
    }
}

/// Sends requests over kept connections, with TLS by ring and the roots of Mozilla.
#[derive(Clone, Debug)]
pub struct HttpTransport(Client<HttpsConnector<HttpConnector>, Body>);

impl HttpTransport {
    /// Makes a transport with connections of its own.
    ///
    /// # Errors
    ///
    /// `Usage`: TLS cannot be set up on this machine.
    pub fn new() -> Result<HttpTransport, Error> {
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        tcp.set_connect_timeout(Some(CONNECT));
        tcp.set_nodelay(true);
        let https = HttpsConnectorBuilder::new()
            .with_provider_and_webpki_roots(rustls::crypto::ring::default_provider())
            .map_err(|error| Error::usage(error.to_string()))?
            .https_or_http()
            .enable_http1()
            .wrap_connector(tcp);
        Ok(HttpTransport(Client::builder(TokioExecutor::new()).pool_timer(TokioTimer::new()).build(https)))
    }
}

impl Transport for HttpTransport {
    fn send(&self, request: http::Request<Body>) -> Sending<'_> {
        Box::pin(async {
            let response = self.0.request(request).await.map_err(|error| failed(&error, error.is_connect()))?;
            let (head, body) = response.into_parts();
            let body = Limited::new(body, MAX_RESPONSE_BYTES).collect().await;
            Ok(http::Response::from_parts(head, body.map_err(|error| failed(&*error, false))?.to_bytes()))
        })
    }
}

/// Names the innermost cause, which says most.
fn failed(error: &(dyn std::error::Error + 'static), was_refused: bool) -> TransportError {
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    let wrong = innermost.downcast_ref::<std::io::Error>().and_then(|error| error.get_ref());
    let wrong = wrong.and_then(|inner| inner.downcast_ref::<WrongContent>());
    let wrong = wrong.or(innermost.downcast_ref::<WrongContent>());
    let usage = wrong.map(|WrongContent(text)| Error::usage(text.clone()));
    TransportError { reason: innermost.to_string(), was_refused, usage }
}

/// The body of a request, of known length.
#[derive(Debug)]
pub struct Body(Kind);

#[derive(Debug)]
enum Kind {
    Whole(Bytes),
    Streamed(Stream),
}

impl Body {
    pub(crate) fn whole(bytes: Bytes) -> Body {
        Body(Kind::Whole(bytes))
    }

    pub(crate) fn streamed(stream: Stream) -> Body {
        Body(Kind::Streamed(stream))
    }
}

impl hyper::body::Body for Body {
    type Data = Bytes;
    type Error = std::io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, std::io::Error>>> {
        match &mut self.0 {
            Kind::Whole(bytes) if bytes.is_empty() => Poll::Ready(None),
            Kind::Whole(bytes) => Poll::Ready(Some(Ok(Frame::data(std::mem::take(bytes))))),
            Kind::Streamed(stream) => stream.poll(context).map(|chunk| chunk.map(|chunk| chunk.map(Frame::data))),
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(&self.0, Kind::Whole(bytes) if bytes.is_empty())
    }

    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            Kind::Whole(bytes) => SizeHint::with_exact(bytes.len() as u64),
            Kind::Streamed(stream) => SizeHint::with_exact(stream.left),
        }
    }
}
