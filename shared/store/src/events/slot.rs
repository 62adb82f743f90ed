//! The bound on how many invocations post to an organization's slow receivers at the same time: one item with a slot
//! for each of these invocations. A slot holds the time at which it is free again, so that it does not stay taken if an
//! invocation dies.

use domain::port::{Random, random_index};
use domain::{Failure, Timestamp};

use crate::engine::expression::Update;
use crate::engine::item::{Item, TTL, number};
use crate::{OrganizationStore, keys};

/// The highest number of attempts to take a slot. A failed attempt returns the item, which shows the free slots, so a
/// second one fails only if another invocation has taken its slot concurrently.
const TRIES: usize = 4;
const KEPT_DAYS: u32 = 1;

/// A slot that an invocation holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    name: String,
    until: Timestamp,
}

fn name(slot: usize) -> String {
    format!("slot{slot}")
}

/// Returns the slots that are free at `now`.
fn free_slots(item: &Item, slots: usize, now: Timestamp) -> Vec<usize> {
    let until = |slot: &usize| item.get(&name(*slot))?.as_n().ok()?.parse::<i64>().ok();
    (0..slots).filter(|slot| until(slot).is_none_or(|until| until <= now.millis())).collect()
}

impl OrganizationStore {
    /// Takes one of `slots` slots until `until`. `None` if all are taken.
    pub async fn take_slot(
        &self,
        slots: usize,
        now: Timestamp,
        until: Timestamp,
        random: &dyn Random,
    ) -> Result<Option<Slot>, Failure> {
        let mut slot = random_index(random, slots);
        for _ in 0..TRIES {
            let name = name(slot);
            let update = Update::new(keys::slow_posts(&self.organization))
                .set_value(&name, number(until.millis()))
                .set(TTL, &now.plus_days(KEPT_DAYS).seconds())?
                .when(&format!("attribute_not_exists(#{name}) OR #{name} <= :now"))
                .value(":now", number(now.millis()));

            let Err(taken) = self.table.try_update(update).await? else { return Ok(Some(Slot { name, until })) };
            let free = free_slots(&taken.unwrap_or_default(), slots, now);
            let Some(next) = free.get(random_index(random, free.len())) else { return Ok(None) };
            slot = *next;
        }
        Ok(None)
    }

    /// Frees a slot, unless it has ended and another invocation has taken it.
    pub async fn free_slot(&self, slot: &Slot) -> Result<(), Failure> {
        let update = Update::new(keys::slow_posts(&self.organization))
            .remove(&slot.name)
            .when(&format!("#{} = :until", slot.name))
            .value(":until", number(slot.until.millis()));
        self.table.try_update(update).await.map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_that_has_ended_is_free() {
        let item = Item::from([(name(0), number(1000)), (name(2), number(3000)), (name(7), number(9000))]);
        assert_eq!(free_slots(&item, 4, Timestamp::from_millis(999)), [1, 3]);
        assert_eq!(free_slots(&item, 4, Timestamp::from_millis(1000)), [0, 1, 3]);
        assert_eq!(free_slots(&Item::new(), 2, Timestamp::from_millis(0)), [0, 1]);
    }
}
