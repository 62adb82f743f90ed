//! A change of an item, as the table's stream reports it, and what it counts for.

use domain::Failure;
use domain::usage::Tally;

use super::{Counted, delivery};
use crate::engine::item::Item;
use crate::keys::{KeyClass, ParsedKey};
use crate::message::MessageKind as _;
use crate::message::counted as message_counted;
use crate::{ChatRecord, SmsRecord};

/// A change of an item.
#[derive(Debug)]
pub struct ItemChange {
    pub partition: String,
    pub sort: String,
    pub before: Option<Item>,
    pub after: Option<Item>,
}

impl ItemChange {
    /// Returns what the change adds to counters. Fails if the item cannot be read.
    pub fn counted(self) -> Result<Vec<Counted>, Failure> {
        let Some(after) = self.after else { return Ok(Vec::new()) };
        let Some(key) = ParsedKey::parse(&self.partition) else { return Ok(Vec::new()) };
        let Some(organization) = key.organization() else { return Ok(Vec::new()) };
        let is_main = |class: KeyClass| key.class == class && self.sort == class.as_str();
        let read = |item: Item| match key.class {
            KeyClass::Message => message_counted::<ChatRecord>(organization.clone(), item),
            _ => message_counted::<SmsRecord>(organization.clone(), item),
        };
        if is_main(ChatRecord::CLASS) || is_main(SmsRecord::CLASS) {
            let before = self.before.map(read).transpose()?.flatten();
            return Ok(difference(before, read(after)?));
        }
        if key.class == KeyClass::Delivery {
            return Ok(delivery::difference(&organization, self.before, after)?.into_iter().collect());
        }
        Ok(Vec::new())
    }
}

/// Returns what has to be added to counters when an item that counted for `before` counts for `after`.
fn difference(before: Option<Counted>, after: Option<Counted>) -> Vec<Counted> {
    let Some(before) = before else { return after.into_iter().collect() };
    let nothing = Tally::default();
    match after {
        Some(after) if after.group == before.group => {
            let tally = after.tally.since(&before.tally);
            if tally.is_zero() { Vec::new() } else { vec![Counted { tally, ..after }] }
        }
        after => {
            let taken = Counted { tally: nothing.since(&before.tally), ..before };
            std::iter::once(taken).chain(after).collect()
        }
    }
}
