//! The simulated platform of test mode. It makes no network calls; docs/test-mode.md describes its responses.

mod errors;
mod memory;
mod names;
mod port;

use domain::{Failure, Timestamp};
use serde_json::json;
use store::OrganizationStore;

use crate::PlatformTemplate;
use crate::error::PlatformResult;
use crate::inspection::SimulatedState;

pub use errors::LONGEST_CODE;
pub(crate) use errors::{requested_error, requested_error_in_text};
use memory::Memory;
pub(crate) use memory::{CONVERSATION_WINDOW, WINDOW_CLOSED};
pub use names::simulated_message_id;
pub(crate) use names::{APPROVAL_GROUP, invite_link, random_hex};

/// The access token of every simulated profile.
pub const SIMULATED_TOKEN: &str = "simulated";
/// The two-step verification PIN of every simulated number.
pub const SIMULATED_PIN: &str = "000000";

/// The simulated platform. Its state is the number of template syncs that the profile has had, and what it remembers of
/// its numbers.
pub struct Simulator {
    syncs: u32,
    /// The account in whose name messages are sent.
    pub(crate) account: Option<String>,
    memory: Option<Memory>,
    pub(crate) state: Option<SimulatedState>,
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
