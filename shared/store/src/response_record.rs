//! The stored responses of idempotent requests, as items of the table.

use std::time::Duration;

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use domain::id::OrganizationId;
use domain::{Failure, Timestamp};

use crate::expression::Condition;
use crate::item::{Item, NewItem, number};
use crate::keys::{self, Key};
use crate::operation::{NewItemWrite, Operation};

/// How long a response is kept for retries of its request.
pub(crate) const KEPT: Duration = Duration::from_secs(24 * 3600);

/// The key of a stored response: the organization and a hash of everything else that identifies the request.
#[derive(Clone, Debug)]
pub struct RecordKey {
    pub organization: OrganizationId,
    pub hash: String,
}

impl RecordKey {
    pub(crate) fn key(&self) -> Key {
        keys::idempotent_response(&self.organization, &self.hash)
    }
}

/// What is stored about an idempotent request.
#[derive(Clone, Debug)]
pub struct ResponseRecord {
    /// The SHA-256 of the request's input, hexadecimal.
    pub fingerprint: String,
    /// Status and sealed body of the response; `None` while the first request is running.
    pub response: Option<(u16, Vec<u8>)>,
}

impl ResponseRecord {
    pub(crate) fn from_item(item: Option<&Item>) -> Result<Self, Failure> {
        let item = item.ok_or_else(|| {
            Failure::internal("DynamoDB rejected an idempotency record without returning the existing item")
        })?;
        let fingerprint = item.get("fingerprint").and_then(|value| value.as_s().ok()).cloned().unwrap_or_default();
        let status = item.get("status").and_then(|value| value.as_n().ok()).and_then(|status| status.parse().ok());
        let body = item.get("body").and_then(|value| value.as_b().ok()).map(|body| body.as_ref().to_vec());
        Ok(ResponseRecord { fingerprint, response: status.zip(body) })
    }
}

/// A response that is stored in the transaction of the change that it confirms.
pub(crate) struct PlannedRecord {
    pub(crate) item: Item,
    pub(crate) condition: Condition,
}

impl PlannedRecord {
    pub(crate) fn new(
        key: &RecordKey,
        fingerprint: &str,
        (status, body): (u16, Vec<u8>),
        lease: Option<&str>,
        now: Timestamp,
    ) -> Self {
        let item = NewItem::marker(&key.key())
            .with("fingerprint", AttributeValue::S(fingerprint.to_owned()))
            .with("status", number(status))
            .with("body", AttributeValue::B(Blob::new(body)))
            .expiring(now.plus(KEPT));
        // TTL deletes items late, so an item past its expiry counts as deleted.
        let free = "attribute_not_exists(PK) OR #ttl <= :now";
        let condition = match lease {
            None => Condition::new(free),
            Some(token) => Condition::new(&format!("{free} OR #lease = :lease"))
                .value(":lease", AttributeValue::S(token.to_owned())),
        };
        PlannedRecord { item: item.0, condition: condition.value(":now", number(now.seconds())) }
    }

    pub(crate) fn operation(&self) -> Operation {
        Operation::Put(NewItemWrite { item: self.item.clone(), condition: self.condition.clone() })
    }
}
