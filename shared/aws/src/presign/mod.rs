//! Addresses for those who fetch and bring media: only checked bytes are presigned for reading.

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

#[derive(Clone)]
pub struct Presigner(Arc<Signer>);

/// A request that the caller makes against the bucket.
pub struct PresignedUpload {
    pub url: String,
    pub headers: BTreeMap<&'static str, String>,
}

impl Presigner {
    pub fn new(connection: &Connection, bucket: &str) -> Self {
        Presigner(Arc::new(Signer::new(connection, bucket)))
    }

    /// A download that answers with the checked type, shown in place or saved under its name.
    pub fn download(&self, o: &OrganizationId, media: &Media, seconds: u64) -> Result<String, Failure> {
        let shown_as = disposition(&media.file_name, media.media_type.known().unwrap_or(MediaKind::Document));
        self.read(&objects::checked(o, &media.id), &media.mime_type, &shown_as, seconds)
    }

    /// The same for what a user sent. What has no checked type is saved, never shown in place.
    pub fn inbound(
        &self,
        o: &OrganizationId,
        message: &ChatMessageId,
        (file_name, mime_type): (&str, &str),
        seconds: u64,
    ) -> Result<String, Failure> {
        let kind = MediaType::parse(mime_type).map_or(MediaKind::Document, |known| known.kind);
        self.read(
            &objects::inbound(o, message),
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

    /// An upload bound to type and length, which never overwrites.
    pub fn upload(&self, o: &OrganizationId, media: &Media, valid: Duration) -> Result<PresignedUpload, Failure> {
        let key = objects::incoming(o, &media.id);
        let length = media.file_size.to_string();
        let headers = [("content-type", &*media.mime_type), ("content-length", &length), ("if-none-match", "*")];
        let query = [("x-id", "PutObject")];
        let wanted = Presignable { method: "PUT", key: &key, query: &query, headers: &headers, valid };
        let url = self.0.address(&wanted, SystemTime::now())?;
        Ok(PresignedUpload { url, headers: headers.map(|(name, value)| (name, value.to_owned())).into() })
    }
}

/// RFC 6266 and RFC 8187.
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
