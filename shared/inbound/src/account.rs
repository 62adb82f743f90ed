//! Updates of a whole account.

use domain::Failure;
use domain::chat::ChatBusinessProfile;
use domain::event::EventName;
use serde::Deserialize;
use store::Change;
use views::ChatBusinessProfileView;

use crate::apply::UpdateHandler;
use crate::wire::read;

/// The events after which this installation can no longer use the account.
const DISCONNECTED: [&str; 4] = ["PARTNER_REMOVED", "PARTNER_APP_UNINSTALLED", "ACCOUNT_OFFBOARDED", "ACCOUNT_DELETED"];

/// The event after which the account can be used again without a new signup.
const RECONNECTED: &str = "ACCOUNT_RECONNECTED";

#[derive(Deserialize)]
struct AccountUpdate {
    #[serde(default)]
    event: String,
}

#[derive(Deserialize)]
struct Review {
    decision: String,
}

impl UpdateHandler<'_> {
    async fn profile(&self) -> Result<ChatBusinessProfile, Failure> {
        let profile = self.store.chat_business_profile(&self.route.profile_id).await?;
        profile.ok_or_else(|| Failure::internal("a claimed account has no profile"))
    }

    fn write_profile(
        &self,
        change: &mut Change,
        before: &ChatBusinessProfile,
        mut after: ChatBusinessProfile,
    ) -> Result<ChatBusinessProfile, Failure> {
        after.revision += 1;
        after.updated_at = self.now;
        change.update_chat_business_profile(before, &after)?;
        Ok(after)
    }

    pub(crate) async fn account_update(&self) -> Result<Change, Failure> {
        let sent: AccountUpdate = read(&self.update.body)?;
        let is_reconnected = sent.event == RECONNECTED;
        if !is_reconnected && !DISCONNECTED.contains(&sent.event.as_str()) {
            return Ok(self.change());
        }
        let before = self.profile().await?;
        if is_reconnected {
            return self.account_reconnected(&before);
        }
        // A late notification of a disconnection before the latest signup.
        let is_old =
            before.onboarding_completed_at.is_some_and(|connected| connected.seconds() > self.reported_at().seconds());
        if before.disconnected_at.is_some() || is_old {
            return Ok(self.change());
        }
        let mut change = self.idempotent_change();
        let after = ChatBusinessProfile { disconnected_at: Some(self.reported_at()), ..before.clone() };
        let after = self.write_profile(&mut change, &before, after)?;
        let numbers = self.store.numbers_of_profile(&after.id).await?;
        let view = ChatBusinessProfileView::new(self.organization(), after, numbers);
        change.emit(&self.event_for_live_apps(EventName::ChatAccountDisconnected, &view)?)?;
        Ok(change)
    }

    fn account_reconnected(&self, before: &ChatBusinessProfile) -> Result<Change, Failure> {
        if before.disconnected_at.is_none_or(|disconnected| disconnected > self.reported_at()) {
            return Ok(self.change());
        }
        let mut change = self.idempotent_change();
        let after = ChatBusinessProfile { disconnected_at: None, ..before.clone() };
        self.write_profile(&mut change, before, after)?;
        Ok(change)
    }

    pub(crate) async fn review(&self) -> Result<Change, Failure> {
        let sent: Review = read(&self.update.body)?;
        let before = self.profile().await?;
        if before.review_decided_at.is_some_and(|known| self.reported_at() < known) {
            return Ok(self.change());
        }
        let mut change = self.idempotent_change();
        let after = ChatBusinessProfile {
            review_decision: Some(sent.decision),
            review_decided_at: Some(self.reported_at()),
            ..before.clone()
        };
        self.write_profile(&mut change, &before, after)?;
        Ok(change)
    }
}
