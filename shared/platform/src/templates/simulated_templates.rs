//! The templates of simulated accounts.

use domain::Timestamp;
use domain::chat::template_draft::ParameterFormat;
use domain::testing::simulated_review::SimulatedReview;
use serde_json::{Value, json};
use store::SimulatedTemplate;

use super::PlatformTemplate;
use crate::error::{PlatformResult, failure_of_code};
use crate::simulator::Simulator;

const UNKNOWN_TEMPLATE: i64 = 132_001;
/// The highest total length of the name and language of a template, in bytes: more than the rules for names allow.
const LONGEST_NAME: usize = 600;
pub(super) const PENDING: &str = "PENDING";

impl Simulator {
    /// Returns the templates that every account has.
    pub(super) fn own_templates(&self, account: &str) -> Vec<PlatformTemplate> {
        let syncs = self.syncs;
        let template = |number: u32, name: &str, category: &str, status: &str, text: String| PlatformTemplate {
            id: format!("{account}{number:05}"),
            name: name.to_owned(),
            language: "en_US".to_owned(),
            category: category.to_owned(),
            status: status.to_owned(),
            components: json!([{"type": "BODY", "text": text}]),
            parameter_format: Some("POSITIONAL".to_owned()),
            message_send_ttl_seconds: None,
            quality_score: Some("GREEN".to_owned()),
            rejected_reason: None,
        };
        let sale = format!("sale_{}", syncs + 1);
        vec![
            template(1, "welcome", "UTILITY", "APPROVED", "Welcome to our shop.".to_owned()),
            template(2, "sign_in_code", "AUTHENTICATION", "APPROVED", "{{1}} is your code.".to_owned()),
            // This template changes with every sync.
            template(
                3,
                "order_update",
                "UTILITY",
                "APPROVED",
                format!("Order {{{{1}}}} is on its way, version {}.", syncs + 1),
            ),
            // This template appears with one sync and disappears with the next.
            template(100 + syncs, &sale, "MARKETING", "PENDING", "Everything must go.".to_owned()),
        ]
    }

    /// Returns the templates of an account, in the order of their ids: those that every account has, unless they were edited
    /// or deleted, and those that were created.
    pub(super) async fn all_templates(&self, account: &str) -> PlatformResult<Vec<PlatformTemplate>> {
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

    /// Fails if the account has no template with this name and language. The state of its review does not matter here:
    /// the service itself refuses templates that it knows not to be approved.
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

/// Returns the stored form of a template of the simulated platform.
pub(super) fn remembered(template: &PlatformTemplate, reviewed_at: Timestamp) -> SimulatedTemplate {
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
