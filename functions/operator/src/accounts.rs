//! Releasing accounts of the chat platform ([ADR 38](../../../docs/adr/0038-connecting-and-releasing.md)), for accounts
//! whose organization does not release them itself.

use accounts::Accounts;
use domain::chat::PLATFORM_ID_DIGITS;
use domain::{Failure, Mode};

use crate::shown::{AccountStatus, ReleasedAccount};
use crate::{Operator, Reply};

impl Operator {
    pub(crate) fn accounts(&self) -> Accounts<'_> {
        Accounts {
            store: &self.store,
            platforms: &self.platforms,
            clock: self.clock.as_ref(),
            random: self.random.as_ref(),
        }
    }

    /// Disconnects the live account from the organization that has it.
    pub(crate) async fn release_account(&self, waba_id: &str) -> Result<Reply, Failure> {
        let waba_id = waba_id.trim();
        let is_short = (1..=PLATFORM_ID_DIGITS).contains(&waba_id.len());
        if !is_short || !waba_id.bytes().all(|byte| byte.is_ascii_digit()) {
            let message =
                format!("wabaId must be an id of the platform, which consists of up to {PLATFORM_ID_DIGITS} digits.");
            return Err(Failure::invalid("wabaId", message));
        }

        let (claims, _) = self.store.live_claims(&[waba_id], &[]).await?;
        let Some((_, claim)) = claims.into_iter().next() else {
            tracing::info!(account = waba_id, "no organization has the account to release");
            return Ok(reply(waba_id, AccountStatus::NotConnected, None));
        };

        let entry = self.entry("operator.releaseAccount", Mode::Live);
        let profile = self.accounts().disconnect(&claim.organization_id, &claim.profile_id, &entry).await?;
        let profile = profile.ok_or_else(|| Failure::internal("a claimed account has no profile"))?;
        let numbers = self.store.of(&claim.organization_id).numbers_of_profile(&profile.id).await?;
        tracing::info!(account = waba_id, organization = %claim.organization_id, "the operator released an account");
        let released = ReleasedAccount {
            organization_id: claim.organization_id,
            profile_id: profile.id,
            phone_numbers: numbers.len(),
            released_at: profile.released_at,
        };
        Ok(reply(waba_id, AccountStatus::Released, Some(released)))
    }
}

fn reply(waba_id: &str, status: AccountStatus, released: Option<ReleasedAccount>) -> Reply {
    Reply::Account { waba_id: waba_id.to_owned(), status, released }
}
