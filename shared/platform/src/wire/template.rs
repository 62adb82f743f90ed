//! A message template of an account.

use serde::Deserialize;
use serde_json::Value;

use crate::PlatformTemplate;

pub(crate) const TEMPLATE_FIELDS: &str =
    "id,name,language,category,status,components,parameter_format,quality_score,rejected_reason";

#[derive(Deserialize)]
pub(crate) struct TemplateAnswer {
    #[serde(deserialize_with = "super::id")]
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
    quality_score: Option<QualityScore>,
    rejected_reason: Option<String>,
}

#[derive(Deserialize)]
struct QualityScore {
    score: Option<String>,
}

impl From<TemplateAnswer> for PlatformTemplate {
    fn from(answer: TemplateAnswer) -> Self {
        let components = if answer.components.is_null() { Value::Array(Vec::new()) } else { answer.components };
        PlatformTemplate {
            id: answer.id,
            name: answer.name,
            language: answer.language,
            category: answer.category,
            status: answer.status,
            components,
            parameter_format: answer.parameter_format,
            quality_score: answer.quality_score.and_then(|quality| quality.score),
            rejected_reason: answer.rejected_reason.filter(|reason| reason != "NONE"),
        }
    }
}
