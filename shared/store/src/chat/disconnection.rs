//! Disconnections in progress ([ADR 38](../../../../docs/adr/0038-connecting-and-releasing.md)). The result of each
//! step is stored before the next step. A run holds a lease while it performs steps, so that a late call cannot undo
//! changes that followed the disconnection.

use std::time::Duration;

use domain::chat::{ChatBusinessProfile, ChatPhoneNumber};
use domain::due::DueClass;
use domain::id::{ChatBusinessProfileId, OrganizationId};
use domain::{Failure, Mode, Timestamp};
use serde::{Deserialize, Serialize};

use super::advance;
use crate::attention::Needing as _;
use crate::engine::change::{Change, fail_with, stale};
use crate::engine::expression::{Condition, Update};
use crate::engine::item::{NewItem, entity, number, value};
use crate::{OrganizationStore, keys};

/// How long a run may take without storing a step: longer than a call of the platform takes.
const LEASE: Duration = Duration::from_secs(60);
/// After how long the sweep continues an unfinished disconnection.
const DUE_AFTER: Duration = Duration::from_secs(5 * 60);

/// The progress of a disconnection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Disconnection {
    pub profile_id: ChatBusinessProfileId,
    pub began_at: Timestamp,
    /// Whether the platform has ended the subscription.
    #[serde(default)]
    pub is_unsubscribed: bool,
    /// Whether the access token is deleted.
    #[serde(default)]
    pub is_token_deleted: bool,
}

/// A disconnection under the lease of one run.
#[derive(Clone, Debug)]
pub struct HeldDisconnection {
    pub progress: Disconnection,
    lease: String,
    ends_at: Timestamp,
}

impl HeldDisconnection {
    /// Returns whether a call that takes at most `limit` is over before the lease ends.
    pub fn covers(&self, now: Timestamp, limit: Duration) -> bool {
        now.plus(limit) < self.ends_at
    }
}

/// The result of taking the lease of a disconnection.
pub enum DisconnectionHold {
    Held(HeldDisconnection),
    /// Another run holds the lease.
    Busy,
    /// No disconnection is in progress.
    Gone,
}

/// When a live account was last released, and by whom.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct LastRelease {
    pub(super) organization_id: OrganizationId,
    pub(super) released_at: Timestamp,
}

impl OrganizationStore {
    /// Takes the lease of a disconnection; `lease` is random.
    pub async fn hold_disconnection(
        &self,
        profile: &ChatBusinessProfileId,
        lease: String,
        now: Timestamp,
    ) -> Result<DisconnectionHold, Failure> {
        let ends_at = now.plus(LEASE);
        let update = Update::new(keys::disconnection(&self.organization, profile))
            .set("lease", &lease)?
            .set_value("leaseUntil", number(ends_at.millis()))
            .if_present()
            .when("attribute_not_exists(#leaseUntil) OR #leaseUntil <= :nowMillis OR #lease = :mine")
            .value(":nowMillis", number(now.millis()))
            .value(":mine", value(&lease)?);
        Ok(match self.table.try_update(update).await? {
            Ok(item) => DisconnectionHold::Held(HeldDisconnection { progress: entity(item)?, lease, ends_at }),
            Err(Some(item)) if !item.is_empty() => DisconnectionHold::Busy,
            Err(_) => DisconnectionHold::Gone,
        })
    }

    /// Stores the result of a step and renews the lease. Fails if another run has taken the lease.
    pub async fn advance_disconnection(
        &self,
        held: &mut HeldDisconnection,
        after: Disconnection,
        now: Timestamp,
    ) -> Result<(), Failure> {
        let ends_at = now.plus(LEASE);
        let key = keys::disconnection(&self.organization, &held.progress.profile_id);
        let update = Update::between(key, &held.progress, &after, &[])?
            .set_value("leaseUntil", number(ends_at.millis()))
            .when("#lease = :mine")
            .value(":mine", value(&held.lease)?);
        self.table.update(update, taken_over).await?;
        *held = HeldDisconnection { progress: after, lease: held.lease.clone(), ends_at };
        Ok(())
    }

    /// Releases the lease, so that the next run need not wait for its end.
    pub async fn give_up_disconnection(&self, held: &HeldDisconnection) -> Result<(), Failure> {
        let update = Update::new(keys::disconnection(&self.organization, &held.progress.profile_id))
            .remove("lease")
            .remove("leaseUntil")
            .when("#lease = :mine")
            .value(":mine", value(&held.lease)?);
        self.table.try_update(update).await.map(|_| ())
    }
}

impl Change {
    /// Begins a disconnection, which the sweep continues if it is not finished in time. Stale if the profile has
    /// changed.
    pub fn begin_disconnection(
        &mut self,
        before: &ChatBusinessProfile,
        after: &ChatBusinessProfile,
        now: Timestamp,
    ) -> Result<(), Failure> {
        self.update_chat_business_profile(before, after)?;
        let begun = Disconnection {
            profile_id: before.id.clone(),
            began_at: now,
            is_unsubscribed: false,
            is_token_deleted: false,
        };
        let item = NewItem::new(&keys::disconnection(&self.organization, &before.id), &begun)?
            .due(DueClass::Signups, now.plus(DUE_AFTER));
        self.create(item, stale());
        Ok(())
    }

    /// Releases the claim on a number, and remembers which number it was. Stale if the number has changed.
    pub fn release_chat_phone_number(
        &mut self,
        before: &ChatPhoneNumber,
        after: &ChatPhoneNumber,
    ) -> Result<(), Failure> {
        let (mode, platform_id) = (before.id.mode(), &before.provider_phone_number_id);
        let own = Condition::new("attribute_not_exists(PK) OR #numberId = :own").value(":own", value(&before.id)?);
        self.delete(keys::platform_number(&self.organization, mode, platform_id), own, stale());
        let former = Former { id: before.id.clone() };
        self.put(NewItem::new(&keys::former_number(&self.organization, mode, platform_id), &former)?);
        self.write_chat_phone_number(before, after, &[])
    }

    /// Ends a disconnection: releases the claim on the account, and remembers which profile it had. Stale if the profile
    /// has changed; fails if another run has taken the lease.
    pub fn finish_disconnection(
        &mut self,
        held: &HeldDisconnection,
        before: &ChatBusinessProfile,
        after: &ChatBusinessProfile,
        now: Timestamp,
    ) -> Result<(), Failure> {
        let (mode, platform_id) = (before.mode, &before.provider_waba_id);
        let mine = Condition::new("#lease = :mine").value(":mine", value(&held.lease)?);
        self.delete(keys::disconnection(&self.organization, &before.id), mine, fail_with(taken_over));

        let own = Condition::new("attribute_not_exists(PK) OR #profileId = :own").value(":own", value(&before.id)?);
        self.delete(keys::platform_account(&self.organization, mode, platform_id), own, stale());
        let former = Former { id: before.id.clone() };
        self.put(NewItem::new(&keys::former_account(&self.organization, mode, platform_id), &former)?);

        if mode == Mode::Live {
            let release = LastRelease { organization_id: self.organization.clone(), released_at: now };
            self.put(NewItem::new(&keys::last_release(platform_id), &release)?);
        }

        let key = keys::chat_business_profile(&self.organization, &before.id);
        self.attend(&before.needs(), &after.needs())?;
        advance(self, key, before, after, before.revision, &[])
    }
}

/// The object that a released account or number was in its organization.
#[derive(Serialize, Deserialize)]
pub(super) struct Former<Id> {
    pub(super) id: Id,
}

fn taken_over() -> Failure {
    Failure::conflict("Another request has taken over this disconnection. Retry to get its result.")
}
