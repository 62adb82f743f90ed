//! The table: the items that existed when it was frozen, and the changes since then.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::expression::{Item, Placeholders, apply, holds};
use super::stream::Stream;

/// Limits that DynamoDB enforces whatever the condition (docs/aws-limits.md).
const LARGEST_ITEM: usize = 400 * 1024;
const LONGEST_PARTITION: usize = 2048;
const LONGEST_SORT: usize = 1024;
const MOST_WRITES: usize = 100;
const MOST_KEYS: usize = 100;

type Key = (String, String);

#[derive(Default)]
pub(crate) struct Table {
    frozen: BTreeMap<Key, Item>,
    changed: BTreeMap<Key, Option<Item>>,
    /// What the stream reports, if there is one.
    pub(crate) stream: Option<Stream>,
}

/// A response's status and body.
pub(crate) type Answer = (u16, Value);

fn refused(code: &str, more: Value) -> Answer {
    let mut body = json!({"__type": format!("com.amazonaws.dynamodb.v20120810#{code}"), "message": "refused"});
    if let (Some(body), Value::Object(more)) = (body.as_object_mut(), more) {
        body.extend(more);
    }
    (400, body)
}

fn invalid() -> Answer {
    refused("ValidationException", json!({}))
}

fn key(attributes: &Value) -> Option<Key> {
    let part = |name: &str, longest: usize| {
        let text = attributes[name]["S"].as_str()?;
        (1..=longest).contains(&text.len()).then(|| text.to_owned())
    };
    Some((part("PK", LONGEST_PARTITION)?, part("SK", LONGEST_SORT)?))
}

/// One write of a call, with the item's key and the item after the write.
struct Write<'a> {
    key: Key,
    call: &'a Value,
    after: After,
}

enum After {
    Put(Item),
    Update,
    Delete,
    Check,
}

impl Table {
    /// Makes the changes permanent.
    pub(crate) fn freeze(&mut self) {
        for (key, item) in std::mem::take(&mut self.changed) {
            match item {
                Some(item) => self.frozen.insert(key, item),
                None => self.frozen.remove(&key),
            };
        }
    }

    pub(crate) fn reset(&mut self) {
        self.changed.clear();
    }

    /// The changes since the table was frozen.
    pub(crate) fn changes(&self) -> BTreeMap<String, Value> {
        let shown = |item: &Option<Item>| item.clone().map_or(Value::Null, Value::Object);
        self.changed.iter().map(|((partition, sort), item)| (format!("{partition} {sort}"), shown(item))).collect()
    }

    fn get(&self, key: &Key) -> Option<&Item> {
        match self.changed.get(key) {
            Some(changed) => changed.as_ref(),
            None => self.frozen.get(key),
        }
    }

    pub(crate) fn answer(&mut self, operation: &str, call: &Value) -> Answer {
        match operation {
            "GetItem" => match key(&call["Key"]) {
                Some(key) => (200, self.get(&key).map_or(json!({}), |item| json!({"Item": item}))),
                None => invalid(),
            },
            "BatchGetItem" => self.get_all(call),
            "Query" => self.query(call),
            "PutItem" | "UpdateItem" | "DeleteItem" => self.write_one(operation, call),
            "TransactWriteItems" => self.write_all(call),
            other => panic!("the table in memory does not support {other}"),
        }
    }

    fn get_all(&self, call: &Value) -> Answer {
        let mut responses = serde_json::Map::new();
        for (table, wanted) in call["RequestItems"].as_object().into_iter().flatten() {
            let keys: Vec<Option<Key>> = wanted["Keys"].as_array().into_iter().flatten().map(key).collect();
            let different: BTreeSet<&Option<Key>> = keys.iter().collect();
            if keys.is_empty() || keys.len() > MOST_KEYS || different.len() < keys.len() || keys.contains(&None) {
                return invalid();
            }
            let found: Vec<&Item> = keys.iter().flatten().filter_map(|key| self.get(key)).collect();
            responses.insert(table.clone(), json!(found));
        }
        (200, json!({"Responses": responses, "UnprocessedKeys": {}}))
    }

    fn query(&self, call: &Value) -> Answer {
        let placeholders = Placeholders::of(call);
        let text = call["KeyConditionExpression"].as_str().unwrap_or_default();
        let partition = call["ExpressionAttributeValues"][":pk"]["S"].as_str().unwrap_or_default();
        if partition.is_empty() || call.get("IndexName").is_some() {
            return invalid();
        }
        let from = (partition.to_owned(), String::new());
        let is_own = |(key, _): &(&Key, &Item)| key.0 == partition;
        let mut keys: BTreeSet<&Key> =
            self.frozen.range(from.clone()..).take_while(is_own).map(|(key, _)| key).collect();
        keys.extend(self.changed.range(from..).map(|(key, _)| key).take_while(|key| key.0 == partition));
        let mut found: Vec<&Item> = keys.into_iter().filter_map(|key| self.get(key)).collect();
        found.retain(|item| holds(text, &placeholders, Some(item)));
        if call["ScanIndexForward"] == false {
            found.reverse();
        }
        if let Some(start) = call.get("ExclusiveStartKey").filter(|start| start.is_object()) {
            let at = found.iter().position(|item| item["SK"] == start["SK"]);
            found.drain(..at.map_or(0, |at| at + 1));
        }
        let limit = call["Limit"].as_u64().and_then(|limit| usize::try_from(limit).ok());
        if limit == Some(0) {
            return invalid();
        }
        let mut answer = json!({});
        if let Some(limit) = limit.filter(|limit| found.len() >= *limit) {
            found.truncate(limit);
            answer["LastEvaluatedKey"] = json!({"PK": found[limit - 1]["PK"], "SK": found[limit - 1]["SK"]});
        }
        answer["Items"] = json!(found);
        (200, answer)
    }

