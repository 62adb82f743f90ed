//! Where media lie in the bucket: under `media/` once they are checked, before that under `incoming/`.

use domain::id::{ChatMessageId, MediaId, OrganizationId};
use domain::media::MediaType;

/// Where readers look.
pub const CHECKED: &str = "media/";
/// Where uploads lie until they are checked.
pub const INCOMING: &str = "incoming/";

/// Where an inbound medium lies, once it was fetched from the platform.
pub fn inbound(o: &OrganizationId, message: &ChatMessageId) -> String {
    format!("{CHECKED}{o}/{message}")
}

pub fn checked(o: &OrganizationId, id: &MediaId) -> String {
    format!("{CHECKED}{o}/{id}")
}

pub fn incoming(o: &OrganizationId, id: &MediaId) -> String {
    format!("{INCOMING}{o}/{id}")
}

/// What an object belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Owner {
    Media(OrganizationId, MediaId),
    Message(OrganizationId, ChatMessageId),
}

/// `None`: no key of this version.
pub fn owner(key: &str) -> Option<Owner> {
    let rest = key.strip_prefix(CHECKED).or_else(|| key.strip_prefix(INCOMING))?;
    let (organization, id) = rest.split_once('/')?;
    let organization = organization.parse().ok()?;
    match id.parse() {
        Ok(message) => Some(Owner::Message(organization, message)),
        Err(_) => Some(Owner::Media(organization, id.parse().ok()?)),
    }
}

/// What the platform declares is repeated only where it is one of the types that media may have.
pub fn inbound_type(declared: &str) -> &'static str {
    MediaType::parse(declared).map_or("application/octet-stream", |known| known.mime)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_tells_its_owner() {
        let ksuid = "0ujtsYcgvSTl8PAuAdqWYSMnLOv";
        let o: OrganizationId = format!("org_{ksuid}").parse().expect("an organization");
        let media: MediaId = format!("media_test_{ksuid}").parse().expect("a medium");
        let message: ChatMessageId = format!("msg_wa_{ksuid}").parse().expect("a message");
        assert_eq!(owner(&checked(&o, &media)), Some(Owner::Media(o.clone(), media.clone())));
        assert_eq!(owner(&incoming(&o, &media)), Some(Owner::Media(o.clone(), media)));
        assert_eq!(owner(&inbound(&o, &message)), Some(Owner::Message(o, message)));
        for key in ["", "media/", "media/a/b", "other/a/b", "media/org_1"] {
            assert_eq!(owner(key), None, "{key}");
        }
    }
}
