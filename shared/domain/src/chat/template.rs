//! Message templates.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use crate::Timestamp;
use crate::id::ChatBusinessProfileId;

/// A message template of the platform.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ChatTemplate)]
pub struct Template {
    /// The platform's identifier.
    pub id: String,
    pub chat_business_profile_id: ChatBusinessProfileId,
    pub name: String,
    pub language: String,
    pub category: String,
    pub status: String,
    /// The components, in the platform's own format.
    #[schema(value_type = Value)]
    pub components: Value,
    pub parameter_format: Option<String>,
    pub quality_score: Option<String>,
    pub rejected_reason: Option<String>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl Template {
    /// Returns whether any field differs except the times of creation and update.
    pub fn differs_from(&self, other: &Template) -> bool {
        let same_times = Template { created_at: other.created_at, updated_at: other.updated_at, ..self.clone() };
        same_times != *other
    }
}
