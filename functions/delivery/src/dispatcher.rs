//! From an event in the outbox to one delivery for each webhook that listens: by the dispatch when the table's stream tells of
//! it, by the sweep where that was missed. Both may do it, and often: the deliveries are the same.

use std::time::Duration;

use aws::queue::{DeliveryJob, Queue};
use domain::Failure;
use domain::delivery::Delivery;
use domain::event::{Audience, OutboxEvent};
use domain::id::{AppId, EventId, OrganizationId};
use domain::webhook::Webhook;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use runtime::Context;
use store::{Change, Committed};

const SIDE_BY_SIDE: usize = 8;

#[derive(Clone)]
pub struct Dispatcher {
    pub context: Context,
    /// The deliveries'.
    pub queue: Queue,
}

impl Dispatcher {
    /// Makes the deliveries of an event, sends each to the queue once, and takes the event off what is due. A stop in between
    /// leaves it, or its deliveries, due.
    pub async fn dispatch(&self, o: &OrganizationId, id: &EventId) -> Result<(), Failure> {
        let Some(event) = self.context.store.of(o).outbox_event(id).await? else { return Ok(()) };
        let webhooks = self.listening(o, &event).await?;
        let made = stream::iter(webhooks).map(|webhook| self.make(o, &event, webhook));
        let made: Vec<Option<Delivery>> = made.buffer_unordered(SIDE_BY_SIDE).try_collect().await?;
        let jobs: Vec<DeliveryJob> = made.iter().flatten().map(|delivery| DeliveryJob::of(o, delivery)).collect();
        if !jobs.is_empty() {
            self.queue.send_deliveries(&jobs, Duration::ZERO).await?;
        }
        let mut done = Change::new(o);
        done.note_dispatched(id);
        self.context.store.commit(&done).await.map(|_| ())
    }

    /// `None` where there is nothing to send: it was made before, or the webhook is disabled.
    async fn make(
        &self,
        o: &OrganizationId,
        event: &OutboxEvent,
        webhook: Webhook,
    ) -> Result<Option<Delivery>, Failure> {
        let now = self.context.now();
        let delivery = Delivery::new(&event.id, event.kind.clone(), &webhook.app_id, &webhook.id, now);
        let mut delivery =
            delivery.ok_or_else(|| Failure::internal("an event id that no delivery can be derived from"))?;
        if webhook.disabled_at.is_some() {
            delivery.skip();
        }
        let mut change = Change::new(o);
        change.create_delivery(&delivery)?;
        let is_new = matches!(self.context.store.commit(&change).await?, Committed::Done);
        Ok(Some(delivery).filter(|_| is_new && webhook.disabled_at.is_none()))
    }

    async fn listening(&self, o: &OrganizationId, event: &OutboxEvent) -> Result<Vec<Webhook>, Failure> {
        let store = &self.context.store;
        let webhooks = match &event.audience {
            Audience::Nobody => Vec::new(),
            Audience::AllApps => store.of(o).organization_webhooks(event.mode).await?,
            Audience::App(app) => self.of_apps(o, app.parse().into_iter().collect()).await?,
            Audience::AppsOfNumber(number) => match number.parse() {
                Err(_) => Vec::new(),
                Ok(id) => {
                    let number = store.of(o).chat_phone_number(&id).await?;
                    self.of_apps(o, number.map(|number| number.apps.into_iter().collect()).unwrap_or_default()).await?
                }
            },
        };
        Ok(webhooks.into_iter().filter(|webhook| webhook.events.contains(&event.kind)).collect())
    }

    async fn of_apps(&self, o: &OrganizationId, apps: Vec<AppId>) -> Result<Vec<Webhook>, Failure> {
        let webhooks =
            stream::iter(apps).map(|app| async move { self.context.store.of(o).webhooks_of_app(&app).await });
        let webhooks: Vec<Vec<Webhook>> = webhooks.buffer_unordered(SIDE_BY_SIDE).try_collect().await?;
        Ok(webhooks.into_iter().flatten().collect())
    }
}
