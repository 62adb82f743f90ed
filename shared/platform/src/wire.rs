//! The shapes of the platform's answers. Every set of values is open, everything that is not always there is optional, and
//! ids may be text or numbers.

use domain::provider::{Availability, EntityState, EntityType, HealthEntity, HealthError, HealthStatus, Provider};
use domain::{E164, Timestamp};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::{Account, PlatformNumber, PlatformTemplate, TokenInfo};

pub(crate) const ACCOUNT_FIELDS: &str = "id,name,owner_business_info";
pub(crate) const NUMBER_FIELDS: &str = "id,display_phone_number,verified_name,quality_rating,code_verification_status,\
    platform_type,throughput,name_status,status,is_on_biz_app";
pub(crate) const TEMPLATE_FIELDS: &str =
    "id,name,language,category,status,components,parameter_format,quality_score,rejected_reason";

/// An id, as text or as a number.
fn id<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Id {
        Text(String),
        Number(u64),
    }
    Ok(match Id::deserialize(deserializer)? {
        Id::Text(text) => text,
        Id::Number(number) => number.to_string(),
    })
}

#[derive(Deserialize)]
pub(crate) struct ErrorAnswer {
    error: GraphError,
}

#[derive(Deserialize)]
struct GraphError {
    code: Option<i64>,
    #[serde(default)]
    message: String,
    fbtrace_id: Option<String>,
}

impl ErrorAnswer {
    /// Without a code of its own, the HTTP status stands for it. Messages have been seen to repeat what was sent: secrets
    /// are taken out.
    pub(crate) fn provider(self, status: u16, secrets: &[&str]) -> Provider {
        let error = self.error;
        let hide = |text: String, secret: &&str| {
            if secret.is_empty() { text } else { text.replace(*secret, "[removed]") }
        };
        let message = secrets.iter().fold(error.message, hide);
        Provider::platform(error.code.unwrap_or(i64::from(status)), &message, error.fbtrace_id)
    }
}

#[derive(Deserialize)]
pub(crate) struct TokenAnswer {
    pub(crate) access_token: String,
}

#[derive(Deserialize)]
pub(crate) struct Data<T> {
    pub(crate) data: T,
}

/// The scope whose targets are accounts, the one connected last first.
const MANAGEMENT: &str = "whatsapp_business_management";

#[derive(Deserialize)]
pub(crate) struct DebugToken {
    pub(crate) app_id: Option<String>,
    #[serde(default)]
    is_valid: bool,
    expires_at: Option<i64>,
    #[serde(default)]
    granular_scopes: Vec<GranularScope>,
}

#[derive(Deserialize)]
struct GranularScope {
    scope: String,
    target_ids: Option<Vec<String>>,
}

impl DebugToken {
    /// A token of another app is not good for anything here. What it permits shows when it is used: names of scopes change.
    pub(crate) fn info(self, app_id: &str) -> TokenInfo {
        let scope = self.granular_scopes.into_iter().find(|scope| scope.scope == MANAGEMENT);
        let accounts = scope.and_then(|scope| scope.target_ids);
        TokenInfo {
            is_valid: self.is_valid && self.app_id.is_none_or(|id| id == app_id),
            expires_at: self.expires_at.filter(|at| *at > 0).map(|at| Timestamp::from_millis(at.saturating_mul(1000))),
            newest_account: accounts.as_ref().and_then(|accounts| accounts.first().cloned()),
            accounts,
        }
    }
}

#[derive(Deserialize)]
pub(crate) struct AccountAnswer {
    #[serde(deserialize_with = "id")]
    id: String,
    #[serde(default)]
    name: String,
    owner_business_info: Option<Owner>,
}

#[derive(Deserialize)]
struct Owner {
    #[serde(deserialize_with = "id")]
    id: String,
}

impl From<AccountAnswer> for Account {
    fn from(answer: AccountAnswer) -> Self {
        let owner_business_id = answer.owner_business_info.map(|owner| owner.id);
        Account { id: answer.id, name: answer.name, owner_business_id }
    }
}

/// A page of an edge. It is the last where `next` is absent, not where it is short.
#[derive(Deserialize)]
pub(crate) struct Edge<T> {
    pub(crate) data: Vec<T>,
    paging: Option<Paging>,
}

#[derive(Deserialize)]
struct Paging {
    cursors: Option<Cursors>,
    next: Option<Value>,
}

#[derive(Deserialize)]
struct Cursors {
    after: Option<String>,
}

