//! Processes single due items, each kind in its own way.

use std::time::Duration;

use domain::due::DueClass;
use domain::events::delivery::DeliveryStatus;
use domain::id::{DeliveryId, WebhookId};
use domain::job::DeliveryJob;
use domain::{Failure, Timestamp};
use futures_util::future::join_all;
use futures_util::{StreamExt as _, stream};
use runtime::logging::about;
use store::{Due, DueItem, UnknownDue};
use tracing::Instrument as _;

use super::report::Report;
use super::{SIDE_BY_SIDE, Sweeper, log};
use crate::Waiting;

/// How many items of an unknown kind a round postpones.
const UNKNOWN: usize = 100;
/// The pause before an item of an unknown kind is reported again.
const UNKNOWN_AGAIN_AFTER: Duration = Duration::from_secs(3600);
/// How long a queued attempt may take before the sweep queues it again.
const REQUEUE_AFTER: Duration = Duration::from_secs(5 * 60);
/// The delay from which an attempt counts as late: longer than an attempt whose message was lost waits in a healthy
/// queue after it was queued again.
const LATE_ATTEMPT_AFTER: Duration = Duration::from_secs(15 * 60);
/// The pause before a failed item is retried.
const RETRY_AFTER: Duration = Duration::from_secs(5 * 60);

impl Sweeper {
    /// Postpones items that this release does not understand, such as those that a later release wrote.
    pub(super) async fn put_off(&self, class: DueClass, unknown: &[UnknownDue]) {
        let until = self.context().now().plus(UNKNOWN_AGAIN_AFTER);
        let put_off = stream::iter(unknown.iter().take(UNKNOWN)).for_each_concurrent(SIDE_BY_SIDE, |item| async move {
            tracing::error!(class = class.as_str(), key = item.class(), "a due item is of an unknown kind");
            if let Err(failure) = self.store().put_off(item, until).await {
                log("a due item of an unknown kind could not be postponed", &failure);
            }
        });
        put_off.await;
    }

    /// Processes one item; a failed one is postponed. Returns whether it succeeded.
    pub(super) async fn process(&self, item: DueItem, report: &Report) -> bool {
        let about = about(&item.organization, None);
        self.process_or_postpone(&item, report).instrument(about).await
    }

    async fn process_or_postpone(&self, item: &DueItem, report: &Report) -> bool {
        let outcome = self.process_due(item, report).await;
        self.postpone_failed(item, outcome).await
    }

    /// Postpones the item if it failed. Returns whether it succeeded.
    async fn postpone_failed(&self, item: &DueItem, outcome: Result<(), Failure>) -> bool {
        let Err(failure) = outcome else { return true };
        log("a due item could not be processed", &failure);
        let later = self.context().now().plus(RETRY_AFTER);
        let _ = self.store().postpone(item, later).await;
        false
    }

    /// Dispatches missed events together; failed ones are postponed. Returns which of them succeeded.
    pub(super) async fn dispatch(&self, events: Vec<DueItem>, report: &Report) -> Vec<bool> {
        // An event is due only if the dispatch function has not dispatched it within five minutes.
        events.iter().for_each(|_| report.note_late());
        let (events, waiting): (Vec<_>, Vec<_>) = events
            .into_iter()
            .filter_map(|item| match item.due.clone() {
                Due::Event(event) => Some((item.organization.clone(), event, item)),
                _ => None,
            })
            .map(|(organization, event, item)| (item, Waiting { organization, event }))
            .unzip();
        let outcomes = self.dispatcher.dispatch(&waiting).await;
        let outcomes = events
            .iter()
            .zip(outcomes)
            .map(|(item, outcome)| self.postpone_failed(item, outcome).instrument(about(&item.organization, None)));
        join_all(outcomes).await
    }

    async fn process_due(&self, item: &DueItem, report: &Report) -> Result<(), Failure> {
        let organization = &item.organization;
        match &item.due {
            Due::Event(id) => {
                report.note_late();
                let waiting = Waiting { organization: organization.clone(), event: id.clone() };
                self.dispatcher.dispatch(&[waiting]).await.into_iter().collect()
            }
            Due::Delivery(webhook, id) => self.queue_attempt(item, webhook, id, report).await,
            Due::Recovery(webhook, id) => self.continue_recovery(item, webhook, id).await,
            Due::Media(id) => self.remove_media(item, organization, id).await,
            Due::Message(id) => self.process_message(item, organization, id, report).await,
            Due::Sms(id) => self.process_sms(item, organization, id, report).await,
            Due::Onboarding(hash) => self.remove_signup(organization, hash, report).await,
            Due::Disconnection(profile) => self.queue_disconnection(item, organization, profile).await,
            Due::DeletedApp(ksuid) => match self.store().of(organization).deleted_app(ksuid).await? {
                Some(deleted) => self.store().clear_deleted_app(organization, &deleted, self.context().now()).await,
                None => Ok(()),
            },
            Due::Erasure(reference) => self.queue_erasure(item, organization, reference).await,
            Due::History(number) => self.queue_import(item, organization, number).await,
            Due::PhoneNumber(id) => self.queue_release(item, organization, id).await,
            Due::Profile(id) => self.queue_check(item, organization, id).await,
        }
    }

    /// Queues a due attempt: a retry, or an attempt whose message was lost.
    async fn queue_attempt(
        &self,
        item: &DueItem,
        webhook: &WebhookId,
        id: &DeliveryId,
        report: &Report,
    ) -> Result<(), Failure> {
        let organization = &item.organization;
        let Some(delivery) = self.store().of(organization).delivery(webhook, id).await? else { return Ok(()) };
        let (now, revision) = (self.context().now(), delivery.revision);
        let Some(at) = delivery.next_attempt_at.filter(|_| delivery.status == DeliveryStatus::Pending) else {
            return self.store().no_longer_due_as_seen(item, revision).await;
        };

        // The index is eventually consistent, and a concurrent writer may have postponed the attempt.
        if at > now {
            return self.store().postpone_as_seen(item, at, revision).await.map(|_| ());
        }
        if at.plus(LATE_ATTEMPT_AFTER) <= now {
            report.note_late();
        }
        if !self.postpone_overdue(item, at, revision).await? {
            return Ok(());
        }
        self.dispatcher.queue.send(&[DeliveryJob::of(organization, &delivery)]).await
    }

    /// Postpones an overdue item that is queued again. The pause grows with the time for which the item is overdue.
    /// Returns `false` if a concurrent writer changed it first.
    pub(super) async fn postpone_overdue(&self, item: &DueItem, at: Timestamp, revision: u64) -> Result<bool, Failure> {
        let now = self.context().now();
        let overdue = Duration::from_secs(at.seconds_until(now));
        self.store().postpone_as_seen(item, now.plus(overdue.max(REQUEUE_AFTER)), revision).await
    }
}
