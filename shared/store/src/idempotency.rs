//! Answers kept for the retry of a POST under the same `Idempotency-Key`. The body is sealed by the caller's credential
//! (crate `api`); the table holds nothing that could be read without it.

use std::time::Duration;

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use domain::id::OrganizationId;
use domain::{Failure, Timestamp};

use crate::Store;
use crate::change::{Change, Committed, NewItemWrite, Operation, Refused};
use crate::expression::Condition;
use crate::item::{Item, NewItem, TTL, number};
use crate::keys::{self, Key};

const KEPT: Duration = Duration::from_secs(24 * 3600);
/// How long a request that works outside the table may hold its key before a retry may take over.
const LEASE: Duration = Duration::from_secs(60);

/// Where an answer lies: the organization and a hash over everything else of its scope.
#[derive(Clone, Debug)]
pub struct RecordKey {
    pub organization: OrganizationId,
    pub hash: String,
}

impl RecordKey {
    fn key(&self) -> Key {
        keys::idempotent_answer(&self.organization, &self.hash)
    }
}

/// What is remembered of a request.
#[derive(Clone, Debug)]
pub struct AnswerRecord {
    /// SHA-256 of the input, hexadecimal.
    pub fingerprint: String,
    /// `None` while the first request is running.
    pub answer: Option<(u16, Vec<u8>)>,
}

impl AnswerRecord {
    pub(crate) fn from_item(item: Option<&Item>) -> Result<Self, Failure> {
        let item = item.ok_or_else(|| Failure::internal("a refused record came without its item"))?;
        let fingerprint = item.get("fingerprint").and_then(|value| value.as_s().ok()).cloned().unwrap_or_default();
        let status = item.get("status").and_then(|value| value.as_n().ok()).and_then(|status| status.parse().ok());
        let body = item.get("body").and_then(|value| value.as_b().ok()).map(|body| body.as_ref().to_vec());
        Ok(AnswerRecord { fingerprint, answer: status.zip(body) })
    }
}

/// An answer that is written with the change it answers for.
pub(crate) struct PlannedRecord {
    item: Item,
    condition: Condition,
}

impl PlannedRecord {
    pub(crate) fn operation(&self) -> Operation {
        Operation::Put(NewItemWrite { item: self.item.clone(), condition: self.condition.clone() })
    }
}

impl Change {
    /// Remembers the answer in this change's own transaction. `lease` is the token of `begin_idempotent`, if it was called.
    pub fn remember(
        &mut self,
        key: &RecordKey,
        fingerprint: &str,
        answer: (u16, Vec<u8>),
        lease: Option<&str>,
        now: Timestamp,
    ) {
        self.record = Some(plan(key, fingerprint, answer, lease, now));
    }
}

fn plan(
    key: &RecordKey,
    fingerprint: &str,
    (status, body): (u16, Vec<u8>),
    lease: Option<&str>,
    now: Timestamp,
) -> PlannedRecord {
    let item = NewItem::marker(&key.key())
        .with("fingerprint", AttributeValue::S(fingerprint.to_owned()))
        .with("status", number(status))
        .with("body", AttributeValue::B(Blob::new(body)))
        .expiring(now.plus(KEPT));
    // TTL removes late: what is past its time counts as gone.
    let free = "attribute_not_exists(PK) OR #ttl <= :now";
    let condition = match lease {
        None => Condition::new(free),
        Some(token) => {
            Condition::new(&format!("{free} OR #lease = :lease")).value(":lease", AttributeValue::S(token.to_owned()))
        }
    };
    PlannedRecord { item: item.0, condition: condition.value(":now", number(now.seconds())) }
}

impl Store {
    /// Takes the key for a request that works outside the table first. Refused, it answers what is remembered.
    pub async fn begin_idempotent(
        &self,
        key: &RecordKey,
        fingerprint: &str,
        lease: &str,
        now: Timestamp,
    ) -> Result<Committed, Failure> {
        let item = NewItem::marker(&key.key())
            .with("fingerprint", AttributeValue::S(fingerprint.to_owned()))
            .with("lease", AttributeValue::S(lease.to_owned()))
            .with("leaseUntil", number(now.plus(LEASE).millis()))
            .expiring(now.plus(KEPT));
        let condition = Condition::new("attribute_not_exists(PK) OR #ttl <= :now OR #leaseUntil <= :nowMillis")
            .value(":now", number(now.seconds()))
            .value(":nowMillis", number(now.millis()));
        self.put_record(key, item.0, condition).await
    }

    /// Remembers a final answer that changed nothing.
    pub async fn remember_refusal(
        &self,
        key: &RecordKey,
        fingerprint: &str,
        answer: (u16, Vec<u8>),
        lease: Option<&str>,
        now: Timestamp,
    ) -> Result<Committed, Failure> {
        let planned = plan(key, fingerprint, answer, lease, now);
        self.put_record(key, planned.item, planned.condition).await
    }

    async fn put_record(&self, key: &RecordKey, item: Item, condition: Condition) -> Result<Committed, Failure> {
        let mut change = Change::new(&key.organization);
        change.record = Some(PlannedRecord { item, condition });
        self.table.commit(&change).await
    }

    /// What is remembered under a key, unless its time has passed.
    pub async fn idempotent_answer(&self, key: &RecordKey, now: Timestamp) -> Result<Option<AnswerRecord>, Failure> {
        let item = self.table.get(&key.key()).await?;
        let lives = |item: &Item| {
            let ends = item.get(TTL).and_then(|ttl| ttl.as_n().ok()).and_then(|ttl| ttl.parse::<i64>().ok());
            ends.is_some_and(|ends| ends > now.seconds())
        };
        item.filter(lives).map(|item| AnswerRecord::from_item(Some(&item))).transpose()
    }

    /// Frees the key of a request that may be tried again as it was.
    pub async fn release_idempotent(&self, key: &RecordKey, lease: &str) -> Result<(), Failure> {
        let mut change = Change::new(&key.organization);
        let condition = Condition::new("#lease = :lease").value(":lease", AttributeValue::S(lease.to_owned()));
        // Another request may have taken over by now; then there is nothing to free.
        change.delete(key.key(), condition, Box::new(|_| Refused::AlreadyDone));
        self.table.commit(&change).await.map(|_| ())
    }

    /// Commits a change; a stale one is for the caller to decide again.
    pub async fn commit(&self, change: &Change) -> Result<Committed, Failure> {
        self.table.commit(change).await
    }
}
