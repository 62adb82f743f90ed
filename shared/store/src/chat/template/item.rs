//! The stored form of a template.

use domain::chat::Template;
use domain::id::ChatBusinessProfileId;
use domain::{Failure, Timestamp};
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use crate::engine::item::{Item, entity};

/// A template with its internal fields.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredTemplate {
    pub template: Template,
    /// The platform's timestamp of the status. Older updates are ignored, here and for the next two fields.
    pub status_at: Timestamp,
    pub quality_at: Timestamp,
    pub category_at: Timestamp,
    /// The platform's timestamp of the last update of the components; `None` if only a sync has reported them.
    pub components_at: Option<Timestamp>,
    /// Whether the item by name and language is up to date. `false` for templates from before that item existed: the
    /// next sync writes it.
    pub is_named: bool,
    /// When the template was edited through this API while it was approved, in the last 30 days, oldest first.
    pub edited_at: Vec<Timestamp>,
    pub revision: u64,
}

/// The attributes that an item may lack.
pub(super) const OPTIONAL: &[&str] = &[
    "name",
    "language",
    "category",
    "components",
    "parameterFormat",
    "messageSendTtlSeconds",
    "qualityScore",
    "rejectedReason",
    "componentsAt",
    "editedAt",
];

/// The item of a template. The components are JSON that the platform produced. They are kept as text, because DynamoDB
/// would limit the precision of numbers and the depth of nesting.
#[skip_serializing_none]
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TemplateItem {
    id: String,
    chat_business_profile_id: ChatBusinessProfileId,
    name: Option<String>,
    language: Option<String>,
    category: Option<String>,
    status: String,
    components: Option<String>,
    parameter_format: Option<String>,
    message_send_ttl_seconds: Option<i64>,
    quality_score: Option<String>,
    rejected_reason: Option<String>,
    created_at: Timestamp,
    updated_at: Timestamp,
    status_at: Timestamp,
    quality_at: Timestamp,
    category_at: Timestamp,
    components_at: Option<Timestamp>,
    #[serde(default)]
    is_named: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    edited_at: Vec<Timestamp>,
    revision: u64,
}

impl From<&StoredTemplate> for TemplateItem {
    fn from(stored: &StoredTemplate) -> Self {
        let template = stored.template.clone();
        TemplateItem {
            id: template.id,
            chat_business_profile_id: template.chat_business_profile_id,
            name: template.name,
            language: template.language,
            category: template.category,
            status: template.status,
            components: template.components.map(|components| components.to_string()),
            parameter_format: template.parameter_format,
            message_send_ttl_seconds: template.message_send_ttl_seconds,
            quality_score: template.quality_score,
            rejected_reason: template.rejected_reason,
            created_at: template.created_at,
            updated_at: template.updated_at,
            status_at: stored.status_at,
            quality_at: stored.quality_at,
            category_at: stored.category_at,
            components_at: stored.components_at,
            is_named: stored.is_named,
            edited_at: stored.edited_at.clone(),
            revision: stored.revision,
        }
    }
}

impl TryFrom<Item> for StoredTemplate {
    type Error = Failure;

    fn try_from(item: Item) -> Result<Self, Failure> {
        let item: TemplateItem = entity(item)?;
        Ok(StoredTemplate {
            status_at: item.status_at,
            quality_at: item.quality_at,
            category_at: item.category_at,
            components_at: item.components_at,
            is_named: item.is_named,
            edited_at: item.edited_at,
            revision: item.revision,
            template: Template {
                id: item.id,
                chat_business_profile_id: item.chat_business_profile_id,
                name: item.name,
                language: item.language,
                category: item.category,
                status: item.status,
                components: item.components.map(|text| text.parse()).transpose().map_err(Failure::internal)?,
                parameter_format: item.parameter_format,
                message_send_ttl_seconds: item.message_send_ttl_seconds,
                quality_score: item.quality_score,
                rejected_reason: item.rejected_reason,
                created_at: item.created_at,
                updated_at: item.updated_at,
            },
        })
    }
}
