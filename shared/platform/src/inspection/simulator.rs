//! The state of simulated accounts and numbers. It follows from the profile and its numbers in the table, because
//! scenarios change them there.

use async_trait::async_trait;
use domain::error::provider::HealthStatus;

use super::simulated_state::SimulatedState;
use super::{AccountState, Inspection, NumberState, PERMISSIONS, Subscription, TokenPermission, TokenState};
use crate::error::{PlatformError, PlatformResult};
use crate::simulator::Simulator;
use crate::vault::AccessToken;

impl Simulator {
    fn state(&self) -> PlatformResult<&SimulatedState> {
        let missing = || domain::Failure::internal("the simulated platform knows no account here");
        self.state.as_ref().ok_or_else(|| PlatformError::Internal(missing()))
    }
}

#[async_trait]
impl Inspection for Simulator {
    async fn token_state(&self, _token: &AccessToken) -> PlatformResult<TokenState> {
        let permission = |name: &str| TokenPermission { name: name.to_owned(), accounts: None };
        let permissions = PERMISSIONS.into_iter().map(permission).collect();
        Ok(TokenState { is_valid: true, is_of_this_app: true, ends_at: None, permissions })
    }

    async fn account_state(&self, _token: &AccessToken, account: &str) -> PlatformResult<AccountState> {
        let state = self.state()?;
        let health = if state.is_restricted { HealthStatus::restricted(account) } else { HealthStatus::of(Vec::new()) };
        Ok(AccountState { review: state.review.clone().or_else(|| Some("APPROVED".to_owned())), health })
    }

    async fn account_subscription(&self, _token: &AccessToken, _account: &str) -> PlatformResult<Option<Subscription>> {
        Ok(Some(Subscription::default()))
    }

    async fn number_states(&self, _token: &AccessToken, _account: &str) -> PlatformResult<Vec<NumberState>> {
        Ok(self.state()?.numbers.clone())
    }

    async fn health(&self, _token: &AccessToken, node: &str) -> PlatformResult<HealthStatus> {
        Ok(HealthStatus::restricted(node))
    }
}
