//! Quotas per hour or UTC day, and the limit on pending uploads. A quota is counted in the transaction of the change
//! that uses it, which is exact and needs no read. `OrganizationStore::spend` is a write of its own, which may
//! count twice if the SDK retries it. A used-up quota is reported with the time at which the next period begins.

use domain::id::{AppId, ChatBusinessProfileId, WebhookId};
use domain::{Failure, Mode, Timestamp};

use crate::change::{Change, fail_with, never};
use crate::expression::Update;
use crate::item::{TTL, number};
use crate::{OrganizationStore, keys};

const HOUR: i64 = 3600;
const DAY: i64 = 24 * HOUR;
/// In seconds. Pending uploads are completed, or abandoned after 15 minutes, so room may appear at any time.
const PENDING_RETRY_AFTER: u32 = 60;
const PENDING_KEPT_DAYS: u32 = 30;

const MANUAL_DELIVERIES_AN_HOUR: u64 = 60;
const SYNCS_AN_HOUR: u64 = 60;
const ONBOARDINGS_AN_HOUR: u64 = 20;
const PLAYGROUND_MESSAGES_A_DAY: u64 = 10_000;
const PENDING_UPLOADS: u64 = 100;

/// A quota of an object or an organization.
pub struct Quota {
    /// What the quota belongs to: part of the partition key.
    scope: String,
    attribute: &'static str,
    most: u64,
    period: i64,
    message: String,
}

impl Quota {
    /// The quota of a webhook for test events and redeliveries.
    pub fn manual_deliveries(webhook: &WebhookId) -> Self {
        let message =
            format!("A webhook may have at most {MANUAL_DELIVERIES_AN_HOUR} test events and redeliveries per hour.");
        let most = MANUAL_DELIVERIES_AN_HOUR;
        Quota { scope: webhook.to_string(), attribute: "count", most, period: HOUR, message }
    }

    pub fn syncs(profile: &ChatBusinessProfileId) -> Self {
        let message =
            format!("The templates of a business profile may be synced at most {SYNCS_AN_HOUR} times per hour.");
        Quota { scope: profile.to_string(), attribute: "syncs", most: SYNCS_AN_HOUR, period: HOUR, message }
    }

    /// The quota of an organization for signups. Test mode and live mode have separate quotas.
    pub fn onboardings(mode: Mode) -> Self {
        let message = format!("An organization may attempt at most {ONBOARDINGS_AN_HOUR} signups per mode and hour.");
        Quota {
            scope: format!("onboardings_{}", mode.as_str()),
            attribute: "onboardings",
            most: ONBOARDINGS_AN_HOUR,
            period: HOUR,
            message,
        }
    }

    pub fn playground_messages(app: &AppId) -> Self {
        let most = PLAYGROUND_MESSAGES_A_DAY;
        let message = format!("An app may simulate at most {most} messages per day (UTC).");
        Quota { scope: app.to_string(), attribute: "playgroundMessages", most, period: DAY, message }
    }

    pub fn uploaded_bytes(app: &AppId, most: u64) -> Self {
        let message = format!("An app of this mode may upload at most {most} bytes per day (UTC).");
        Quota { scope: app.to_string(), attribute: "uploadedBytes", most, period: DAY, message }
    }

    /// Returns the seconds until the next period, at least one.
    fn left(&self, now: Timestamp) -> u32 {
        let left = self.period - now.seconds().rem_euclid(self.period);
        u32::try_from(left).unwrap_or(1).max(1)
    }

    fn refusal(&self, now: Timestamp) -> Failure {
        Failure::quota(self.message.clone(), self.left(now))
    }
}

impl OrganizationStore {
    /// Uses a quota by one, for operations that do not change the table.
    pub async fn spend(&self, quota: &Quota, now: Timestamp) -> Result<(), Failure> {
        let mut change = Change::new(&self.organization);
        change.spend(quota, 1, now)?;
        self.table.commit(&change).await.map(|_| ())
    }
}

impl Change {
    /// Uses a quota by `amount`. Fails if less is left.
    pub fn spend(&mut self, quota: &Quota, amount: u64, now: Timestamp) -> Result<(), Failure> {
        let before = quota.most.checked_sub(amount).ok_or_else(|| quota.refusal(now))?;
        let period = now.seconds().div_euclid(quota.period);
        let name = quota.attribute;
        let update = Update::new(keys::spent(&self.organization, &quota.scope, period))
            .add(name, i64::try_from(amount).map_err(Failure::internal)?)
            .set(TTL, &((period + 2) * quota.period))?
            .when(&format!("attribute_not_exists(#{name}) OR #{name} <= :before"))
            .value(":before", number(before));
        let (message, left) = (quota.message.clone(), quota.left(now));
        self.update(update, fail_with(move || Failure::quota(message.clone(), left)));
        Ok(())
    }

    pub(crate) fn begin_upload(&mut self, app: &AppId, now: Timestamp) -> Result<(), Failure> {
        let update = Update::new(keys::pending_uploads(&self.organization, app))
            .add("uploads", 1)
            .set(TTL, &now.plus_days(PENDING_KEPT_DAYS).seconds())?
            .when("attribute_not_exists(#uploads) OR #uploads < :most")
            .value(":most", number(PENDING_UPLOADS));
        let message = format!(
            "An app may have at most {PENDING_UPLOADS} pending uploads. Complete some, or wait 15 minutes until they expire."
        );
        self.update(update, fail_with(move || Failure::quota(message.clone(), PENDING_RETRY_AFTER)));
        Ok(())
    }

    /// Uncounts a pending upload that was completed or abandoned.
    pub(crate) fn end_upload(&mut self, app: &AppId) {
        self.update(Update::new(keys::pending_uploads(&self.organization, app)).add("uploads", -1), never());
    }
}
