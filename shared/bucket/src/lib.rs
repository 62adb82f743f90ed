//! The bucket. Bytes lie under `media/` once they are checked, before that under `incoming/`; only `media/` is presigned
//! for reading.

use std::io::{Seek, SeekFrom, Write};
use std::path::Path;
use std::time::Duration;

use aws_sdk_s3::Client;
use aws_sdk_s3::config::timeout::TimeoutConfig;
use aws_sdk_s3::config::{
    BehaviorVersion, Region, RequestChecksumCalculation, ResponseChecksumValidation, SharedCredentialsProvider,
};
use aws_sdk_s3::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_s3::presigning::PresigningConfig;
use aws_sdk_s3::primitives::ByteStream;
use aws_sdk_s3::types::MetadataDirective;
use aws_smithy_async::rt::sleep::TokioSleep;
use bytes::Bytes;
use domain::Failure;
use domain::id::{ChatMessageId, MediaId, OrganizationId};
use domain::media::{Media, MediaKind, MediaType};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use store::Connection;

const UPLOAD: Duration = Duration::from_secs(120);

#[derive(Clone)]
pub struct Bucket {
    client: Client,
    name: String,
}

/// A request that the caller makes against the bucket.
pub struct PresignedUpload {
    pub url: String,
    pub headers: Vec<(String, String)>,
}

/// An upload on disk, with the ETag of the bytes that were read.
pub struct Incoming {
    pub file: std::fs::File,
    pub size: u64,
    pub etag: String,
}

/// Where an inbound medium lies, once it was fetched from the platform.
fn inbound_key(o: &OrganizationId, message: &ChatMessageId) -> String {
    format!("media/{o}/{message}")
}

fn checked_key(o: &OrganizationId, id: &MediaId) -> String {
    format!("media/{o}/{id}")
}

fn incoming_key(o: &OrganizationId, id: &MediaId) -> String {
    format!("incoming/{o}/{id}")
}

impl Bucket {
    pub fn new(connection: &Connection, name: String) -> Self {
        let mut config = aws_sdk_s3::Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(Region::new(connection.region.clone()))
            .credentials_provider(SharedCredentialsProvider::new(connection.credentials.clone()))
            .http_client(connection.http_client.clone())
            .sleep_impl(TokioSleep::new())
            .timeout_config(Connection::timeouts())
            // Otherwise a presigned PUT would carry the checksum of an empty body.
            .request_checksum_calculation(RequestChecksumCalculation::WhenRequired)
            .response_checksum_validation(ResponseChecksumValidation::WhenRequired)
            // Names below localhost do not resolve everywhere.
            .force_path_style(connection.endpoint_url.is_some());
        config.set_endpoint_url(connection.endpoint_url.clone());
        Bucket { client: Client::from_conf(config.build()), name }
    }

    pub async fn put(&self, o: &OrganizationId, media: &Media, bytes: Bytes) -> Result<(), Failure> {
        let call = self.client.put_object().bucket(&self.name).key(checked_key(o, &media.id));
        call.content_type(&media.mime_type).body(bytes.into()).send().await.map(|_| ()).map_err(failure)
    }

    /// Removes the bytes wherever they are. Removing what is not there succeeds.
    pub async fn delete(&self, o: &OrganizationId, id: &MediaId) -> Result<(), Failure> {
        let remove = |key: String| self.client.delete_object().bucket(&self.name).key(key).send();
        tokio::try_join!(remove(checked_key(o, id)), remove(incoming_key(o, id))).map(|_| ()).map_err(failure)
    }

    pub async fn delete_incoming(&self, o: &OrganizationId, id: &MediaId) -> Result<(), Failure> {
        let call = self.client.delete_object().bucket(&self.name).key(incoming_key(o, id));
        call.send().await.map(|_| ()).map_err(failure)
    }

    pub async fn put_inbound(
        &self,
        o: &OrganizationId,
        message: &ChatMessageId,
        mime_type: &str,
        file: &Path,
    ) -> Result<(), Failure> {
        let bytes = ByteStream::from_path(file).await.map_err(Failure::internal)?;
        let call = self.client.put_object().bucket(&self.name).key(inbound_key(o, message));
        // 100 MB take longer than a call of the table may.
        let patient = TimeoutConfig::builder().operation_attempt_timeout(UPLOAD).operation_timeout(UPLOAD * 2).build();
        let call = call.content_type(inbound_type(mime_type)).body(bytes).customize();
        let call = call.config_override(aws_sdk_s3::config::Config::builder().timeout_config(patient));
        call.send().await.map(|_| ()).map_err(failure)
    }

    /// Removing what is not there succeeds.
    pub async fn delete_inbound(&self, o: &OrganizationId, message: &ChatMessageId) -> Result<(), Failure> {
        let call = self.client.delete_object().bucket(&self.name).key(inbound_key(o, message));
        call.send().await.map(|_| ()).map_err(failure)
    }

    /// A download that answers with the checked type, shown in place or saved under its name.
    pub async fn presign_download(&self, o: &OrganizationId, media: &Media, seconds: u64) -> Result<String, Failure> {
        let shown_as = disposition(&media.file_name, media.media_type);
        self.presign(checked_key(o, &media.id), &media.mime_type, shown_as, seconds).await
    }

