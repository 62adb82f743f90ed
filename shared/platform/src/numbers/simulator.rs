//! The phone numbers of the simulated platform.

use async_trait::async_trait;
use domain::chat::number_code::CodeMethod;
use domain::chat::{ChatUser, NumberProfile, NumberProfileChange, ReviewOutcome};
use domain::identity::credential::Secret;
use domain::testing::playground::SIMULATED_WABA_ID;
use domain::testing::simulated_recipient::SimulatedRecipient;

use super::{BlockChange, NumberManagement, NumberStanding, PlatformNumber};
use crate::error::{PlatformResult, failure_of_code};
use crate::lists::ListPage;
use crate::outcomes::Outcomes;
use crate::simulator::{
    CONVERSATION_WINDOW, Memory, Simulator, WINDOW_CLOSED, requested_error_in_digits, requested_error_in_text,
    require_account,
};
use crate::vault::AccessToken;

/// The highest number of user ids that a simulated number blocks.
const MOST_USER_IDS: usize = 1000;
const LIST_FULL: i64 = 139_101;

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
        Ok((0..count).map(|index| number(account, index, self.is_coexistence)).collect())
    }

    /// The simulator stores neither verifications nor registrations; those in the table count.
    async fn number_standing(&self, _token: &AccessToken, _number: &str) -> PlatformResult<NumberStanding> {
        Ok(NumberStanding::default())
    }

    async fn request_code(
        &self,
        _token: &AccessToken,
        _number: &str,
        _method: CodeMethod,
        _language: &str,
    ) -> PlatformResult<()> {
        Ok(())
    }

    async fn verify_code(&self, _token: &AccessToken, _number: &str, code: &Secret) -> PlatformResult<()> {
        requested_error_in_digits(code)
    }

    async fn register(&self, _token: &AccessToken, _number: &str, pin: &Secret) -> PlatformResult<()> {
        requested_error_in_digits(pin)
    }

    async fn change_pin(&self, _token: &AccessToken, _number: &str, pin: &Secret) -> PlatformResult<()> {
        requested_error_in_digits(pin)
    }

    async fn deregister(&self, _token: &AccessToken, _number: &str) -> PlatformResult<()> {
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
        let blocked = self.memory()?.organization.blocked_simulated_users(number).await?;
        // Numbers come before user ids, in this order as well as in that of the texts.
        let rest: Vec<String> = blocked
            .iter()
            .map(ToString::to_string)
            .filter(|user| after.is_none_or(|after| user.trim_start_matches('+') > after))
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
        users: &[ChatUser],
    ) -> PlatformResult<Outcomes<ChatUser>> {
        let memory = self.memory()?;
        let mut refused: Vec<(ChatUser, i64)> =
            users.iter().filter_map(|user| Some((user.clone(), refusal(user)?))).collect();
        let mut others: Vec<ChatUser> = users.iter().filter(|user| refusal(user).is_none()).cloned().collect();

        let changed = match change {
            BlockChange::Block => {
                refused.extend(without_room(memory, number, &mut others).await?);
                let since = memory.now.minus(CONVERSATION_WINDOW);
                memory.organization.block_simulated_users(number, &others, since, memory.now).await?
            }
            BlockChange::Unblock => {
                memory.organization.unblock_simulated_users(number, &others).await?;
                vec![true; others.len()]
            }
        };

        let changed = others
            .into_iter()
            .zip(changed)
            .map(|(user, is_changed)| (user, if is_changed { Ok(()) } else { Err(failure_of_code(WINDOW_CLOSED)) }));
        let refused = refused.into_iter().map(|(user, code)| (user, Err(failure_of_code(code))));
        Ok(changed.chain(refused).collect())
    }
}

/// Returns the code with which the simulated platform refuses a user.
fn refusal(user: &ChatUser) -> Option<i64> {
    match user.number().map(SimulatedRecipient::of) {
        Some(SimulatedRecipient::Refused(code)) => Some(code),
        _ => None,
    }
}

/// Removes the user ids for which the block list has no room, and returns them with the code of a full list. Phone
/// numbers need no limit, because only the organization's simulated users can be blocked.
async fn without_room(
    memory: &Memory,
    number: &str,
    users: &mut Vec<ChatUser>,
) -> PlatformResult<Vec<(ChatUser, i64)>> {
    if users.iter().all(|user| user.number().is_some()) {
        return Ok(Vec::new());
    }
    let blocked = memory.organization.blocked_simulated_users(number).await?;
    let mut room = MOST_USER_IDS.saturating_sub(blocked.iter().filter(|user| user.number().is_none()).count());
    let refused = users.extract_if(.., |user| {
        if user.number().is_some() || blocked.contains(user) {
            return false;
        }
        let is_full = room == 0;
        room = room.saturating_sub(1);
        is_full
    });
    Ok(refused.map(|user| (user, LIST_FULL)).collect())
}

/// Returns one of an account's numbers.
fn number(account: &str, index: u32, is_on_business_app: bool) -> PlatformNumber {
    PlatformNumber {
        id: format!("{account}{:02}", index + 1),
        display_phone_number: display_number(account, index).parse().unwrap_or_else(|_| unreachable!("fixed form")),
        // The second number must be verified before it can be registered. The simulator stores neither verifications
        // nor registrations; those in the table count.
        is_verified: (index != 1).then_some(true),
        is_connected: None,
        is_in_use: false,
        is_on_business_app,
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
