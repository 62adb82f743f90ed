//! Simulations: the notifications of a scenario, applied one after the other as their times come. A job of the queue
//! leads from each step to the next one. The result of a step is written in the transaction of its change, so that a
//! job that is delivered twice or retried applies it once.

use std::time::Duration;

use domain::chat::ChatPhoneNumber;
use domain::events::event::EventName;
use domain::id::{OrganizationId, SimulationId};
use domain::job::{Job, VERSION};
use domain::testing::simulation::{CausedEvent, Simulation, Step, StepStatus};
use domain::{Failure, Timestamp};
use store::{Change, Committed, IN_QUEUE};

use super::{Replay, SimulatedReport};
use crate::apply::{Decision, Inbox};
use crate::route::Routed;

/// Delays of the queue are whole seconds: with this, they are rounded up, so that no step is due before its job.
const ALMOST_A_SECOND: Duration = Duration::from_millis(999);

/// The reason for ignoring a step whose update equals an earlier one, because it cannot be distinguished from a
/// repeated delivery.
const ALREADY_APPLIED: &str =
    "An equal update was applied before, for example by another simulation in the same second.";

/// A report of the simulated platform, planned as a step.
pub struct PlannedStep {
    pub at: Timestamp,
    pub report: SimulatedReport,
    /// The event for which the step is made.
    pub event: Option<EventName>,
}

impl PlannedStep {
    /// Returns the step, with the notification as it is split and routed for the number.
    pub fn step(&self, organization: &OrganizationId, number: &ChatPhoneNumber) -> Result<Step, Failure> {
        let replay = Replay::new(organization, number, self.report.field, &self.report.value, self.at)?;
        let update = replay.only_update().ok_or_else(|| Failure::internal("a step is not exactly one update"))?;
        let update = serde_json::to_string(update).map_err(Failure::internal)?;
        Ok(Step::new(self.at, self.event, update))
    }
}

impl Inbox {
    /// Queues the job that continues a simulation at this time or, if that is too far off, after the longest delay of
    /// the queue.
    pub async fn continue_simulation(
        &self,
        organization: &OrganizationId,
        id: &SimulationId,
        at: Timestamp,
    ) -> Result<(), Failure> {
        let job = Job::Simulate { v: VERSION, organization_id: organization.clone(), simulation_id: id.clone() };
        let wait = Duration::from_secs(self.context.now().seconds_until(at.plus(ALMOST_A_SECOND))).min(IN_QUEUE);
        self.queue.send_later(&[(job, wait)]).await
    }

    /// Applies the due steps of a simulation, and queues the job for the rest.
    pub async fn simulate(&self, organization: &OrganizationId, id: &SimulationId) -> Result<(), Failure> {
        let store = self.context.store.of(organization);
        while let Some(simulation) = store.simulation(id).await? {
            let Some((index, step)) = simulation.next_step() else { return store.end_simulation(&simulation).await };
            if step.at > self.context.now() {
                return self.continue_simulation(organization, id, step.at).await;
            }

            let reason = match self.apply_step(&simulation, index, step, organization).await {
                Ok(Committed::AlreadyDone) => ALREADY_APPLIED.to_owned(),
                Ok(_) => continue,
                Err(failure) => self.reason_to_ignore(organization, &simulation, failure).await?,
            };
            let ignore = |_| async { self.ignored(organization, id, index, &reason).await };
            self.settle(ignore).await?;
        }
        Ok(())
    }

    /// Applies a step and records that, in one transaction. Returns `AlreadyDone`, and records nothing, if an equal update
    /// was applied before.
    async fn apply_step(
        &self,
        simulation: &Simulation,
        index: usize,
        step: &Step,
        organization: &OrganizationId,
    ) -> Result<Committed, Failure> {
        let routed: Routed = serde_json::from_str(&step.update).map_err(Failure::internal)?;
        let store = self.context.store.of(organization);
        let (routed, store) = (&routed, &store);
        let decide = |is_first| async move {
            let before = store.simulation(&simulation.id).await?;
            // Another job has done the step in the meantime.
            let waiting = before.filter(|before| before.next_step().is_some_and(|(next, _)| next == index));
            let Some(before) = waiting else { return Ok(Decision::from(Change::new(organization))) };

            let mut decision = self.handler(routed, is_first).decide().await?;
            let events = decision.change.emitted().iter();
            let events = events.map(|(name, id)| CausedEvent { name: name.clone(), id: id.clone() }).collect();
            let after = before.with_step(index, StepStatus::Applied, events, None);
            decision.change.update_simulation(&before, &after)?;
            Ok(decision)
        };
        self.settle(decide).await
    }

    /// Returns the reason for ignoring a failed step. Fails if the step must be retried.
    async fn reason_to_ignore(
        &self,
        organization: &OrganizationId,
        simulation: &Simulation,
        failure: Failure,
    ) -> Result<String, Failure> {
        if failure.is_permanent() {
            return Ok(format!("The update can never be applied: {}.", failure.log_text()));
        }
        let store = self.context.store.of(organization);
        match store.chat_phone_number(&simulation.chat_phone_number_id).await? {
            Some(_) => Err(failure),
            None => Ok("The chat phone number does not exist any more.".to_owned()),
        }
    }

    async fn ignored(
        &self,
        organization: &OrganizationId,
        id: &SimulationId,
        index: usize,
        reason: &str,
    ) -> Result<Decision, Failure> {
        let mut change = Change::new(organization);
        let before = self.context.store.of(organization).simulation(id).await?;
        if let Some(before) = before.filter(|before| before.next_step().is_some_and(|(next, _)| next == index)) {
            let after = before.with_step(index, StepStatus::Ignored, Vec::new(), Some(reason.to_owned()));
            change.update_simulation(&before, &after)?;
        }
        Ok(Decision::from(change))
    }
}