    /// The same for what a user sent. What has no checked type is saved, never shown in place.
    pub async fn presign_inbound(
        &self,
        o: &OrganizationId,
        message: &ChatMessageId,
        (file_name, mime_type): (&str, &str),
        seconds: u64,
    ) -> Result<String, Failure> {
        let shown_as =
            disposition(file_name, MediaType::parse(mime_type).map_or(MediaKind::Document, |known| known.kind));
        self.presign(inbound_key(o, message), inbound_type(mime_type), shown_as, seconds).await
    }

    async fn presign(&self, key: String, mime: &str, disposition: String, seconds: u64) -> Result<String, Failure> {
        let expiry = PresigningConfig::expires_in(Duration::from_secs(seconds)).map_err(Failure::internal)?;
        let call = self.client.get_object().bucket(&self.name).key(key);
        let call = call.response_content_type(mime).response_content_disposition(disposition);
        Ok(call.presigned(expiry).await.map_err(failure)?.uri().to_owned())
    }

    /// An upload bound to type and length, which never overwrites.
    pub async fn presign_upload(
        &self,
        o: &OrganizationId,
        media: &Media,
        window: Duration,
    ) -> Result<PresignedUpload, Failure> {
        let expiry = PresigningConfig::expires_in(window).map_err(Failure::internal)?;
        let length = i64::try_from(media.file_size).map_err(Failure::internal)?;
        let call = self
            .client
            .put_object()
            .bucket(&self.name)
            .key(incoming_key(o, &media.id))
            .content_type(&media.mime_type)
            .content_length(length)
            .if_none_match("*");
        let request = call.presigned(expiry).await.map_err(failure)?;
        let headers = request.headers().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        Ok(PresignedUpload { url: request.uri().to_owned(), headers })
    }

    /// The uploaded object, copied to a temporary file; `None` where nothing was uploaded.
    pub async fn fetch_incoming(&self, o: &OrganizationId, media: &Media) -> Result<Option<Incoming>, Failure> {
        let answer = self.client.get_object().bucket(&self.name).key(incoming_key(o, &media.id)).send().await;
        let mut object = match answer {
            Ok(object) => object,
            Err(error) if error.as_service_error().is_some_and(|error| error.is_no_such_key()) => return Ok(None),
            Err(error) => return Err(failure(error)),
        };
        let etag = object.e_tag().unwrap_or_default().to_owned();
        let mut file = tempfile::tempfile().map_err(Failure::internal)?;
        let mut size = 0;
        while let Some(chunk) = object.body.try_next().await.map_err(Failure::internal)? {
            size += chunk.len() as u64;
            // The signature bounds the length; this holds even if it did not.
            if size > media.file_size {
                break;
            }
            file.write_all(&chunk).map_err(Failure::internal)?;
        }
        file.seek(SeekFrom::Start(0)).map_err(Failure::internal)?;
        Ok(Some(Incoming { file, size, etag }))
    }

    /// Moves the very bytes that were checked to where readers look. `false` where they were replaced meanwhile.
    pub async fn accept(&self, o: &OrganizationId, media: &Media, etag: &str) -> Result<bool, Failure> {
        let copied = self
            .client
            .copy_object()
            .bucket(&self.name)
            .key(checked_key(o, &media.id))
            .copy_source(format!("{}/{}", self.name, incoming_key(o, &media.id)))
            .copy_source_if_match(etag)
            .content_type(&media.mime_type)
            .metadata_directive(MetadataDirective::Replace)
            .send()
            .await;
        match copied {
            Ok(_) => Ok(true),
            Err(error) if matches!(code(&error), Some("PreconditionFailed" | "NoSuchKey")) => Ok(false),
            Err(error) => Err(failure(error)),
        }
    }
}

/// What the platform declares is repeated only where it is one of the types that media may have.
fn inbound_type(declared: &str) -> &'static str {
    MediaType::parse(declared).map_or("application/octet-stream", |known| known.mime)
}

/// RFC 6266 and RFC 8187.
fn disposition(file_name: &str, kind: MediaKind) -> String {
    const ATTR_CHAR: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
    if kind.is_inline() {
        return "inline".to_owned();
    }
    let ascii: String = file_name.chars().map(|c| if is_plain(c) { c } else { '_' }).collect();
    format!("attachment; filename=\"{ascii}\"; filename*=UTF-8''{}", utf8_percent_encode(file_name, ATTR_CHAR))
}

fn is_plain(c: char) -> bool {
    matches!(c, ' '..='~') && !matches!(c, '"' | '\\' | '%')
}

fn code<E: ProvideErrorMetadata>(error: &SdkError<E>) -> Option<&str> {
    error.as_service_error().and_then(ProvideErrorMetadata::code)
}

#[derive(Debug, thiserror::Error)]
#[error("S3: code {0}")]
struct BucketError(String);

/// What the log may know of an SDK error is its code; its debug form holds whole responses.
fn failure<E: ProvideErrorMetadata>(error: SdkError<E>) -> Failure {
    let cause = BucketError(code(&error).unwrap_or("none: not reached or not understood").to_owned());
    match code(&error) {
        Some("SlowDown" | "RequestLimitExceeded") => Failure::throttled(1).with_cause(cause),
        _ => Failure::internal(cause),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_saved_under_their_name_and_cannot_add_header_fields() {
        let name = "Zürich \"1\"; x=y.pdf";
        assert_eq!(
            disposition(name, MediaKind::Document),
            "attachment; filename=\"Z_rich _1_; x=y.pdf\"; filename*=UTF-8''Z%C3%BCrich%20%221%22%3B%20x%3Dy.pdf"
        );
        assert_eq!(disposition(name, MediaKind::Image), "inline");
    }
}
