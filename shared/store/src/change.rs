//! The writes of one decision. Each write knows what its failed condition means, so that the first one refused, in the
//! order in which they were added, is the answer; that order is the order of errors of the API.

use domain::Failure;
use domain::id::OrganizationId;
use serde::Serialize;

use crate::answer_record::PlannedRecord;
use crate::expression::{Condition, Update};
use crate::item::{Item, NewItem};
use crate::keys::Key;
use crate::operation::{NewItemWrite, Operation};

pub struct Change {
    pub(crate) organization: OrganizationId,
    pub(crate) writes: Vec<Write>,
    pub(crate) record: Option<PlannedRecord>,
}

pub(crate) struct Write {
    pub(crate) operation: Operation,
    pub(crate) verdict: Verdict,
}

/// What it means that a condition failed, seen the item as it is.
pub(crate) type Verdict = Box<dyn Fn(Option<&Item>) -> Refused + Send + Sync>;

pub(crate) enum Refused {
    With(Failure),
    /// The table already holds what was wanted.
    AlreadyDone,
    /// The decision rests on something that has changed since it was read.
    Stale,
}

pub(crate) fn fail_with(failure: impl Fn() -> Failure + Send + Sync + 'static) -> Verdict {
    Box::new(move |_| Refused::With(failure()))
}

/// For conditions of the form "exists and ...": `absent` where there is no item, `otherwise` where there is one.
pub(crate) fn absent_or(
    absent: impl Fn() -> Failure + Send + Sync + 'static,
    otherwise: impl Fn(&Item) -> Refused + Send + Sync + 'static,
) -> Verdict {
    Box::new(move |item| item.map_or_else(|| Refused::With(absent()), &otherwise))
}

pub(crate) fn stale() -> Verdict {
    Box::new(|_| Refused::Stale)
}

/// For writes without a condition.
pub(crate) fn never() -> Verdict {
    fail_with(|| Failure::internal("an unconditional write was refused"))
}

impl Change {
    pub fn new(organization: &OrganizationId) -> Self {
        Change { organization: organization.clone(), writes: Vec::new(), record: None }
    }

    pub(crate) fn push(&mut self, operation: Operation, verdict: Verdict) {
        self.writes.push(Write { operation, verdict });
    }

    /// Writes an item that must not exist.
    pub(crate) fn create(&mut self, item: NewItem, verdict: Verdict) {
        self.put_if(item, Condition::absent(), verdict);
    }

    pub(crate) fn put(&mut self, item: NewItem) {
        self.put_if(item, Condition::default(), never());
    }

    pub(crate) fn put_if(&mut self, item: NewItem, condition: Condition, verdict: Verdict) {
        self.push(Operation::Put(NewItemWrite { item: item.0, condition }), verdict);
    }

    /// `create` of an entity under a key that carries a fresh random id: it cannot exist.
    pub(crate) fn create_entity<T: Serialize>(&mut self, key: &Key, entity: &T) -> Result<(), Failure> {
        self.create(NewItem::new(key, entity)?, fail_with(|| Failure::internal("a fresh identifier exists already")));
        Ok(())
    }

    pub(crate) fn update(&mut self, update: Update, verdict: Verdict) {
        self.push(Operation::Update(update), verdict);
    }

    pub(crate) fn delete(&mut self, key: Key, condition: Condition, verdict: Verdict) {
        self.push(Operation::Delete(key, condition), verdict);
    }

    pub(crate) fn delete_any(&mut self, key: Key) {
        self.delete(key, Condition::default(), never());
    }

    pub(crate) fn require(&mut self, key: Key, condition: Condition, verdict: Verdict) {
        self.push(Operation::Check(key, condition), verdict);
    }
}
