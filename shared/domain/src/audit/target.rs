//! What was changed.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The object that was changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(as = AuditTarget)]
pub struct Target {
    pub kind: TargetKind,
    /// The id of the object.
    pub id: String,
}

/// The kind of an object that can be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[schema(as = AuditTargetKind)]
pub enum TargetKind {
    Organization,
    AdminKey,
    AppKey,
    Member,
    Session,
    App,
    Webhook,
    /// A queue that the organization's webhooks may use, by its ARN.
    Destination,
    PhoneNumber,
    ChatPhoneNumber,
    ChatBusinessProfile,
    OnboardingLink,
    /// A template, by WhatsApp's id.
    Template,
    /// An end user. Only the last four characters of the phone number or user id are kept.
    Contact,
}

/// Returns what entries show of an end user.
pub fn last_four(identity: &str) -> String {
    let length = identity.chars().count();
    identity.chars().skip(length.saturating_sub(4)).collect()
}
