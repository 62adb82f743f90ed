//! Uploads of files to the platform, which returns a handle that a profile or a template can name: its Resumable Upload API. Files are
//! small enough for one request, so an upload that fails is begun anew.

use std::time::Duration;

use bytes::Bytes;
use http::header::AUTHORIZATION;
use http::{HeaderValue, Method, Request, StatusCode};
use http_body_util::Full;
use serde::Deserialize;

use crate::error::{PlatformError, PlatformResult};
use crate::graph::{Call, Graph, proof, read};
use crate::http::{Http, MAX_RESPONSE_BYTES};
use crate::types::{AccessToken, SourceFile};

/// The time limit of an upload: reading the file, opening the session and sending the bytes.
const LONGEST: Duration = Duration::from_secs(12);
/// The platform's ids of upload sessions begin with this. An id may end in a query.
const SESSION: &str = "upload:";

#[derive(Deserialize)]
struct SessionResponse {
    id: String,
}

#[derive(Deserialize)]
struct UploadResponse {
    h: String,
}

impl Graph {
    /// Uploads a file, and returns its handle.
    pub(crate) async fn upload_file(&self, token: &AccessToken, file: &SourceFile) -> PlatformResult<String> {
        Http::within(LONGEST, async {
            let bytes = self.source(file).await?;
            let session = self.open_session(token, file, bytes.len()).await?;
            self.send_bytes(token, &session, bytes).await
        })
        .await
    }

    /// Reads the file from the bucket.
    async fn source(&self, file: &SourceFile) -> PlatformResult<Bytes> {
        let internal = |why: &str| PlatformError::Internal(domain::Failure::internal(format!("a medium {why}")));
        let request = Request::get(&file.url).body(Full::default()).map_err(|_| internal("has no valid URL"))?;
        // An error of the bucket may be longer than the file.
        let most = usize::try_from(file.size).unwrap_or(usize::MAX).max(MAX_RESPONSE_BYTES);
        let reply = self.bucket()?.exchange_up_to(request, most).await;
        let reply = reply.map_err(|_| internal("could not be read from the bucket"))?;
        match reply.status {
            StatusCode::OK => Ok(reply.body),
            status => Err(internal(&format!("could not be read from the bucket: status {}", status.as_u16()))),
        }
    }

    async fn open_session(&self, token: &AccessToken, file: &SourceFile, length: usize) -> PlatformResult<String> {
        let length = length.to_string();
        let query = [
            ("file_name", file.file_name.as_str()),
            ("file_length", length.as_str()),
            ("file_type", file.mime_type.as_str()),
        ];
        let call = Call::without_body(Method::POST, format!("{}/uploads", self.app_id())).with_query(&query);
        let session = self.call::<SessionResponse>(token, call).await?.id;
        let may_stand = |c: char| c.is_ascii_alphanumeric() || "-_.~:=%?&+".contains(c);
        let is_session = session.starts_with(SESSION) && session.chars().all(may_stand);
        if is_session { Ok(session) } else { Err(PlatformError::unreadable(StatusCode::OK.as_u16())) }
    }

    /// Sends the bytes, again if the first request has certainly not been sent.
    async fn send_bytes(&self, token: &AccessToken, session: &str, bytes: Bytes) -> PlatformResult<String> {
        let app_secret = self.app_secret().await?;
        let separator = if session.contains('?') { '&' } else { '?' };
        let url = self.address(&format!("{session}{separator}appsecret_proof={}", proof(&app_secret, token)));
        let mut authorization = HeaderValue::from_str(&format!("OAuth {}", token.expose()))
            .map_err(|_| domain::Failure::internal("the access token is not a valid header value"))?;
        authorization.set_sensitive(true);
        let request = Request::post(url)
            .header(AUTHORIZATION, authorization)
            .header("file_offset", HeaderValue::from_static("0"))
            .body(Full::new(bytes))
            .map_err(|error| PlatformError::Internal(domain::Failure::internal(error)))?;
        let secrets = [token.expose(), app_secret.expose()];
        let attempt = || async { read::<UploadResponse>(&self.http().exchange(request.clone()).await?, &secrets) };
        let response = match attempt().await {
            Err(error) if error.is_retryable(false) => attempt().await,
            result => result,
        };
        Ok(response?.h)
    }
}
