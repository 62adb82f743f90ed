//! Applying updates.

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

/// Updates of one message that come at once meet in the table; each loses to every other at most once.
const ATTEMPTS: u32 = 60;

/// What the platform tells, on its way into the table.
#[derive(Clone)]
pub struct Inbox {
    pub context: Context,
    pub queue: Queue,
}

/// An update with what every rule needs to know of it.
pub(crate) struct Applying<'a> {
    pub(crate) inbox: &'a Inbox,
    pub(crate) route: &'a Route,
    pub(crate) update: &'a Update,
    pub(crate) store: OrganizationStore,
    pub(crate) now: Timestamp,
}

/// What was decided: what to write, and what to do once it is written.
pub(crate) struct Decided {
    pub(crate) change: Change,
    pub(crate) afterwards: Option<Job>,
}

impl Inbox {
    pub async fn route(&self, updates: Vec<Update>) -> Result<Routing, Failure> {
        route(&self.context.store, updates).await
    }

    /// Applies one update, once however often it comes.
    pub async fn apply(&self, routed: &Routed) -> Result<(), Failure> {
        for attempt in 0..ATTEMPTS {
            let applying = Applying {
                inbox: self,
                route: &routed.route,
                update: &routed.update,
                store: self.context.store.of(&routed.route.organization_id),
                now: self.context.now(),
            };
            let decided = applying.decide().await?;
            match self.context.store.commit(&decided.change).await? {
                Committed::Stale => self.pause(attempt).await,
                _ => {
                    return match decided.afterwards {
                        Some(job) => self.queue.send(&[job]).await,
                        None => Ok(()),
                    };
                }
            }
        }
        Err(Failure::internal("an update lost to others every time"))
    }

    async fn pause(&self, attempt: u32) {
        let most = 20 * (attempt as usize + 1).min(10);
        tokio::time::sleep(Duration::from_millis(random_index(self.context.random(), most) as u64)).await;
    }
}

impl Applying<'_> {
    async fn decide(&self) -> Result<Decided, Failure> {
        match self.update.part {
            Part::Message => self.message().await,
            Part::Echo => self.echo().await,
            Part::Status => self.status().await.map(Decided::from),
            Part::Contact => self.contact_sync().await.map(Decided::from),
            Part::Group => self.group().await.map(Decided::from),
            Part::Value => self.value().await.map(Decided::from),
            Part::Unreadable => Err(unreadable("a known field in an unknown form")),
        }
    }

    async fn value(&self) -> Result<Change, Failure> {
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
        self.route.number_id.as_ref().ok_or_else(|| unreadable("an update without its number"))
    }

    pub(crate) async fn number(&self) -> Result<ChatPhoneNumber, Failure> {
        let number = self.store.chat_phone_number(self.number_id()?).await?;
        number.ok_or_else(|| Failure::internal("a claimed number does not exist"))
    }

    /// When the platform says that it was so; without a word of that, now.
    pub(crate) fn said_at(&self) -> Timestamp {
        self.update.time.map_or(self.now, |seconds| Timestamp::from_millis(seconds.saturating_mul(1000)))
    }

    /// A change that is made once, whatever the update's effect would be the second time.
    pub(crate) fn once(&self) -> Change {
        let (update, time) = (self.update, self.update.time.unwrap_or_default());
        let text = format!("{}\n{time}\n{}\n{}", update.account, update.field, update.body.get());
        let mut change = self.change();
        change.once(&hex(digest(&SHA256, text.as_bytes()).as_ref()), self.now);
        change
    }

    /// An event that the apps of the number hear of.
    pub(crate) fn event_of_number(&self, kind: EventName, data: &impl Serialize) -> Result<OutboxEvent, Failure> {
        let audience = Audience::AppsOfNumber(self.number_id()?.to_string());
        event(&self.inbox.context, kind, Mode::Live, audience, data)
    }

    /// An event that every live app hears of.
    pub(crate) fn event_of_account(&self, kind: EventName, data: &impl Serialize) -> Result<OutboxEvent, Failure> {
        event(&self.inbox.context, kind, Mode::Live, Audience::AllApps, data)
    }
}

impl From<Change> for Decided {
    fn from(change: Change) -> Self {
        Decided { change, afterwards: None }
    }
}
