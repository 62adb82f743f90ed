//! The shapes of the platform's answers. Every set of values is open, everything that is not always there is optional, and
//! ids may be text or numbers.

mod health;
mod number;
mod template;

use domain::Timestamp;
use domain::provider::Provider;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::{Account, TokenInfo};

pub(crate) use health::HealthAnswer;
pub(crate) use number::{NUMBER_FIELDS, NumberAnswer};
pub(crate) use template::{TEMPLATE_FIELDS, TemplateAnswer};

pub(crate) const ACCOUNT_FIELDS: &str = "id,name,owner_business_info";

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
pub(crate) struct GroupAnswer {
    pub(crate) request_id: String,
}

#[derive(Deserialize)]
pub(crate) struct MediaAnswer {
    pub(crate) url: String,
    pub(crate) mime_type: Option<String>,
    pub(crate) sha256: Option<String>,
}
