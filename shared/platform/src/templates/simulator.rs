//! The management of templates of the simulated platform.

use async_trait::async_trait;
use domain::chat::template_draft::ParameterFormat;
use domain::chat::{TemplateDraft, TemplateEdit};
use domain::error::provider::Provider;
use domain::port::random_bytes;
use domain::testing::simulated_review::REVIEW_TAKES;
use ring::rand::SystemRandom;
use serde_json::{Value, json};
use store::SimulatedTemplate;

use super::simulated_templates::{PENDING, remembered};
use super::{CreatedTemplate, PlatformTemplate, TemplateManagement, TemplatePage};
use crate::error::{PlatformError, PlatformResult, failure_of_code};
use crate::simulator::{Simulator, requested_error_in_text, require_account};
use crate::vault::AccessToken;

/// The highest number of templates of an account that is not verified.
const MOST_TEMPLATES: usize = 250;
const TOO_MANY_TEMPLATES: i64 = 2_388_019;
const INVALID_PARAMETER: i64 = 100;
const TEMPLATES_PER_PAGE: usize = 3;

#[async_trait]
impl TemplateManagement for Simulator {
    async fn templates(
        &self,
        _token: &AccessToken,
        account: &str,
        after: Option<&str>,
    ) -> PlatformResult<TemplatePage> {
        require_account(account)?;
        let all = self.all_templates(account).await?;
        let start = after.and_then(|after| after.parse().ok()).unwrap_or(0).min(all.len());
        let end = (start + TEMPLATES_PER_PAGE).min(all.len());
        let after = (end < all.len()).then(|| end.to_string());
        Ok(TemplatePage { templates: all[start..end].to_vec(), after })
    }

    async fn create_template(
        &self,
        _token: &AccessToken,
        account: &str,
        draft: &TemplateDraft,
    ) -> PlatformResult<CreatedTemplate> {
        requested_error_in_text(body_text(&draft.components))?;
        let memory = self.memory()?;
        let known = self.all_templates(account).await?;
        let is_same = |known: &PlatformTemplate| known.name == draft.name && known.language == draft.language;
        if known.iter().any(is_same) {
            return Err(rejected("A template with this name and language exists (simulated)."));
        }
        if known.len() >= MOST_TEMPLATES {
            return Err(failure_of_code(TOO_MANY_TEMPLATES));
        }

        let template = SimulatedTemplate {
            id: new_id(account),
            name: draft.name.clone(),
            language: draft.language.clone(),
            category: draft.category.as_str().to_owned(),
            components: json!(shown(&draft.components)).to_string(),
            parameter_format: draft.parameter_format.unwrap_or(ParameterFormat::Positional).as_str().to_owned(),
            message_send_ttl_seconds: draft.message_send_ttl_seconds,
            quality_score: None,
            reviewed_at: memory.now.plus(REVIEW_TAKES),
            is_deleted: false,
        };

        if !memory.organization.create_simulated_template(account, &template).await? {
            return Err(rejected("A template with this name and language exists (simulated)."));
        }
        Ok(CreatedTemplate { id: template.id, status: Some(PENDING.to_owned()), category: Some(template.category) })
    }

    async fn edit_template(
        &self,
        token: &AccessToken,
        account: &str,
        id: &str,
        edit: &TemplateEdit,
    ) -> PlatformResult<()> {
        requested_error_in_text(body_text(edit.components.as_deref().unwrap_or_default()))?;
        let memory = self.memory()?;
        let known = self.template(token, account, id).await?;
        let components = edit.components.as_ref().map_or(known.components.clone(), |sent| json!(shown(sent)));
        let edited = SimulatedTemplate {
            category: edit.category.map_or(known.category.clone(), |category| category.as_str().to_owned()),
            components: components.to_string(),
            message_send_ttl_seconds: edit.message_send_ttl_seconds.or(known.message_send_ttl_seconds),
            ..remembered(&known, memory.now.plus(REVIEW_TAKES))
        };
        Ok(memory.organization.put_simulated_template(account, &edited).await?)
    }

    async fn template(&self, _token: &AccessToken, account: &str, id: &str) -> PlatformResult<PlatformTemplate> {
        let all = self.all_templates(account).await?;
        all.into_iter().find(|known| known.id == id).ok_or_else(|| rejected("No such template (simulated)."))
    }

    async fn templates_named(
        &self,
        _token: &AccessToken,
        account: &str,
        name: &str,
    ) -> PlatformResult<Vec<PlatformTemplate>> {
        let all = self.all_templates(account).await?;
        Ok(all.into_iter().filter(|known| known.name == name).collect())
    }

    async fn delete_template(
        &self,
        token: &AccessToken,
        account: &str,
        name: &str,
        id: Option<&str>,
    ) -> PlatformResult<()> {
        let memory = self.memory()?;
        let mut named = self.templates_named(token, account, name).await?;
        named.retain(|known| id.is_none_or(|id| known.id == id));
        if named.is_empty() {
            return Err(rejected("No such template (simulated)."));
        }

        let own = self.own_templates(account);
        for template in &named {
            let gone = SimulatedTemplate { is_deleted: true, ..remembered(template, memory.now) };
            if own.iter().any(|own| own.name == template.name && own.language == template.language) {
                memory.organization.put_simulated_template(account, &gone).await?;
            } else {
                memory.organization.delete_simulated_template(account, &gone).await?;
            }
        }
        Ok(())
    }
}

/// Returns components as the platform shows them: the example of a header, also of a card's, is a URL. The simulated
/// platform serves no files.
fn shown(components: &[Value]) -> Vec<Value> {
    let mut shown = components.to_vec();
    for component in &mut shown {
        if let Some(Value::String(handle)) = component.pointer_mut("/example/header_handle/0") {
            *handle = format!("https://example.com/template-headers/{handle}");
        }
        for card in component.get_mut("cards").and_then(Value::as_array_mut).into_iter().flatten() {
            if let Some(parts) = card.get_mut("components").and_then(Value::as_array_mut) {
                *parts = self::shown(parts);
            }
        }
    }
    shown
}

/// Returns a new id: digits, as the platform's ids are.
fn new_id(account: &str) -> String {
    let random = u64::from_be_bytes(random_bytes::<8>(&SystemRandom::new()));
    format!("{account}{:010}", random % 10_000_000_000)
}

fn rejected(message: &str) -> PlatformError {
    PlatformError::Rejected(Provider::platform(INVALID_PARAMETER, message, None))
}

fn body_text(components: &[Value]) -> &str {
    let body = components.iter().find(|component| component["type"] == "BODY");
    body.and_then(|body| body["text"].as_str()).unwrap_or_default()
}
