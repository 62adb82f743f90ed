//! Creates one delivery of an event for each subscribed webhook. The dispatch function does so when the stream record of
//! the event arrives, and the sweep does so for events that were missed. Repeating it is harmless: the ids of deliveries are
//! derived from event and webhook.

use std::time::Duration;

use aws::queue::{DeliveryJob, Queue};
use domain::Failure;
use domain::delivery::Delivery;
use domain::event::{Audience, OutboxEvent};
use domain::id::{AppId, EventId, OrganizationId};
use domain::webhook::Webhook;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use runtime::Context;
use store::{Change, Committed, OrganizationStore};

const SIDE_BY_SIDE: usize = 8;

/// Dispatches events to the delivery queue.
#[derive(Clone)]
pub struct Dispatcher {
    pub context: Context,
    /// The normal delivery queue.
    pub queue: Queue,
}

impl Dispatcher {
    /// Creates the deliveries of an event, queues each new one, and marks the event as dispatched. If this stops halfway,
    /// the event or its deliveries stay due, and the sweep continues.
    pub async fn dispatch(&self, organization: &OrganizationId, id: &EventId) -> Result<(), Failure> {
        let org = self.context.store.of(organization);
        let Some(event) = org.outbox_event(id).await? else { return Ok(()) };
        let webhooks = subscribed_webhooks(&org, &event).await?;
        let created = stream::iter(webhooks).map(|webhook| self.create_delivery(organization, &event, webhook));
        let created: Vec<Option<Delivery>> = created.buffer_unordered(SIDE_BY_SIDE).try_collect().await?;
        let jobs: Vec<DeliveryJob> =
            created.iter().flatten().map(|delivery| DeliveryJob::of(organization, delivery)).collect();
        if !jobs.is_empty() {
            self.queue.send_deliveries(&jobs, Duration::ZERO).await?;
        }
        let mut change = Change::new(organization);
        change.note_dispatched(id);
        self.context.store.commit(&change).await.map(|_| ())
    }

    /// Returns the delivery if it must be sent: `None` if it existed already or the webhook is disabled.
    async fn create_delivery(
        &self,
        organization: &OrganizationId,
        event: &OutboxEvent,
        webhook: Webhook,
    ) -> Result<Option<Delivery>, Failure> {
        let now = self.context.now();
        let delivery = Delivery::new(&event.id, event.kind.clone(), &webhook.app_id, &webhook.id, now);
        let mut delivery =
            delivery.ok_or_else(|| Failure::internal("no delivery id can be derived from the event id"))?;
        if webhook.disabled_at.is_some() {
            delivery.skip();
        }
        let mut change = Change::new(organization);
        change.create_delivery(&delivery)?;
        let is_new = matches!(self.context.store.commit(&change).await?, Committed::Done);
        Ok(Some(delivery).filter(|_| is_new && webhook.disabled_at.is_none()))
    }
}

/// Returns the webhooks in the event's audience that subscribe to its kind.
async fn subscribed_webhooks(org: &OrganizationStore, event: &OutboxEvent) -> Result<Vec<Webhook>, Failure> {
    let webhooks = match &event.audience {
        Audience::Nobody => Vec::new(),
        Audience::AllApps => org.organization_webhooks(event.mode).await?,
        Audience::App(app) => webhooks_of_apps(org, app.parse().into_iter().collect()).await?,
        Audience::AppsOfNumber(number) => match number.parse() {
            Err(_) => Vec::new(),
            Ok(id) => {
                let number = org.chat_phone_number(&id).await?;
                let apps = number.map(|number| number.apps.into_iter().collect()).unwrap_or_default();
                webhooks_of_apps(org, apps).await?
            }
        },
    };
    Ok(webhooks.into_iter().filter(|webhook| webhook.events.contains(&event.kind)).collect())
}

async fn webhooks_of_apps(org: &OrganizationStore, apps: Vec<AppId>) -> Result<Vec<Webhook>, Failure> {
    let webhooks = stream::iter(apps).map(|app| async move { org.webhooks_of_app(&app).await });
    let webhooks: Vec<Vec<Webhook>> = webhooks.buffer_unordered(SIDE_BY_SIDE).try_collect().await?;
    Ok(webhooks.into_iter().flatten().collect())
}
