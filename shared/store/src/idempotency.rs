//! Idempotency: answers kept for the retry of a POST under the same `Idempotency-Key`, and marks of the platform updates that were
//! applied. The body of an answer is sealed by the caller's credential (crate `api`), so the table alone does not reveal it.

use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use domain::{Failure, Timestamp};

use crate::answer_record::{AnswerRecord, KEPT, PlannedRecord, RecordKey};
use crate::change::{Change, Refused};
use crate::commit::Committed;
use crate::expression::Condition;
use crate::item::{Item, NewItem, TTL, number};
use crate::keys;
use crate::store::Store;

/// How long a request that works outside the table may hold its key before a retry may take over.
const LEASE: Duration = Duration::from_secs(60);
/// The platform repeats a notification for a week at most.
const SEEN_KEPT: Duration = Duration::from_secs(14 * 24 * 3600);

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
        self.record = Some(PlannedRecord::new(key, fingerprint, answer, lease, now));
    }

    /// Applies a platform update once: if it was applied before, this change writes nothing.
    pub fn once(&mut self, update_hash: &str, now: Timestamp) {
        let item = NewItem::marker(&keys::seen(&self.organization, update_hash)).expiring(now.plus(SEEN_KEPT));
        self.create(item, Box::new(|_| Refused::AlreadyDone));
    }
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
        let planned = PlannedRecord::new(key, fingerprint, answer, lease, now);
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
}
