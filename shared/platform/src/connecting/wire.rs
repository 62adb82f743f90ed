//! Access tokens, as the platform issues and describes them, and accounts.

use domain::Timestamp;
use serde::Deserialize;

use super::{Account, Permission, TokenApp, TokenInfo};
use crate::graph::id;

pub(super) const ACCOUNT_FIELDS: &str = "id,name,owner_business_info";

/// The permission whose targets are accounts, the most recently connected first.
const MANAGEMENT: &str = "whatsapp_business_management";
const MESSAGING: &str = "whatsapp_business_messaging";

#[derive(Deserialize)]
pub(super) struct TokenResponse {
    pub(super) access_token: String,
}

/// The response to `debug_token`.
#[derive(Deserialize)]
pub(super) struct DebugToken {
    app_id: Option<String>,
    #[serde(default)]
    is_valid: bool,
    expires_at: Option<i64>,
    #[serde(default)]
    scopes: Vec<String>,
    #[serde(default)]
    granular_scopes: Vec<GranularScope>,
}

/// A permission with its targets. Without targets it applies to all accounts.
#[derive(Deserialize)]
struct GranularScope {
    scope: String,
    target_ids: Option<Vec<String>>,
}

impl DebugToken {
    /// Returns the information about the token; `own_app` is the id of this installation's app.
    pub(super) fn info(self, own_app: &str) -> TokenInfo {
        let management = self.permission(MANAGEMENT);
        TokenInfo {
            is_valid: self.is_valid,
            app: self.app_id.as_ref().map(|id| if id == own_app { TokenApp::Own } else { TokenApp::Other }),
            expires_at: self.expires_at.filter(|at| *at > 0).map(|at| Timestamp::from_millis(at.saturating_mul(1000))),
            newest_account: match &management {
                Permission::Accounts(accounts) => accounts.first().cloned(),
                Permission::Missing | Permission::AllAccounts => None,
            },
            management,
            messaging: self.permission(MESSAGING),
        }
    }

    fn permission(&self, name: &str) -> Permission {
        let granular = self.granular_scopes.iter().find(|granted| granted.scope == name);
        match granular.map(|granted| &granted.target_ids) {
            Some(Some(accounts)) => Permission::Accounts(accounts.clone()),
            Some(None) => Permission::AllAccounts,
            None if self.scopes.iter().any(|scope| scope == name) => Permission::AllAccounts,
            None => Permission::Missing,
        }
    }
}

#[derive(Deserialize)]
pub(super) struct AccountResponse {
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

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn info(described: Value) -> TokenInfo {
        serde_json::from_value::<DebugToken>(described).expect("a token").info("670")
    }

    #[test]
    fn a_permission_applies_to_its_targets_or_to_all_accounts() {
        let told = info(json!({"is_valid": true, "app_id": "670", "expires_at": 0, "scopes": [MANAGEMENT, MESSAGING],
            "granular_scopes": [{"scope": MANAGEMENT, "target_ids": ["2", "1"]}, {"scope": MESSAGING}]}));
        assert_eq!((told.app, told.expires_at, told.newest_account.as_deref()), (Some(TokenApp::Own), None, Some("2")));
        assert!(told.management.covers("1") && !told.management.covers("3") && told.messaging.covers("3"));
        let told = info(json!({"is_valid": true, "app_id": "671", "scopes": [MESSAGING]}));
        assert_eq!((told.app, told.messaging), (Some(TokenApp::Other), Permission::AllAccounts));
        assert!(told.management == Permission::Missing && !told.management.covers("1"));
    }
}
