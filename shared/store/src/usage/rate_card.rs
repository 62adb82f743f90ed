//! The rate card of an organization: one item, which is replaced as a whole.

use domain::Failure;
use domain::usage::RateCard;

use crate::engine::change::Change;
use crate::engine::item::{NewItem, entity};
use crate::{Reads, keys};

impl Reads {
    pub async fn rate_card(&self) -> Result<Option<RateCard>, Failure> {
        self.table.get(&keys::rate_card(&self.organization)).await?.map(entity).transpose()
    }
}

impl Change {
    /// Replaces the rate card.
    pub fn put_rate_card(&mut self, card: &RateCard) -> Result<(), Failure> {
        self.put(NewItem::new(&keys::rate_card(&self.organization), card)?);
        Ok(())
    }
}
