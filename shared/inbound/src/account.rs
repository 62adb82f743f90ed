//! Updates of a whole account.

use domain::Failure;
use domain::audit::Trail;
use domain::chat::{ChatBusinessProfile, ReviewOutcome};
use domain::error::provider::shown;
use domain::events::event::EventName;
use store::Change;
use views::ChatBusinessProfileView;

use crate::apply::UpdateHandler;

/// The events after which this installation can no longer use the account.
const DISCONNECTED: [&str; 4] = ["PARTNER_REMOVED", "PARTNER_APP_UNINSTALLED", "ACCOUNT_OFFBOARDED", "ACCOUNT_DELETED"];

/// The event after which the account can be used again without a new signup.
const RECONNECTED: &str = "ACCOUNT_RECONNECTED";

/// The event after which the account cannot begin conversations for a while.
const RESTRICTED: &str = "ACCOUNT_RESTRICTION";

impl UpdateHandler<'_> {
    pub(crate) async fn profile(&self) -> Result<ChatBusinessProfile, Failure> {
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
        let (event, _) = self.read(|update| update.text("event"))?;
        let event = event.unwrap_or_default().to_ascii_uppercase();
        if event == RESTRICTED && self.route.profile_id.mode().is_test() {
            return self.simulated_restriction().await;
        }
        if event != RECONNECTED && !DISCONNECTED.contains(&event.as_str()) {
            return Ok(self.idle(format!("The event {} is not used.", shown(&event))));
        }

        let before = self.profile().await?;
        if before.connection_at.is_some_and(|known| self.reported_at() < known) {
            return Ok(self.change());
        }
        // A caller has disconnected the account. Reports of the platform do not reconnect it.
        if before.is_given_up() {
            return Ok(self.idle("The account was disconnected by a caller."));
        }
        if event == RECONNECTED {
            return self.account_reconnected(&before).await;
        }
        // A late notification can report a disconnection from before the latest signup.
        let is_old =
            before.onboarding_completed_at.is_some_and(|connected| connected.seconds() > self.reported_at().seconds());
        if before.disconnected_at.is_some() || is_old {
            return Ok(self.change());
        }

        let mut change = self.idempotent_change();
        let at = Some(self.reported_at());
        let after = ChatBusinessProfile { disconnected_at: at, connection_at: at, ..before.clone() };
        let after = self.write_profile(&mut change, &before, after)?;
        self.enter(&mut change, "system.disconnectAccount", &before, &after)?;
        self.emit_profile(&mut change, EventName::ChatAccountDisconnected, after).await?;
        Ok(change)
    }

    /// Enters in the audit log what the platform reported, which the service applies by itself.
    fn enter(
        &self,
        change: &mut Change,
        action: &'static str,
        before: &ChatBusinessProfile,
        after: &ChatBusinessProfile,
    ) -> Result<(), Failure> {
        let entry = self.inbox.context.entry(&Trail::of_system(action), before.mode);
        change.enter(&entry.changed(before, after))
    }

    async fn emit_profile(
        &self,
        change: &mut Change,
        kind: EventName,
        profile: ChatBusinessProfile,
    ) -> Result<(), Failure> {
        let (mode, numbers) = (profile.mode, self.store.numbers_of_profile(&profile.id).await?);
        let view = ChatBusinessProfileView::new(self.organization(), profile, numbers);
        change.emit(&self.event_for_apps_of_mode(mode, kind, &view)?)
    }

    /// Stores a restriction of a simulated account, which its checks show. The state of a live account is read from the
    /// platform.
    async fn simulated_restriction(&self) -> Result<Change, Failure> {
        let (ends, _) = self.read(|update| update.list("restriction_info", |info| info.time("expiration")))?;
        let before = self.profile().await?;
        let mut change = self.idempotent_change();
        let until = ends.into_iter().flatten().max();
        let after = ChatBusinessProfile { simulated_restriction_until: until, ..before.clone() };
        self.write_profile(&mut change, &before, after)?;
        Ok(change)
    }

    async fn account_reconnected(&self, before: &ChatBusinessProfile) -> Result<Change, Failure> {
        if before.disconnected_at.is_some_and(|disconnected| disconnected > self.reported_at()) {
            return Ok(self.change());
        }
        let mut change = self.idempotent_change();
        let after =
            ChatBusinessProfile { disconnected_at: None, connection_at: Some(self.reported_at()), ..before.clone() };
        let after = self.write_profile(&mut change, before, after)?;
        // The disconnection can arrive later, and is outdated then.
        if before.disconnected_at.is_some() {
            self.enter(&mut change, "system.reconnectAccount", before, &after)?;
            self.emit_profile(&mut change, EventName::ChatAccountConnected, after).await?;
        }
        Ok(change)
    }

    pub(crate) async fn review(&self) -> Result<Change, Failure> {
        let (sent, _) = self.read(|update| update.text("decision"))?;
        let decision = ReviewOutcome::of_platform(&sent.unwrap_or_default());
        let Some(decision) = self.outcome("review decision", decision) else {
            return Ok(self.change());
        };

        let before = self.profile().await?;
        if before.review_decided_at.is_some_and(|known| self.reported_at() < known) {
            return Ok(self.change());
        }

        let mut change = self.idempotent_change();
        let after = ChatBusinessProfile {
            review_decision: Some(decision.as_str().to_owned()),
            review_decided_at: Some(self.reported_at()),
            ..before.clone()
        };
        self.write_profile(&mut change, &before, after)?;
        Ok(change)
    }
}
