//! Connecting accounts with the simulated platform. The beginnings of codes and access tokens select the errors.

use async_trait::async_trait;
use domain::chat::AppData;
use domain::error::provider::Provider;
use domain::identity::credential::Secret;

use super::{Account, Connecting, Permission, TokenApp, TokenInfo};
use crate::error::{PlatformError, PlatformResult};
use crate::simulator::{SIMULATED_TOKEN, Simulator, requested_error, require_account};
use crate::vault::AccessToken;

/// The beginnings of codes and access tokens that the simulated platform does not accept, or only with limits.
const REFUSED: &str = "refuse";
const OTHER_APP: &str = "other-app";
const OTHER_ACCOUNT: &str = "other-account";
const NO_MANAGEMENT: &str = "no-management";
const NO_MESSAGING: &str = "no-messaging";
const DEFAULT_ACCOUNT: &str = "1001";

#[async_trait]
impl Connecting for Simulator {
    async fn exchange_code(&self, code: &str, _redirect_uri: Option<&str>) -> PlatformResult<AccessToken> {
        requested_error(code)?;
        if code.starts_with(REFUSED) {
            let message = "This authorization code has been used or has expired (simulated).";
            return Err(PlatformError::Rejected(Provider::platform(100, message, None)));
        }
        Ok(Secret::new(SIMULATED_TOKEN))
    }

    async fn inspect_token(&self, token: &AccessToken) -> PlatformResult<TokenInfo> {
        requested_error(token.expose())?;
        let lacks = |fault: &str| token.expose().starts_with(fault);
        let granted = |fault: &str| if lacks(fault) { Permission::Missing } else { Permission::AllAccounts };
        let elsewhere = |granted: Permission| match granted {
            Permission::AllAccounts if lacks(OTHER_ACCOUNT) => Permission::Accounts(Vec::new()),
            granted => granted,
        };
        Ok(TokenInfo {
            is_valid: !lacks(REFUSED),
            app: Some(if lacks(OTHER_APP) { TokenApp::Other } else { TokenApp::Own }),
            expires_at: None,
            management: elsewhere(granted(NO_MANAGEMENT)),
            messaging: elsewhere(granted(NO_MESSAGING)),
            newest_account: Some(DEFAULT_ACCOUNT.to_owned()),
        })
    }

    async fn account(&self, _token: &AccessToken, account: &str) -> PlatformResult<Account> {
        require_account(account)?;
        Ok(Account {
            id: account.to_owned(),
            name: format!("Simulated business {account}"),
            owner_business_id: Some(format!("9{account}")),
        })
    }

    async fn subscribe(&self, _token: &AccessToken, account: &str) -> PlatformResult<()> {
        require_account(account)
    }

    async fn request_app_data(&self, _token: &AccessToken, _number: &str, _data: AppData) -> PlatformResult<bool> {
        Ok(true)
    }

    async fn unsubscribe(&self, _token: &AccessToken, account: &str) -> PlatformResult<()> {
        require_account(account)
    }
}
