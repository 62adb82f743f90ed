//! The management of templates of the simulated platform.

use async_trait::async_trait;
use domain::Timestamp;
use domain::chat::template_draft::ParameterFormat;
use domain::chat::{TemplateDraft, TemplateEdit};
use domain::port::random_bytes;
use domain::provider::Provider;
use domain::simulated_review::{REVIEW_TAKES, SimulatedReview};
use ring::rand::SystemRandom;
use serde_json::{Value, json};
use store::SimulatedTemplate;

use super::{CreatedTemplate, TemplateManagement};
use crate::error::{PlatformError, PlatformResult, failure_of_code};
use crate::simulator::{Simulator, requested_error_in_text};
use crate::types::{AccessToken, PlatformTemplate};

/// The highest number of templates of an account that is not verified.
const MOST_TEMPLATES: usize = 250;
const TOO_MANY_TEMPLATES: i64 = 2_388_019;
const INVALID_PARAMETER: i64 = 100;
const UNKNOWN_TEMPLATE: i64 = 132_001;
/// The most bytes of the name and language of a template: more than the rules for names allow.
const LONGEST_NAME: usize = 600;
const PENDING: &str = "PENDING";

#[async_trait]
impl TemplateManagement for Simulator {
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

impl Simulator {
    /// Fails if the account has no template with this name and language, whatever the state of its review: the service
    /// itself refuses the templates that it knows not to be approved.
    pub(crate) async fn expect_template(&self, sent: &Value) -> PlatformResult<()> {
        let (Some(account), Ok(memory)) = (&self.account, self.memory()) else { return Ok(()) };
        let (name, language) = (sent["name"].as_str(), sent["language"]["code"].as_str());
        let (name, language) = (name.unwrap_or_default(), language.unwrap_or_default());
        let is_named = |known_name: &str, known_language: &str| known_name == name && known_language == language;
        // Longer ones cannot exist, nor be looked up.
        if name.len() + language.len() > LONGEST_NAME {
            return Err(failure_of_code(UNKNOWN_TEMPLATE));
        }

        let remembered = memory.organization.simulated_template(account, name, language).await?;
        let is_known = match remembered.filter(|known| is_named(&known.name, &known.language)) {
            Some(known) => !known.is_deleted,
            None => self.own_templates(account).iter().any(|own| is_named(&own.name, &own.language)),
        };
        if is_known { Ok(()) } else { Err(failure_of_code(UNKNOWN_TEMPLATE)) }
    }

    /// Returns the templates of an account, in the order of their ids: those that every account has, unless they were edited
    /// or deleted, and those that were created.
    pub(crate) async fn all_templates(&self, account: &str) -> PlatformResult<Vec<PlatformTemplate>> {
        let mut all = self.own_templates(account);
        let Ok(memory) = self.memory() else { return Ok(all) };
        for remembered in memory.organization.simulated_templates(account).await? {
            all.retain(|own| own.name != remembered.name || own.language != remembered.language);
            if !remembered.is_deleted {
                all.push(listed(remembered, memory.now));
            }
        }
        all.sort_by(|a, b| a.id.cmp(&b.id));
        Ok(all)
    }
}

/// Returns a template as the platform lists it at this time.
fn listed(template: SimulatedTemplate, now: Timestamp) -> PlatformTemplate {
    let review = SimulatedReview::of(&template.name);
    let is_reviewed = template.reviewed_at <= now;
    PlatformTemplate {
        id: template.id,
        name: template.name,
        language: template.language,
        category: template.category,
        status: if is_reviewed { review.status() } else { PENDING }.to_owned(),
        components: serde_json::from_str(&template.components).unwrap_or_default(),
        parameter_format: Some(template.parameter_format),
        message_send_ttl_seconds: template.message_send_ttl_seconds,
        quality_score: template.quality_score,
        rejected_reason: review.reason().filter(|_| is_reviewed).map(str::to_owned),
    }
}

fn remembered(template: &PlatformTemplate, reviewed_at: Timestamp) -> SimulatedTemplate {
    SimulatedTemplate {
        id: template.id.clone(),
        name: template.name.clone(),
        language: template.language.clone(),
        category: template.category.clone(),
        components: template.components.to_string(),
        parameter_format: ParameterFormat::of(template.parameter_format.as_deref()).as_str().to_owned(),
        message_send_ttl_seconds: template.message_send_ttl_seconds,
        quality_score: template.quality_score.clone(),
        reviewed_at,
        is_deleted: false,
    }
}

/// Returns components as the platform shows them: the example of a header is a URL. The simulated platform serves no files.
fn shown(components: &[Value]) -> Vec<Value> {
    let mut shown = components.to_vec();
    for handle in shown.iter_mut().filter_map(|component| component.pointer_mut("/example/header_handle/0")) {
        if let Some(text) = handle.as_str() {
            *handle = json!(format!("https://example.com/template-headers/{text}"));
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
