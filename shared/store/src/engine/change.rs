//! The writes of one decision. Each write has a verdict, which interprets a failure of its condition. If several
//! conditions fail, a missing object is reported first, otherwise the write that was added first decides the response.
//! The order of writes is therefore the API's order of errors.

use domain::events::event::EventName;
use domain::id::{EventId, OrganizationId};
use domain::{Failure, Open};
use serde::Serialize;

use crate::engine::expression::{Condition, Update};
use crate::engine::item::{Item, NewItem};
use crate::engine::operation::{NewItemWrite, Operation};
use crate::engine::response_record::PlannedRecord;
use crate::keys::Key;
use crate::limits::doubt::Doubt;

/// The writes of one decision, in one organization, to be committed together or not at all.
pub struct Change {
    pub(crate) organization: OrganizationId,
    pub(crate) writes: Vec<Write>,
    pub(crate) record: Option<PlannedRecord>,
    /// The events that the change emits.
    pub(crate) emitted: Vec<(Open<EventName>, EventId)>,
    /// How many of the writes only record that an update was applied.
    pub(crate) markers: usize,
}

pub(crate) struct Write {
    pub(crate) operation: Operation,
    pub(crate) verdict: Verdict,
}

/// Maps a failed condition to its meaning. The argument is the current item, if there is one.
pub(crate) type Verdict = Box<dyn Fn(Option<&Item>) -> Refused + Send + Sync>;

pub(crate) enum Refused {
    With(Failure),
    /// The table is already in the state that the change would produce.
    AlreadyDone,
    /// The decision is based on data that has changed since it was read.
    Stale,
    /// A limit is reached by counters that may be wrong.
    Doubtful(Box<Doubt>),
}

pub(crate) fn fail_with(failure: impl Fn() -> Failure + Send + Sync + 'static) -> Verdict {
    Box::new(move |_| Refused::With(failure()))
}

/// Returns the verdict for conditions of the form "exists and …": `absent` if there is no item, `otherwise` if there is
/// one.
pub(crate) fn absent_or(
    absent: impl Fn() -> Failure + Send + Sync + 'static,
    otherwise: impl Fn(&Item) -> Refused + Send + Sync + 'static,
) -> Verdict {
    Box::new(move |item| item.map_or_else(|| Refused::With(absent()), &otherwise))
}

pub(crate) fn stale() -> Verdict {
    Box::new(|_| Refused::Stale)
}

/// Returns the verdict for writes without a condition.
pub(crate) fn never() -> Verdict {
    fail_with(|| Failure::internal("DynamoDB rejected an unconditional write"))
}

impl Change {
    pub fn new(organization: &OrganizationId) -> Self {
        Change { organization: organization.clone(), writes: Vec::new(), record: None, emitted: Vec::new(), markers: 0 }
    }

    /// Returns the names and ids of the events that the change emits.
    pub fn emitted(&self) -> &[(Open<EventName>, EventId)] {
        &self.emitted
    }

    /// Returns whether the change writes nothing but the record that an update was applied.
    pub fn is_idle(&self) -> bool {
        self.writes.len() == self.markers
    }

    pub(crate) fn push(&mut self, operation: Operation, verdict: Verdict) {
        self.writes.push(Write { operation, verdict });
    }

    /// Creates an item that must not exist yet.
    pub(crate) fn create(&mut self, item: NewItem, verdict: Verdict) {
        self.put_if(item, Condition::absent(), verdict);
    }

    pub(crate) fn put(&mut self, item: NewItem) {
        self.put_if(item, Condition::default(), never());
    }

    pub(crate) fn put_if(&mut self, item: NewItem, condition: Condition, verdict: Verdict) {
        self.push(Operation::Put(NewItemWrite { item: item.0, condition }), verdict);
    }

    /// Creates an entity whose key contains a newly minted id, so that it cannot exist yet.
    pub(crate) fn create_entity<T: Serialize>(&mut self, key: &Key, entity: &T) -> Result<(), Failure> {
        self.create(
            NewItem::new(key, entity)?,
            fail_with(|| Failure::internal("a newly minted identifier already exists")),
        );
        Ok(())
    }

    pub(crate) fn update(&mut self, update: Update, verdict: Verdict) {
        self.push(Operation::Update(update), verdict);
    }

    pub(crate) fn delete(&mut self, key: Key, condition: Condition, verdict: Verdict) {
        self.push(Operation::Delete(key, condition), verdict);
    }

    /// Deletes an item whether or not it exists.
    pub(crate) fn delete_any(&mut self, key: Key) {
        self.delete(key, Condition::default(), never());
    }

    /// Requires that `condition` holds for an item that the change does not write.
    pub(crate) fn require(&mut self, key: Key, condition: Condition, verdict: Verdict) {
        self.push(Operation::Check(key, condition), verdict);
    }
}
