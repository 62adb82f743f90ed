//! Message templates.

use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use crate::id::ChatBusinessProfileId;
use crate::schema::{TemplateCategory, TemplateParameterFormat, TemplateQuality, TemplateStatus};
use crate::{Json, Timestamp};

/// A message template of the platform.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ChatTemplate)]
pub struct Template {
    /// The platform's identifier.
    pub id: String,
    pub chat_business_profile_id: ChatBusinessProfileId,
    /// Omitted, like the language, the category and the components, as long as only notifications have mentioned the
    /// template and none has named it. A sync adds what is missing.
    pub name: Option<String>,
    pub language: Option<String>,
    #[schema(value_type = Option<TemplateCategory>)]
    pub category: Option<String>,
    #[schema(value_type = TemplateStatus)]
    pub status: String,
    /// The components, in the platform's own format.
    #[schema(value_type = Option<Value>)]
    pub components: Option<Json>,
    #[schema(value_type = Option<TemplateParameterFormat>)]
    pub parameter_format: Option<String>,
    #[schema(value_type = Option<TemplateQuality>)]
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
