//! The counters of usage after a restore, and in an installation that did not count before.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use aws_sdk_dynamodb::types::AttributeValue;
use domain::page::USAGE_GAPS_KEPT;
use domain::{Failure, Timestamp};
use serde::Deserialize;

use super::Maintenance;
use crate::engine::expression::{Condition, Update};
use crate::engine::item::{Item, METERED, NewItem, SORT, entities, entity, key_of};
use crate::engine::operation::{NewItemWrite, Operation};
use crate::engine::table::Range;
use crate::keys::{self, Key, KeyClass};
use crate::usage::{Gap, Gaps, MeterPosition};

impl Maintenance {
    /// Returns from when to when changes may not be counted after a restore: the counters are those of the positions, and the stream
    /// of the restored table begins anew. `None` if nothing was ever counted.
    pub async fn usage_gap(&self, now: Timestamp) -> Result<Option<Gap>, Failure> {
        let positions: Vec<MeterPosition> = entities(self.table.query(Range::whole(keys::meter_positions())).await?)?;
        let counted = crate::usage::counted_until(&positions, now);
        Ok(counted.map(|since| Gap { since, until: now }))
    }

    /// Records a gap, and forgets the positions in the stream that the table had.
    pub async fn note_usage_gap(&self, gap: Gap) -> Result<(), Failure> {
        let stored = self.table.get(&keys::meter_gaps()).await?;
        let mut gaps: Gaps = stored.map(entity).transpose()?.unwrap_or_default();
        gaps.gaps.push(gap);
        let first = gaps.gaps.len().saturating_sub(USAGE_GAPS_KEPT);
        gaps.gaps.drain(..first);
        let item = NewItem::new(&keys::meter_gaps(), &gaps)?.0;
        let put = Operation::Put(NewItemWrite { item, condition: Condition::default() });
        self.write([put].into_iter()).await?;

        let positions = self.table.query(Range::whole(keys::meter_positions())).await?;
        for position in positions.iter().filter_map(key_of) {
            self.erase([position]).await?;
        }
        Ok(())
    }

    /// Marks the messages of earlier releases, so that the function `meter` counts them. Returns their number.
    pub async fn mark_for_counting(&self) -> Result<usize, Failure> {
        let mut values = HashMap::new();
        let classes = [(KeyClass::Message, ":message"), (KeyClass::SmsMessage, ":sms")];
        for (class, name) in classes {
            values.insert(name.to_owned(), AttributeValue::S(class.prefix()));
            values.insert(format!("{name}Main"), AttributeValue::S(class.as_str().to_owned()));
        }
        let filter = "((begins_with(#pk, :message) AND #sk = :messageMain) OR (begins_with(#pk, :sms) AND #sk = :smsMain)) \
                      AND attribute_not_exists(#metered)";
        let marked = AtomicUsize::new(0);
        let mark = async |found: Vec<Item>| {
            for key in found.iter().filter_map(key_of) {
                marked.fetch_add(usize::from(self.mark(key).await?), Ordering::Relaxed);
            }
            Ok(())
        };
        self.for_pages_where(filter, &[("#sk", SORT), ("#metered", METERED)], &values, mark).await?;
        Ok(marked.into_inner())
    }

    /// Marks a message. Earlier releases stored what WhatsApp says of its price with the conversation only.
    async fn mark(&self, message: Key) -> Result<bool, Failure> {
        let conversation = keys::conversation_of(&message);
        let pricing: Pricing = self.table.get(&conversation).await?.map(entity).transpose()?.unwrap_or_default();
        let mut update = Update::new(message).set(METERED, &true)?.if_present();
        if let Some(category) = pricing.pricing_category {
            update = update.set_if_absent("pricingCategory", &category)?;
        }
        if let Some(is_billable) = pricing.pricing_billable {
            update = update.set_if_absent("isBillable", &is_billable)?;
        }
        Ok(self.table.try_update(update).await?.is_ok())
    }
}

/// The prices that the record of a conversation has.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Pricing {
    pricing_category: Option<String>,
    pricing_billable: Option<bool>,
}
