//! Sending with the simulated platform: the messages that it refuses, and its state of a number's contacts
//! (docs/test-mode.md).

use std::sync::Arc;

use async_trait::async_trait;
use domain::chat::{ChatBusinessProfile, ChatUser};
use domain::identity::credential::{Secret, hex};
use domain::testing::simulated_recipient::SimulatedRecipient;
use domain::{Failure, Timestamp};
use ring::digest::{SHA256, digest};
use serde_json::Value;
use store::OrganizationStore;

use super::{CALLBACK_DATA, Messaging, SendingLine};
use crate::error::{PlatformError, PlatformResult, failure_of_code};
use crate::platforms::expect_account;
use crate::simulator::{CONVERSATION_WINDOW, Memory, SIMULATED_TOKEN, Simulator, WINDOW_CLOSED};
use crate::vault::AccessToken;

/// How many messages the simulated platform refuses to a recipient whose number has a limit.
const PAIR_REFUSALS: u32 = 3;
const PAIR_LIMIT: i64 = 131_056;
const USER_BLOCKED: i64 = 130_403;

/// Returns the simulated platform for messages of a profile, which are sent with the account's templates.
pub(super) fn line(
    organization: &OrganizationStore,
    profile: &ChatBusinessProfile,
    now: Timestamp,
) -> Result<SendingLine, Failure> {
    expect_account(profile)?;
    let simulator = Simulator::new(profile.simulated_syncs)
        .remembering(organization.clone(), now)
        .sending_for(&profile.provider_waba_id);
    let secret = || Secret::new(SIMULATED_TOKEN);
    Ok(SendingLine { platform: Arc::new(simulator), token: secret(), app_secret: secret() })
}

#[async_trait]
impl Messaging for Simulator {
    async fn send(
        &self,
        _token: &AccessToken,
        _app_secret: &Secret,
        number: &str,
        message: &Value,
    ) -> PlatformResult<String> {
        let is_person = message["recipient_type"] == "individual";
        let to = message["to"].as_str().or_else(|| message["recipient"].as_str()).filter(|_| is_person);
        let to = to.and_then(|to| to.parse::<ChatUser>().ok());
        if let Some(SimulatedRecipient::Refused(code)) = to.as_ref().map(recipient) {
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
}

impl Memory {
    /// Fails if the platform refuses a message because of its state of this recipient, or if its response is lost.
    async fn decide(&self, number: &str, to: &ChatUser, is_template: bool) -> PlatformResult<()> {
        let recipient = recipient(to);
        if let Some(to) = to.number().filter(|_| recipient == SimulatedRecipient::PairLimited)
            && self.organization.refuse_to_simulated_contact(number, to, PAIR_REFUSALS).await?
        {
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

/// Returns the behaviour of the simulated platform towards a recipient. Only phone numbers decide it.
fn recipient(to: &ChatUser) -> SimulatedRecipient {
    to.number().map_or(SimulatedRecipient::Ordinary, SimulatedRecipient::of)
}

/// Returns the id that the simulated platform gives a message with these callback data.
pub fn simulated_message_id(callback_data: &str) -> String {
    let digest = hex(digest(&SHA256, callback_data.as_bytes()).as_ref());
    format!("wamid.simulated.{}", &digest[..24])
}
