//! The organization and its settings (docs/specification.md, "Organization settings").

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

use crate::id::OrganizationId;
use crate::{Failure, Timestamp};

pub const DEFAULT_MEDIA_RETENTION_DAYS: u32 = 30;
pub const LONGEST_MEDIA_RETENTION_DAYS: u32 = 365;
pub const DEFAULT_MESSAGE_RETENTION_DAYS: u32 = 365;
pub const SHORTEST_MESSAGE_RETENTION_DAYS: u32 = 30;
pub const LONGEST_MESSAGE_RETENTION_DAYS: u32 = 3650;

/// An organization with its settings.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Organization {
    pub id: OrganizationId,
    pub name: String,
    pub slug: String,
    pub media_retention_days: u32,
    #[serde(default, rename = "messageRetentionDays")]
    pub message_retention: MessageRetention,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// How long the messages of an organization are kept. It applies to messages that are stored from then on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MessageRetention {
    days: u32,
}

impl Default for MessageRetention {
    fn default() -> Self {
        MessageRetention { days: DEFAULT_MESSAGE_RETENTION_DAYS }
    }
}

impl MessageRetention {
    /// Validates a message retention.
    pub fn in_field(days: i64, param: &str) -> Result<Self, Failure> {
        days_in(days, SHORTEST_MESSAGE_RETENTION_DAYS..=LONGEST_MESSAGE_RETENTION_DAYS, param)
            .map(|days| MessageRetention { days })
    }

    pub fn days(self) -> u32 {
        self.days
    }

    /// Returns when a message that is stored at `stored_at` ends, in whole seconds, as the table's TTL counts.
    pub fn end_of(self, stored_at: Timestamp) -> Timestamp {
        Timestamp::from_millis(stored_at.plus_days(self.days).seconds() * 1000)
    }
}

/// Validates a media retention.
pub fn media_retention_days(days: i64, param: &str) -> Result<u32, Failure> {
    days_in(days, 1..=LONGEST_MEDIA_RETENTION_DAYS, param)
}

fn days_in(days: i64, allowed: RangeInclusive<u32>, param: &str) -> Result<u32, Failure> {
    let message = format!("{param} must be from {} to {} days.", allowed.start(), allowed.end());
    let days = u32::try_from(days).ok().filter(|days| allowed.contains(days));
    days.ok_or_else(|| Failure::invalid(param, message))
}
