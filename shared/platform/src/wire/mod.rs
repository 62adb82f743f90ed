//! The platform's responses. Unknown enumeration values are accepted, fields that may be absent are optional, and ids
//! may be strings or numbers.

mod health;
mod management;
mod number;
mod template;
mod token;

use domain::provider::Provider;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::Account;

pub(crate) use health::{Health, HealthResponse};
pub(crate) use management::{
    BlockResponse, BlockedUser, DecisionResponse, InviteLinkResponse, JoinRequestResponse, PROFILE_FIELDS,
    ProfileResponse,
};
pub(crate) use number::{NUMBER_FIELDS, NumberResponse};
pub(crate) use template::{CreatedTemplateResponse, TEMPLATE_FIELDS, TemplateResponse};
pub(crate) use token::{DebugToken, TokenResponse};

pub(crate) const ACCOUNT_FIELDS: &str = "id,name,owner_business_info";

/// Deserializes an id from a string or a number.
pub(crate) fn id<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
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
    /// What is wrong, in words for a person. With templates, `message` alone is "Invalid parameter".
    error_user_msg: Option<String>,
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
        let message = match error.error_user_msg.filter(|details| !details.is_empty()) {
            Some(details) => format!("{}: {details}", error.message),
            None => error.message,
        };
        let message = secrets.iter().fold(message, hide);
        Provider::platform(error.code.unwrap_or(i64::from(status)), &message, error.fbtrace_id).with_http_status(status)
    }
}

#[derive(Deserialize)]
pub(crate) struct Data<T> {
    pub(crate) data: T,
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

/// A page of a list. It is the last page if `next` is absent, except as [`Edge::after_full_page`] says; a short page may be
/// followed by others.
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

    /// Returns the cursor of the next page of a list whose responses have cursors and, in the platform's examples, no `next`: a
    /// full page may then be followed by another one, which is empty at worst. `limit` and `before` are the limit and the
    /// cursor of the request.
    pub(crate) fn after_full_page(&self, limit: usize, before: Option<&str>) -> Result<Option<String>, ()> {
        match self.after()? {
            None if self.data.len() >= limit => {
                let cursors = self.paging.as_ref().and_then(|paging| paging.cursors.as_ref());
                let after = cursors.and_then(|cursors| cursors.after.clone());
                Ok(after.filter(|after| !after.is_empty() && Some(after.as_str()) != before))
            }
            next => Ok(next),
        }
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
