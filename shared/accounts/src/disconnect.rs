//! Beginning a disconnection, and finishing one that has begun.

use std::time::Duration;

use domain::audit::Entry;
use domain::chat::{ChatBusinessProfile, ProfileNumber};
use domain::events::event::{Audience, EventName};
use domain::id::{ChatBusinessProfileId, OrganizationId};
use domain::identity::credential::hex;
use domain::port::random_bytes;
use domain::{Failure, Timestamp};
use platform::PlatformError;
use runtime::event_at;
use store::{Change, DisconnectionHold, OrganizationStore};
use tokio::time::timeout;
use views::ChatBusinessProfileView;

use crate::Accounts;
use crate::steps::{Ending, Run};

/// The time limit of a disconnection: less than the 30 s after which the gateway gives up on a request.
pub const BUDGET: Duration = Duration::from_secs(25);
/// The `Retry-After` of a request while another run is in progress, in seconds.
const BUSY_RETRY_AFTER: u32 = 5;

impl Accounts<'_> {
    /// Disconnects the account of a profile: begins the disconnection unless that is done, and performs its steps. Returns
    /// the profile, which is released then. After a failure, the same call continues; so does the sweep. The entry of the
    /// audit log says who begins it.
    pub async fn disconnect(
        &self,
        organization: &OrganizationId,
        profile: &ChatBusinessProfileId,
        entry: &Entry,
    ) -> Result<Option<ChatBusinessProfile>, Failure> {
        self.disconnect_as(organization, profile, entry, Ending::Required).await
    }

    /// Disconnects the account like [`Accounts::disconnect`], even if the platform fails to end the subscription.
    pub async fn disconnect_regardless(
        &self,
        organization: &OrganizationId,
        profile: &ChatBusinessProfileId,
        entry: &Entry,
    ) -> Result<Option<ChatBusinessProfile>, Failure> {
        self.disconnect_as(organization, profile, entry, Ending::Attempted).await
    }

    async fn disconnect_as(
        &self,
        organization: &OrganizationId,
        profile: &ChatBusinessProfileId,
        entry: &Entry,
        ending: Ending,
    ) -> Result<Option<ChatBusinessProfile>, Failure> {
        if !self.begin(organization, profile, entry).await? {
            return Ok(None);
        }
        let busy = || {
            let message = "Another request is disconnecting this account. Retry when it has ended.";
            Failure::conflict(message).with_retry_after(BUSY_RETRY_AFTER)
        };
        let finished = timeout(BUDGET, self.finish(organization, profile, ending, busy)).await;
        finished.unwrap_or_else(|_| Err(unfinished()))?;
        self.store.of(organization).chat_business_profile(profile).await
    }

    /// Continues a disconnection that has begun. Does nothing if none is in progress.
    pub async fn resume(&self, organization: &OrganizationId, profile: &ChatBusinessProfileId) -> Result<(), Failure> {
        let busy = || Failure::unavailable("the account is being disconnected");
        self.finish(organization, profile, Ending::Required, busy).await
    }

    /// Begins the disconnection unless it has begun or is complete. From then on, no messages are sent through the
    /// account. Returns `false` if there is no such profile.
    async fn begin(
        &self,
        organization: &OrganizationId,
        id: &ChatBusinessProfileId,
        entry: &Entry,
    ) -> Result<bool, Failure> {
        let org = &self.store.of(organization);
        let decide = || async move {
            let mut change = Change::new(organization);
            let Some(before) = org.chat_business_profile(id).await? else { return Ok((change, false)) };
            if !before.is_given_up() {
                self.decide(org, &before, entry, &mut change).await?;
            }
            Ok((change, true))
        };
        self.store.settle(decide).await
    }

    async fn decide(
        &self,
        org: &OrganizationStore,
        before: &ChatBusinessProfile,
        entry: &Entry,
        change: &mut Change,
    ) -> Result<(), Failure> {
        let now = self.clock.now();
        let after = ChatBusinessProfile {
            disconnected_at: before.disconnected_at.or(Some(now)),
            releasing_since: Some(now),
            revision: before.revision + 1,
            updated_at: now,
            ..before.clone()
        };
        change.begin_disconnection(before, &after, now)?;
        change.enter(&entry.clone().changed(before, &after))?;

        // If the platform has reported the account as disconnected, the event was sent then.
        if before.disconnected_at.is_none() {
            let numbers = org.numbers_of_profile(&before.id).await?;
            self.emit(change, org.organization_id(), after, numbers, now)?;
        }
        Ok(())
    }

    fn emit(
        &self,
        change: &mut Change,
        organization: &OrganizationId,
        profile: ChatBusinessProfile,
        numbers: Vec<ProfileNumber>,
        now: Timestamp,
    ) -> Result<(), Failure> {
        let mode = profile.mode;
        let view = ChatBusinessProfileView::new(organization, profile, numbers);
        let kind = EventName::ChatAccountDisconnected;
        change.emit(&event_at(now, self.random, kind, mode, Audience::AllApps, &view)?)
    }

    async fn finish(
        &self,
        organization: &OrganizationId,
        profile: &ChatBusinessProfileId,
        ending: Ending,
        busy: impl Fn() -> Failure,
    ) -> Result<(), Failure> {
        let org = self.store.of(organization);
        let lease = hex(&random_bytes::<16>(self.random));
        let held = match org.hold_disconnection(profile, lease, self.clock.now()).await? {
            DisconnectionHold::Held(held) => held,
            DisconnectionHold::Busy => return Err(busy()),
            DisconnectionHold::Gone => return Ok(()),
        };
        let mut run = Run { accounts: *self, org: &org, held, ending };
        let done = run.complete().await;
        if done.is_err() {
            // If this fails, the next run has to wait until the lease expires.
            let _ = org.give_up_disconnection(&run.held).await;
        }
        done
    }
}

fn unfinished() -> Failure {
    let why = "did not respond in time; send the same request again to continue where it stopped";
    PlatformError::Unreachable { why, was_sent: true }.into()
}
