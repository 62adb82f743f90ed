//! Applies updates to the table.

use std::time::Duration;

use aws::queue::{Job, Queue};
use domain::chat::ChatPhoneNumber;
use domain::credential::hex;
use domain::event::{Audience, EventName, OutboxEvent};
use domain::id::{ChatPhoneNumberId, OrganizationId};
use domain::port::random_index;
use domain::{Failure, Mode, Timestamp};
use ring::digest::{SHA256, digest};
use runtime::{Context, event};
use serde::Serialize;
use store::{Change, Committed, OrganizationStore};

use crate::notification::{Part, Update};
use crate::route::{Route, Routed, Routing, route};
use crate::wire::unreadable;

/// The maximum number of attempts. Each concurrent update of the same message can make this one fail at most once, so
/// this suffices for 60 concurrent updates.
const ATTEMPTS: u32 = 60;

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
        for attempt in 0..ATTEMPTS {
            let handler = UpdateHandler {
                inbox: self,
                route: &routed.route,
                update: &routed.update,
                store: self.context.store.of(&routed.route.organization_id),
                now: self.context.now(),
            };
            let decision = handler.decide().await?;
            match self.context.store.commit(&decision.change).await? {
                Committed::Stale => self.pause(attempt).await,
                _ => {
                    return match decision.afterwards {
                        Some(job) => self.queue.send(&[job]).await,
                        None => Ok(()),
                    };
                }
            }
        }
        Err(Failure::internal("an update conflicted with others in every attempt"))
    }

    async fn pause(&self, attempt: u32) {
        let max_millis = 20 * (attempt as usize + 1).min(10);
        tokio::time::sleep(Duration::from_millis(random_index(self.context.random(), max_millis) as u64)).await;
    }
}

impl UpdateHandler<'_> {
    async fn decide(&self) -> Result<Decision, Failure> {
        match self.update.part {
            Part::Message => self.message().await,
            Part::Echo => self.echo().await,
            Part::Status => self.status().await.map(Decision::from),
            Part::Contact => self.contact_sync().await.map(Decision::from),
            Part::Group => self.group().await.map(Decision::from),
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

    pub(crate) fn organization(&self) -> &OrganizationId {
        &self.route.organization_id
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
        let audience = Audience::AppsOfNumber(self.number_id()?.to_string());
        event(&self.inbox.context, kind, Mode::Live, audience, data)
    }

    /// Returns an event for every live app.
    pub(crate) fn event_for_live_apps(&self, kind: EventName, data: &impl Serialize) -> Result<OutboxEvent, Failure> {
        event(&self.inbox.context, kind, Mode::Live, Audience::AllApps, data)
    }
}

impl From<Change> for Decision {
    fn from(change: Change) -> Self {
        Decision { change, afterwards: None }
    }
}
