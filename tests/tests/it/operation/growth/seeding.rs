//! Reads the items of objects, and writes copies of them.

use std::collections::BTreeSet;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::{PutRequest, WriteRequest};
use futures_util::{StreamExt as _, stream};
use tests::World;
use tests::settings::TABLE;

use super::models::{Ids, Item, Model, string};

const BATCH: usize = 25;
const SIDE_BY_SIDE: usize = 4;

/// Seeds objects; the first ones are the models themselves.
pub(super) async fn seed(world: &World, models: &[Model], size: usize, ids: &Ids) {
    let items = (models.len()..size).flat_map(|n| models[n % models.len()].numbered(n, ids));
    let mut writes = items.map(|item| {
        WriteRequest::builder().put_request(PutRequest::builder().set_item(Some(item)).build().unwrap()).build()
    });
    let batches = std::iter::from_fn(|| Some(writes.by_ref().take(BATCH).collect()).filter(|b: &Vec<_>| !b.is_empty()));
    let written = stream::iter(batches).map(|batch| write_batch(&world.account.dynamodb, batch));
    written.buffer_unordered(SIDE_BY_SIDE).collect::<()>().await;
}

/// Writes one batch of items. The client may retry, because writing the same items again is harmless.
async fn write_batch(client: &Client, batch: Vec<WriteRequest>) {
    let response = client.batch_write_item().request_items(TABLE, batch).send().await.unwrap();
    assert!(response.unprocessed_items.unwrap_or_default().is_empty());
}

async fn items(world: &World) -> Vec<Item> {
    let pages = world.account.dynamodb.scan().table_name(TABLE).consistent_read(true).into_paginator().items().send();
    pages.collect::<Result<_, _>>().await.unwrap()
}

/// Returns the created object and the items that exist since then, without those of the audit log: no object has more of them
/// because there are other objects.
pub(super) async fn added<T>(world: &World, make: impl Future<Output = T>) -> (T, Vec<Item>) {
    let key = |item: &Item| (string(item, "PK"), string(item, "SK"));
    let before: BTreeSet<_> = items(world).await.iter().map(key).collect();
    let made = make.await;
    let is_of_object = |item: &Item| !before.contains(&key(item)) && !string(item, "PK").starts_with("AUDIT#");
    (made, items(world).await.into_iter().filter(is_of_object).collect())
}

/// The items of these classes of keys.
pub(super) fn of_classes(items: Vec<Item>, classes: &[&str]) -> Vec<Item> {
    let is_wanted = |item: &Item| classes.iter().any(|class| string(item, "PK").starts_with(class));
    items.into_iter().filter(is_wanted).collect()
}
