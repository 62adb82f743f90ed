//! Feeds of apps. The head of a feed holds the sequence number of its last entry. Entries and head are written in one
//! transaction, on the condition that the head is unchanged. So sequence numbers are consecutive, and no entry appears
//! behind a position that a reader has passed. A record of each event in each feed makes a repeated dispatch add
//! nothing.

use std::collections::BTreeSet;

use domain::Failure;
use domain::Timestamp;
use domain::events::delivery::KEPT;
use domain::events::event::OutboxEvent;
use domain::events::feed::{FeedEntry, FeedHead, READABLE};
use domain::id::{AppId, EventId};

use crate::engine::bulk::BULK_WRITES;
use crate::engine::change::{Change, stale};
use crate::engine::expression::{Condition, Update};
use crate::engine::item::{NewItem, PARTITION, entities, entity, number, value};
use crate::engine::table::Range;
use crate::{OrganizationStore, Reads, keys};

/// How many events one transaction can add: an entry and a record each, and the head.
pub const EVENTS_PER_APPEND: usize = (BULK_WRITES - 1) / 2;

impl Reads {
    /// Returns the end of an app's feed; `None` if the feed was never on, or if the app is deleted.
    pub async fn feed_head(&self, app: &AppId) -> Result<Option<FeedHead>, Failure> {
        self.table.get(&keys::feed_head(&self.organization, app)).await?.map(entity).transpose()
    }
}

impl OrganizationStore {
    /// Returns the first entries after a sequence number. A query can see a part of a transaction: entries can be
    /// missing between the returned ones.
    pub async fn feed_entries(&self, app: &AppId, after: u64, most: usize) -> Result<Vec<FeedEntry>, Failure> {
        let (from, end) = (keys::feed_sequence(after + 1), keys::FEED_END);
        let partition = keys::feed(&self.organization, app);
        let range = Range { partition, from: Some(&from), before: Some(end), newest_first: false, limit: Some(most) };
        entities(self.table.query(range).await?)
    }

    /// Returns those of the events that are in the app's feed.
    pub async fn events_in_feed(
        &self,
        app: &AppId,
        events: impl IntoIterator<Item = &EventId>,
    ) -> Result<BTreeSet<EventId>, Failure> {
        let keys: Vec<_> = events.into_iter().map(|event| keys::in_feed(&self.organization, event, app)).collect();
        let found = self.table.get_all(&keys).await?;
        let partitions = found.iter().filter_map(|item| item.get(PARTITION)?.as_s().ok());
        Ok(partitions.filter_map(|partition| keys::event_in_feed(partition)).collect())
    }

    /// Returns those of the events that exist, in no particular order.
    pub async fn outbox_events(&self, ids: impl IntoIterator<Item = &EventId>) -> Result<Vec<OutboxEvent>, Failure> {
        let keys: Vec<_> = ids.into_iter().map(|id| keys::event(&self.organization, id)).collect();
        entities(self.table.get_all(&keys).await?)
    }
}

impl Change {
    /// Adds events to an app's feed. Stale if the feed has changed since `head` was read, or if it contains one of the
    /// events. `events` has at most [`EVENTS_PER_APPEND`].
    pub fn append_to_feed(
        &mut self,
        app: &AppId,
        head: &FeedHead,
        events: &[&OutboxEvent],
        now: Timestamp,
    ) -> Result<(), Failure> {
        let written_at = head.next_written_at(now);
        let mut last = (head.sequence, head.written_at);
        for event in events {
            let sequence = last.0 + 1;
            let entry = FeedEntry {
                sequence,
                outbox_id: event.id.clone(),
                event_type: event.kind.clone(),
                size: event.data.len(),
                written_at,
                previous_at: last.1,
            };
            let key = keys::feed_entry(&self.organization, app, sequence);
            self.create(NewItem::new(&key, &entry)?.expiring(written_at.plus(READABLE)), stale());
            let record = NewItem::marker(&keys::in_feed(&self.organization, &event.id, app))
                .with("sequence", number(sequence))
                .expiring(event.created_at.plus(KEPT));
            self.create(record, stale());
            last = (sequence, Some(written_at));
        }

        let update = Update::new(keys::feed_head(&self.organization, app))
            .set("sequence", &last.0)?
            .set("writtenAt", &written_at)?
            .when("#sequence = :seen AND #opening = :opening AND #isOn = :on")
            .value(":seen", number(head.sequence))
            .value(":opening", number(head.opening))
            .value(":on", value(&true)?);

        self.update(update, stale());
        Ok(())
    }

    /// Switches an app's feed on. Stale if the feed has changed since `seen` was read.
    pub(crate) fn switch_feed_on(&mut self, app: &AppId, seen: Option<&FeedHead>) -> Result<(), Failure> {
        let (key, head) = (keys::feed_head(&self.organization, app), FeedHead::switched_on(seen));
        let condition = match seen {
            None => Condition::absent(),
            Some(head) => Condition::new("#opening = :seen AND #isOn = :off")
                .value(":seen", number(head.opening))
                .value(":off", value(&false)?),
        };
        self.update(Update::overwriting(key, &head, &["writtenAt"])?.on(condition), stale());
        Ok(())
    }

    /// Switches an app's feed off. Stale if it is not on.
    pub(crate) fn switch_feed_off(&mut self, app: &AppId) -> Result<(), Failure> {
        let update = Update::new(keys::feed_head(&self.organization, app))
            .set("isOn", &false)?
            .when("#isOn = :on")
            .value(":on", value(&true)?);
        self.update(update, stale());
        Ok(())
    }

    /// Deletes the head of a deleted app's feed. Nothing is added to a feed without a head, and its entries expire.
    pub(crate) fn delete_feed(&mut self, app: &AppId) {
        self.delete_any(keys::feed_head(&self.organization, app));
    }
}
