//! One POST to a receiver that nobody vouches for: to the address that was judged and no other, without redirects, proxies
//! and decompression, within one deadline from the name to the last byte that is read.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use domain::delivery::BODY_KEPT;
use domain::webhook::{AddressPolicy, webhook_url};
use http::header::{HOST, RETRY_AFTER};
use http::{HeaderMap, HeaderValue, Request, Response, Uri};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use url::Url;

use super::resolve::{Resolver, judged};

pub const DEADLINE: Duration = Duration::from_secs(15);
/// So that a second address of a name has a chance.
const CONNECT: Duration = Duration::from_secs(4);
/// Bytes of the answer's head.
const LARGEST_HEAD: usize = 32 * 1024;

#[derive(Clone)]
pub struct Poster {
    tls: TlsConnector,
    resolver: Arc<dyn Resolver>,
    policy: AddressPolicy,
    deadline: Duration,
}

/// What the receiver said.
#[derive(Debug)]
pub struct Answered {
    pub status: u16,
    pub body: String,
    pub retry_after: Option<Duration>,
    /// Its body ended before it was whole.
    pub broke_off: bool,
}

impl Poster {
    pub fn new(resolver: Arc<dyn Resolver>, policy: AddressPolicy, deadline: Duration) -> Result<Self, String> {
        let roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
        let config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|error| error.to_string())?
            .with_root_certificates(roots)
            .with_no_client_auth();
        Ok(Poster { tls: TlsConnector::from(Arc::new(config)), resolver, policy, deadline })
    }

    /// `Err` says why there is no whole answer, in words that tell nothing of the inside.
    pub async fn post(&self, url: &str, headers: HeaderMap, body: Bytes) -> Result<Answered, &'static str> {
        let sent = self.post_within(self.deadline, url, headers, body).await;
        sent.unwrap_or(Err("no whole answer within 15 seconds"))
    }

    /// `None`: there is no whole answer yet.
    pub(crate) async fn post_within(
        &self,
        limit: Duration,
        url: &str,
        headers: HeaderMap,
        body: Bytes,
    ) -> Option<Result<Answered, &'static str>> {
        timeout(limit.min(self.deadline), self.exchange(url, headers, body)).await.ok()
    }

    async fn exchange(&self, url: &str, headers: HeaderMap, body: Bytes) -> Result<Answered, &'static str> {
        // Judged again: the rules, or this API's own address, may have changed since the webhook was made.
        let url = webhook_url(url, "url", &self.policy).map_err(|_| "the address is not allowed")?;
        let url = Url::parse(&url).map_err(|_| "the address is not allowed")?;
        let addresses = judged(&url, self.resolver.as_ref(), self.policy.allow_local).await?;
        let stream = connect(&addresses).await?;
        let request = request(&url, headers, body)?;
        let response = if url.scheme() == "https" {
            let name = url.host_str().unwrap_or_default().trim_matches(['[', ']']).to_owned();
            let name = ServerName::try_from(name).map_err(|_| "the host name is no name of a certificate")?;
            let stream = self.tls.connect(name, stream).await.map_err(|_| "the TLS handshake failed")?;
            send(stream, request).await?
        } else {
            send(stream, request).await?
        };
        answered(response).await
    }
}

async fn connect(addresses: &[SocketAddr]) -> Result<TcpStream, &'static str> {
    for address in addresses {
        if let Ok(Ok(stream)) = timeout(CONNECT, TcpStream::connect(address)).await {
            let _ = stream.set_nodelay(true);
            return Ok(stream);
        }
    }
    Err("the connection was refused or not answered")
}

fn request(url: &Url, headers: HeaderMap, body: Bytes) -> Result<Request<Full<Bytes>>, &'static str> {
    let target = &url[url::Position::BeforePath..url::Position::AfterQuery];
    let target: Uri = target.parse().map_err(|_| "the address is not allowed")?;
    let host = &url[url::Position::BeforeHost..url::Position::AfterPort];
    let host = HeaderValue::from_str(host).map_err(|_| "the address is not allowed")?;
    let mut request = Request::post(target).body(Full::new(body)).map_err(|_| "the request could not be built")?;
    *request.headers_mut() = headers;
    request.headers_mut().insert(HOST, host);
    Ok(request)
}

async fn send<S>(stream: S, request: Request<Full<Bytes>>) -> Result<Response<Incoming>, &'static str>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let mut builder = http1::Builder::new();
    builder.max_buf_size(LARGEST_HEAD);
    let (mut sender, connection) =
        builder.handshake(TokioIo::new(stream)).await.map_err(|_| "the connection broke off")?;
    // Ends with the answer's body, or when the deadline drops the request.
    tokio::spawn(async move {
        let _ = timeout(DEADLINE * 2, connection).await;
    });
    sender.send_request(request).await.map_err(|_| "the connection broke off, or the answer is not HTTP")
}

/// Reads no more than is kept; what follows is cut off with the connection.
async fn answered(response: Response<Incoming>) -> Result<Answered, &'static str> {
    let status = response.status().as_u16();
    let seconds = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.trim().parse().ok());
    let mut body = response.into_body();
    let (mut kept, mut broke_off) = (Vec::new(), false);
    while kept.len() < BODY_KEPT {
        match body.frame().await {
            None => break,
            // What was said in its head was said.
            Some(Err(_)) => {
                broke_off = true;
                break;
            }
            Some(Ok(frame)) => {
                if let Ok(chunk) = frame.into_data() {
                    kept.extend_from_slice(&chunk);
                }
            }
        }
    }
    kept.truncate(BODY_KEPT);
    Ok(Answered { status, body: readable(&kept), retry_after: seconds.map(Duration::from_secs), broke_off })
}

/// Text as far as it is text: nothing of it moves a cursor.
fn readable(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect()
}
