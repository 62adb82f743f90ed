//! Uploads.

use std::io::Read;

use bytes::Bytes;
use http::{HeaderName, HeaderValue, Method};
use http_body_util::Either;
use tokio::sync::mpsc::channel;
use url::Url;

use crate::base_url::is_this_machine;
use crate::transport::Streamed;
use crate::types::{CreateMediaUpload, Media, MediaUpload};
use crate::{ApiError, Client, Error, Response, segment};

/// What a single request may carry; larger files go to storage directly.
const MAX_SIMPLE: u64 = 4 * 1024 * 1024;
const CHUNK: usize = 64 * 1024;
/// Beyond this, an upload of any allowed size has failed.
const UPLOAD_LIMIT: std::time::Duration = std::time::Duration::from_secs(1800);

/// Receives the number of bytes that were read so far.
pub type Progress = Box<dyn FnMut(u64) + Send>;

impl Client {
    /// Uploads a file with an app key: up to 4 MiB in one request, and larger ones directly to storage, without holding
    /// them in memory.
    pub async fn upload(
        &self,
        file: CreateMediaUpload,
        content: impl Read + Send + 'static,
        progress: Progress,
    ) -> Result<Response<Media>, Error> {
        let size = u64::try_from(file.file_size).unwrap_or(0);
        if size > MAX_SIMPLE {
            return self.upload_directly(file, size, content, progress).await;
        }
        let mut bytes = Vec::new();
        let read = content.take(size + 1).read_to_end(&mut bytes);
        read.map_err(|error| Error::Invalid(format!("The file cannot be read: {error}.")))?;
        let boundary = crate::retry::idempotency_key();
        // What would end the quoted name is written as browsers do.
        let name = file.file_name.replace('"', "%22").replace('\r', "%0D").replace('\n', "%0A");
        let mime = &file.mime_type;
        let head = format!(
            "--{boundary}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\nContent-Type: {mime}\r\n\r\n"
        );
        let body = [head.as_bytes(), &bytes, format!("\r\n--{boundary}--\r\n").as_bytes()].concat();
        self.post("/v1/media").bytes(&format!("multipart/form-data; boundary={boundary}"), body).send().await
    }

    async fn upload_directly(
        &self,
        file: CreateMediaUpload,
        size: u64,
        content: impl Read + Send + 'static,
        progress: Progress,
    ) -> Result<Response<Media>, Error> {
        let upload: Response<MediaUpload> = self.post("/v1/media/uploads").json(&file).send().await?;
        self.put(&upload, size, content, progress).await?;
        self.post(&format!("/v1/media/{}/complete", segment(&upload.id))).send().await
    }

    /// Sends a file to the presigned address, which needs no credential.
    async fn put(
        &self,
        upload: &MediaUpload,
        size: u64,
        content: impl Read + Send + 'static,
        progress: Progress,
    ) -> Result<(), Error> {
        let unreadable =
            |reason: &str| Error::Unreadable { address: self.base_url().to_owned(), reason: reason.to_owned() };
        let address: Url = upload.upload_url.parse().map_err(|_| unreadable("uploadUrl is not a URL."))?;
        if address.scheme() != "https" && !is_this_machine(&address) {
            return Err(unreadable("uploadUrl is not https."));
        }
        let mut request = http::Request::builder().method(Method::PUT).uri(address.as_str());
        for (name, value) in &upload.headers {
            let name: HeaderName = name.parse().map_err(|_| unreadable("headers has an invalid name."))?;
            let value = HeaderValue::from_str(value).map_err(|_| unreadable("headers has an invalid value."))?;
            request = request.header(name, value);
        }
        let body = Either::Right(streamed(size, content, progress));
        let request = request.body(body).map_err(|error| Error::Invalid(error.to_string()))?;
        let response = self.transport().send(request, UPLOAD_LIMIT).await?;
        if response.status().is_success() {
            return Ok(());
        }
        let status = response.status().as_u16();
        let body = serde_json::json!({"message": format!("The storage rejected the file with status {status}.")});
        Err(Error::Api(Box::new(ApiError::new(status, body, None, None))))
    }
}

/// Reads a file on a thread of its own, at most two chunks ahead of the connection.
fn streamed(size: u64, mut content: impl Read + Send + 'static, mut progress: Progress) -> Streamed {
    let (sender, chunks) = channel(2);
    tokio::task::spawn_blocking(move || {
        let mut done = 0;
        while done < size {
            let mut chunk = vec![0; CHUNK.min(usize::try_from(size - done).unwrap_or(CHUNK))];
            let read = content.read(&mut chunk);
            let sent = match read {
                Ok(0) => Err(std::io::Error::other("the file became shorter while it was read")),
                Ok(length) => {
                    chunk.truncate(length);
                    done += length as u64;
                    Ok(Bytes::from(chunk))
                }
                Err(error) => Err(error),
            };
            let failed = sent.is_err();
            if sender.blocking_send(sent).is_err() || failed {
                return;
            }
            progress(done);
        }
    });
    Streamed { chunks, left: size }
}
