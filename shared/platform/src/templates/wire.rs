//! The responses about templates.

use serde::Deserialize;
use serde_json::Value;

use super::{CreatedTemplate, PlatformTemplate};
use crate::graph::id;

pub(super) const TEMPLATE_FIELDS: &str = "id,name,language,category,status,components,parameter_format,message_send_ttl_seconds,quality_score,rejected_reason";

#[derive(Deserialize)]
pub(super) struct TemplateResponse {
    #[serde(deserialize_with = "id")]
    id: String,
    name: String,
    language: String,
    #[serde(default)]
    category: String,
    #[serde(default)]
    status: String,
    #[serde(default)]
    components: Value,
    parameter_format: Option<String>,
    /// A number, or a text that contains one.
    message_send_ttl_seconds: Option<Value>,
    quality_score: Option<QualityScore>,
    rejected_reason: Option<String>,
}

/// The response to the creation of a template.
#[derive(Deserialize)]
pub(super) struct CreatedTemplateResponse {
    #[serde(deserialize_with = "id")]
    id: String,
    status: Option<String>,
    category: Option<String>,
}

impl From<CreatedTemplateResponse> for CreatedTemplate {
    fn from(response: CreatedTemplateResponse) -> Self {
        let CreatedTemplateResponse { id, status, category } = response;
        CreatedTemplate { id, status, category }
    }
}

#[derive(Deserialize)]
struct QualityScore {
    score: Option<String>,
}

fn seconds(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| value.as_str()?.parse().ok())
}

impl From<TemplateResponse> for PlatformTemplate {
    fn from(response: TemplateResponse) -> Self {
        let components = if response.components.is_null() { Value::Array(Vec::new()) } else { response.components };
        PlatformTemplate {
            id: response.id,
            name: response.name,
            language: response.language,
            category: response.category,
            status: response.status,
            components,
            parameter_format: response.parameter_format,
            message_send_ttl_seconds: response.message_send_ttl_seconds.as_ref().and_then(seconds),
            quality_score: response.quality_score.and_then(|quality| quality.score),
            rejected_reason: response.rejected_reason.filter(|reason| reason != "NONE"),
        }
    }
}
