//! The commit of a change: one conditional write, or a transaction, which is retried after a conflict with another one.

use aws::failure::THROTTLED_RETRY_AFTER;
use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_dynamodb::types::{CancellationReason, ReturnValuesOnConditionCheckFailure as OnFailure};
use domain::Failure;
use domain::port::random_bytes;
use ring::rand::SystemRandom;

use crate::answer_record::{AnswerRecord, PlannedRecord};
use crate::change::{Change, Refused, Write};
use crate::dynamodb_error::{ConditionFailure, cancellation_reasons, cause, failure, refused_item};
use crate::expression::conditioned;
use crate::item::{Item, key_attributes};
use crate::operation::Operation;
use crate::store::Store;
use crate::table::{Table, pause};
use crate::transaction::transact_item;

/// DynamoDB's limit on one transaction.
const MOST_WRITES: usize = 100;
/// Two transactions that touch one item cancel each other; the loser retries, after a longer pause each time.
const CONFLICT_ATTEMPTS: u32 = 10;

/// The outcome of a commit that did not fail.
#[derive(Debug)]
pub enum Committed {
    Done,
    AlreadyDone,
    /// Read again and decide again.
    Stale,
    /// The `Idempotency-Key` was used before; nothing was written.
    Remembered(AnswerRecord),
}

impl Store {
    /// Commits a change. After `Committed::Stale` the caller reads and decides again.
    pub async fn commit(&self, change: &Change) -> Result<Committed, Failure> {
        self.table.commit(change).await
    }
}

impl Table {
    /// All writes or none.
    pub(crate) async fn commit(&self, change: &Change) -> Result<Committed, Failure> {
        match (change.writes.as_slice(), &change.record) {
            ([], None) => Ok(Committed::Done),
            ([only], None) => self.write_one(only).await,
            _ => self.write_all(change).await,
        }
    }

    async fn write_one(&self, write: &Write) -> Result<Committed, Failure> {
        let refused = match write.operation.clone() {
            Operation::Put(put) => {
                let call = self.client.put_item().table_name(&*self.name).set_item(Some(put.item.clone()));
                let refused = refusal(conditioned!(call, put.condition).send().await)?;
                // The SDK repeats a call whose answer was lost; what stands there then is this very item.
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
            Operation::Check(..) => return Err(Failure::internal("a change of one condition check changes nothing")),
        };
        refused.map_or(Ok(Committed::Done), |old| write.judge(old.as_ref()))
    }

    async fn write_all(&self, change: &Change) -> Result<Committed, Failure> {
        let items: Vec<_> = change
            .operations()
            .map(|operation| transact_item(&self.name, operation))
            .collect::<Result<_, _>>()
            .map_err(Failure::internal)?;
        if items.len() > MOST_WRITES {
            return Err(Failure::internal(format!("{} writes do not fit one transaction", items.len())));
        }
        for attempt in 1..=CONFLICT_ATTEMPTS {
            // The token makes the SDK's own repetition of a lost call harmless.
            let token = domain::credential::hex(&random_bytes::<18>(&SystemRandom::new()));
            let call =
                self.client.transact_write_items().set_transact_items(Some(items.clone())).client_request_token(token);
            let error = match call.send().await {
                Ok(_) => return Ok(Committed::Done),
                Err(error) => error,
            };
            let Some(reasons) = cancellation_reasons(&error) else { return Err(failure(error)) };
            if let Some(judged) = change.judge(reasons) {
                return judged;
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

impl Change {
    /// The writes in their order, then the idempotent answer.
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

/// What stood where a condition failed; `None` where the write was done.
fn refusal<T, E: ConditionFailure + ProvideErrorMetadata>(
    answer: Result<T, SdkError<E>>,
) -> Result<Option<Option<Item>>, Failure> {
    match answer {
        Ok(_) => Ok(None),
        Err(error) => refused_item(&error).map(Some).ok_or_else(|| failure(error)),
    }
}
