//! Edits and revocations of a message whose content is not known yet.

use domain::Timestamp;
use domain::chat::Direction;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

/// When a message whose content is not known yet was edited and revoked. Only its sender can do that, and only the
/// content identifies the sender, so revisions by the contact and by the business are kept apart until the content is
/// known.
#[skip_serializing_none]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EarlyRevisions {
    pub edited_at: Option<Timestamp>,
    pub revoked_at: Option<Timestamp>,
    pub own_edited_at: Option<Timestamp>,
    pub own_revoked_at: Option<Timestamp>,
}

/// When a message was edited and revoked by its sender.
#[derive(Clone, Copy)]
pub struct Revisions {
    pub edited_at: Option<Timestamp>,
    pub revoked_at: Option<Timestamp>,
}

impl EarlyRevisions {
    /// Returns when a message of this direction was edited and revoked.
    pub fn of(&self, direction: Direction) -> Revisions {
        match direction {
            Direction::Inbound => Revisions { edited_at: self.edited_at, revoked_at: self.revoked_at },
            Direction::Outbound => Revisions { edited_at: self.own_edited_at, revoked_at: self.own_revoked_at },
        }
    }

    /// Sets when a message of this direction was edited and revoked.
    pub fn set(&mut self, direction: Direction, revisions: Revisions) {
        let Revisions { edited_at, revoked_at } = revisions;
        match direction {
            Direction::Inbound => (self.edited_at, self.revoked_at) = (edited_at, revoked_at),
            Direction::Outbound => (self.own_edited_at, self.own_revoked_at) = (edited_at, revoked_at),
        }
    }
}
