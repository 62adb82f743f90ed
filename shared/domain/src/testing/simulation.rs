//! Simulations: scenarios that the simulated platform plays for an organization, step by step.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use crate::events::event::EventName;
use crate::id::{AppId, ChatPhoneNumberId, EventId, SimulationId};
use crate::{Open, Timestamp};

/// The highest number of steps of a simulation.
pub const STEPS: usize = 50;
/// How many simulations of an organization may run at the same time.
pub const RUNNING_PER_ORGANIZATION: usize = 100;
/// The longest delay of a simulation, in seconds.
pub const MAX_DELAY: u32 = 3600;
/// How many deliveries of its events a simulation shows: an event can have those of 800 webhooks.
pub const DELIVERIES_SHOWN: usize = 100;
/// How long a simulation counts as running after its last step was due. It ends earlier, as soon as that step is done.
const GRACE: Duration = Duration::from_secs(3600);
/// How long simulations are kept: as long as the deliveries of their events.
pub const KEPT: Duration = crate::events::delivery::KEPT;

/// A scenario that is played for an organization.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Simulation {
    pub id: SimulationId,
    pub scenario: String,
    /// The object that it is about, as the API names it.
    pub target: String,
    /// The app whose key started it; `None` if an admin key did.
    pub app_id: Option<AppId>,
    /// The test number whose notifications the steps are.
    pub chat_phone_number_id: ChatPhoneNumberId,
    /// In the order in which they are applied.
    pub steps: Vec<Step>,
    /// Its place among the running simulations of the organization, and until when it has it.
    pub slot: usize,
    pub slot_until: Timestamp,
    pub revision: u64,
    pub created_at: Timestamp,
}

/// A notification of the simulated platform.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Step {
    pub at: Timestamp,
    pub status: Open<StepStatus>,
    /// The event that the step is made for; `None` if no event reports its change.
    pub event: Option<Open<EventName>>,
    /// The events that it has caused.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<CausedEvent>,
    /// Why it was ignored.
    pub reason: Option<String>,
    /// The update with its route, as JSON that the crate `inbound` reads.
    pub update: String,
}

/// An event that a step has caused, with its id in the outbox.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CausedEvent {
    pub name: Open<EventName>,
    pub id: EventId,
}

/// The state of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
#[schema(as = SimulationStepStatus)]
pub enum StepStatus {
    /// The step is not due yet, or is being applied.
    Waiting,
    Applied,
    /// The step had no effect; `reason` says why.
    Ignored,
}

impl Step {
    /// Returns a step that waits.
    pub fn new(at: Timestamp, event: Option<EventName>, update: String) -> Self {
        let status = StepStatus::Waiting.into();
        Step { at, status, event: event.map(Open::from), events: Vec::new(), reason: None, update }
    }
}

impl Simulation {
    /// Returns the next step to apply, with its index; `None` if all are done.
    pub fn next_step(&self) -> Option<(usize, &Step)> {
        self.steps.iter().enumerate().find(|(_, step)| step.status == StepStatus::Waiting)
    }

    /// Returns until when a simulation with these steps counts as running at most.
    pub fn slot_until(created_at: Timestamp, steps: &[Step]) -> Timestamp {
        steps.last().map_or(created_at, |last| last.at).plus(GRACE)
    }

    /// Returns the simulation after a step was done.
    #[must_use]
    pub fn with_step(
        &self,
        index: usize,
        status: StepStatus,
        events: Vec<CausedEvent>,
        reason: Option<String>,
    ) -> Self {
        let mut after = self.clone();
        if let Some(step) = after.steps.get_mut(index) {
            step.status = status.into();
            step.events = events;
            step.reason = reason;
        }
        after.revision += 1;
        after
    }
}
