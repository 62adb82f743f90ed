//! The simulated platform of test mode. It makes no network calls; docs/test-mode.md describes its responses.

use async_trait::async_trait;
use domain::credential::Secret;
use domain::playground::SIMULATED_WABA_ID;
use domain::port::random_bytes;
use domain::provider::{Availability, EntityState, EntityType, HealthEntity, HealthError, HealthStatus, Provider};
use ring::rand::SystemRandom;
use serde_json::json;

use crate::port::PlatformResult;
use crate::{
    AccessToken, Account, CreatedGroup, Download, GroupRequest, MediaLocation, NewGroup, Platform, PlatformError,
    PlatformNumber, PlatformTemplate, TemplatePage, TokenInfo, failure_of_code,
};

/// The access token of every simulated profile.
pub const SIMULATED_TOKEN: &str = "simulated";
/// The two-step verification PIN of every simulated number.
pub const SIMULATED_PIN: &str = "000000";
const DEFAULT_ACCOUNT: &str = "1001";
/// The number of digits in the platform's longest error code.
pub const LONGEST_CODE: usize = 7;
const TEMPLATES_PER_PAGE: usize = 3;

/// The simulated platform. Its only state is the number of template syncs that the profile has had.
pub struct Simulator {
    syncs: u32,
}

impl Simulator {
    /// Returns the platform for a profile that has had this many syncs.
    pub fn new(syncs: u32) -> Self {
        Simulator { syncs }
    }

    fn template_list(&self, account: &str) -> Vec<PlatformTemplate> {
        let syncs = self.syncs;
        let template = |number: u32, name: &str, category: &str, status: &str, text: String| PlatformTemplate {
            id: format!("{account}{number:05}"),
            name: name.to_owned(),
            language: "en_US".to_owned(),
            category: category.to_owned(),
            status: status.to_owned(),
            components: json!([{"type": "BODY", "text": text}]),
            parameter_format: Some("POSITIONAL".to_owned()),
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
}

/// Fails with the platform's error 131026 if the value ends in `-131026`, and likewise for other codes.
fn requested_error(value: &str) -> PlatformResult<()> {
    let digits = value.rsplit_once('-').map(|(_, code)| code).filter(|code| code.len() <= LONGEST_CODE);
    let code = digits.and_then(|code| code.parse().ok());
    code.map_or(Ok(()), |code: i64| Err(failure_of_code(code)))
}

/// Accepts every id that consists of digits, as the platform's ids do.
fn require_account(account: &str) -> PlatformResult<()> {
    let is_id = (1..=20).contains(&account.len()) && account.bytes().all(|byte| byte.is_ascii_digit());
    if is_id { Ok(()) } else { Err(PlatformError::Rejected(no_such_object())) }
}

fn no_such_object() -> Provider {
    Provider::platform(100, "Unsupported request: no such object, or no permission for it (simulated).", None)
}

fn random_hex() -> String {
    domain::credential::hex(&random_bytes::<12>(&SystemRandom::new()))
}

/// Returns one of an account's three numbers, from the range that Ofcom reserves for drama: +44 7700 900000 to 900999.
fn display_number(account: &str, index: u32) -> String {
    let spread = account.bytes().fold(7_u32, |hash, byte| hash.wrapping_mul(31).wrapping_add(u32::from(byte)));
    format!("+447700900{:03}", spread % 333 * 3 + index)
}

#[async_trait]
impl Platform for Simulator {
    async fn exchange_code(&self, code: &str, _redirect_uri: Option<&str>) -> PlatformResult<AccessToken> {
        requested_error(code)?;
        if code.starts_with("refuse") {
            let message = "This authorization code has been used or has expired (simulated).";
            return Err(PlatformError::Rejected(Provider::platform(100, message, None)));
        }
        Ok(Secret::new(SIMULATED_TOKEN.to_owned()))
    }

    async fn inspect_token(&self, _token: &AccessToken) -> PlatformResult<TokenInfo> {
        Ok(TokenInfo {
            is_valid: true,
            expires_at: None,
            accounts: None,
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
            // The third number was added after the signup.
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
            name_status: Some("APPROVED".to_owned()),
            verified_name: Some(format!("Simulated business {account}")),
        };
        Ok((0..count).map(number).collect())
    }

    async fn subscribe(&self, _token: &AccessToken, account: &str) -> PlatformResult<()> {
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
        let all = self.template_list(account);
        let start = after.and_then(|after| after.parse().ok()).unwrap_or(0).min(all.len());
        let end = (start + TEMPLATES_PER_PAGE).min(all.len());
        let after = (end < all.len()).then(|| end.to_string());
        Ok(TemplatePage { templates: all[start..end].to_vec(), after })
    }

    async fn create_group(
        &self,
        _token: &AccessToken,
        _number: &str,
        group: &NewGroup,
    ) -> PlatformResult<GroupRequest> {
        requested_error(&group.subject)?;
        let id = random_hex();
        Ok(GroupRequest {
            request_id: format!("request-{id}"),
            created: Some(CreatedGroup {
                invite_link: format!("https://example.com/invite/{id}"),
                id: format!("group-{id}"),
            }),
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
        let error = HealthError {
            error_code: 141_014,
            error_description: "The business account is restricted (simulated).".to_owned(),
            possible_solution: "Ask for a review in the platform's business manager (simulated).".to_owned(),
        };
        Ok(HealthStatus::of(vec![HealthEntity {
            entity_type: EntityType::Waba,
            id: node.to_owned(),
            state: EntityState::new(Availability::Blocked, Vec::new(), vec![error]),
            can_receive_call_sip: None,
        }]))
    }

    async fn media(&self, _token: &AccessToken, _media: &str) -> PlatformResult<MediaLocation> {
        Err(PlatformError::Rejected(no_such_object()))
    }

    async fn download(&self, _token: &AccessToken, _url: &str, _max_bytes: u64) -> PlatformResult<Download> {
        Err(PlatformError::Rejected(no_such_object()))
    }
}
