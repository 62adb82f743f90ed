//! The simulated platform of test mode. It makes no network calls; docs/test-mode.md describes its responses.

use std::time::Duration;

use async_trait::async_trait;
use domain::chat::{JoinApprovalMode, ReviewOutcome};
use domain::credential::{Secret, hex};
use domain::playground::SIMULATED_WABA_ID;
use domain::port::random_bytes;
use domain::provider::{HealthStatus, Provider};
use domain::simulated_recipient::SimulatedRecipient;
use domain::{E164, Failure, Timestamp};
use ring::digest::{SHA256, digest};
use ring::rand::SystemRandom;
use serde_json::{Value, json};
use store::OrganizationStore;

use crate::error::PlatformResult;
use crate::inspection::SimulatedState;
use crate::{
    AccessToken, Account, CreatedGroup, Download, GroupRequest, MediaLocation, NewGroup, Permission, Platform,
    PlatformError, PlatformNumber, PlatformTemplate, TemplatePage, TokenApp, TokenInfo, failure_of_code,
};

/// The access token of every simulated profile.
pub const SIMULATED_TOKEN: &str = "simulated";
/// The two-step verification PIN of every simulated number.
pub const SIMULATED_PIN: &str = "000000";
/// The beginnings of codes and access tokens that the simulated platform does not accept, or only with limits.
const REFUSED: &str = "refuse";
const OTHER_APP: &str = "other-app";
const OTHER_ACCOUNT: &str = "other-account";
const NO_MANAGEMENT: &str = "no-management";
const NO_MESSAGING: &str = "no-messaging";
const DEFAULT_ACCOUNT: &str = "1001";
/// The number of digits in the platform's longest error code.
pub const LONGEST_CODE: usize = 7;
/// The fewest digits of an error code that ends a text.
const SHORTEST_CODE_IN_TEXT: usize = 3;
const TEMPLATES_PER_PAGE: usize = 3;
/// The field of a message that the platform repeats in all its statuses.
const CALLBACK_DATA: &str = "biz_opaque_callback_data";

/// How long after a contact's last message the simulated platform takes messages that are no templates.
pub(crate) const CONVERSATION_WINDOW: Duration = Duration::from_secs(24 * 3600);
/// How many messages it refuses to a recipient whose number has a limit.
const PAIR_REFUSALS: u32 = 3;
pub(crate) const WINDOW_CLOSED: i64 = 131_047;
const PAIR_LIMIT: i64 = 131_056;
/// The beginning of the ids of groups whose participants need approval.
pub(crate) const APPROVAL_GROUP: &str = "group-approval-";
const USER_BLOCKED: i64 = 130_403;

/// The simulated platform. Its state is the number of template syncs that the profile has had, and what it remembers of
/// its numbers.
pub struct Simulator {
    syncs: u32,
    /// The account in whose name messages are sent.
    pub(crate) account: Option<String>,
    memory: Option<Memory>,
    pub(crate) state: Option<SimulatedState>,
}

/// What the simulated platform remembers of the organization's numbers, in the table.
pub(crate) struct Memory {
    pub(crate) organization: OrganizationStore,
    pub(crate) now: Timestamp,
}

impl Simulator {
    /// Returns the platform for a profile that has had this many syncs.
    pub fn new(syncs: u32) -> Self {
        Simulator { syncs, account: None, memory: None, state: None }
    }

    /// Returns the platform with what it remembers of the organization's numbers.
    #[must_use]
    pub fn remembering(self, organization: OrganizationStore, now: Timestamp) -> Self {
        Simulator { memory: Some(Memory { organization, now }), ..self }
    }

    /// Returns the platform for messages of this account, which are sent with the account's templates.
    #[must_use]
    pub fn sending_for(self, account: &str) -> Self {
        Simulator { account: Some(account.to_owned()), ..self }
    }

