//! The stored responses of idempotent requests, as items of the table.

use std::time::Duration;

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use domain::id::OrganizationId;
use domain::message::MessageId;
use domain::{Failure, Timestamp};

use crate::engine::expression::Condition;
use crate::engine::item::{Item, NewItem, number};
use crate::engine::operation::{NewItemWrite, Operation};
use crate::keys::{self, Key};

/// How long a response is kept for retries of its request.
pub const RESPONSE_KEPT: Duration = Duration::from_secs(24 * 3600);

/// The condition that a key is free. TTL deletes items late, so an item past its expiry counts as deleted.
const FREE: &str = "attribute_not_exists(PK) OR #ttl <= :now";
/// The attribute with the message that a request created.
pub(crate) const MESSAGE_ID: &str = "messageId";

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

/// The stored record of an idempotent request.
#[derive(Clone, Debug)]
pub struct ResponseRecord {
    /// The SHA-256 of the request's input, hexadecimal.
    pub fingerprint: String,
    /// The response; `None` while the first request is running, and if the record points at a message.
    pub response: Option<SealedResponse>,
    /// The message that the first request created. Its state is the response to a repetition.
    pub message_id: Option<MessageId>,
}

/// The status and the sealed body of a response.
#[derive(Clone, Debug)]
pub struct SealedResponse {
    pub status: u16,
    pub body: Vec<u8>,
}

impl ResponseRecord {
    pub(crate) fn from_item(item: Option<&Item>) -> Result<Self, Failure> {
        let item = item.ok_or_else(|| {
            Failure::internal("DynamoDB rejected an idempotency record without returning the existing item")
        })?;
        let fingerprint = item.get("fingerprint").and_then(|value| value.as_s().ok()).cloned().unwrap_or_default();
        let status = item.get("status").and_then(|value| value.as_n().ok()).and_then(|status| status.parse().ok());
        let body = item.get("body").and_then(|value| value.as_b().ok()).map(|body| body.as_ref().to_vec());
        let response = status.zip(body).map(|(status, body)| SealedResponse { status, body });
        let message_id = item.get(MESSAGE_ID).and_then(|value| value.as_s().ok()).and_then(|id| id.parse().ok());
        Ok(ResponseRecord { fingerprint, response, message_id })
    }
}

/// A response that is stored in the transaction of the change that it confirms.
pub(crate) struct PlannedRecord {
    pub(crate) item: Item,
    pub(crate) condition: Condition,
}

impl PlannedRecord {
    /// Returns the record of a request that creates a message, which is stored with the message. It has no lease, and
    /// no other request takes it over. Only if the platform refused the message `refused` temporarily, the same request
    /// can create another one.
    pub(crate) fn of_message(
        key: &RecordKey,
        fingerprint: &str,
        message: &MessageId,
        refused: Option<&MessageId>,
        now: Timestamp,
    ) -> Self {
        let item = NewItem::marker(&key.key())
            .with("fingerprint", AttributeValue::S(fingerprint.to_owned()))
            .with(MESSAGE_ID, AttributeValue::S(message.to_string()))
            .expiring(now.plus(RESPONSE_KEPT));
        let condition = match refused {
            None => Condition::new(FREE),
            Some(refused) => Condition::new(&format!("{FREE} OR #messageId = :refused"))
                .value(":refused", AttributeValue::S(refused.to_string())),
        };
        PlannedRecord { item: item.0, condition: condition.value(":now", number(now.seconds())) }
    }

    pub(crate) fn new(
        key: &RecordKey,
        fingerprint: &str,
        response: SealedResponse,
        lease: Option<&str>,
        now: Timestamp,
    ) -> Self {
        let item = NewItem::marker(&key.key())
            .with("fingerprint", AttributeValue::S(fingerprint.to_owned()))
            .with("status", number(response.status))
            .with("body", AttributeValue::B(Blob::new(response.body)))
            .expiring(now.plus(RESPONSE_KEPT));
        let condition = match lease {
            None => Condition::new(FREE),
            Some(token) => Condition::new(&format!("{FREE} OR #lease = :lease"))
                .value(":lease", AttributeValue::S(token.to_owned())),
        };
        PlannedRecord { item: item.0, condition: condition.value(":now", number(now.seconds())) }
    }

    pub(crate) fn operation(&self) -> Operation {
        Operation::Put(NewItemWrite { item: self.item.clone(), condition: self.condition.clone() })
    }
}
