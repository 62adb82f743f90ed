//! The commit of a change: one conditional write or one transaction, which is retried if it conflicts with another
//! transaction.

use aws::failure::THROTTLED_RETRY_AFTER;
use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_dynamodb::types::{CancellationReason, ReturnValuesOnConditionCheckFailure as OnFailure};
use domain::port::random_bytes;
use domain::{ErrorKind, Failure};
use ring::rand::SystemRandom;

use crate::engine::change::{Change, Refused, Write};
use crate::engine::dynamodb_error::{ConditionFailure, cancellation_reasons, cause, failure, refused_item};
use crate::engine::expression::conditioned;
use crate::engine::item::{Item, METERED, key_attributes};
use crate::engine::operation::Operation;
use crate::engine::response_record::{PlannedRecord, ResponseRecord};
use crate::engine::table::{Table, pause};
use crate::engine::transaction::transact_item;
use crate::limits::doubt::Doubt;
use crate::store::Store;

/// DynamoDB's limit on the number of items in one transaction.
pub(crate) const MOST_WRITES: usize = 100;
/// The maximum number of attempts of a transaction. DynamoDB cancels one of two transactions that touch the same item;
/// it is retried with growing pauses.
const CONFLICT_ATTEMPTS: u32 = 10;

/// How often a change is retried because a limit refused it on the basis of counters that may have been wrong.
const RECOUNTS: u32 = 3;

/// Why nothing was written.
pub(crate) enum Unwritten {
    Failed(Failure),
    Doubtful(Box<Doubt>),
}

impl From<Failure> for Unwritten {
    fn from(failure: Failure) -> Self {
        Unwritten::Failed(failure)
    }
}

/// The outcome of a commit that did not fail.
#[derive(Debug)]
pub enum Committed {
    Done,
    AlreadyDone,
    /// Nothing was written: the decision is based on outdated data. Read and decide again.
    Stale,
    /// Nothing was written: the `Idempotency-Key` was used before.
    Remembered(ResponseRecord),
}

impl Store {
    /// Commits all writes of a change or none. After `Committed::Stale` the caller reads and decides again.
    pub async fn commit(&self, change: &Change) -> Result<Committed, Failure> {
        self.table.commit(change).await
    }
}

impl Table {
    /// Commits all writes of a change or none.
    pub(crate) async fn commit(&self, change: &Change) -> Result<Committed, Failure> {
        for round in 0.. {
            match self.commit_once(change).await {
                Ok(committed) => return Ok(committed),
                Err(Unwritten::Doubtful(doubt)) if round < RECOUNTS => {
                    Box::pin(self.recount(&change.organization, &doubt)).await?;
                }
                Err(Unwritten::Doubtful(doubt)) => return Err(doubt.refusal),
                Err(Unwritten::Failed(failure)) => return Err(failure),
            }
        }
        Err(Failure::internal("a commit had no outcome"))
    }

    async fn commit_once(&self, change: &Change) -> Result<Committed, Unwritten> {
        match (change.writes.as_slice(), &change.record) {
            ([], None) => Ok(Committed::Done),
            ([only], None) => self.write_one(only).await,
            _ => self.write_all(change).await,
        }
    }

    async fn write_one(&self, write: &Write) -> Result<Committed, Unwritten> {
        let refused = match self.marked(write.operation.clone()) {
            Operation::Put(put) => {
                let call = self.client.put_item().table_name(&*self.name).set_item(Some(put.item.clone()));
                let refused = refusal(conditioned!(call, put.condition).send().await)?;
                // The SDK retries a call whose response was lost; the retry then finds the item that it has written
                // itself.
                refused.filter(|old| old.as_ref() != Some(&put.item))
            }
            Operation::Update(update) => {
                let (key, expression, condition) = update.build();
                let call = self.client.update_item().table_name(&*self.name).set_key(Some(key_attributes(&key)));
                refusal(conditioned!(call.update_expression(expression), condition).send().await)?
            }
            Operation::Delete(key, condition) => {
                let call = self.client.delete_item().table_name(&*self.name).set_key(Some(key_attributes(&key)));
                refusal(conditioned!(call, condition).send().await)?
            }
            Operation::Check(..) => {
                return Err(Failure::internal("a change consists of a single condition check").into());
            }
        };
        refused.map_or(Ok(Committed::Done), |old| write.outcome(old.as_ref()))
    }

    /// Takes the mark off a new item that nothing would count: it would never count as a whole.
    fn marked(&self, mut operation: Operation) -> Operation {
        if let Operation::Put(put) = &mut operation
            && !self.is_metered
        {
            put.item.remove(METERED);
        }
        operation
    }

