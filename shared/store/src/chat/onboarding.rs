//! Embedded signups in progress. The result of each step is stored before the next step, so that a retry resumes the
//! signup.

use std::time::Duration;

use domain::due::DueClass;
use domain::id::ChatBusinessProfileId;
use domain::{Failure, Timestamp};
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use crate::engine::change::{Change, fail_with, stale};
use crate::engine::commit::Committed;
use crate::engine::expression::{Condition, Update};
use crate::engine::item::{TTL, entity, number, value};
use crate::{OrganizationStore, Quota, keys};

/// How long a signup can be resumed before the sweep abandons it.
const KEPT: Duration = Duration::from_secs(24 * 3600);
/// TTL deletes an item long after it is due, so that the sweep can still find the secret of an abandoned onboarding.
const TTL_AFTER: Duration = Duration::from_secs(7 * 24 * 3600);
/// How long a request holds an onboarding without storing a step.
const LEASE: Duration = Duration::from_secs(60);

/// The progress of an onboarding.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Onboarding {
    /// The id under which the token is stored. It becomes the id of the profile, unless the account already has a
    /// profile.
    pub profile_id: ChatBusinessProfileId,
    /// Whether the code was exchanged for a token, and the token stored.
    #[serde(default)]
    pub has_token: bool,
    pub waba_id: Option<String>,
    /// The id under which the token was stored before it moved to an existing profile.
    pub abandoned_profile_id: Option<ChatBusinessProfileId>,
    /// Whether the account was connected before, under `profile_id`.
    #[serde(default)]
    pub is_reconnect: bool,
    /// When the account of the existing profile had been released, as the signup found it.
    pub released_at: Option<Timestamp>,
    pub token_expires_at: Option<Timestamp>,
    #[serde(default)]
    pub is_subscribed: bool,
    /// Whether profile and numbers are stored.
    #[serde(default)]
    pub is_stored: bool,
    /// Whether the contacts of the business app were requested.
    #[serde(default)]
    pub has_contacts: bool,
    /// Whether the history of the business app was requested.
    #[serde(default)]
    pub has_history: bool,
    #[serde(default)]
    pub is_finished: bool,
}

/// The state in which a request finds an onboarding.
pub enum OnboardingStart {
    /// The request holds the lease now.
    Mine(Onboarding),
    Finished(Onboarding),
    /// Another request holds the lease.
    Held,
}

impl OrganizationStore {
    /// Returns the onboarding of a code.
    pub async fn signup(&self, code_hash: &str) -> Result<Option<Onboarding>, Failure> {
        self.table.get(&keys::onboarding(&self.organization, code_hash)).await?.map(entity).transpose()
    }

    /// Begins or resumes the onboarding of a code and takes its lease, in the transaction that spends the quota of
    /// signups: a rejected signup leaves no record.
    pub async fn begin_onboarding(
        &self,
        code_hash: &str,
        fresh: &ChatBusinessProfileId,
        lease: &str,
        now: Timestamp,
    ) -> Result<OnboardingStart, Failure> {
        let update = Update::new(keys::onboarding(&self.organization, code_hash))
            .set("lease", &lease)?
            .set_value("leaseUntil", number(now.plus(LEASE).millis()))
            .set_if_absent("profileId", fresh)?
            .set_if_absent("organizationId", &self.organization)?
            .due_if_absent(DueClass::Signups, now.plus(KEPT))?
            .set_if_absent(TTL, &now.plus(TTL_AFTER).seconds())?
            .set_if_absent("v", &1)?
            .when("attribute_not_exists(#isFinished) OR #isFinished = :no")
            .when("attribute_not_exists(#leaseUntil) OR #leaseUntil <= :nowMillis")
            .value(":no", value(&false)?)
            .value(":nowMillis", number(now.millis()));

        let mut change = Change::new(&self.organization);
        // First, because a finished or running signup is reported before a used-up quota, and spends nothing.
        change.update(update, stale());
        change.spend(&Quota::onboardings(fresh.mode()), 1, now)?;
        let committed = self.table.commit(&change).await?;
        let found = self.signup(code_hash).await?;

        match (committed, found) {
            (Committed::Stale, Some(found)) if found.is_finished => Ok(OnboardingStart::Finished(found)),
            (Committed::Stale, _) => Ok(OnboardingStart::Held),
            (_, Some(begun)) => Ok(OnboardingStart::Mine(begun)),
            (_, None) => Err(Failure::internal("an onboarding that was just begun does not exist")),
        }
    }

