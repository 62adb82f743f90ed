//! Quotas per hour or UTC day, and the limit on pending uploads. A quota is counted in the transaction of the change
//! that uses it, so the count is exact and needs no read, and a rejected request leaves no trace. The exception is
//! [`SendQuota`], which is counted outside of transactions and also counts rejected requests. A used-up quota is reported
//! with the time until the next period begins.

use domain::chat::health::CHECKS_AN_HOUR;
use domain::chat::profile::{ONBOARDINGS_AN_HOUR, SYNCS_AN_HOUR};
use domain::events::recovery::DRY_RUNS_AN_HOUR;
use domain::events::webhook::MANUAL_DELIVERIES_AN_HOUR;
use domain::id::{AppId, ChatBusinessProfileId, WebhookId};
use domain::media::{PENDING_UPLOADS, UPLOAD_WINDOW};
use domain::message::TEST_SENDS_A_DAY;
use domain::port::{Random, random_index};
use domain::testing::playground;
use domain::time::in_minutes;
use domain::{ErrorCode, Failure, Mode, Timestamp};

use crate::engine::change::{Change, Refused, fail_with, never};
use crate::engine::expression::Update;
use crate::engine::item::{Item, TTL, number};
use crate::{Reads, keys};

const HOUR: i64 = 3600;
pub(crate) const DAY: i64 = 24 * HOUR;
/// The `Retry-After` of an upload above the limit on pending ones, in seconds. Pending uploads are completed, or
/// abandoned after [`UPLOAD_WINDOW`], so there may be room at any time.
const PENDING_RETRY_AFTER: u32 = 60;
const PENDING_KEPT_DAYS: u32 = 30;

/// The daily quotas for sending.
#[derive(Clone, Copy, Debug)]
pub struct DailySends {
    /// Chat messages of an app.
    pub messages: u64,
    /// Parts of SMS and MMS messages of an organization.
    pub parts: u64,
}

/// The daily quotas of an app for uploads.
#[derive(Clone, Copy, Debug)]
pub struct DailyUploads {
    pub files: u64,
    pub bytes: u64,
}

/// A quota of an object or an organization.
pub struct Quota {
    /// The object that the quota belongs to: part of the partition key.
    pub(crate) scope: String,
    pub(crate) attribute: &'static str,
    pub(crate) most: u64,
    pub(crate) period: i64,
    pub(crate) message: String,
}

impl Quota {
    /// The quota of a webhook for test events, redeliveries and recoveries.
    pub fn manual_deliveries(webhook: &WebhookId) -> Self {
        let most = MANUAL_DELIVERIES_AN_HOUR;
        let message = format!("A webhook may have at most {most} test events, redeliveries and recoveries per hour.");
        Quota { scope: webhook.to_string(), attribute: "count", most, period: HOUR, message }
    }

    fn dry_runs(webhook: &WebhookId) -> Self {
        let message = format!("A webhook may have at most {DRY_RUNS_AN_HOUR} dry runs per hour.");
        Quota { scope: webhook.to_string(), attribute: "dryRuns", most: DRY_RUNS_AN_HOUR, period: HOUR, message }
    }

    /// The quota of an organization for platform checks, which use up the platform's rate limit of the installation's
    /// app. Test mode and live mode have separate quotas.
    pub fn platform_checks(mode: Mode) -> Self {
        let message =
            format!("An organization may have at most {CHECKS_AN_HOUR} platform checks per hour in each mode.");
        Quota {
            scope: format!("platformchecks_{}", mode.as_str()),
            attribute: "platformChecks",
            most: CHECKS_AN_HOUR,
            period: HOUR,
            message,
        }
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
        let most = playground::MESSAGES_A_DAY;
        let message = format!("An app may simulate at most {most} messages per day (UTC).");
        Quota { scope: app.to_string(), attribute: "playgroundMessages", most, period: DAY, message }
    }

    /// The quota of an organization for simulated messages that belong to no app, because an admin key simulates them.
    pub fn playground_messages_of_admins() -> Self {
        let most = playground::MESSAGES_A_DAY;
        let message = format!("Admin keys may simulate at most {most} messages per day (UTC).");
        Quota { scope: "simulations".to_owned(), attribute: "playgroundMessages", most, period: DAY, message }
    }

