//! Presigned URLs for downloading and uploading media. Uploads are presigned for reading only after their validation.

mod sign;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use domain::Failure;
use domain::id::{ChatMessageId, OrganizationId};
use domain::media::{Media, MediaKind, MediaType};
use percent_encoding::utf8_percent_encode;

use crate::connection::Connection;
use crate::objects;
use sign::{Presignable, RESERVED, Signer};

/// Presigns URLs of the media bucket.
#[derive(Clone)]
pub struct Presigner(Arc<Signer>);

/// An upload request for the caller to send to the bucket.
pub struct PresignedUpload {
    pub url: String,
    /// The headers that the signature covers: the caller must send exactly these.
    pub headers: BTreeMap<&'static str, String>,
}

impl Presigner {
    pub fn new(connection: &Connection, bucket: &str) -> Self {
        Presigner(Arc::new(Signer::new(connection, bucket)))
    }

    /// Returns a download URL of a medium, valid for `seconds`. The response has the validated content type; browsers
    /// show it inline or save it under its file name, depending on the type.
    pub fn download(&self, organization: &OrganizationId, media: &Media, seconds: u64) -> Result<String, Failure> {
        let shown_as = disposition(&media.file_name, media.media_type.known().unwrap_or(MediaKind::Document));
        self.read(&objects::checked(organization, &media.id), &media.mime_type, &shown_as, seconds)
    }

    /// Returns the location of a medium, as `s3://<bucket>/<key>`. The carrier reads it there with the caller's
    /// permission.
    pub fn location(&self, organization: &OrganizationId, media: &Media) -> String {
        format!("s3://{}/{}", self.0.bucket, objects::checked(organization, &media.id))
    }

    /// Returns a download URL of an inbound medium, valid for `seconds`. Browsers save files of unsupported types and
    /// never show them inline.
    pub fn inbound(
        &self,
        organization: &OrganizationId,
        message: &ChatMessageId,
        file_name: &str,
        mime_type: &str,
        seconds: u64,
    ) -> Result<String, Failure> {
        let kind = MediaType::parse(mime_type).map_or(MediaKind::Document, |known| known.kind);
        self.read(
            &objects::inbound(organization, message),
            objects::inbound_type(mime_type),
            &disposition(file_name, kind),
            seconds,
        )
    }

    fn read(&self, key: &str, mime: &str, shown_as: &str, seconds: u64) -> Result<String, Failure> {
        let query =
            [("response-content-disposition", shown_as), ("response-content-type", mime), ("x-id", "GetObject")];
        let valid = Duration::from_secs(seconds);
        let wanted = Presignable { method: "GET", key, query: &query, headers: &[], valid };
        self.0.address(&wanted, SystemTime::now())
    }

    /// Returns an upload whose signature fixes content type and length, and which never overwrites an object.
    pub fn upload(
        &self,
        organization: &OrganizationId,
        media: &Media,
        valid: Duration,
    ) -> Result<PresignedUpload, Failure> {
        let key = objects::incoming(organization, &media.id);
        let length = media.file_size.to_string();
        let headers = [("content-type", &*media.mime_type), ("content-length", &length), ("if-none-match", "*")];
        let query = [("x-id", "PutObject")];
        let wanted = Presignable { method: "PUT", key: &key, query: &query, headers: &headers, valid };
        let url = self.0.address(&wanted, SystemTime::now())?;
        Ok(PresignedUpload { url, headers: headers.map(|(name, value)| (name, value.to_owned())).into() })
    }
}

/// Returns the value of `content-disposition` (RFC 6266 and RFC 8187).
fn disposition(file_name: &str, kind: MediaKind) -> String {
    if kind.is_inline() {
        return "inline".to_owned();
    }
    let ascii: String = file_name.chars().map(|c| if is_plain(c) { c } else { '_' }).collect();
    format!("attachment; filename=\"{ascii}\"; filename*=UTF-8''{}", utf8_percent_encode(file_name, RESERVED))
}

fn is_plain(c: char) -> bool {
    matches!(c, ' '..='~') && !matches!(c, '"' | '\\' | '%')
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
