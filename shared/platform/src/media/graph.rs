//! Media files of the platform's Graph API, and their download.

use std::io::Write;

use async_trait::async_trait;
use domain::Failure;
use http::header::AUTHORIZATION;
use http::{Request, StatusCode};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Incoming;
use ring::digest::{Context, SHA256};
use serde::Deserialize;
use tempfile::NamedTempFile;
use url::Url;

use super::{Download, MediaLocation, MediaTransfer, SourceFile};
use crate::error::{PlatformError, PlatformResult};
use crate::graph::{Call, Graph, Http, MAX_RESPONSE_BYTES, Reply, authorization, segment};
use crate::vault::AccessToken;

/// The domains that host the platform's media, in addition to its API host.
const MEDIA_HOSTS: [&str; 4] = ["fbsbx.com", "facebook.com", "fbcdn.net", "whatsapp.net"];

#[derive(Deserialize)]
struct MediaResponse {
    url: String,
    mime_type: Option<String>,
    sha256: Option<String>,
}

#[async_trait]
impl MediaTransfer for Graph {
    async fn media(&self, token: &AccessToken, media: &str) -> PlatformResult<MediaLocation> {
        let response: MediaResponse = self.call(token, Call::get(segment(media), &[])).await?;
        Ok(MediaLocation { url: response.url, mime_type: response.mime_type, sha256: response.sha256 })
    }

    async fn download(&self, token: &AccessToken, url: &str, max_bytes: u64) -> PlatformResult<Download> {
        let address = Url::parse(url).ok().filter(|url| self.is_platform_address(url));
        let address = address.ok_or_else(|| PlatformError::unreadable(StatusCode::OK.as_u16()))?;
        let request = Request::get(address.as_str()).header(AUTHORIZATION, authorization("Bearer", token)?);
        let request = request.body(Full::default()).map_err(Failure::internal)?;

        Http::within(self.settings.limits.download, async {
            let response = self.http.send(request).await?;
            let status = response.status();
            if status.is_success() {
                return stored(response.into_body(), max_bytes).await;
            }
            let body = Limited::new(response.into_body(), MAX_RESPONSE_BYTES).collect().await;
            let body = body.map_err(|_| PlatformError::unreadable(status.as_u16()))?.to_bytes();
            Err(Reply { status, body }.error(&[token.expose()]))
        })
        .await
    }

    async fn upload(&self, token: &AccessToken, file: &SourceFile) -> PlatformResult<String> {
        self.upload_file(token, file).await
    }
}

impl Graph {
    /// Returns whether the URL belongs to the platform. The business token must not be sent to any other host.
    fn is_platform_address(&self, url: &Url) -> bool {
        let is_api_host = Url::parse(&self.settings.base_url).is_ok_and(|base| base.origin() == url.origin());
        let host = url.host_str().unwrap_or_default();
        let is_below =
            |domain: &str| host.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
        let has_usual_port = url.scheme() == "https" && url.port().is_none();
        is_api_host || (has_usual_port && MEDIA_HOSTS.into_iter().any(is_below))
    }
}

/// Streams the body of a response to disk.
async fn stored(mut body: Incoming, max_bytes: u64) -> PlatformResult<Download> {
    let mut file = NamedTempFile::new().map_err(Failure::internal)?;
    let (mut size, mut hash) = (0, Context::new(&SHA256));
    while let Some(frame) = body.frame().await {
        let Ok(chunk) = frame.map_err(|_| PlatformError::cut_off())?.into_data() else { continue };
        size += chunk.len() as u64;
        if size > max_bytes {
            return Err(PlatformError::too_large(max_bytes));
        }
        hash.update(&chunk);
        file.write_all(&chunk).map_err(Failure::internal)?;
    }

    file.flush().map_err(Failure::internal)?;
    let mut sha256 = [0; 32];
    sha256.copy_from_slice(hash.finish().as_ref());
    Ok(Download { file, size, sha256 })
}
