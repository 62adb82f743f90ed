//! What the simulated platform remembers of the contacts of a number, and the messages that it therefore refuses.

use std::time::Duration;

use domain::simulated_recipient::SimulatedRecipient;
use domain::{E164, Timestamp};
use store::OrganizationStore;

use crate::error::PlatformResult;
use crate::{PlatformError, failure_of_code};

/// How long after a contact's last message the simulated platform takes messages that are no templates.
pub(crate) const CONVERSATION_WINDOW: Duration = Duration::from_secs(24 * 3600);
/// How many messages it refuses to a recipient whose number has a limit.
const PAIR_REFUSALS: u32 = 3;
pub(crate) const WINDOW_CLOSED: i64 = 131_047;
const PAIR_LIMIT: i64 = 131_056;
const USER_BLOCKED: i64 = 130_403;

/// What the simulated platform remembers of the organization's numbers, in the table.
pub(crate) struct Memory {
    pub(crate) organization: OrganizationStore,
    pub(crate) now: Timestamp,
}

impl Memory {
    /// Fails if the platform refuses a message to this recipient for what it remembers of it, or if its response is lost.
    pub(super) async fn decide(&self, number: &str, to: &E164, is_template: bool) -> PlatformResult<()> {
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
