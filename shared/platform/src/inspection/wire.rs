//! The responses about the state of tokens, accounts, subscriptions and numbers.

use domain::Timestamp;
use serde::Deserialize;

use super::health::Health;
use super::{AccountState, AppSubscription, NumberState, Subscription, TokenPermission, TokenState};
use crate::graph::id;

pub(super) const ACCOUNT_STATE_FIELDS: &str = "id,account_review_status,health_status";
pub(super) const NUMBER_STATE_FIELDS: &str = "id,status,platform_type,code_verification_status,quality_rating,\
    name_status,whatsapp_business_manager_messaging_limit";
/// The object of the app's subscriptions that all notifications belong to.
const ACCOUNTS_OBJECT: &str = "whatsapp_business_account";

#[derive(Deserialize)]
pub(super) struct TokenStateResponse {
    app_id: Option<String>,
    #[serde(default)]
    is_valid: bool,
    expires_at: Option<i64>,
    data_access_expires_at: Option<i64>,
    #[serde(default)]
    scopes: Vec<String>,
    #[serde(default)]
    granular_scopes: Vec<GranularScope>,
}

#[derive(Deserialize)]
struct GranularScope {
    scope: String,
    target_ids: Option<Vec<String>>,
}

impl TokenStateResponse {
    /// Returns the state of the token. Access to data may end earlier than the token, which is then of no use.
    pub(super) fn state(self, app_id: &str) -> TokenState {
        let ends = [self.expires_at, self.data_access_expires_at].into_iter().flatten().filter(|at| *at > 0).min();
        let granular = |name: &str| self.granular_scopes.iter().find(|granular| granular.scope == name);
        let mut permissions: Vec<TokenPermission> = self
            .granular_scopes
            .iter()
            .map(|granular| TokenPermission { name: granular.scope.clone(), accounts: granular.target_ids.clone() })
            .collect();
        let others = self.scopes.iter().filter(|scope| granular(scope).is_none());
        permissions.extend(others.map(|scope| TokenPermission { name: scope.clone(), accounts: None }));
        TokenState {
            is_valid: self.is_valid,
            is_of_this_app: self.app_id.is_none_or(|id| id == app_id),
            ends_at: ends.map(|at| Timestamp::from_millis(at.saturating_mul(1000))),
            permissions,
        }
    }
}

#[derive(Deserialize)]
pub(super) struct AccountStateResponse {
    account_review_status: Option<String>,
    #[serde(default)]
    health_status: Health,
}

impl From<AccountStateResponse> for AccountState {
    fn from(response: AccountStateResponse) -> Self {
        AccountState { review: response.account_review_status, health: response.health_status.status() }
    }
}

/// An app that gets the notifications of an account.
#[derive(Deserialize)]
pub(super) struct SubscribedApp {
    #[serde(rename = "whatsapp_business_api_data")]
    app: AppData,
    override_callback_uri: Option<String>,
}

#[derive(Deserialize)]
struct AppData {
    #[serde(deserialize_with = "id")]
    id: String,
}

impl SubscribedApp {
    pub(super) fn is(&self, app_id: &str) -> bool {
        self.app.id == app_id
    }
}

impl From<SubscribedApp> for Subscription {
    fn from(app: SubscribedApp) -> Self {
        Subscription { callback_override: app.override_callback_uri.filter(|uri| !uri.is_empty()) }
    }
}

/// A subscription of the app to notifications about a kind of object.
#[derive(Deserialize)]
pub(super) struct AppSubscriptionResponse {
    object: String,
    #[serde(default)]
    callback_url: String,
    active: Option<bool>,
    #[serde(default)]
    fields: Vec<SubscribedField>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum SubscribedField {
    Named { name: String },
    Name(String),
}

impl AppSubscriptionResponse {
    pub(super) fn is_of_accounts(&self) -> bool {
        self.object == ACCOUNTS_OBJECT
    }
}

impl From<AppSubscriptionResponse> for AppSubscription {
    fn from(response: AppSubscriptionResponse) -> Self {
        let name = |field| match field {
            SubscribedField::Named { name } | SubscribedField::Name(name) => name,
        };
        AppSubscription {
            callback_url: response.callback_url,
            is_active: response.active.unwrap_or(true),
            fields: response.fields.into_iter().map(name).collect(),
        }
    }
}

#[derive(Deserialize)]
pub(super) struct NumberStateResponse {
    #[serde(deserialize_with = "id")]
    id: String,
    status: Option<String>,
    platform_type: Option<String>,
    code_verification_status: Option<String>,
    quality_rating: Option<String>,
    name_status: Option<String>,
    whatsapp_business_manager_messaging_limit: Option<String>,
}

impl From<NumberStateResponse> for NumberState {
    fn from(response: NumberStateResponse) -> Self {
        NumberState {
            id: response.id,
            status: response.status,
            platform_type: response.platform_type,
            verification: response.code_verification_status,
            quality: response.quality_rating,
            name_status: response.name_status,
            limit: response.whatsapp_business_manager_messaging_limit,
        }
    }
}
