//! What may be spent in an hour or a UTC day, and how many uploads may be pending. Spending is counted in the transaction of
//! what it is spent on: exactly, and without a read; `Store::spend` stands alone, so that a call repeated by the SDK may count twice. A
//! refusal of a period's quota says when the next begins.

use domain::id::{AppId, ChatBusinessProfileId, WebhookId};
use domain::{Failure, Mode, Timestamp};

use crate::change::{Change, fail_with, never};
use crate::expression::Update;
use crate::item::{TTL, number};
use crate::{OrganizationStore, keys};

const HOUR: i64 = 3600;
const DAY: i64 = 24 * HOUR;
/// An upload is given up after 15 minutes: some may be over by then.
const PENDING_RETRY_AFTER: u32 = 60;
const PENDING_KEPT_DAYS: u32 = 30;

const MANUAL_DELIVERIES_AN_HOUR: u64 = 60;
const SYNCS_AN_HOUR: u64 = 60;
const ONBOARDINGS_AN_HOUR: u64 = 20;
const PLAYGROUND_MESSAGES_A_DAY: u64 = 10_000;
const PENDING_UPLOADS: u64 = 100;

pub struct Quota {
    /// Whose it is.
    scope: String,
    attribute: &'static str,
    most: u64,
    period: i64,
    message: String,
}

impl Quota {
    /// Tests and redeliveries.
    pub fn manual_deliveries(webhook: &WebhookId) -> Self {
        let message = format!("A webhook may have {MANUAL_DELIVERIES_AN_HOUR} tests and redeliveries an hour.");
        let most = MANUAL_DELIVERIES_AN_HOUR;
        Quota { scope: webhook.to_string(), attribute: "count", most, period: HOUR, message }
    }

    pub fn syncs(profile: &ChatBusinessProfileId) -> Self {
        let message = format!("A business profile's templates may be synced {SYNCS_AN_HOUR} times an hour.");
        Quota { scope: profile.to_string(), attribute: "syncs", most: SYNCS_AN_HOUR, period: HOUR, message }
    }

    /// What is tried in test mode takes nothing from live mode.
    pub fn onboardings(mode: Mode) -> Self {
        let message = format!("An organization may try {ONBOARDINGS_AN_HOUR} signups of each mode an hour.");
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
        let message = format!("An app may simulate {most} messages a day (UTC).");
        Quota { scope: app.to_string(), attribute: "playgroundMessages", most, period: DAY, message }
    }

    pub fn uploaded_bytes(app: &AppId, most: u64) -> Self {
        let message = format!("An app of this mode may upload {most} bytes a day (UTC).");
        Quota { scope: app.to_string(), attribute: "uploadedBytes", most, period: DAY, message }
    }

    /// Seconds until the next period, at least one.
    fn left(&self, now: Timestamp) -> u32 {
        let left = self.period - now.seconds().rem_euclid(self.period);
        u32::try_from(left).unwrap_or(1).max(1)
    }

    fn refusal(&self, now: Timestamp) -> Failure {
        Failure::quota(self.message.clone(), self.left(now))
    }
}

impl OrganizationStore {
    /// For what is no change of the table.
    pub async fn spend(&self, quota: &Quota, now: Timestamp) -> Result<(), Failure> {
        let mut change = Change::new(&self.organization);
        change.spend(quota, 1, now)?;
        self.table.commit(&change).await.map(|_| ())
    }
}

impl Change {
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
            "An app may have {PENDING_UPLOADS} uploads pending; complete some, or wait until they are given up."
        );
        self.update(update, fail_with(move || Failure::quota(message.clone(), PENDING_RETRY_AFTER)));
        Ok(())
    }

    /// Completed or given up.
    pub(crate) fn end_upload(&mut self, app: &AppId) {
        self.update(Update::new(keys::pending_uploads(&self.organization, app)).add("uploads", -1), never());
    }
}
