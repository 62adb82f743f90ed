//! The outbox: events to dispatch, stored in the transaction of the change that they report, so that no event is lost.

use std::time::Duration;

use domain::Failure;
use domain::due::DueClass;
use domain::events::delivery::KEPT;
use domain::events::event::OutboxEvent;
use domain::id::EventId;

use crate::engine::change::{Change, Refused, fail_with};
use crate::engine::expression::Update;
use crate::engine::item::{NewItem, entity, value};
use crate::{Reads, keys};

/// The table's stream invokes the dispatcher at once; if that fails, the sweep dispatches the event after this time.
const DUE_AFTER: Duration = Duration::from_secs(5 * 60);

impl Reads {
    pub async fn outbox_event(&self, id: &EventId) -> Result<Option<OutboxEvent>, Failure> {
        self.table.get(&keys::event(&self.organization, id)).await?.map(entity).transpose()
    }
}

impl Change {
    /// Stores an event for dispatch.
    pub fn emit(&mut self, event: &OutboxEvent) -> Result<(), Failure> {
        let item = NewItem::new(&keys::event(&self.organization, &event.id), event)?
            .with("organizationId", value(&self.organization)?)
            .due(DueClass::Events, event.created_at.plus(DUE_AFTER))
            .expiring(event.created_at.plus(KEPT));
        self.create(item, fail_with(|| Failure::internal("a newly minted event id already exists")));
        self.emitted.push((event.kind.clone(), event.id.clone()));
        Ok(())
    }

    /// Removes an event from the due index, once each of its webhooks has a delivery. Already done if the event is
    /// deleted.
    pub fn note_dispatched(&mut self, event: &EventId) {
        let update = Update::new(keys::event(&self.organization, event)).not_due().if_present();
        self.update(update, Box::new(|_| Refused::AlreadyDone));
    }

    /// Stores an event that needs no dispatch, because its delivery is created in the same transaction.
    pub fn store_event_without_dispatch(&mut self, event: &OutboxEvent) -> Result<(), Failure> {
        let item = NewItem::new(&keys::event(&self.organization, &event.id), event)?
            .with("organizationId", value(&self.organization)?)
            .expiring(event.created_at.plus(KEPT));
        self.put(item);
        Ok(())
    }
}
