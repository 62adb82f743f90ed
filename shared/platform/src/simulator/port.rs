//! The calls of the port, as the simulated platform responds to them.

use async_trait::async_trait;
use domain::E164;
use domain::chat::{JoinApprovalMode, ReviewOutcome};
use domain::credential::Secret;
use domain::playground::SIMULATED_WABA_ID;
use domain::provider::{HealthStatus, Provider};
use domain::simulated_recipient::SimulatedRecipient;
use serde_json::Value;

use super::errors::{no_such_object, requested_error, requested_error_in_text, require_account};
use super::names::{APPROVAL_GROUP, display_number, invite_link, random_hex, simulated_message_id};
use super::{SIMULATED_TOKEN, Simulator};
use crate::error::PlatformResult;
use crate::{
    AccessToken, Account, CreatedGroup, Download, GroupRequest, MediaLocation, NewGroup, Permission, Platform,
    PlatformError, PlatformNumber, TemplatePage, TokenApp, TokenInfo, failure_of_code,
};

/// The beginnings of codes and access tokens that the simulated platform does not accept, or only with limits.
const REFUSED: &str = "refuse";
const OTHER_APP: &str = "other-app";
const OTHER_ACCOUNT: &str = "other-account";
const NO_MANAGEMENT: &str = "no-management";
const NO_MESSAGING: &str = "no-messaging";
const DEFAULT_ACCOUNT: &str = "1001";
const TEMPLATES_PER_PAGE: usize = 3;
/// The field of a message that the platform repeats in all its statuses.
const CALLBACK_DATA: &str = "biz_opaque_callback_data";

#[async_trait]
impl Platform for Simulator {
    async fn exchange_code(&self, code: &str, _redirect_uri: Option<&str>) -> PlatformResult<AccessToken> {
        requested_error(code)?;
        if code.starts_with(REFUSED) {
            let message = "This authorization code has been used or has expired (simulated).";
            return Err(PlatformError::Rejected(Provider::platform(100, message, None)));
        }
        Ok(Secret::new(SIMULATED_TOKEN.to_owned()))
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

    async fn phone_numbers(&self, _token: &AccessToken, account: &str) -> PlatformResult<Vec<PlatformNumber>> {
        require_account(account)?;
        // The playground's numbers are created with its apps.
        let count = match (account == SIMULATED_WABA_ID, self.syncs) {
            (true, _) => 0,
            (false, 0) => 2,
            // The third number appears after the first template sync, as if it was added after the signup.
            (false, _) => 3,
        };
        let number = |index: u32| PlatformNumber {
            id: format!("{account}{:02}", index + 1),
            display_phone_number: display_number(account, index).parse().unwrap_or_else(|_| unreachable!("fixed form")),
            // The second number must be verified before it can be registered.
            is_verified: index != 1,
            // The simulator does not store registrations; those in the table count.
            is_connected: None,
            is_in_use: false,
            is_on_business_app: false,
            quality_rating: Some("GREEN".to_owned()),
            throughput_tier: Some("STANDARD".to_owned()),
            name_status: Some(ReviewOutcome::Approved.into()),
            verified_name: Some(format!("Simulated business {account}")),
        };
        Ok((0..count).map(number).collect())
    }

    async fn subscribe(&self, _token: &AccessToken, account: &str) -> PlatformResult<()> {
        require_account(account)
    }

    async fn unsubscribe(&self, _token: &AccessToken, account: &str) -> PlatformResult<()> {
        require_account(account)
    }

    async fn register(&self, _token: &AccessToken, _number: &str, _pin: &Secret) -> PlatformResult<()> {
        Ok(())
    }

    async fn templates(
        &self,
        _token: &AccessToken,
        account: &str,
        after: Option<&str>,
    ) -> PlatformResult<TemplatePage> {
        require_account(account)?;
        let all = self.all_templates(account).await?;
        let start = after.and_then(|after| after.parse().ok()).unwrap_or(0).min(all.len());
        let end = (start + TEMPLATES_PER_PAGE).min(all.len());
        let after = (end < all.len()).then(|| end.to_string());
        Ok(TemplatePage { templates: all[start..end].to_vec(), after })
    }

    async fn send(
        &self,
        _token: &AccessToken,
        _app_secret: &Secret,
        number: &str,
        message: &Value,
    ) -> PlatformResult<String> {
        let is_person = message["recipient_type"] == "individual";
        let to = message["to"].as_str().filter(|_| is_person).and_then(|to| to.parse::<E164>().ok());
        if let Some(SimulatedRecipient::Refused(code)) = to.as_ref().map(SimulatedRecipient::of) {
            return Err(failure_of_code(code));
        }
        let is_template = message["type"] == "template";
        if is_template {
            self.expect_template(&message["template"]).await?;
        }
        if let (Some(memory), Some(to)) = (&self.memory, to) {
            memory.decide(number, &to, is_template).await?;
        }
        Ok(simulated_message_id(message[CALLBACK_DATA].as_str().unwrap_or_default()))
    }

    async fn mark_read(
        &self,
        _token: &AccessToken,
        _number: &str,
        _message: &str,
        _is_typing: bool,
    ) -> PlatformResult<()> {
        Ok(())
    }

    async fn create_group(
        &self,
        _token: &AccessToken,
        _number: &str,
        group: &NewGroup,
    ) -> PlatformResult<GroupRequest> {
        requested_error_in_text(&group.subject)?;
        let id = random_hex();
        let prefix = match group.join_approval_mode {
            JoinApprovalMode::AutoApprove => "group-",
            JoinApprovalMode::ApprovalRequired => APPROVAL_GROUP,
        };
        Ok(GroupRequest {
            request_id: format!("request-{id}"),
            created: Some(CreatedGroup { invite_link: invite_link(&id), id: format!("{prefix}{id}") }),
        })
    }

    async fn remove_participants(
        &self,
        _token: &AccessToken,
        _group: &str,
        participants: &[String],
    ) -> PlatformResult<()> {
        participants.iter().try_for_each(|participant| requested_error(participant))
    }

    async fn health(&self, _token: &AccessToken, node: &str) -> PlatformResult<HealthStatus> {
        Ok(HealthStatus::restricted(node))
    }

    async fn media(&self, _token: &AccessToken, _media: &str) -> PlatformResult<MediaLocation> {
        Err(PlatformError::Rejected(no_such_object()))
    }

    async fn download(&self, _token: &AccessToken, _url: &str, _max_bytes: u64) -> PlatformResult<Download> {
        Err(PlatformError::Rejected(no_such_object()))
    }
}
