//! The keys of objects in the media bucket: `media/` for validated uploads and for inbound media, `incoming/` for
//! uploads that are not validated yet.

use domain::id::{ChatMessageId, MediaId, OrganizationId};
use domain::media::MediaType;

/// The prefix of validated uploads and of inbound media, the only objects that are presigned for reading.
pub const CHECKED: &str = "media/";
/// The prefix of uploads that are not validated yet.
pub const INCOMING: &str = "incoming/";

/// Returns the key of an inbound medium that was fetched from the platform.
pub fn inbound(organization: &OrganizationId, message: &ChatMessageId) -> String {
    format!("{CHECKED}{organization}/{message}")
}

/// Returns the key of a medium whose bytes are validated.
pub fn checked(organization: &OrganizationId, id: &MediaId) -> String {
    format!("{CHECKED}{organization}/{id}")
}

/// Returns the key to which the caller uploads a medium.
pub fn incoming(organization: &OrganizationId, id: &MediaId) -> String {
    format!("{INCOMING}{organization}/{id}")
}

/// The resource that an object belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Owner {
    Media(OrganizationId, MediaId),
    Message(OrganizationId, ChatMessageId),
}

/// Returns the owner that an object key names; `None` if this release does not create such keys.
pub fn owner(key: &str) -> Option<Owner> {
    let rest = key.strip_prefix(CHECKED).or_else(|| key.strip_prefix(INCOMING))?;
    let (organization, id) = rest.split_once('/')?;
    let organization = organization.parse().ok()?;
    match id.parse() {
        Ok(message) => Some(Owner::Message(organization, message)),
        Err(_) => Some(Owner::Media(organization, id.parse().ok()?)),
    }
}

/// Returns the content type of an inbound medium: the type that the platform declared if it is a supported media type,
/// else `application/octet-stream`.
pub fn inbound_type(declared: &str) -> &'static str {
    MediaType::parse(declared).map_or("application/octet-stream", |known| known.mime)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_shows_its_owner() {
        let ksuid = "0ujtsYcgvSTl8PAuAdqWYSMnLOv";
        let organization: OrganizationId = format!("org_{ksuid}").parse().expect("an organization");
        let media: MediaId = format!("media_test_{ksuid}").parse().expect("a medium");
        let message: ChatMessageId = format!("msg_wa_{ksuid}").parse().expect("a message");
        assert_eq!(owner(&checked(&organization, &media)), Some(Owner::Media(organization.clone(), media.clone())));
        assert_eq!(owner(&incoming(&organization, &media)), Some(Owner::Media(organization.clone(), media)));
        assert_eq!(owner(&inbound(&organization, &message)), Some(Owner::Message(organization, message)));
        for key in ["", "media/", "media/a/b", "other/a/b", "media/org_1"] {
            assert_eq!(owner(key), None, "{key}");
        }
    }
}
