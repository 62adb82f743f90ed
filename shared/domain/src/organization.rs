//! The organization and its settings (docs/specification.md, "Organization settings").

use serde::{Deserialize, Serialize};

use crate::id::OrganizationId;
use crate::{Failure, Timestamp};

pub const DEFAULT_MEDIA_RETENTION_DAYS: u32 = 30;

/// An organization with its settings.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Organization {
    pub id: OrganizationId,
    pub name: String,
    pub slug: String,
    pub media_retention_days: u32,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// Validates a media retention: 1 to 365 days.
pub fn media_retention_days(days: i64, param: &str) -> Result<u32, Failure> {
    u32::try_from(days)
        .ok()
        .filter(|days| (1..=365).contains(days))
        .ok_or_else(|| Failure::invalid(param, format!("{param} must be from 1 to 365 days.")))
}
