//! The records of requests that stored a message. A restored table lacks those since its restore point.

use aws_sdk_dynamodb::types::AttributeValue;
use domain::{Failure, Timestamp};
use futures_util::stream::{self, StreamExt as _, TryStreamExt as _};

use super::{KEYS, Maintenance};
use crate::engine::change::{Change, Refused};
use crate::engine::expression::Condition;
use crate::engine::item::{Item, NewItem, TTL, key_of, number};
use crate::engine::response_record::MESSAGE_ID;
use crate::keys::KeyClass;

/// How many records are written at once.
const AT_ONCE: usize = 16;

impl Maintenance {
    /// Returns the records of `previous`, valid at `now`, that name a message and that this table lacks.
    pub async fn lost_send_records(&self, previous: &Maintenance, now: Timestamp) -> Result<Vec<Item>, Failure> {
        let filter = "begins_with(#pk, :class) AND attribute_exists(#message) AND #ttl > :now";
        let names = [("#message", MESSAGE_ID), ("#ttl", TTL)];
        let values = [
            (":class".to_owned(), AttributeValue::S(KeyClass::IdempotentResponse.prefix())),
            (":now".to_owned(), number(now.seconds())),
        ]
        .into();
        let found = previous.items_where(filter, &names, &values).await?;

        let mut lost = Vec::new();
        for found in found.chunks(KEYS) {
            let keys: Vec<_> = found.iter().filter_map(key_of).collect();
            let kept = self.existing(&keys).await?;
            let is_lost = |item: &&Item| key_of(item).is_some_and(|key| !kept.contains(&key));
            lost.extend(found.iter().filter(is_lost).cloned());
        }
        Ok(lost)
    }

    /// Writes records that this table lacks. Records that have been created in the meantime stay.
    pub async fn keep_send_records(&self, records: Vec<Item>) -> Result<(), Failure> {
        let written = records.into_iter().map(|record| async move {
            let key = key_of(&record).ok_or_else(|| Failure::internal("a record has no key"))?;
            let organization = key.parse().and_then(|key| key.organization());
            let organization = organization.ok_or_else(|| Failure::internal("a record names no organization"))?;
            let mut change = Change::new(&organization);
            change.put_if(NewItem(record), Condition::absent(), Box::new(|_| Refused::AlreadyDone));
            self.table.commit(&change).await.map(|_| ())
        });
        stream::iter(written).buffer_unordered(AT_ONCE).try_collect().await
    }
}
