//! Applies updates to the table.

use std::future::ready;
use std::sync::{Mutex, PoisonError};

use aws::queue::Queue;
use domain::chat::{ChatPhoneNumber, ReviewOutcome};
use domain::error::provider::shown;
use domain::events::event::{Audience, EventName, OutboxEvent};
use domain::id::{ChatPhoneNumberId, OrganizationId};
use domain::identity::credential::hex;
use domain::job::Job;
use domain::{Failure, Mode, Open, Timestamp};
use ring::digest::{SHA256, digest};
use runtime::{Context, Metric, event};
use serde::Serialize;
use store::{Budget, Change, Committed, OrganizationStore};

use crate::lenient::{self, Left, Object};
use crate::notification::{Part, Update};
use crate::route::{Route, Routed, Routing, route};
use crate::wire::{status_error, unreadable};

/// The highest number of unreadable fields that are logged.
const SHOWN_PATHS: usize = 20;

/// Routes and applies the platform's updates.
#[derive(Clone)]
pub struct Inbox {
    pub context: Context,
    pub queue: Queue,
}

/// The handler of one update, with its context.
pub(crate) struct UpdateHandler<'a> {
    pub(crate) inbox: &'a Inbox,
    pub(crate) route: &'a Route,
    pub(crate) update: &'a Update,
    pub(crate) store: OrganizationStore,
    pub(crate) now: Timestamp,
    /// Whether anomalies in the update are logged and counted for the operator: only in the first attempt, and not if
    /// the update is simulated, because tenants can forge those.
    pub(crate) is_observed: bool,
    /// The reason why the update changes nothing, for the caller who simulates it.
    idle_because: Mutex<Option<String>>,
}

/// The change that an update causes, and the job to send after it has been committed.
pub(crate) struct Decision {
    pub(crate) change: Change,
    pub(crate) afterwards: Option<Job>,
}

impl Inbox {
    /// Finds the organization, profile and number of each update.
    pub async fn route(&self, updates: Vec<Update>) -> Result<Routing, Failure> {
        route(&self.context.store, updates).await
    }

    /// Applies one update idempotently: repeated delivery has no further effect.
    pub async fn apply(&self, routed: &Routed) -> Result<(), Failure> {
        let decide = |is_first| async move { self.handler(routed, is_first).decide().await };
        self.settle(decide).await.map(drop)
    }

    /// Returns the handler of an update for one attempt.
    pub(crate) fn handler<'a>(&'a self, routed: &'a Routed, is_first: bool) -> UpdateHandler<'a> {
        UpdateHandler {
            inbox: self,
            route: &routed.route,
            update: &routed.update,
            store: self.context.store.of(&routed.route.organization_id),
            now: self.context.now(),
            is_observed: is_first && !routed.route.profile_id.mode().is_test(),
            idle_because: Mutex::default(),
        }
    }

    /// Commits the change that `decide` returns, and sends the job that follows. See [`Inbox::commit`].
    pub(crate) async fn settle<D>(&self, decide: impl Fn(bool) -> D) -> Result<Committed, Failure>
    where
        D: Future<Output = Result<Decision, Failure>>,
    {
        let (committed, afterwards) = self.commit(decide).await?;
        if let Some(job) = afterwards {
            self.queue.send(&[job]).await?;
        }
        Ok(committed)
    }

    /// Commits the change that `decide` returns. After a conflict with another update, decides again; the argument of
    /// `decide` is whether this is the first attempt. Returns the outcome of the commit, which is never `Stale`, and the job
    /// that follows.
    pub(crate) async fn commit<D>(&self, decide: impl Fn(bool) -> D) -> Result<(Committed, Option<Job>), Failure>
    where
        D: Future<Output = Result<Decision, Failure>>,
    {
        let budget = Budget::of_update(self.context.random());
        let decide = |is_first| {
            // Boxed, because it is large and would be part of each future around it.
            let decision = Box::pin(decide(is_first));
            async move { decision.await.map(|Decision { change, afterwards }| (change, afterwards)) }
        };
        self.context.store.settle_within(budget, true, || ready(false), decide).await
    }

    /// Counts and logs the fields of an update that cannot be read. The paths are names of fields, never their values.
    pub fn count_unreadable(&self, paths: &[String]) {
        if !paths.is_empty() {
            let shown = &paths[..paths.len().min(SHOWN_PATHS)];
            tracing::warn!(fields = shown.join(" "), "the platform sent fields that cannot be read");
            self.context.publish(Metric::UnreadablePlatformFields, paths.len() as u64);
        }
    }
}

impl<'a> UpdateHandler<'a> {
    pub(crate) async fn decide(&self) -> Result<Decision, Failure> {
        match self.update.part {
            Part::Message => self.message().await,
            Part::Echo => self.echo().await,
            Part::Status => self.status().await.map(Decision::from),
            Part::Contact => self.contact_sync().await.map(Decision::from),
            Part::UserId => self.user_id_changed().await.map(Decision::from),
            Part::Preference => self.preference().await.map(Decision::from),
            Part::Group => self.group().await.map(Decision::from),
            Part::History => self.history_progress().await.map(Decision::from),
            Part::Error => self.platform_error().map(Decision::from),
            Part::Value => self.field_change().await.map(Decision::from),
            Part::Unreadable => Err(unreadable("the value of a known field cannot be parsed")),
        }
    }