    fn write_one(&mut self, operation: &str, call: &Value) -> Answer {
        let Some(write) = self.read(operation, call) else { return invalid() };
        let before = self.get(&write.key).cloned();
        if !self.may(&write) {
            return refused("ConditionalCheckFailedException", old(call, before.as_ref()));
        }
        let key = write.key.clone();
        if !self.perform(write) {
            return invalid();
        }
        let wants_new = call["ReturnValues"] == "ALL_NEW";
        (200, if wants_new { json!({"Attributes": self.get(&key)}) } else { json!({}) })
    }

    fn write_all(&mut self, call: &Value) -> Answer {
        let mut writes = Vec::new();
        for entry in call["TransactItems"].as_array().into_iter().flatten() {
            let Some((operation, call)) = entry.as_object().and_then(|entry| entry.iter().next()) else {
                return invalid();
            };
            let Some(write) = self.read(operation, call) else { return invalid() };
            writes.push(write);
        }
        let different: BTreeSet<&Key> = writes.iter().map(|write| &write.key).collect();
        // A transaction may contain only one operation per item.
        if writes.is_empty() || writes.len() > MOST_WRITES || different.len() < writes.len() {
            return invalid();
        }
        let may: Vec<bool> = writes.iter().map(|write| self.may(write)).collect();
        if may.contains(&false) {
            let reasons = writes.iter().zip(may).map(|(write, may)| {
                if may {
                    return json!({"Code": "None"});
                }
                let mut reason = old(write.call, self.get(&write.key));
                reason["Code"] = json!("ConditionalCheckFailed");
                reason
            });
            return refused(
                "TransactionCanceledException",
                json!({"CancellationReasons": reasons.collect::<Vec<_>>()}),
            );
        }
        let mut undo = Vec::new();
        let reported = self.stream.as_ref().map(Stream::len);
        for write in writes {
            undo.push((write.key.clone(), self.changed.get(&write.key).cloned()));
            if !self.perform(write) {
                self.undo(undo);
                if let (Some(stream), Some(reported)) = (&mut self.stream, reported) {
                    stream.truncate(reported);
                }
                return invalid();
            }
        }
        (200, json!({}))
    }

    fn undo(&mut self, changes: Vec<(Key, Option<Option<Item>>)>) {
        for (key, before) in changes {
            match before {
                Some(before) => self.changed.insert(key, before),
                None => self.changed.remove(&key),
            };
        }
    }

    fn read<'a>(&self, operation: &str, call: &'a Value) -> Option<Write<'a>> {
        let (attributes, after) = match operation {
            "Put" | "PutItem" => (&call["Item"], After::Put(call["Item"].as_object()?.clone())),
            "Update" | "UpdateItem" => (&call["Key"], After::Update),
            "Delete" | "DeleteItem" => (&call["Key"], After::Delete),
            "ConditionCheck" => (&call["Key"], After::Check),
            other => panic!("the table in memory does not support {other}"),
        };
        Some(Write { key: key(attributes)?, call, after })
    }

    fn may(&self, write: &Write<'_>) -> bool {
        let condition = write.call["ConditionExpression"].as_str();
        condition.is_none_or(|text| holds(text, &Placeholders::of(write.call), self.get(&write.key)))
    }

    /// Performs a write. Returns `false` if the item is too large.
    fn perform(&mut self, write: Write<'_>) -> bool {
        let after = match write.after {
            After::Check => return true,
            After::Delete => None,
            After::Put(item) => Some(item),
            After::Update => {
                let mut item = self.get(&write.key).cloned().unwrap_or_default();
                let text = write.call["UpdateExpression"].as_str().unwrap_or_default();
                apply(text, &Placeholders::of(write.call), &mut item);
                item.insert("PK".to_owned(), json!({"S": write.key.0}));
                item.insert("SK".to_owned(), json!({"S": write.key.1}));
                Some(item)
            }
        };
        let fits = after.as_ref().is_none_or(|item| {
            item.iter().map(|(name, value)| name.len() + size(value)).sum::<usize>() <= LARGEST_ITEM
        });
        if self.stream.is_some() {
            let before = self.get(&write.key).cloned();
            if let Some(stream) = &mut self.stream {
                stream.report(&write.key, before.as_ref(), after.as_ref());
            }
        }
        self.changed.insert(write.key, after);
        fits
    }
}

fn old(call: &Value, item: Option<&Item>) -> Value {
    let wanted = call["ReturnValuesOnConditionCheckFailure"] == "ALL_OLD";
    item.filter(|_| wanted).map_or(json!({}), |item| json!({"Item": item}))
}

/// The size of all strings, which account for most of an item's size.
fn size(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(list) => list.iter().map(size).sum(),
        Value::Object(object) => object.iter().map(|(name, value)| name.len() + size(value)).sum(),
        _ => 1,
    }
}
