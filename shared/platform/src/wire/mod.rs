//! The platform's responses. Unknown enumeration values are accepted, fields that may be absent are optional, and ids
//! may be strings or numbers.

mod health;
mod management;
mod number;
mod template;

use domain::Timestamp;
use domain::provider::Provider;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::{Account, TokenInfo};

pub(crate) use health::HealthResponse;
pub(crate) use management::{
    BlockResponse, BlockedUser, DecisionResponse, InviteLinkResponse, JoinRequestResponse, PROFILE_FIELDS,
    ProfileResponse,
};
pub(crate) use number::{NUMBER_FIELDS, NumberResponse};
pub(crate) use template::{TEMPLATE_FIELDS, TemplateResponse};

pub(crate) const ACCOUNT_FIELDS: &str = "id,name,owner_business_info";

/// Deserializes an id from a string or a number.
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
pub(crate) struct ErrorResponse {
    error: GraphError,
}

#[derive(Deserialize)]
struct GraphError {
    code: Option<i64>,
    #[serde(default)]
    message: String,
    fbtrace_id: Option<String>,
}

impl ErrorResponse {
    pub(crate) fn names_a_code(&self) -> bool {
        self.error.code.is_some()
    }

    /// Returns the provider details of the error. The HTTP status replaces a missing code. Secrets are removed from the
    /// message, because the platform has been seen to repeat what was sent.
    pub(crate) fn provider(self, status: u16, secrets: &[&str]) -> Provider {
        let error = self.error;
        let hide = |text: String, secret: &&str| {
            if secret.is_empty() { text } else { text.replace(*secret, "[removed]") }
        };
        let message = secrets.iter().fold(error.message, hide);
        Provider::platform(error.code.unwrap_or(i64::from(status)), &message, error.fbtrace_id).with_http_status(status)
    }
}

#[derive(Deserialize)]
pub(crate) struct TokenResponse {
    pub(crate) access_token: String,
}

#[derive(Deserialize)]
pub(crate) struct Data<T> {
    pub(crate) data: T,
}

/// The scope whose targets are accounts, the most recently connected first.
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
    /// Returns the information about the token. A token of another app is invalid here. Its permissions are not
    /// checked, because the names of scopes change; a missing permission shows when the token is used.
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
pub(crate) struct AccountResponse {
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

impl From<AccountResponse> for Account {
    fn from(response: AccountResponse) -> Self {
        let owner_business_id = response.owner_business_info.map(|owner| owner.id);
        Account { id: response.id, name: response.name, owner_business_id }
    }
}

/// A page of a list. It is the last page if `next` is absent; a short page may be followed by others.
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
    /// Returns the cursor of the next page. `Err`: there is a next page, but no cursor.
    pub(crate) fn after(&self) -> Result<Option<String>, ()> {
        let Some(paging) = self.paging.as_ref().filter(|paging| paging.next.is_some()) else { return Ok(None) };
        let after = paging.cursors.as_ref().and_then(|cursors| cursors.after.clone());
        after.filter(|after| !after.is_empty()).map(Some).ok_or(())
    }
}

#[derive(Deserialize)]
pub(crate) struct GroupResponse {
    pub(crate) request_id: String,
}

/// The response to a message. Each message has one recipient or group, and so one entry.
#[derive(Deserialize)]
pub(crate) struct SendResponse {
    messages: Vec<SentMessage>,
}

#[derive(Deserialize)]
struct SentMessage {
    id: String,
}

impl SendResponse {
    /// Returns the platform's id of the message; `None` if the response has none.
    pub(crate) fn id(self) -> Option<String> {
        self.messages.into_iter().map(|message| message.id).find(|id| !id.is_empty())
    }
}

#[derive(Deserialize)]
pub(crate) struct MediaResponse {
    pub(crate) url: String,
    pub(crate) mime_type: Option<String>,
    pub(crate) sha256: Option<String>,
}
