//! The writes of one decision. Each write knows what its failed condition means, so that the first one refused, in the
//! order in which they were added, is the answer; that order is the order of errors of the API.

use aws_sdk_dynamodb::types::CancellationReason;
use domain::Failure;
use domain::id::OrganizationId;
use serde::Serialize;

use crate::expression::{Condition, Update};
use crate::idempotency::{AnswerRecord, PlannedRecord};
use crate::item::{Item, NewItem};
use crate::keys::Key;

/// DynamoDB's limit on one transaction.
pub(crate) const MOST_WRITES: usize = 100;

pub struct Change {
    pub(crate) organization: OrganizationId,
    pub(crate) writes: Vec<Write>,
    pub(crate) record: Option<PlannedRecord>,
}

pub(crate) struct Write {
    pub(crate) operation: Operation,
    pub(crate) verdict: Verdict,
}

#[derive(Clone)]
pub(crate) enum Operation {
    Put(NewItemWrite),
    Update(Update),
    Delete(Key, Condition),
    Check(Key, Condition),
}

#[derive(Clone)]
pub(crate) struct NewItemWrite {
    pub(crate) item: Item,
    pub(crate) condition: Condition,
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

/// How a commit ended when it did not fail.
#[derive(Debug)]
pub enum Committed {
    Done,
    AlreadyDone,
    /// Read again and decide again.
    Stale,
    /// The `Idempotency-Key` was used before; nothing was written.
    Remembered(AnswerRecord),
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

    /// The writes in their order, the idempotent answer last.
    pub(crate) fn operations(&self) -> impl Iterator<Item = Operation> {
        let record = self.record.iter().map(PlannedRecord::operation);
        self.writes.iter().map(|write| write.operation.clone()).chain(record)
    }

    /// The verdict on a cancelled transaction; `None` where no condition failed, only a conflict with another one.
    pub(crate) fn judge(&self, reasons: &[CancellationReason]) -> Option<Result<Committed, Failure>> {
        let failed = |reason: &&CancellationReason| reason.code() == Some("ConditionalCheckFailed");
        // The answer of the first request goes before everything that has become of the table since.
        if self.record.is_some()
            && let Some(reason) = reasons.get(self.writes.len()).filter(failed)
        {
            return Some(AnswerRecord::from_item(reason.item()).map(Committed::Remembered));
        }
        let refused = self.writes.iter().zip(reasons).filter(|(_, reason)| failed(reason));
        let judged: Vec<_> = refused.map(|(write, reason)| write.judge(reason.item())).collect();
        // What is not there comes before what is full or taken.
        let is_missing =
            |judged: &Result<Committed, Failure>| matches!(judged, Err(failure) if failure.status() == 404);
        let first = judged.iter().position(is_missing).unwrap_or(0);
        judged.into_iter().nth(first)
    }
}

impl Write {
    pub(crate) fn judge(&self, item: Option<&Item>) -> Result<Committed, Failure> {
        match (self.verdict)(item.filter(|item| !item.is_empty())) {
            Refused::With(failure) => Err(failure),
            Refused::AlreadyDone => Ok(Committed::AlreadyDone),
            Refused::Stale => Ok(Committed::Stale),
        }
    }
}