impl<T> Edge<T> {
    /// The cursor of the next page. `Err`: there is one, but without a cursor.
    pub(crate) fn after(&self) -> Result<Option<String>, ()> {
        let Some(paging) = self.paging.as_ref().filter(|paging| paging.next.is_some()) else { return Ok(None) };
        let after = paging.cursors.as_ref().and_then(|cursors| cursors.after.clone());
        after.filter(|after| !after.is_empty()).map(Some).ok_or(())
    }
}

#[derive(Deserialize)]
pub(crate) struct NumberAnswer {
    #[serde(deserialize_with = "id")]
    id: String,
    display_phone_number: Option<String>,
    verified_name: Option<String>,
    quality_rating: Option<String>,
    code_verification_status: Option<String>,
    platform_type: Option<String>,
    throughput: Option<Throughput>,
    name_status: Option<String>,
    status: Option<String>,
    #[serde(default)]
    is_on_biz_app: bool,
}

#[derive(Deserialize)]
struct Throughput {
    level: Option<String>,
}

impl NumberAnswer {
    /// `None` where it has no phone number: nobody can use it.
    pub(crate) fn number(self) -> Option<PlatformNumber> {
        let display_phone_number = E164::from_digits_in(self.display_phone_number.as_deref().unwrap_or_default())?;
        Some(PlatformNumber {
            id: self.id,
            display_phone_number,
            is_verified: self.code_verification_status.as_deref() == Some("VERIFIED"),
            is_connected: is_connected(self.status.as_deref(), self.platform_type.as_deref()),
            is_in_use: self.status.as_deref() == Some("CONNECTED"),
            is_on_business_app: self.is_on_biz_app,
            quality_rating: self.quality_rating,
            throughput_tier: self.throughput.and_then(|throughput| throughput.level),
            name_status: self.name_status.and_then(name_status),
            verified_name: self.verified_name,
        })
    }
}

/// Whether it is registered with the API; states such as `FLAGGED` do not tell.
fn is_connected(status: Option<&str>, platform_type: Option<&str>) -> Option<bool> {
    match status? {
        "CONNECTED" => Some(platform_type == Some("CLOUD_API")),
        "PENDING" | "DISCONNECTED" | "UNVERIFIED" | "DELETED" | "MIGRATED" => Some(false),
        _ => None,
    }
}

/// The platform's reviews of display names in our words.
fn name_status(platform: String) -> Option<String> {
    match platform.as_str() {
        "NONE" => None,
        "AVAILABLE_WITHOUT_REVIEW" => Some("APPROVED".to_owned()),
        "DECLINED" | "EXPIRED" => Some("REJECTED".to_owned()),
        "PENDING_REVIEW" => Some("PENDING".to_owned()),
        _ => Some(platform),
    }
}

#[derive(Deserialize)]
pub(crate) struct TemplateAnswer {
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

#[derive(Deserialize)]
pub(crate) struct GroupAnswer {
    pub(crate) request_id: String,
}

#[derive(Deserialize)]
pub(crate) struct MediaAnswer {
    pub(crate) url: String,
    pub(crate) mime_type: Option<String>,
    pub(crate) sha256: Option<String>,
}

#[derive(Deserialize)]
pub(crate) struct HealthAnswer {
    health_status: Health,
}

#[derive(Deserialize)]
struct Health {
    #[serde(default)]
    entities: Vec<Entity>,
}

#[derive(Deserialize)]
struct Entity {
    entity_type: Value,
    #[serde(deserialize_with = "id")]
    id: String,
    can_send_message: Value,
    can_receive_call_sip: Option<Value>,
    #[serde(default)]
    additional_info: Vec<String>,
    #[serde(default)]
    errors: Vec<EntityError>,
}

#[derive(Deserialize)]
struct EntityError {
    error_code: i64,
    #[serde(default)]
    error_description: String,
    #[serde(default)]
    possible_solution: String,
}

impl HealthAnswer {
    /// The whole is judged by what can send messages: the platform's own sum counts calls too. Kinds of entities and states
    /// that the specification does not know are left out.
    pub(crate) fn status(self) -> HealthStatus {
        HealthStatus::of(self.health_status.entities.into_iter().filter_map(Entity::known).collect())
    }
}

impl Entity {
    fn known(self) -> Option<HealthEntity> {
        let availability: Availability = serde_json::from_value(self.can_send_message).ok()?;
        let entity_type: EntityType = serde_json::from_value(self.entity_type).ok()?;
        let errors = self.errors.into_iter().map(|error| HealthError {
            error_code: error.error_code,
            error_description: error.error_description,
            possible_solution: error.possible_solution,
        });
        Some(HealthEntity {
            entity_type,
            id: self.id,
            state: EntityState::new(availability, self.additional_info, errors.collect()),
            can_receive_call_sip: self.can_receive_call_sip.and_then(|sip| serde_json::from_value(sip).ok()),
        })
    }
}
