//! Adds events to the feeds of apps, those of one app together ([ADR 35](../../../docs/adr/0035-event-feed.md)).

use std::collections::{BTreeMap, BTreeSet};

use domain::events::event::OutboxEvent;
use domain::events::feed::FeedHead;
use domain::id::{AppId, EventId, OrganizationId};
use domain::{Failure, Mode};
use futures_util::{StreamExt as _, stream};
use runtime::Context;
use runtime::logging::about;
use store::{Change, EVENTS_PER_APPEND, OrganizationStore};
use tracing::Instrument as _;

const SIDE_BY_SIDE: usize = 10;

/// An event whose deliveries are created and queued.
pub(crate) struct Announced {
    pub(crate) organization: OrganizationId,
    pub(crate) event: OutboxEvent,
    /// The apps whose feeds get the event.
    pub(crate) followers: Followers,
    pub(crate) deliveries: usize,
}

/// The apps whose feeds get an event.
pub(crate) enum Followers {
    Apps(Vec<AppId>),
    /// All apps of the mode. They are read once per batch of events.
    AllApps(Mode),
}

/// The events of a batch, grouped by the apps whose feeds get them. All lists are in the order of the batch.
#[derive(Default)]
pub(crate) struct Feeds<'a> {
    of_app: BTreeMap<(&'a OrganizationId, AppId), Vec<&'a OutboxEvent>>,
    of_all_apps: BTreeMap<(&'a OrganizationId, bool), (Mode, Vec<&'a OutboxEvent>)>,
}

impl<'a> Feeds<'a> {
    pub(crate) fn of(announced: impl Iterator<Item = &'a Announced>) -> Self {
        let mut feeds = Feeds::default();
        for Announced { organization, event, followers, .. } in announced {
            match followers {
                Followers::Apps(apps) => {
                    for app in apps {
                        feeds.of_app.entry((organization, app.clone())).or_default().push(event);
                    }
                }
                Followers::AllApps(mode) => {
                    let all = feeds.of_all_apps.entry((organization, mode.is_test()));
                    all.or_insert_with(|| (*mode, Vec::new())).1.push(event);
                }
            }
        }
        feeds
    }

    /// Adds the events to the feeds that are on. Returns the events that could not be added to all of them.
    pub(crate) async fn append(mut self, context: &Context) -> BTreeSet<EventId> {
        let mut incomplete = BTreeSet::new();
        for ((organization, _), (mode, events)) in std::mem::take(&mut self.of_all_apps) {
            match context.store.of(organization).apps_with_feed(mode).await {
                Ok(apps) => {
                    for app in apps {
                        self.of_app.entry((organization, app)).or_default().extend(&events);
                    }
                }
                Err(failure) => incomplete.extend(refused(&events, &failure)),
            }
        }

        let appended = stream::iter(self.of_app).map(|((organization, app), mut events)| async move {
            // Ids begin with the time of their creation. A batch of stream records can name an event twice.
            events.sort_by(|a, b| a.id.cmp(&b.id));
            events.dedup_by(|a, b| a.id == b.id);
            let about = about(organization, Some(&app));
            match append(context, organization, &app, &events).instrument(about).await {
                Ok(()) => Vec::new(),
                Err(failure) => refused(&events, &failure),
            }
        });

        let appended: Vec<Vec<EventId>> = appended.buffer_unordered(SIDE_BY_SIDE).collect().await;
        incomplete.extend(appended.into_iter().flatten());
        incomplete
    }
}

fn refused(events: &[&OutboxEvent], failure: &Failure) -> Vec<EventId> {
    tracing::warn!("events could not be added to a feed: {}", failure.log_text());
    events.iter().map(|event| event.id.clone()).collect()
}

/// The data on which a decision to add events is based: the end of the feed, and the events that it already has.
struct Seen {
    head: Option<FeedHead>,
    present: BTreeSet<EventId>,
}

/// Adds events to an app's feed if it is on. Repeated batches are rare, so the events that the feed already has are
/// only read after a first transaction was stale.
async fn append(
    context: &Context,
    organization: &OrganizationId,
    app: &AppId,
    events: &[&OutboxEvent],
) -> Result<(), Failure> {
    let org = &context.store.of(organization);
    for events in events.chunks(EVENTS_PER_APPEND) {
        let first = Ok(Seen { head: org.feed_head(app).await?, present: BTreeSet::new() });
        let decide = |seen: Result<Seen, Failure>| async move {
            let Seen { head, present } = seen?;
            let new: Vec<_> = events.iter().copied().filter(|event| !present.contains(&event.id)).collect();
            let mut change = Change::new(organization);
            if let Some(head) = head.filter(|head| head.is_on && !new.is_empty()) {
                change.append_to_feed(app, &head, &new, context.now())?;
            }
            Ok((change, ()))
        };
        context.store.settle_from(first, || see(org, app, events), decide).await?;
    }
    Ok(())
}

async fn see(org: &OrganizationStore, app: &AppId, events: &[&OutboxEvent]) -> Result<Seen, Failure> {
    // The head is read first, so that an event that is added afterwards makes the decision stale.
    let head = org.feed_head(app).await?;
    let present = org.events_in_feed(app, events.iter().map(|event| &event.id)).await?;
    Ok(Seen { head, present })
}
