//! Idempotency: responses kept for retries of a POST with the same `Idempotency-Key`, and markers of the platform
//! updates that were applied. The crate `api` seals the body of a response with the caller's credential, so the table
//! alone does not reveal it.

use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use domain::message::MessageId;
use domain::{Failure, Timestamp};

use crate::engine::change::{Change, Refused};
use crate::engine::commit::Committed;
use crate::engine::expression::Condition;
use crate::engine::item::{Item, NewItem, TTL, number};
use crate::engine::response_record::{PlannedRecord, RESPONSE_KEPT, RecordKey, ResponseRecord, SealedResponse};
use crate::store::Store;
use crate::{OrganizationStore, keys};

/// How long a request with effects outside the table holds its idempotency key before a retry may take over.
const LEASE: Duration = Duration::from_secs(60);
/// How long applied updates are remembered. The platform repeats notifications for at most a week.
const SEEN_KEPT: Duration = Duration::from_secs(14 * 24 * 3600);
/// The attribute of an applied update that holds the id of the object that it created.
const MADE: &str = "made";

impl Change {
    /// Stores the response in the transaction of this change. `lease` is the token passed to `begin_idempotent`, if
    /// that was called.
    pub fn remember(
        &mut self,
        key: &RecordKey,
        fingerprint: &str,
        response: SealedResponse,
        lease: Option<&str>,
        now: Timestamp,
    ) {
        self.record = Some(PlannedRecord::new(key, fingerprint, response, lease, now));
    }

    /// Stores, in the transaction of this change, which message the request creates. `refused` is the message of an
    /// earlier request with the same key that the platform refused temporarily: this request replaces it.
    pub fn remember_message(
        &mut self,
        key: &RecordKey,
        fingerprint: &str,
        message: &MessageId,
        refused: Option<&MessageId>,
        now: Timestamp,
    ) {
        self.record = Some(PlannedRecord::of_message(key, fingerprint, message, refused, now));
    }

    /// Makes this change apply a platform update only once: if the update was applied before, nothing is written.
    pub fn once(&mut self, update_hash: &str, now: Timestamp) {
        let item = NewItem::marker(&keys::seen(&self.organization, update_hash)).expiring(now.plus(SEEN_KEPT));
        self.create(item, Box::new(|_| Refused::AlreadyDone));
        self.markers += 1;
    }

    /// Works like `once` for an update that creates an object, and records the object's id.
    pub fn once_making(&mut self, update_hash: &str, object: &str, now: Timestamp) {
        let item = NewItem::marker(&keys::seen(&self.organization, update_hash)).expiring(now.plus(SEEN_KEPT));
        let item = item.with(MADE, AttributeValue::S(object.to_owned()));
        self.create(item, Box::new(|_| Refused::AlreadyDone));
    }
}

impl OrganizationStore {
    /// Returns the id of the object that an applied update created.
    pub async fn made_by(&self, update_hash: &str) -> Result<Option<String>, Failure> {
        let seen = self.table.get(&keys::seen(&self.organization, update_hash)).await?;
        Ok(seen.and_then(|seen| seen.get(MADE)?.as_s().ok().cloned()))
    }
}

impl Store {
    /// Reserves the idempotency key of a request with effects outside the table. If the key is taken, returns the
    /// record under it as `Committed::Remembered`.
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
            .expiring(now.plus(RESPONSE_KEPT));
        let condition = Condition::new("attribute_not_exists(PK) OR #ttl <= :now OR #leaseUntil <= :nowMillis")
            .value(":now", number(now.seconds()))
            .value(":nowMillis", number(now.millis()));
        self.put_record(key, item.0, condition).await
    }

    /// Stores the response to a request that was rejected for good and changed nothing.
    pub async fn remember_refusal(
        &self,
        key: &RecordKey,
        fingerprint: &str,
        response: SealedResponse,
        lease: Option<&str>,
        now: Timestamp,
    ) -> Result<Committed, Failure> {
        let planned = PlannedRecord::new(key, fingerprint, response, lease, now);
        self.put_record(key, planned.item, planned.condition).await
    }

    async fn put_record(&self, key: &RecordKey, item: Item, condition: Condition) -> Result<Committed, Failure> {
        let mut change = Change::new(&key.organization);
        change.record = Some(PlannedRecord { item, condition });
        self.table.commit(&change).await
    }

    /// Returns the record under a key, unless it has expired.
    pub async fn idempotent_response(
        &self,
        key: &RecordKey,
        now: Timestamp,
    ) -> Result<Option<ResponseRecord>, Failure> {
        let item = self.table.get(&key.key()).await?;
        let lives = |item: &Item| {
            let ends = item.get(TTL).and_then(|ttl| ttl.as_n().ok()).and_then(|ttl| ttl.parse::<i64>().ok());
            ends.is_some_and(|ends| ends > now.seconds())
        };
        item.filter(lives).map(|item| ResponseRecord::from_item(Some(&item))).transpose()
    }

    /// Frees the key of a request that failed without an effect, so that it can be retried unchanged.
    pub async fn release_idempotent(&self, key: &RecordKey, lease: &str) -> Result<(), Failure> {
        let mut change = Change::new(&key.organization);
        let condition = Condition::new("#lease = :lease").value(":lease", AttributeValue::S(lease.to_owned()));
        // If another request has taken over, the key belongs to that request.
        change.delete(key.key(), condition, Box::new(|_| Refused::AlreadyDone));
        self.table.commit(&change).await.map(|_| ())
    }
}
