//! The keys of the bucket's objects.

use domain::id::{ChatMessageId, MediaId, OrganizationId};

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
