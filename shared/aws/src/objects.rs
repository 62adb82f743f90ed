//! Where media lie in the bucket: under `media/` once they are checked, before that under `incoming/`.

use domain::id::{ChatMessageId, MediaId, OrganizationId};
use domain::media::MediaType;

/// Where an inbound medium lies, once it was fetched from the platform.
pub fn inbound(o: &OrganizationId, message: &ChatMessageId) -> String {
    format!("media/{o}/{message}")
}

pub fn checked(o: &OrganizationId, id: &MediaId) -> String {
    format!("media/{o}/{id}")
}

pub fn incoming(o: &OrganizationId, id: &MediaId) -> String {
    format!("incoming/{o}/{id}")
}

/// What the platform declares is repeated only where it is one of the types that media may have.
pub fn inbound_type(declared: &str) -> &'static str {
    MediaType::parse(declared).map_or("application/octet-stream", |known| known.mime)
}
