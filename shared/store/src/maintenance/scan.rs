//! Scans of the whole table, in segments.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use aws_sdk_dynamodb::types::AttributeValue;
use domain::Failure;
use futures_util::future::try_join_all;

use super::{Items, Maintenance};
use crate::engine::dynamodb_error::failure;
use crate::engine::item::{Item, PARTITION};
use crate::keys::KeyClass;

const SEGMENTS: i32 = 4;

impl Maintenance {
    /// Returns all items of these classes; of messages, only those with a file.
    pub async fn scan(&self, classes: &[KeyClass]) -> Result<Items, Failure> {
        let mut values = HashMap::new();
        let wanted: Vec<String> = classes
            .iter()
            .enumerate()
            .map(|(position, class)| {
                values.insert(format!(":c{position}"), AttributeValue::S(class.prefix()));
                let is_of_class = format!("begins_with(#pk, :c{position})");
                match class {
                    KeyClass::Message => format!("({is_of_class} AND attribute_exists(inboundMedia))"),
                    _ => is_of_class,
                }
            })
            .collect();
        let filter = wanted.join(" OR ");
        Items::new(self.items_where(&filter, &[], &values).await?)
    }

    /// Returns all items that match a filter. `names` are the placeholders that it uses beside `#pk`.
    pub(super) async fn items_where(
        &self,
        filter: &str,
        names: &[(&str, &str)],
        values: &HashMap<String, AttributeValue>,
    ) -> Result<Vec<Item>, Failure> {
        let found = Mutex::new(Vec::new());
        let keep = async |items: Vec<Item>| {
            found.lock().unwrap_or_else(PoisonError::into_inner).extend(items);
            Ok(())
        };
        self.for_pages_where(filter, names, values, keep).await?;
        Ok(found.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    /// Passes all items that match a filter on, as many at a time as a page of a scan has.
    pub(super) async fn for_pages_where(
        &self,
        filter: &str,
        names: &[(&str, &str)],
        values: &HashMap<String, AttributeValue>,
        each: impl AsyncFn(Vec<Item>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let each = &each;
        let segments = (0..SEGMENTS).map(|segment| async move {
            let mut scan = self.client.scan().table_name(&*self.name).consistent_read(true);
            scan = scan.segment(segment).total_segments(SEGMENTS).filter_expression(filter);
            scan =
                scan.expression_attribute_names("#pk", PARTITION).set_expression_attribute_values(Some(values.clone()));
            for (placeholder, name) in names {
                scan = scan.expression_attribute_names(*placeholder, *name);
            }
            let mut pages = scan.into_paginator().send();
            while let Some(page) = pages.next().await {
                each(page.map_err(failure)?.items.unwrap_or_default()).await?;
            }
            Ok::<_, Failure>(())
        });
        try_join_all(segments).await.map(|_| ())
    }
}