    /// Takes the lease of an onboarding that is to be abandoned, so that no request continues it. `None` if a request
    /// holds the lease, or if the onboarding is finished or deleted.
    pub async fn abandoned_onboarding(
        &self,
        code_hash: &str,
        lease: &str,
        now: Timestamp,
    ) -> Result<Option<Onboarding>, Failure> {
        let update = Update::new(keys::onboarding(&self.organization, code_hash))
            .set("lease", &lease)?
            .set_value("leaseUntil", number(now.plus(LEASE).millis()))
            .if_present()
            .when("attribute_not_exists(#isFinished) OR #isFinished = :no")
            .when("attribute_not_exists(#leaseUntil) OR #leaseUntil <= :nowMillis")
            .value(":no", value(&false)?)
            .value(":nowMillis", number(now.millis()));
        self.table.try_update(update).await?.ok().map(entity).transpose()
    }

    /// Stores the result of a step and renews the lease. Fails if another request has taken the lease.
    pub async fn advance_onboarding(
        &self,
        code_hash: &str,
        lease: &str,
        before: &Onboarding,
        after: &Onboarding,
        now: Timestamp,
    ) -> Result<(), Failure> {
        let update = Update::between(keys::onboarding(&self.organization, code_hash), before, after, &[])?
            .set_value("leaseUntil", number(now.plus(LEASE).millis()))
            .when("#lease = :held")
            .value(":held", value(&lease)?);
        self.table.update(update, taken_over).await?;
        Ok(())
    }

    /// Deletes a finished onboarding, so that the same request begins again.
    pub async fn forget_finished_onboarding(&self, hash: &str) -> Result<(), Failure> {
        let finished = Condition::new("#isFinished = :yes").value(":yes", value(&true)?);
        let mut change = Change::new(&self.organization);
        change.delete(keys::onboarding(&self.organization, hash), finished, stale());
        self.table.commit(&change).await.map(|_| ())
    }

    /// Releases the lease, so that a retry can continue at once.
    pub async fn release_onboarding(&self, code_hash: &str, lease: &str) -> Result<(), Failure> {
        let update = Update::new(keys::onboarding(&self.organization, code_hash))
            .remove("lease")
            .remove("leaseUntil")
            .when("#lease = :held")
            .value(":held", value(&lease)?);
        self.table.try_update(update).await.map(|_| ())
    }
}

impl Change {
    /// Deletes the onboarding, so that a retry begins again. Stale if the lease is lost.
    pub fn forget_onboarding(&mut self, code_hash: &str, lease: &str) -> Result<(), Failure> {
        let held = Condition::new("#lease = :held").value(":held", value(&lease)?);
        self.delete(keys::onboarding(&self.organization, code_hash), held, stale());
        Ok(())
    }

    /// Marks the onboarding as finished, so that the sweep does not abandon it. The record stays for retries of the
    /// request.
    pub fn finish_onboarding(&mut self, code_hash: &str, lease: &str) -> Result<(), Failure> {
        let update = Update::new(keys::onboarding(&self.organization, code_hash))
            .set("isFinished", &true)?
            .remove("lease")
            .remove("leaseUntil")
            .not_due()
            .when("#lease = :held")
            .value(":held", value(&lease)?);
        self.update(update, fail_with(taken_over));
        Ok(())
    }
}

fn taken_over() -> Failure {
    Failure::conflict("Another request has taken over this signup. Retry to get its result.")
}
