//! Reads of the table, and updates of single items. All reads are strongly consistent, except those of the due index.

use std::sync::Arc;
use std::time::Duration;

use aws::failure::THROTTLED_RETRY_AFTER;
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::{
    AttributeValue, KeysAndAttributes, ReturnValue, ReturnValuesOnConditionCheckFailure as OnFailure,
};
use domain::port::random_bytes;
use domain::{Failure, Timestamp};
use futures_util::future::try_join_all;
use ring::rand::SystemRandom;

use crate::engine::dynamodb_error::{failure, refused_item};
use crate::engine::expression::{Update, conditioned};
use crate::engine::item::{DUE_AT, DUE_PARTITION, Item, PARTITION, SORT, key_attributes, number};
use crate::keys::Key;

const PAUSE_MILLIS: u64 = 15;
const BATCH_ATTEMPTS: u32 = 6;
const BATCH_KEYS: usize = 100;
const DUE_INDEX: &str = "due";

#[derive(Clone)]
pub(crate) struct Table {
    pub(crate) client: Client,
    pub(crate) name: Arc<str>,
    /// Whether the table has a stream that `meter` reads.
    pub(crate) is_metered: bool,
}

/// Part of a partition, in the order of the sort key.
pub(crate) struct Range<'a> {
    pub(crate) partition: String,
    /// Only this sort key and those above it.
    pub(crate) from: Option<&'a str>,
    /// Only sort keys below this one.
    pub(crate) before: Option<&'a str>,
    pub(crate) newest_first: bool,
    pub(crate) limit: Option<usize>,
}

/// Part of a partition of the due index.
pub(crate) struct DueRange {
    pub(crate) partition: String,
    pub(crate) now: Timestamp,
    /// The key of the last entry of the previous page.
    pub(crate) after: Option<Item>,
    /// The highest number of entries; `None` for as many as DynamoDB reads at once.
    pub(crate) limit: Option<i32>,
}

impl Range<'_> {
    pub(crate) fn whole(partition: String) -> Self {
        Range { partition, from: None, before: None, newest_first: false, limit: None }
    }
}

impl Range<'_> {
    /// Returns the key condition with the values of its bounds.
    fn condition(&self) -> (&'static str, Vec<(&'static str, String)>) {
        match (self.from, self.before) {
            (None, None) => ("#pk = :pk", Vec::new()),
            (None, Some(before)) => ("#pk = :pk AND #sk < :before", vec![(":before", before.to_owned())]),
            (Some(from), None) => ("#pk = :pk AND #sk >= :from", vec![(":from", from.to_owned())]),
            (Some(from), Some(before)) => (
                "#pk = :pk AND #sk BETWEEN :from AND :last",
                vec![(":from", from.to_owned()), (":last", below(before))],
            ),
        }
    }
}

/// Returns a text that sorts below the ksuid `key` and above every lower ksuid, because `BETWEEN` includes its bounds.
fn below(key: &str) -> String {
    let (rest, last) = key.split_at(key.len().saturating_sub(1));
    let previous = last.bytes().next().map_or(0, |last| last.saturating_sub(1));
    format!("{rest}{}~", char::from(previous))
}

impl Table {
    pub(crate) fn new(client: Client, name: String) -> Self {
        Table { client, name: name.into(), is_metered: true }
    }

    pub(crate) async fn get(&self, key: &Key) -> Result<Option<Item>, Failure> {
        let call =
            self.client.get_item().table_name(&*self.name).set_key(Some(key_attributes(key))).consistent_read(true);
        Ok(call.send().await.map_err(failure)?.item)
    }

    /// Returns the items that exist, in no particular order. The batches are read concurrently; no caller needs more
    /// than ten.
    pub(crate) async fn get_all(&self, keys: &[Key]) -> Result<Vec<Item>, Failure> {
        let batches: Vec<_> = keys.chunks(BATCH_KEYS).map(|keys| self.get_batch(keys)).collect();
        Ok(try_join_all(batches).await?.into_iter().flatten().collect())
    }

    async fn get_batch(&self, keys: &[Key]) -> Result<Vec<Item>, Failure> {
        let mut found = Vec::with_capacity(keys.len());
        let mut wanted: Vec<Item> = keys.iter().map(key_attributes).collect();
        for attempt in 1.. {
            let request = KeysAndAttributes::builder().set_keys(Some(wanted)).consistent_read(true).build();
            let call = self.client.batch_get_item().request_items(&*self.name, request.map_err(Failure::internal)?);
            let response = call.send().await.map_err(failure)?;
            found.extend(response.responses.unwrap_or_default().remove(&*self.name).unwrap_or_default());
            let unprocessed = response.unprocessed_keys.unwrap_or_default().remove(&*self.name);
            wanted = unprocessed.map(|rest| rest.keys).unwrap_or_default();
            if wanted.is_empty() {
                break;
            }
            if attempt >= BATCH_ATTEMPTS {
                return Err(Failure::throttled(THROTTLED_RETRY_AFTER));
            }
            pause(attempt).await;
        }
        Ok(found)
    }

