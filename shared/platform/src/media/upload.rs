//! Uploads of files to the platform, with its Resumable Upload API. The platform returns a handle, by which a profile
//! or a template names the file. Files are small enough for one request, so a failed upload is restarted, not resumed.

use std::time::Duration;

use bytes::Bytes;
use domain::Failure;
use http::header::AUTHORIZATION;
use http::{HeaderValue, Method, Request, StatusCode};
use http_body_util::Full;
use serde::Deserialize;

use super::SourceFile;
use crate::error::{PlatformError, PlatformResult};
use crate::graph::{Call, Graph, Http, MAX_RESPONSE_BYTES, authorization, proof};
use crate::vault::AccessToken;

/// The time limit of an upload: reading the file, opening the session and sending the bytes.
const LONGEST: Duration = Duration::from_secs(12);
/// The prefix of the platform's ids of upload sessions. An id can end in a query.
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
    pub(super) async fn upload_file(&self, token: &AccessToken, file: &SourceFile) -> PlatformResult<String> {
        Http::within(LONGEST, async {
            let bytes = self.source(file).await?;
            let session = self.open_session(token, file, bytes.len()).await?;
            self.send_bytes(token, &session, bytes).await
        })
        .await
    }

    /// Reads the file from the bucket.
    async fn source(&self, file: &SourceFile) -> PlatformResult<Bytes> {
        let internal = |why: &str| PlatformError::Internal(Failure::internal(format!("a medium {why}")));
        let request = Request::get(&file.url).body(Full::default()).map_err(|_| internal("has no valid URL"))?;
        // An error response of the bucket can be longer than the file.
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
        let call = Call::without_body(Method::POST, format!("{}/uploads", self.settings.app_id)).with_query(&query);
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
        let request = Request::post(url)
            .header(AUTHORIZATION, authorization("OAuth", token)?)
            .header("file_offset", HeaderValue::from_static("0"))
            .body(Full::new(bytes))
            .map_err(Failure::internal)?;

        let secrets = [token.expose(), app_secret.expose()];
        let attempt = || async { self.http.exchange(request.clone()).await?.read::<UploadResponse>(&secrets) };
        let response = match attempt().await {
            Err(error) if error.is_retryable(false) => attempt().await,
            result => result,
        };
        Ok(response?.h)
    }
}
