//! The phone numbers of the simulated platform.

use async_trait::async_trait;
use domain::E164;
use domain::chat::{NumberProfile, NumberProfileChange, ReviewOutcome};
use domain::identity::credential::Secret;
use domain::testing::playground::SIMULATED_WABA_ID;
use domain::testing::simulated_recipient::SimulatedRecipient;

use super::{BlockChange, NumberManagement, PlatformNumber};
use crate::error::{PlatformResult, failure_of_code};
use crate::lists::ListPage;
use crate::outcomes::Outcomes;
use crate::simulator::{CONVERSATION_WINDOW, Simulator, WINDOW_CLOSED, requested_error_in_text, require_account};
use crate::vault::AccessToken;

#[async_trait]
impl NumberManagement for Simulator {
    async fn phone_numbers(&self, _token: &AccessToken, account: &str) -> PlatformResult<Vec<PlatformNumber>> {
        require_account(account)?;
        // The playground's numbers are created with its apps.
        let count = match (account == SIMULATED_WABA_ID, self.syncs) {
            (true, _) => 0,
            (false, 0) => 2,
            // The third number appears after the first template sync, as if it was added after the signup.
            (false, _) => 3,
        };
        Ok((0..count).map(|index| number(account, index)).collect())
    }

    async fn register(&self, _token: &AccessToken, _number: &str, _pin: &Secret) -> PlatformResult<()> {
        Ok(())
    }

    async fn number_profile(&self, _token: &AccessToken, number: &str) -> PlatformResult<NumberProfile> {
        Ok(self.memory()?.organization.simulated_number_profile(number).await?)
    }

    async fn change_number_profile(
        &self,
        _token: &AccessToken,
        number: &str,
        change: &NumberProfileChange,
    ) -> PlatformResult<()> {
        requested_error_in_text(change.about.as_deref().unwrap_or_default())?;
        Ok(self.memory()?.organization.change_simulated_number_profile(number, change).await?)
    }

    async fn blocked_users(
        &self,
        _token: &AccessToken,
        number: &str,
        limit: usize,
        after: Option<&str>,
    ) -> PlatformResult<ListPage<String>> {
        let blocked = self.memory()?.organization.blocked_simulated_contacts(number).await?;
        let rest: Vec<String> = blocked
            .iter()
            .filter(|user| after.is_none_or(|after| user.digits() > after))
            .map(ToString::to_string)
            .collect();
        let items = rest[..limit.min(rest.len())].to_vec();
        let last = items.last().filter(|_| rest.len() > limit);
        Ok(ListPage { after: last.map(|last| last.trim_start_matches('+').to_owned()), items })
    }

    async fn change_blocked_users(
        &self,
        _token: &AccessToken,
        number: &str,
        change: BlockChange,
        users: &[E164],
    ) -> PlatformResult<Outcomes<E164>> {
        let memory = self.memory()?;
        let refused = |user: &&E164| matches!(SimulatedRecipient::of(user), SimulatedRecipient::Refused(_));
        let (refused, others): (Vec<&E164>, Vec<&E164>) = users.iter().partition(refused);
        let others: Vec<E164> = others.into_iter().cloned().collect();

        let changed = match change {
            BlockChange::Block => {
                let since = memory.now.minus(CONVERSATION_WINDOW);
                memory.organization.block_simulated_contacts(number, &others, since, memory.now).await?
            }
            BlockChange::Unblock => {
                memory.organization.unblock_simulated_contacts(number, &others).await?;
                vec![true; others.len()]
            }
        };

        let changed = others
            .into_iter()
            .zip(changed)
            .map(|(user, is_changed)| (user, if is_changed { Ok(()) } else { Err(failure_of_code(WINDOW_CLOSED)) }));
        let refused = refused.into_iter().filter_map(|user| match SimulatedRecipient::of(user) {
            SimulatedRecipient::Refused(code) => Some((user.clone(), Err(failure_of_code(code)))),
            _ => None,
        });
        Ok(changed.chain(refused).collect())
    }
}

/// Returns one of an account's numbers.
fn number(account: &str, index: u32) -> PlatformNumber {
    PlatformNumber {
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
    }
}

/// Returns one of an account's three numbers, from the range that Ofcom reserves for drama: +44 7700 900000 to 900999.
fn display_number(account: &str, index: u32) -> String {
    let spread = account.bytes().fold(7_u32, |hash, byte| hash.wrapping_mul(31).wrapping_add(u32::from(byte)));
    format!("+447700900{:03}", spread % 333 * 3 + index)
}