    /// Returns the platform with the state of one account.
    #[must_use]
    pub(crate) fn knowing(self, state: SimulatedState) -> Self {
        Simulator { state: Some(state), ..self }
    }

    pub(crate) fn memory(&self) -> PlatformResult<&Memory> {
        self.memory.as_ref().ok_or_else(|| Failure::internal("the simulated platform remembers nothing here").into())
    }

    /// Returns the templates that every account has.
    pub(crate) fn own_templates(&self, account: &str) -> Vec<PlatformTemplate> {
        let syncs = self.syncs;
        let template = |number: u32, name: &str, category: &str, status: &str, text: String| PlatformTemplate {
            id: format!("{account}{number:05}"),
            name: name.to_owned(),
            language: "en_US".to_owned(),
            category: category.to_owned(),
            status: status.to_owned(),
            components: json!([{"type": "BODY", "text": text}]),
            parameter_format: Some("POSITIONAL".to_owned()),
            message_send_ttl_seconds: None,
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
pub(crate) fn requested_error(value: &str) -> PlatformResult<()> {
    let digits = value.rsplit_once('-').map(|(_, code)| code).filter(|code| code.len() <= LONGEST_CODE);
    let code = digits.and_then(|code| code.parse().ok());
    code.map_or(Ok(()), |code: i64| Err(failure_of_code(code)))
}

/// Fails like [`requested_error`], but only with codes of three digits or more: a text may end in `9-5`.
pub(crate) fn requested_error_in_text(text: &str) -> PlatformResult<()> {
    let has_code = text.rsplit_once('-').is_some_and(|(_, code)| code.len() >= SHORTEST_CODE_IN_TEXT);
    if has_code { requested_error(text) } else { Ok(()) }
}

/// Returns the id that the simulated platform gives a message with these callback data.
pub fn simulated_message_id(callback_data: &str) -> String {
    let digest = hex(digest(&SHA256, callback_data.as_bytes()).as_ref());
    format!("wamid.simulated.{}", &digest[..24])
}

impl Memory {
    /// Fails if the platform refuses a message to this recipient for what it remembers of it, or if its response is lost.
    async fn decide(&self, number: &str, to: &E164, is_template: bool) -> PlatformResult<()> {
        let recipient = SimulatedRecipient::of(to);
        let is_limited = recipient == SimulatedRecipient::PairLimited
            && self.organization.refuse_to_simulated_contact(number, to, PAIR_REFUSALS).await?;
        if is_limited {
            return Err(failure_of_code(PAIR_LIMIT));
        }
        let contact = self.organization.simulated_contact(number, to).await?;
        if contact.blocked_at.is_some() {
            return Err(failure_of_code(USER_BLOCKED));
        }
        // The window of a contact that has never written is open, so that a first message needs no preparation.
        let is_window_closed = contact.wrote_at.is_some_and(|at| at.plus(CONVERSATION_WINDOW) <= self.now);
        if !is_template && is_window_closed {
            return Err(failure_of_code(WINDOW_CLOSED));
        }
        if matches!(recipient, SimulatedRecipient::LostResponse | SimulatedRecipient::Silent) {
            return Err(PlatformError::Unreachable { why: "did not respond in time", was_sent: true });
        }
        Ok(())
    }
}

/// Accepts every id that consists of digits, as the platform's ids do.
fn require_account(account: &str) -> PlatformResult<()> {
    let is_id = (1..=20).contains(&account.len()) && account.bytes().all(|byte| byte.is_ascii_digit());
    if is_id { Ok(()) } else { Err(PlatformError::Rejected(no_such_object())) }
}

fn no_such_object() -> Provider {
    Provider::platform(100, "Unsupported request: no such object, or no permission for it (simulated).", None)
}

pub(crate) fn invite_link(own_part: &str) -> String {
    format!("https://example.com/invite/{own_part}")
}

pub(crate) fn random_hex() -> String {
    hex(&random_bytes::<12>(&SystemRandom::new()))
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