    async fn write_all(&self, change: &Change) -> Result<Committed, Unwritten> {
        let writes = change.writes.len() + usize::from(change.record.is_some());
        if writes > MOST_WRITES {
            return Err(Failure::internal(format!("{writes} writes do not fit one transaction")).into());
        }
        let operations: Vec<_> = change.operations().collect();
        let Some(reasons) = self.transact_for_reasons(&operations).await? else { return Ok(Committed::Done) };
        let unexplained = || Err(Failure::internal("a transaction was cancelled without a failed condition").into());
        change.outcome(&reasons).unwrap_or_else(unexplained)
    }

    /// Makes all writes or none. Returns the places of those whose conditions failed; `None` if all were made.
    pub(crate) async fn transact(&self, operations: &[Operation]) -> Result<Option<Vec<usize>>, Failure> {
        let reasons = self.transact_for_reasons(operations).await?;
        Ok(reasons.map(|reasons| (0..reasons.len()).filter(|place| has_failed(&reasons[*place])).collect()))
    }

    /// Makes all writes or none. Returns a reason for each of them if the condition of one has failed.
    async fn transact_for_reasons(&self, operations: &[Operation]) -> Result<Option<Vec<CancellationReason>>, Failure> {
        for attempt in 1..=CONFLICT_ATTEMPTS {
            let items = operations.iter().map(|operation| transact_item(&self.name, self.marked(operation.clone())));
            let items: Vec<_> = items.collect::<Result<_, _>>().map_err(Failure::internal)?;
            // The token makes the SDK's own retries idempotent.
            let token = domain::identity::credential::hex(&random_bytes::<18>(&SystemRandom::new()));
            let call = self.client.transact_write_items().set_transact_items(Some(items)).client_request_token(token);
            let error = match call.send().await {
                Ok(_) => return Ok(None),
                Err(error) => error,
            };
            let Some(reasons) = cancellation_reasons(&error) else { return Err(failure(error)) };
            if reasons.iter().any(has_failed) {
                return Ok(Some(reasons.to_vec()));
            }
            let has = |code: &str| reasons.iter().any(|reason| reason.code() == Some(code));
            if has("ThrottlingError") || has("ProvisionedThroughputExceeded") {
                return Err(Failure::throttled(THROTTLED_RETRY_AFTER).with_cause(cause(&error)));
            }
            if !has("TransactionConflict") {
                return Err(failure(error));
            }
            pause(attempt).await;
        }
        Err(Failure::throttled(THROTTLED_RETRY_AFTER))
    }
}

fn has_failed(reason: &CancellationReason) -> bool {
    reason.code() == Some("ConditionalCheckFailed")
}

impl Change {
    /// Returns the writes in order, then the write of the idempotency record.
    pub(crate) fn operations(&self) -> impl Iterator<Item = Operation> {
        let record = self.record.iter().map(PlannedRecord::operation);
        self.writes.iter().map(|write| write.operation.clone()).chain(record)
    }

    /// Returns the outcome of a cancelled transaction; `None` if no condition failed, but another reason cancelled it,
    /// such as a conflict or throttling.
    pub(crate) fn outcome(&self, reasons: &[CancellationReason]) -> Option<Result<Committed, Unwritten>> {
        let failed = |reason: &&CancellationReason| has_failed(reason);
        // The stored response of the first request takes precedence over every other failed condition.
        if self.record.is_some()
            && let Some(reason) = reasons.get(self.writes.len()).filter(failed)
        {
            return Some(ResponseRecord::from_item(reason.item()).map(Committed::Remembered).map_err(Unwritten::from));
        }
        let refused = self.writes.iter().zip(reasons).filter(|(_, reason)| failed(reason));
        let outcomes: Vec<_> = refused.map(|(write, reason)| write.outcome(reason.item())).collect();
        // A missing object is reported before a reached limit or a taken name.
        let is_missing = |outcome: &Result<Committed, Unwritten>| matches!(outcome, Err(Unwritten::Failed(failure)) if failure.kind() == ErrorKind::NotFound);
        let first = outcomes.iter().position(is_missing).unwrap_or(0);
        outcomes.into_iter().nth(first)
    }
}

impl Write {
    pub(crate) fn outcome(&self, item: Option<&Item>) -> Result<Committed, Unwritten> {
        match (self.verdict)(item.filter(|item| !item.is_empty())) {
            Refused::With(failure) => Err(failure.into()),
            Refused::Doubtful(doubt) => Err(Unwritten::Doubtful(doubt)),
            Refused::AlreadyDone => Ok(Committed::AlreadyDone),
            Refused::Stale => Ok(Committed::Stale),
        }
    }
}

/// Returns `None` if the write succeeded. If the condition failed, returns `Some` with the existing item, or
/// `Some(None)` if there is none.
fn refusal<T, E: ConditionFailure + ProvideErrorMetadata>(
    response: Result<T, SdkError<E>>,
) -> Result<Option<Option<Item>>, Failure> {
    match response {
        Ok(_) => Ok(None),
        Err(error) => refused_item(&error).map(Some).ok_or_else(|| failure(error)),
    }
}