    async fn field_change(&self) -> Result<Change, Failure> {
        match self.update.field.as_str() {
            "account_update" => self.account_update().await,
            "account_review_update" => self.review().await,
            "phone_number_quality_update" => self.quality().await,
            "phone_number_name_update" => self.name().await,
            _ => self.template().await,
        }
    }

    /// Reads the update, and counts fields that cannot be read.
    pub(crate) fn read<T>(&self, read: impl FnOnce(&mut Object<'a>) -> T) -> Result<(T, Left<'a>), Failure> {
        let reading = lenient::read(&self.update.body, read);
        let reading = reading.ok_or_else(|| unreadable("the update is not an object"))?;
        if self.is_observed {
            self.inbox.count_unreadable(&reading.unreadable);
        }
        Ok((reading.value, reading.left))
    }

    /// Counts an update that contradicts the direction of its message, and changes nothing.
    pub(crate) fn misdirected(&self) -> Change {
        if self.is_observed {
            tracing::warn!(part = ?self.update.part, "the platform sent an update of the other direction for a message");
            self.inbox.context.publish(Metric::MisdirectedUpdates, 1);
        }
        self.idle("The update is about a message of the other direction.")
    }

    /// Counts and logs an error of the account or the number.
    fn platform_error(&self) -> Result<Change, Failure> {
        let ((platform, error), _) = self.read(|error| (error.number("code"), status_error(error)))?;
        if self.is_observed {
            tracing::warn!(
                platform,
                code = error.reason.code,
                "the platform reported an error that concerns no message"
            );
            self.inbox.context.publish(Metric::PlatformErrors, 1);
        }
        Ok(self.idle("The error concerns no message."))
    }

    /// Returns the outcome of a review, or `None` if this version does not know it. Unknown outcomes are logged and
    /// counted.
    pub(crate) fn outcome(&self, field: &str, sent: Open<ReviewOutcome>) -> Option<ReviewOutcome> {
        match sent {
            Open::Known(outcome) => Some(outcome),
            Open::Later(unknown) => {
                self.count_unknown(field, &unknown);
                None
            }
        }
    }

    /// Counts and logs a value that this version does not know.
    pub(crate) fn count_unknown(&self, field: &str, value: &str) {
        self.note_idle(format!("The {field} {} is not known.", shown(value)));
        if self.is_observed {
            self.inbox.context.unknown_platform_value(field, value);
        }
    }

    pub(crate) fn organization(&self) -> &OrganizationId {
        &self.route.organization_id
    }

    /// Returns an empty change, and records the reason.
    pub(crate) fn idle(&self, because: impl Into<String>) -> Change {
        self.note_idle(because.into());
        self.change()
    }

    fn note_idle(&self, because: String) {
        *self.idle_because.lock().unwrap_or_else(PoisonError::into_inner) = Some(because);
    }

    /// Returns the reason why the update changes nothing, if one was recorded.
    pub(crate) fn idle_reason(&self) -> Option<String> {
        self.idle_because.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    pub(crate) fn change(&self) -> Change {
        Change::new(self.organization())
    }

    pub(crate) fn number_id(&self) -> Result<&ChatPhoneNumberId, Failure> {
        self.route.number_id.as_ref().ok_or_else(|| unreadable("the update has no number"))
    }

    pub(crate) async fn number(&self) -> Result<ChatPhoneNumber, Failure> {
        let number = self.store.chat_phone_number(self.number_id()?).await?;
        number.ok_or_else(|| Failure::internal("a claimed number does not exist"))
    }

    /// Returns the platform's timestamp, or the current time if there is none.
    pub(crate) fn reported_at(&self) -> Timestamp {
        self.update.time.map_or(self.now, |seconds| Timestamp::from_millis(seconds.saturating_mul(1000)))
    }

    /// Returns a change that is committed at most once for this update, for updates that are not idempotent by
    /// themselves.
    pub(crate) fn idempotent_change(&self) -> Change {
        let (update, time) = (self.update, self.update.time.unwrap_or_default());
        let text = format!("{}\n{time}\n{}\n{}", update.account, update.field, update.body.get());
        let mut change = self.change();
        change.once(&hex(digest(&SHA256, text.as_bytes()).as_ref()), self.now);
        change
    }

    /// Returns an event for the apps that the number is assigned to.
    pub(crate) fn event_for_apps_of_number(
        &self,
        kind: EventName,
        data: &impl Serialize,
    ) -> Result<OutboxEvent, Failure> {
        let number = self.number_id()?;
        let audience = Audience::AppsOfNumber(number.to_string());
        event(&self.inbox.context, kind, number.mode(), audience, data)
    }

    /// Emits an event for the apps that the number is assigned to. Updates of a history cause none.
    pub(crate) fn emit_for_number(
        &self,
        change: &mut Change,
        kind: EventName,
        data: &impl Serialize,
    ) -> Result<(), Failure> {
        if self.is_history() {
            return Ok(());
        }
        change.emit(&self.event_for_apps_of_number(kind, data)?)
    }

    /// Returns an event for every app of the account's mode.
    pub(crate) fn event_for_apps_of_mode(
        &self,
        mode: Mode,
        kind: EventName,
        data: &impl Serialize,
    ) -> Result<OutboxEvent, Failure> {
        event(&self.inbox.context, kind, mode, Audience::AllApps, data)
    }
}

impl From<Change> for Decision {
    fn from(change: Change) -> Self {
        Decision { change, afterwards: None }
    }
}
