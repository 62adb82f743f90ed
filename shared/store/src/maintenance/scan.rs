//! Scans of the whole table, in segments.

use std::collections::HashMap;

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
        let segments = (0..SEGMENTS).map(|segment| self.segment(segment, filter, names, values));
        Ok(try_join_all(segments).await?.into_iter().flatten().collect())
    }

    async fn segment(
        &self,
        segment: i32,
        filter: &str,
        names: &[(&str, &str)],
        values: &HashMap<String, AttributeValue>,
    ) -> Result<Vec<Item>, Failure> {
        let (mut found, mut start) = (Vec::new(), None);
        loop {
            let mut call = self
                .client
                .scan()
                .table_name(&*self.name)
                .consistent_read(true)
                .segment(segment)
                .total_segments(SEGMENTS)
                .filter_expression(filter)
                .expression_attribute_names("#pk", PARTITION)
                .set_expression_attribute_values(Some(values.clone()))
                .set_exclusive_start_key(start);
            for (placeholder, name) in names {
                call = call.expression_attribute_names(*placeholder, *name);
            }
            let page = call.send().await.map_err(failure)?;
            found.extend(page.items.unwrap_or_default());
            start = page.last_evaluated_key;
            if start.is_none() {
                return Ok(found);
            }
        }
    }
}