    fn uploads(app: &AppId, most: u64) -> Self {
        let message = format!("An app of this mode may upload at most {most} files per day (UTC).");
        Quota { scope: app.to_string(), attribute: "uploads", most, period: DAY, message }
    }

    fn uploaded_bytes(app: &AppId, most: u64) -> Self {
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

/// The highest number of items that count the messages of a day. Each item allows 1,000 writes per second.
const SEND_SHARDS: usize = 16;
/// The smallest share of the quota for parts. The longest text has 49 parts, so a message can be refused while less than
/// a twentieth of the quota is left, spread over the items.
const PARTS_PER_SHARD: u64 = 1_000;

/// A quota for sending. It is counted over several items, each with its share of the quota, and outside of transactions,
/// because a single item would limit how fast an app can send.
pub struct SendQuota {
    /// The object that the quota belongs to: part of the partition keys.
    scope: String,
    attribute: &'static str,
    most: u64,
    shards: usize,
    /// How much of the quota one message uses.
    amount: u64,
    message: String,
}

impl SendQuota {
    /// Returns the quota of an app for chat messages; `live` is that of a live app.
    pub fn of(app: &AppId, live: u64) -> Self {
        let most = if app.mode().is_test() { TEST_SENDS_A_DAY } else { live };
        let message = format!("An app of this mode may send at most {most} messages per day (UTC).");
        SendQuota { scope: format!("{app}_sends"), attribute: "sends", most, shards: SEND_SHARDS, amount: 1, message }
    }

    /// Returns the quota of an organization for parts of SMS and MMS messages, of which a message uses `parts`; `live` is
    /// that in live mode. A small quota has fewer items, so that the share of each suffices for long messages.
    pub fn of_parts(mode: Mode, live: u64, parts: u32) -> Self {
        let most = if mode.is_test() { TEST_SENDS_A_DAY } else { live };
        let shards = usize::try_from(most / PARTS_PER_SHARD).unwrap_or(SEND_SHARDS).clamp(1, SEND_SHARDS);
        let message = format!(
            "An organization may send at most {most} parts of SMS and MMS messages per day (UTC) in this mode. This message has {parts}."
        );
        let scope = format!("smsparts_{}", mode.as_str());
        SendQuota { scope, attribute: "parts", most, shards, amount: u64::from(parts), message }
    }

    /// Returns the failure for a quota that is used up.
    pub fn refusal(&self, now: Timestamp) -> Failure {
        self.shard(0).refusal(now)
    }

    fn shard(&self, shard: usize) -> Quota {
        let (shards, index) = (self.shards as u64, shard as u64);
        let most = self.most / shards + u64::from(index < self.most % shards);
        let scope = format!("{}_{shard}", self.scope);
        Quota { scope, attribute: self.attribute, most, period: DAY, message: self.message.clone() }
    }
}

pub(crate) fn is_used_up(failure: &Failure) -> bool {
    failure.code() == Some(ErrorCode::RateLimitExceeded) && !failure.is_temporary()
}

impl Reads {
    /// Uses the quota for one message. Fails if nothing is left in any of its items. This is the only write that can
    /// run concurrently with the verification of a credential: it happens only if this process has verified the
    /// credential before.
    pub async fn spend_send(&self, quota: &SendQuota, random: &dyn Random, now: Timestamp) -> Result<(), Failure> {
        let (first, shards) = (random_index(random, quota.shards), quota.shards);
        let mut refusal = None;
        for shard in (first..first + shards).map(|shard| shard % shards) {
            let mut change = Change::new(&self.organization);
            match change.spend(&quota.shard(shard), quota.amount, now) {
                Ok(()) => match self.table.commit(&change).await {
                    Ok(_) => return Ok(()),
                    Err(failure) if is_used_up(&failure) => refusal = Some(failure),
                    Err(failure) => return Err(failure),
                },
                Err(failure) => refusal = Some(failure),
            }
        }
        Err(refusal.unwrap_or_else(|| Failure::internal("a quota has no items")))
    }
}

impl Change {
    /// Uses `amount` of a quota. Fails if less is left.
    pub fn spend(&mut self, quota: &Quota, amount: u64, now: Timestamp) -> Result<(), Failure> {
        self.spend_all(&[(quota, amount)], now)
    }

    /// Uses the webhook's quotas for a dry run of a recovery.
    pub fn spend_dry_run(&mut self, webhook: &WebhookId, now: Timestamp) -> Result<(), Failure> {
        let (of_all, of_dry_runs) = (Quota::manual_deliveries(webhook), Quota::dry_runs(webhook));
        self.spend_all(&[(&of_dry_runs, 1), (&of_all, 1)], now)
    }

    /// Uses the app's quotas for one upload of this many bytes and, if it is a test app, the shared quota of all test
    /// apps.
    pub(crate) fn spend_upload(
        &mut self,
        app: &AppId,
        daily: DailyUploads,
        bytes: u64,
        now: Timestamp,
    ) -> Result<(), Failure> {
        let (files, of_bytes) = (Quota::uploads(app, daily.files), Quota::uploaded_bytes(app, daily.bytes));
        self.spend_all(&[(&files, 1), (&of_bytes, bytes)], now)?;
        match app.mode() {
            Mode::Test => self.spend(&Quota::stored_by_test_apps(), bytes, now),
            Mode::Live => Ok(()),
        }
    }

    /// Uses quotas of the same scope and period, which are counted in one item. Fails if less is left of one of them.
    fn spend_all(&mut self, quotas: &[(&Quota, u64)], now: Timestamp) -> Result<(), Failure> {
        let Some((first, _)) = quotas.first() else { return Ok(()) };
        let period = now.seconds().div_euclid(first.period);
        let mut update = Update::new(keys::spent(&self.organization, &first.scope, period))
            .set(TTL, &((period + 2) * first.period))?;
        let mut refusals = Vec::new();
        for (quota, amount) in quotas {
            let before = quota.most.checked_sub(*amount).ok_or_else(|| quota.refusal(now))?;
            let (name, most) = (quota.attribute, format!(":{}Before", quota.attribute));
            update = update
                .add(name, i64::try_from(*amount).map_err(Failure::internal)?)
                .when(&format!("attribute_not_exists(#{name}) OR #{name} <= {most}"))
                .value(&most, number(before));
            refusals.push((name, before, quota.message.clone(), quota.left(now)));
        }

        let refuse = move |item: Option<&Item>| {
            let spent = |name| item.and_then(|item| item.get(name)?.as_n().ok()?.parse::<u64>().ok()).unwrap_or(0);
            let refused = refusals.iter().find(|(name, before, ..)| spent(*name) > *before).or(refusals.first());
            let refused = refused.map(|(_, _, message, left)| Failure::quota(message.clone(), *left));
            Refused::With(refused.unwrap_or_else(|| Failure::internal("a quota was refused without a reason")))
        };
        self.update(update, Box::new(refuse));
        Ok(())
    }

    pub(crate) fn begin_upload(&mut self, app: &AppId, now: Timestamp) -> Result<(), Failure> {
        let update = Update::new(keys::pending_uploads(&self.organization, app))
            .add("uploads", 1)
            .set(TTL, &now.plus_days(PENDING_KEPT_DAYS).seconds())?
            .when("attribute_not_exists(#uploads) OR #uploads < :most")
            .value(":most", number(PENDING_UPLOADS));
        let message = format!(
            "An app may have at most {PENDING_UPLOADS} pending uploads. Complete some, or wait {} minutes until they expire.",
            in_minutes(UPLOAD_WINDOW)
        );
        self.update(update, fail_with(move || Failure::quota(message.clone(), PENDING_RETRY_AFTER)));
        Ok(())
    }

    /// Uncounts a pending upload that was completed or abandoned.
    pub(crate) fn end_upload(&mut self, app: &AppId) {
        self.update(Update::new(keys::pending_uploads(&self.organization, app)).add("uploads", -1), never());
    }
}
