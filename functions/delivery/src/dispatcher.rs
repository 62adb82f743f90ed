//! Creates one delivery of an event for each subscribed webhook, and adds the event to the feeds of its apps. The dispatch
//! function does so when the stream records of events arrive, and the sweep does so for events that were missed. Repeating
//! it is harmless: the ids of deliveries are derived from event and webhook, and a feed records the events that it has.

use aws::queue::Queue;
use domain::Failure;
use domain::events::delivery::Delivery;
use domain::events::event::{Audience, OutboxEvent};
use domain::events::webhook::Webhook;
use domain::id::{AppId, EventId, OrganizationId};
use domain::job::DeliveryJob;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use runtime::Context;
use runtime::logging::{about, known_origin};
use store::{Change, Committed, OrganizationStore};
use tracing::Instrument as _;

use crate::feeds::{Announced, Feeds, Followers};

const SIDE_BY_SIDE: usize = 10;

/// Dispatches events to the delivery queue and to feeds.
#[derive(Clone)]
pub struct Dispatcher {
    pub context: Context,
    /// The normal delivery queue.
    pub queue: Queue,
}

/// Names an event of the outbox.
#[derive(Clone, Debug)]
pub struct Waiting {
    pub organization: OrganizationId,
    pub event: EventId,
}

impl Dispatcher {
    /// Creates and queues the deliveries of each event, adds the events to feeds, each feed's together, and marks the
    /// events as dispatched. Returns the outcome of each event. Unfinished work stays due, as an event or as a
    /// delivery, and the sweep continues it.
    pub async fn dispatch(&self, waiting: &[Waiting]) -> Vec<Result<(), Failure>> {
        let announced = waiting.iter().map(|waiting| {
            let about = about(&waiting.organization, None);
            Box::pin(self.announce(waiting).instrument(about))
        });
        let announced: Vec<_> = stream::iter(announced).buffered(SIDE_BY_SIDE).collect().await;
        let feeds = Feeds::of(announced.iter().filter_map(|one| one.as_ref().ok()?.as_ref()));
        let incomplete = feeds.append(&self.context).await;
        let finished = announced.into_iter().map(async |announced: Result<Option<Announced>, Failure>| {
            let Some(announced) = announced? else { return Ok(()) };
            if incomplete.contains(&announced.event.id) {
                return Err(Failure::unavailable("the event could not be added to a feed"));
            }
            let about = about(&announced.organization, None);
            self.finish(&announced).instrument(about).await
        });
        stream::iter(finished).buffered(SIDE_BY_SIDE).collect().await
    }

    /// Creates and queues the deliveries of an event; `None` if the event does not exist (any more).
    async fn announce(&self, waiting: &Waiting) -> Result<Option<Announced>, Failure> {
        let organization = &waiting.organization;
        let org = self.context.store.of(organization);
        let Some(event) = org.outbox_event(&waiting.event).await? else { return Ok(None) };
        known_origin(event.request_id.as_deref());
        let (webhooks, followers) = audience(&org, &event).await?;
        let created = stream::iter(webhooks).map(|webhook| self.create_delivery(organization, &event, webhook));
        let created: Vec<Option<Delivery>> = created.buffer_unordered(SIDE_BY_SIDE).try_collect().await?;
        let jobs: Vec<DeliveryJob> =
            created.iter().flatten().map(|delivery| DeliveryJob::of(organization, delivery)).collect();
        if !jobs.is_empty() {
            self.queue.send(&jobs).await?;
        }
        Ok(Some(Announced { organization: organization.clone(), event, followers, deliveries: jobs.len() }))
    }

    /// Removes an event from the due index.
    async fn finish(&self, announced: &Announced) -> Result<(), Failure> {
        let Announced { organization, event, deliveries, .. } = announced;
        known_origin(event.request_id.as_deref());
        let mut change = Change::new(organization);
        change.note_dispatched(&event.id);
        self.context.store.commit(&change).await?;
        tracing::info!(event = %event.id, deliveries, "event dispatched");
        Ok(())
    }

    /// Creates the delivery, as skipped if the webhook is disabled. Returns it if it must be queued: `None` if it
    /// existed already or is skipped.
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

/// Returns the webhooks in the event's audience that subscribe to its name, and the apps whose feeds get the event.
async fn audience(org: &OrganizationStore, event: &OutboxEvent) -> Result<(Vec<Webhook>, Followers), Failure> {
    let (webhooks, followers) = match &event.audience {
        Audience::Nobody => (Vec::new(), Followers::Apps(Vec::new())),
        Audience::AllApps => (org.organization_webhooks(event.mode).await?, Followers::AllApps(event.mode)),
        Audience::App(app) => of_apps(org, app.parse().into_iter().collect()).await?,
        Audience::AppsOfNumber(number) => match number.parse() {
            Err(_) => (Vec::new(), Followers::Apps(Vec::new())),
            Ok(id) => {
                let number = org.any_number(&id).await?;
                let apps = number.map(|number| number.apps().iter().cloned().collect()).unwrap_or_default();
                of_apps(org, apps).await?
            }
        },
    };
    Ok((webhooks.into_iter().filter(|webhook| webhook.events.contains(&event.kind)).collect(), followers))
}

async fn of_apps(org: &OrganizationStore, apps: Vec<AppId>) -> Result<(Vec<Webhook>, Followers), Failure> {
    let webhooks = stream::iter(&apps).map(|app| async move { org.webhooks_of_app(app).await });
    let webhooks: Vec<Vec<Webhook>> = webhooks.buffer_unordered(SIDE_BY_SIDE).try_collect().await?;
    Ok((webhooks.into_iter().flatten().collect(), Followers::Apps(apps)))
}