    pub(crate) async fn query(&self, range: Range<'_>) -> Result<Vec<Item>, Failure> {
        let mut items = Vec::new();
        // DynamoDB rejects a range whose bounds are in the wrong order.
        if range.from.zip(range.before).is_some_and(|(from, before)| from >= before) {
            return Ok(items);
        }
        let mut start = None;
        loop {
            let left = range.limit.map(|limit| limit - items.len());
            let mut call = self
                .client
                .query()
                .table_name(&*self.name)
                .consistent_read(true)
                .scan_index_forward(!range.newest_first)
                .expression_attribute_names("#pk", PARTITION)
                .expression_attribute_values(":pk", AttributeValue::S(range.partition.clone()))
                .set_limit(left.and_then(|left| i32::try_from(left).ok()))
                .set_exclusive_start_key(start);
            let (condition, bounds) = range.condition();
            call = call.key_condition_expression(condition);
            for (name, bound) in bounds {
                call = call
                    .expression_attribute_names("#sk", SORT)
                    .expression_attribute_values(name, AttributeValue::S(bound));
            }
            let response = call.send().await.map_err(failure)?;
            items.extend(response.items.unwrap_or_default());
            start = response.last_evaluated_key;
            if start.is_none() || range.limit.is_some_and(|limit| items.len() >= limit) {
                return Ok(items);
            }
        }
    }

    /// Returns keys of the due index, the earliest due first, and the last one if there are more. An index is never
    /// strongly consistent.
    pub(crate) async fn due(&self, range: DueRange) -> Result<(Vec<Item>, Option<Item>), Failure> {
        let call = self
            .client
            .query()
            .table_name(&*self.name)
            .index_name(DUE_INDEX)
            .key_condition_expression("#partition = :partition AND #at <= :now")
            .expression_attribute_names("#partition", DUE_PARTITION)
            .expression_attribute_names("#at", DUE_AT)
            .expression_attribute_values(":partition", AttributeValue::S(range.partition))
            .expression_attribute_values(":now", number(range.now.millis()))
            .set_exclusive_start_key(range.after)
            .set_limit(range.limit);
        let response = call.send().await.map_err(failure)?;
        Ok((response.items.unwrap_or_default(), response.last_evaluated_key))
    }

    /// Sets the due time of an item that is due, and returns none of its attributes: the policy of the sweep allows no
    /// more for items of an unknown class.
    pub(crate) async fn put_off(&self, key: &Key, until: Timestamp) -> Result<(), Failure> {
        let call = self
            .client
            .update_item()
            .table_name(&*self.name)
            .set_key(Some(key_attributes(key)))
            .update_expression("SET #at = :until")
            .condition_expression("attribute_exists(#at)")
            .expression_attribute_names("#at", DUE_AT)
            .expression_attribute_values(":until", number(until.millis()));
        match call.send().await {
            Ok(_) => Ok(()),
            Err(error) => refused_item(&error).map(|_| ()).ok_or_else(|| failure(error)),
        }
    }

    /// Makes one conditional update and returns the whole item after it, or `refused` if the condition failed.
    pub(crate) async fn update(&self, update: Update, refused: impl Fn() -> Failure) -> Result<Item, Failure> {
        self.try_update(update).await?.map_err(|_| refused())
    }

    /// Makes one conditional update and returns the whole item after it. The inner `Err` holds the item whose condition
    /// failed.
    pub(crate) async fn try_update(&self, update: Update) -> Result<Result<Item, Option<Item>>, Failure> {
        let (key, expression, condition) = update.build();
        let call = self
            .client
            .update_item()
            .table_name(&*self.name)
            .set_key(Some(key_attributes(&key)))
            .update_expression(expression)
            .return_values(ReturnValue::AllNew);
        match conditioned!(call, condition).send().await {
            Ok(response) => Ok(Ok(response.attributes.unwrap_or_default())),
            Err(error) => refused_item(&error).map(Err).ok_or_else(|| failure(error)),
        }
    }
}

/// Waits before a retry, with a growing backoff and jitter.
pub(crate) async fn pause(attempt: u32) {
    let [jitter] = random_bytes::<1>(&SystemRandom::new());
    let millis = PAUSE_MILLIS * u64::from(attempt) + u64::from(jitter % 32);
    tokio::time::sleep(Duration::from_millis(millis)).await;
}
