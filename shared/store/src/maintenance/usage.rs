//! The counters of usage after a restore, and in an installation that did not count before.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use domain::page::USAGE_GAPS_KEPT;
use domain::{Failure, Timestamp};

use super::Maintenance;
use crate::engine::expression::{Condition, Update};
use crate::engine::item::{NewItem, entities, key_of};
use crate::engine::operation::{NewItemWrite, Operation};
use crate::engine::table::Range;
use crate::keys::{self, KeyClass};
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
        let mut gaps: Gaps = stored.map(crate::engine::item::entity).transpose()?.unwrap_or_default();
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
        let found = self.items_where(filter, &[("#sk", "SK"), ("#metered", METERED)], &values).await?;
        let mut marked = 0;
        for key in found.iter().filter_map(key_of) {
            let update = Update::new(key).set(METERED, &true)?.if_present();
            marked += usize::from(self.table.try_update(update).await?.is_ok());
        }
        Ok(marked)
    }
}

/// The attribute of messages that count.
const METERED: &str = "metered";
