//! Simulations: scenarios that the simulated platform plays. Its reports are planned when a simulation begins; the
//! worker applies each step when it is due, with the code that applies live notifications.

mod deliveries;
pub(crate) mod http;
mod target;

use std::time::Duration;

use api::Tester;
use domain::id::SimulationId;
use domain::testing::simulation::{RUNNING_PER_ORGANIZATION, STEPS, Simulation, Step};
use domain::{Failure, Timestamp};
use inbound::Inbox;
use store::{Change, Quota};

use crate::scenarios::{Fresh, Plan, Scenario, Stage, plan};
use deliveries::{Caused, of_events};
use target::{Finder, Target};

/// The `Retry-After` if too many simulations are running, in seconds. Most take a few seconds.
const RETRY_AFTER: u32 = 5;

/// The validated body of the operation.
pub(crate) struct Wanted {
    scenario: Scenario,
    target: Option<Target>,
    delay: Duration,
}

/// Begins a simulation: stores it, and queues the job of its first step.
async fn run(inbox: &Inbox, caller: &Tester, wanted: &Wanted) -> Result<Simulation, Failure> {
    let (context, organization) = (&inbox.context, caller.organization());
    let store = &context.store.of(organization);
    let finder = Finder { caller, store, now: context.now() };
    let stage = &finder.stage(wanted.scenario, wanted.target.as_ref()).await?;

    let decide = || async move {
        let now = context.now();
        let fresh = Fresh::new(context.random());
        let plan = plan(wanted.scenario, stage, &fresh, next_second(now).plus(wanted.delay))?;
        let slot = store.running_simulations().await?.free_slot(now).ok_or_else(too_many)?;
        let simulation = planned(context, caller, wanted, stage, &plan, slot, now)?;

        let mut change = Change::new(organization);
        let quota = caller.app().map_or_else(Quota::playground_messages_of_admins, Quota::playground_messages);
        change.spend(&quota, simulation.steps.len() as u64, now)?;
        match plan.user_wrote_at {
            Some(at) => {
                change.note_simulated_contact(&stage.number.provider_phone_number_id, &fresh.user, at)?;
                change.admit_user(&fresh.user, now)?;
            }
            None if plan.has_user => change.give_out_user_number(&fresh.user)?,
            None => {}
        }
        change.create_simulation(&simulation)?;
        Ok((change, simulation))
    };

    let simulation = context.store.settle(decide).await?;
    let first = simulation.steps.first().map_or(simulation.created_at, |step| step.at);
    inbox.continue_simulation(organization, &simulation.id, first).await?;
    Ok(simulation)
}

/// Returns the beginning of the next second. Because the platform's times are whole seconds, reports of that time are
/// newer than all earlier ones.
fn next_second(now: Timestamp) -> Timestamp {
    Timestamp::from_millis((now.seconds() + 1) * 1000)
}

fn too_many() -> Failure {
    let message = format!(
        "An organization may have at most {RUNNING_PER_ORGANIZATION} running simulations. Wait until some end."
    );
    Failure::quota(message, RETRY_AFTER)
}

fn planned(
    context: &runtime::Context,
    caller: &Tester,
    wanted: &Wanted,
    stage: &Stage,
    plan: &Plan,
    slot: usize,
    now: Timestamp,
) -> Result<Simulation, Failure> {
    let organization = caller.organization();
    let steps: Result<Vec<Step>, Failure> =
        plan.steps.iter().map(|step| step.step(organization, &stage.number)).collect();
    let steps = steps?;
    if !(1..=STEPS).contains(&steps.len()) {
        return Err(Failure::internal("a scenario has no steps, or too many"));
    }

    let target = match &wanted.target {
        Some(Target::Message(id)) => id.to_string(),
        _ => plan.target.clone(),
    };
    Ok(Simulation {
        id: SimulationId::mint(now, context.random()),
        scenario: wanted.scenario.as_str().to_owned(),
        target,
        app_id: caller.app().cloned(),
        chat_phone_number_id: stage.number.id.clone(),
        slot,
        slot_until: Simulation::slot_until(now, &steps),
        steps,
        revision: 1,
        created_at: now,
    })
}

/// Returns a simulation that the caller may see, with the deliveries of its events.
async fn find(inbox: &Inbox, caller: &Tester, found: Option<Simulation>) -> Result<(Simulation, Caused), Failure> {
    let is_own = |simulation: &Simulation| caller.app().is_none_or(|app| simulation.app_id.as_ref() == Some(app));
    let simulation = found.filter(is_own).ok_or_else(|| Failure::not_found("simulationId", "simulation"))?;
    let caused = of_events(&inbox.context.store.of(caller.organization()), caller, &simulation).await?;
    Ok((simulation, caused))
}
