//! An embedded signup under way. What is done is stored before the next step, so that the same request resumes it.

use std::time::Duration;

use domain::id::ChatBusinessProfileId;
use domain::{Failure, Timestamp};
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use crate::change::{Change, fail_with, stale};
use crate::expression::{Condition, Update};
use crate::item::{DUE_AT, DUE_PARTITION, TTL, due_partition, entity, number, value};
use crate::{OrganizationStore, keys};

const KEPT: Duration = Duration::from_secs(24 * 3600);
/// An item outlives its due time, so that the sweep finds the secret of an abandoned onboarding before TTL takes it.
const TTL_AFTER: Duration = Duration::from_secs(7 * 24 * 3600);
const LEASE: Duration = Duration::from_secs(60);

/// How far it has come.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Onboarding {
    /// Under this id the token is kept; it becomes the profile's, unless the account has one already.
    pub profile_id: ChatBusinessProfileId,
    /// The code is spent and the token is kept.
    #[serde(default)]
    pub has_token: bool,
    pub waba_id: Option<String>,
    /// Under this id the token lay before it moved to a profile that existed already.
    pub abandoned_profile_id: Option<ChatBusinessProfileId>,
    /// The account was connected before, under `profile_id`.
    #[serde(default)]
    pub is_reconnect: bool,
    pub token_expires_at: Option<Timestamp>,
    #[serde(default)]
    pub is_subscribed: bool,
    /// Profile and numbers are there.
    #[serde(default)]
    pub is_stored: bool,
    #[serde(default)]
    pub is_finished: bool,
}

/// What a request finds.
pub enum OnboardingStart {
    /// It holds the lease now.
    Mine(Onboarding),
    Finished(Onboarding),
    /// Another request holds it.
    Held,
}

impl OrganizationStore {
    pub async fn begin_onboarding(
        &self,
        code_hash: &str,
        fresh: &ChatBusinessProfileId,
        lease: &str,
        now: Timestamp,
    ) -> Result<OnboardingStart, Failure> {
        let key = keys::onboarding(&self.organization, code_hash);
        let due = due_partition(&key.partition).to_string();
        let update = Update::new(key)
            .set("lease", &lease)?
            .set_value("leaseUntil", number(now.plus(LEASE).millis()))
            .set_if_absent("profileId", fresh)?
            .set_if_absent("organizationId", &self.organization)?
            .set_if_absent(DUE_PARTITION, &due)?
            .set_if_absent(DUE_AT, &now.plus(KEPT).millis())?
            .set_if_absent(TTL, &now.plus(TTL_AFTER).seconds())?
            .set_if_absent("v", &1)?
            .when("attribute_not_exists(#isFinished) OR #isFinished = :no")
            .when("attribute_not_exists(#leaseUntil) OR #leaseUntil <= :nowMillis")
            .value(":no", value(&false)?)
            .value(":nowMillis", number(now.millis()));
        match self.table.try_update(update).await? {
            Ok(item) => Ok(OnboardingStart::Mine(entity(item)?)),
            Err(None) => Err(Failure::internal("an onboarding was refused without its item")),
            // The SDK repeats a call whose answer was lost: then it meets its own lease.
            Err(Some(item)) if item.get("lease") == Some(&value(&lease)?) => Ok(OnboardingStart::Mine(entity(item)?)),
            Err(Some(item)) => {
                let found: Onboarding = entity(item)?;
                Ok(if found.is_finished { OnboardingStart::Finished(found) } else { OnboardingStart::Held })
            }
        }
    }

    /// Takes the lease of one that is to be given up: no request goes on with it meanwhile. `None` where a request holds it,
    /// or it is finished or gone.
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

    /// Stores a step, while the lease is held.
    pub async fn advance_onboarding(
        &self,
        code_hash: &str,
        lease: &str,
        (before, after): (&Onboarding, &Onboarding),
        now: Timestamp,
    ) -> Result<(), Failure> {
        let update = Update::between(keys::onboarding(&self.organization, code_hash), before, after, &[])?
            .set_value("leaseUntil", number(now.plus(LEASE).millis()))
            .when("#lease = :held")
            .value(":held", value(&lease)?);
        self.table.update(update, taken_over).await?;
        Ok(())
    }

    /// Lets the next request go on at once.
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
    /// The same request begins anew.
    pub fn forget_onboarding(&mut self, code_hash: &str, lease: &str) -> Result<(), Failure> {
        let held = Condition::new("#lease = :held").value(":held", value(&lease)?);
        self.delete(keys::onboarding(&self.organization, code_hash), held, stale());
        Ok(())
    }

    /// Nothing of it is abandoned any more; the record stays for repetitions of the request.
    pub fn finish_onboarding(&mut self, code_hash: &str, lease: &str) -> Result<(), Failure> {
        let update = Update::new(keys::onboarding(&self.organization, code_hash))
            .set("isFinished", &true)?
            .remove("lease")
            .remove("leaseUntil")
            .remove(DUE_PARTITION)
            .remove(DUE_AT)
            .when("#lease = :held")
            .value(":held", value(&lease)?);
        self.update(update, fail_with(taken_over));
        Ok(())
    }
}

fn taken_over() -> Failure {
    Failure::conflict("Another request has taken over this onboarding.")
}
