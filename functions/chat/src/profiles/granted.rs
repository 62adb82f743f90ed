//! The token of a signup, and the account that it gives access to.

use domain::{Failure, Timestamp};
use platform::{AccessToken, Permission, TokenApp, TokenInfo};

use super::grant::Grant;
use super::steps::{Run, Signup, about};

impl Run<'_> {
    /// Exchanges the code, or returns the token that the caller sent after inspecting it.
    pub(super) async fn granted_token(&mut self) -> Result<AccessToken, Failure> {
        match &self.signup.grant {
            Grant::Code { code, redirect_uri } => {
                let exchanged = self.platform().exchange_code(code.expose(), redirect_uri.as_deref()).await;
                exchanged.map_err(|error| about("code", error.into()))
            }
            Grant::Token { token, .. } => {
                let (account, expires_at) = self.find_account(token).await?;
                self.note(|state| {
                    state.waba_id = Some(account);
                    state.token_expires_at = expires_at;
                })
                .await?;
                Ok(token.clone())
            }
        }
    }

    /// Returns the account's id and when the token expires. The stored values are used if a previous request read the
    /// account.
    pub(super) async fn find_account(&self, token: &AccessToken) -> Result<(String, Option<Timestamp>), Failure> {
        if let Some(known) = &self.state.waba_id {
            return Ok((known.clone(), self.state.token_expires_at));
        }
        let param = self.signup.grant.param();
        let inspected = self.platform().inspect_token(token).await;
        let info = match (&self.signup.grant, inspected) {
            (Grant::Code { .. }, inspected) => inspected?,
            (Grant::Token { .. }, inspected) => inspected.map_err(|error| about(param, error.into()))?,
        };
        let account = match &self.signup.grant {
            Grant::Code { .. } => account_of(self.signup, &info)?,
            Grant::Token { account, .. } => sufficient(account, &info)?,
        };
        Ok((account, info.expires_at))
    }
}

/// Returns the account that the request names, else the one that was connected last.
fn account_of(signup: &Signup, info: &TokenInfo) -> Result<String, Failure> {
    if !info.is_valid || info.app == Some(TokenApp::Other) {
        let message = "The access token of this code is not valid for this installation's app. Start the signup again.";
        return Err(Failure::unprocessable(message).with_param("code"));
    }
    match (&signup.waba_id, &info.management) {
        (Some(named), Permission::Accounts(accounts)) if !accounts.contains(named) => {
            Err(Failure::invalid("wabaId", "wabaId must be an account that this signup granted access to."))
        }
        (Some(named), _) => Ok(named.clone()),
        (None, _) => info.newest_account.clone().ok_or_else(|| {
            Failure::invalid("wabaId", "wabaId is required, because the access token names no business account. The login flow reports it in its session info.")
        }),
    }
}

/// Returns the account if the token is sufficient to connect it.
fn sufficient(account: &str, info: &TokenInfo) -> Result<String, Failure> {
    let missing = missing(account, info);
    if missing.is_empty() {
        return Ok(account.to_owned());
    }
    let message = "This access token cannot connect the account. `additional_info` lists what it lacks.";
    Err(Failure::unprocessable(message).with_param("accessToken").with_hints(missing))
}

/// Returns the requirements that a token does not meet to connect the account, as texts for the caller.
fn missing(account: &str, info: &TokenInfo) -> Vec<String> {
    if !info.is_valid {
        return vec!["The token is not valid: it has expired, or was revoked. Generate a new one.".to_owned()];
    }
    let mut missing = Vec::new();
    if info.app != Some(TokenApp::Own) {
        let app = "The token was not issued for this installation's app, so it cannot subscribe it. Generate the token for that app.";
        missing.push(app.to_owned());
    }
    let permissions =
        [("whatsapp_business_management", &info.management), ("whatsapp_business_messaging", &info.messaging)];
    for (name, permission) in permissions {
        if *permission == Permission::Missing {
            missing.push(format!("The permission {name} is missing."));
        } else if !permission.covers(account) {
            let message = format!(
                "The permission {name} does not include the account {account}. Assign the account to the system user."
            );
            missing.push(message);
        }
    }
    missing
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info() -> TokenInfo {
        TokenInfo {
            is_valid: true,
            app: Some(TokenApp::Own),
            expires_at: None,
            management: Permission::AllAccounts,
            messaging: Permission::Accounts(vec!["1".to_owned()]),
            newest_account: None,
        }
    }

    #[test]
    fn all_missing_requirements_of_a_token_are_named_at_once() {
        assert!(missing("1", &info()).is_empty());
        assert_eq!(missing("2", &info()).len(), 1);
        let nothing = TokenInfo { app: None, management: Permission::Missing, ..info() };
        assert_eq!(missing("2", &nothing).len(), 3);
        let dead = TokenInfo { is_valid: false, ..nothing };
        assert!(missing("2", &dead)[0].contains("not valid") && missing("2", &dead).len() == 1);
    }
}
