//! Message templates.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::Schema;
use utoipa::{PartialSchema, ToSchema};

use super::PLATFORM_ID_DIGITS;
use crate::attention::NeedKind;
use crate::id::{ChatBusinessProfileId, Identifier, InvalidId};
use crate::schema::builder::string_of_pattern;
use crate::schema::{TemplateCategory, TemplateParameterFormat, TemplateQuality, TemplateStatus};
use crate::{Json, Timestamp};

/// The status of a template that can be sent.
pub const APPROVED: &str = "APPROVED";

/// A WhatsApp message template.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ChatTemplate)]
pub struct Template {
    /// The id of the template at WhatsApp.
    pub id: String,
    pub chat_business_profile_id: ChatBusinessProfileId,
    /// Omitted, like the language, the category and the components, while the template is known only from notifications
    /// that do not contain it. A sync adds the missing fields.
    pub name: Option<String>,
    /// WhatsApp's code of the language.
    pub language: Option<String>,
    #[schema(value_type = Option<TemplateCategory>)]
    pub category: Option<String>,
    #[schema(value_type = TemplateStatus)]
    pub status: String,
    /// The components, in WhatsApp's format. A header that was created or edited through this API has `example.mediaId`
    /// until WhatsApp has returned the template.
    #[schema(value_type = Option<Value>)]
    pub components: Option<Json>,
    #[schema(value_type = Option<TemplateParameterFormat>)]
    pub parameter_format: Option<String>,
    /// How long WhatsApp tries to deliver a message, in seconds; -1 for 30 days. Omitted if it was never set.
    pub message_send_ttl_seconds: Option<i64>,
    #[schema(value_type = Option<TemplateQuality>)]
    pub quality_score: Option<String>,
    /// Why WhatsApp rejected the template.
    pub rejected_reason: Option<String>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl Template {
    /// Returns what the template needs: WhatsApp has paused or rejected it.
    pub fn need(&self) -> Option<NeedKind> {
        match self.status.as_str() {
            "PAUSED" => Some(NeedKind::TemplatePaused),
            "REJECTED" => Some(NeedKind::TemplateRejected),
            _ => None,
        }
    }

    /// Returns whether any field differs except the times of creation and update.
    pub fn differs_from(&self, other: &Template) -> bool {
        let same_times = Template { created_at: other.created_at, updated_at: other.updated_at, ..self.clone() };
        same_times != *other
    }
}

/// The platform's id of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateId(String);

impl Identifier for TemplateId {
    const KIND: &'static str = "a template";
    const PREFIX: &'static str = "";
    const PATTERN: &'static str = "^[0-9]{1,32}$";

    fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for TemplateId {
    type Err = InvalidId;

    fn from_str(text: &str) -> Result<Self, InvalidId> {
        let is_id = (1..=PLATFORM_ID_DIGITS).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
        if is_id { Ok(TemplateId(text.to_owned())) } else { Err(InvalidId) }
    }
}

impl fmt::Display for TemplateId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl PartialSchema for TemplateId {
    fn schema() -> RefOr<Schema> {
        string_of_pattern(Self::PATTERN, "The id of a template at WhatsApp.", "572279198452421")
    }
}

impl ToSchema for TemplateId {
    fn name() -> std::borrow::Cow<'static, str> {
        "ChatTemplateId".into()
    }
}
