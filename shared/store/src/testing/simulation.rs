//! Simulations of the playground, and the limit on how many of an organization run at the same time: one item with a
//! place for each of them. A place holds the time at which it is free again, so that it does not stay taken if the
//! simulation stops.

use domain::id::SimulationId;
use domain::testing::simulation::{KEPT, RUNNING_PER_ORGANIZATION, Simulation};
use domain::{Failure, Timestamp};

use crate::engine::change::{Change, stale};
use crate::engine::expression::Update;
use crate::engine::item::{Item, NewItem, TTL, entity, number};
use crate::{OrganizationStore, Reads, keys};

/// The running simulations of an organization.
pub struct RunningSimulations(Item);

fn name(slot: usize) -> String {
    format!("slot{slot}")
}

impl RunningSimulations {
    /// Returns a place for another simulation; `None` if the limit is reached.
    pub fn free_slot(&self, now: Timestamp) -> Option<usize> {
        let until = |slot: &usize| self.0.get(&name(*slot))?.as_n().ok()?.parse::<i64>().ok();
        (0..RUNNING_PER_ORGANIZATION).find(|slot| until(slot).is_none_or(|until| until <= now.millis()))
    }
}

impl Reads {
    pub async fn simulation(&self, id: &SimulationId) -> Result<Option<Simulation>, Failure> {
        self.table.get(&keys::simulation(&self.organization, id)).await?.map(entity).transpose()
    }
}

impl OrganizationStore {
    pub async fn running_simulations(&self) -> Result<RunningSimulations, Failure> {
        let item = self.table.get(&keys::running_simulations(&self.organization)).await?;
        Ok(RunningSimulations(item.unwrap_or_default()))
    }

    /// Frees the place of a simulation, unless it has ended and another one has taken it.
    pub async fn end_simulation(&self, simulation: &Simulation) -> Result<(), Failure> {
        let name = name(simulation.slot);
        let update = Update::new(keys::running_simulations(&self.organization))
            .remove(&name)
            .when(&format!("#{name} = :until"))
            .value(":until", number(simulation.slot_until.millis()));
        self.table.try_update(update).await.map(|_| ())
    }
}

impl Change {
    /// Creates a simulation, and takes its place among those that run. Stale if another one has taken the place.
    pub fn create_simulation(&mut self, simulation: &Simulation) -> Result<(), Failure> {
        let name = name(simulation.slot);
        let take = Update::new(keys::running_simulations(&self.organization))
            .set_value(&name, number(simulation.slot_until.millis()))
            .set(TTL, &simulation.slot_until.plus(KEPT).seconds())?
            .when(&format!("attribute_not_exists(#{name}) OR #{name} <= :now"))
            .value(":now", number(simulation.created_at.millis()));
        self.update(take, stale());
        let key = keys::simulation(&self.organization, &simulation.id);
        let item = NewItem::new(&key, simulation)?.expiring(simulation.created_at.plus(KEPT));
        self.create(item, stale());
        Ok(())
    }

    /// Writes the differences between two states of a simulation. Stale if its revision has changed.
    pub fn update_simulation(&mut self, before: &Simulation, after: &Simulation) -> Result<(), Failure> {
        let key = keys::simulation(&self.organization, &before.id);
        let update = Update::between(key, before, after, &[])?
            .when("#revision = :seenRevision")
            .value(":seenRevision", number(before.revision));
        self.update(update, stale());
        Ok(())
    }
}
