use std::time::Duration;

use api::idempotency::Planned;
use api::{Answer, Claim, Deferred, Input, Json, Once, Path, Rejection, Tester};
use axum::extract::State;
use axum::response::Response;
use domain::events::delivery::{Delivery, DeliveryStatus};
use domain::events::event::EventName;
use domain::id::{AppId, DeliveryId, EventId, SimulationId, WebhookId};
use domain::present::present;
use domain::testing::simulation::{MAX_DELAY, Simulation, Step, StepStatus};
use domain::{Failure, Open, Timestamp};
use runtime::Context;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use store::Change;
use utoipa::ToSchema;

use super::Wanted;
use super::deliveries::Caused;
use super::target::Target;
use crate::context::PlaygroundContext;
use crate::scenarios::Scenario;

/// The scenario to simulate.
#[serde_with::apply(Option => #[serde(default, deserialize_with = "present")])]
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RunSimulation {
    #[schema(value_type = Scenario)]
    scenario: String,
    /// The test object that the scenario applies to: the id of an account, number, group, message or template, or the
    /// phone number of a contact. With the id of a WhatsApp number, the scenario creates the object that it needs for
    /// that number; with an app key, the default is the number that was created with the app. Groups must exist.
    #[schema(inline, value_type = Option<domain::schema::Line<255>>)]
    target: Option<String>,
    /// How long to wait before the first step, in seconds.
    #[schema(minimum = 0, maximum = 3600, default = 0)]
    delay_seconds: Option<i64>,
}

impl Input for RunSimulation {
    const REQUIRED: &'static [&'static str] = &["scenario"];
    type Checked = Wanted;

    fn check(self, _context: &Context) -> Result<Wanted, Failure> {
        let names = || Scenario::ALL.iter().map(|known| known.as_str()).collect::<Vec<_>>().join(", ");
        let unknown = || Failure::invalid("scenario", format!("scenario must be one of: {}.", names()));
        let scenario = Scenario::of(&self.scenario).ok_or_else(unknown)?;
        let target = self.target.map(|target| Target::parse(&target, scenario)).transpose()?;
        let delay = u32::try_from(self.delay_seconds.unwrap_or(0)).ok().filter(|delay| *delay <= MAX_DELAY);
        let message = format!("delaySeconds must be from 0 to {MAX_DELAY}.");
        let delay = delay.ok_or_else(|| Failure::invalid("delaySeconds", message))?;
        Ok(Wanted { scenario, target, delay: Duration::from_secs(delay.into()) })
    }
}

/// A simulation.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PlaygroundSimulation)]
pub(crate) struct SimulationView {
    id: SimulationId,
    /// The name of the scenario.
    scenario: String,
    /// The object that the scenario applies to: its id or, for a contact, the phone number. A message that was not sent
    /// through this API has its id at WhatsApp.
    target: String,
    status: SimulationStatus,
    /// The steps, in the order of their times. A step that causes several events is listed once for each event.
    steps: Vec<StepView>,
    /// `true` if the events have more deliveries than the 100 that are shown. The delivery lists of the webhooks have
    /// all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    is_truncated: Option<bool>,
    created_at: Timestamp,
}

/// Whether a simulation is running or completed.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
#[schema(as = PlaygroundSimulationStatus)]
enum SimulationStatus {
    Running,
    Completed,
}

/// A step of a simulation: a notification that WhatsApp would send.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PlaygroundSimulationStep)]
struct StepView {
    at: Timestamp,
    #[schema(value_type = StepStatus)]
    status: Open<StepStatus>,
    /// The event that the step has caused or, while the step is waiting, the one that it is expected to cause.
    #[schema(value_type = Option<EventName>)]
    event: Option<Open<EventName>>,
    /// The event's id, as the app's webhooks receive it.
    event_id: Option<EventId>,
    /// Why the step was ignored.
    reason: Option<String>,
    /// The event's deliveries to webhooks, as soon as there are any.
    deliveries: Option<Vec<StepDelivery>>,
}

/// The delivery of an event of a simulation.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PlaygroundSimulationDelivery)]
struct StepDelivery {
    id: DeliveryId,
    app_id: AppId,
    webhook_id: WebhookId,
    #[schema(value_type = DeliveryStatus)]
    status: Open<DeliveryStatus>,
    /// The number of attempts that the delivery log shows.
    attempts: usize,
    /// The status of the receiver's last response, if there was one.
    last_status_code: Option<u16>,
    next_attempt_at: Option<Timestamp>,
}

impl From<&Delivery> for StepDelivery {
    fn from(delivery: &Delivery) -> Self {
        StepDelivery {
            id: delivery.id.clone(),
            app_id: delivery.app_id.clone(),
            webhook_id: delivery.webhook_id.clone(),
            status: delivery.status.clone(),
            attempts: delivery.attempts.len(),
            last_status_code: delivery.attempts.last().and_then(|attempt| attempt.status_code),
            next_attempt_at: delivery.next_attempt_at,
        }
    }
}

/// Returns an entry for each event of a step, or one if there is none.
fn views(step: &Step, caused: Option<&Caused>) -> Vec<StepView> {
    let blank = |event| StepView {
        at: step.at,
        status: step.status.clone(),
        event,
        event_id: None,
        reason: step.reason.clone(),
        deliveries: None,
    };
    if step.events.is_empty() {
        return vec![blank(step.event.clone().filter(|_| step.status == StepStatus::Waiting))];
    }
    let view = |event: &domain::testing::simulation::CausedEvent| {
        let deliveries = caused.map_or(&[][..], |caused| caused.deliveries(&event.id));
        let deliveries = deliveries.iter().map(StepDelivery::from).collect();
        let event_id = caused.and_then(|caused| caused.event_id(&event.id));
        StepView { event_id, deliveries: Some(deliveries), ..blank(Some(event.name.clone())) }
    };
    step.events.iter().map(view).collect()
}

impl SimulationView {
    fn new(simulation: Simulation, caused: Option<&Caused>) -> Self {
        let is_over = simulation.next_step().is_none();
        SimulationView {
            status: if is_over { SimulationStatus::Completed } else { SimulationStatus::Running },
            steps: simulation.steps.iter().flat_map(|step| views(step, caused)).collect(),
            is_truncated: caused.is_some_and(|caused| caused.is_truncated).then_some(true),
            id: simulation.id,
            scenario: simulation.scenario,
            target: simulation.target,
            created_at: simulation.created_at,
        }
    }
}

/// Run a simulation
///
/// Simulates the notifications that WhatsApp would send in a scenario, step by step and in WhatsApp's own format. The
/// first step follows within a second, or after `delaySeconds`; the others follow at intervals of one second. An
/// organization can have 100 running simulations, and each step counts as one of the app's 10,000 simulated messages
/// per day.
#[utoipa::path(post, path = "/v1/playground/simulations",
    operation_id = "playground.simulations.run", tag = "Test mode",
    security(("testAppKey" = []), ("adminKey" = [])), request_body = RunSimulation,
    responses((status = 201, description = "The simulation", body = SimulationView),
        (status = 403, description = "The key is a live key"),
        (status = 404, description = "No such target")))]
pub(crate) async fn run_simulation(
    State(playground): State<PlaygroundContext>,
    caller: Tester,
    once: Once,
    body: Json<RunSimulation>,
) -> Result<Response, Rejection> {
    let inbox = &playground.inbox;
    let attempt = match once.begin(&inbox.context, body.fingerprint).await {
        Ok(attempt) => attempt,
        Err(response) => return Ok(*response),
    };
    let run = Box::pin(super::run(inbox, &caller, &body.input)).await;
    let change = Change::new(caller.organization());
    let answer = |simulation| Answer::created(SimulationView::new(simulation, None));
    attempt.finish(run.map(|simulation| Planned { change, answer: answer(simulation) })).await
}

/// Get a simulation
///
/// Returns the status of a simulation, the events that it has caused, and their deliveries. An app key reads the
/// simulations that its app has started, a test admin key those of the whole organization. At most 100 deliveries are
/// shown. Simulations are kept for 30 days.
#[utoipa::path(get, path = "/v1/playground/simulations/{simulationId}",
    operation_id = "playground.simulations.get", tag = "Test mode",
    security(("testAppKey" = []), ("adminKey" = [])), params(("simulationId" = SimulationId, Path)),
    responses((status = 200, description = "The simulation", body = SimulationView),
        (status = 403, description = "The key is a live key"),
        (status = 404, description = "No such simulation")))]
pub(crate) async fn get_simulation(
    State(playground): State<PlaygroundContext>,
    claim: Claim<Tester>,
    path: Deferred<Path<(SimulationId,)>>,
) -> Result<Answer<SimulationView>, Rejection> {
    let read = claim.with(path, |reads, Path((id,))| async move {
        let simulation = reads.simulation(&id).await?;
        Ok(simulation)
    });
    let (caller, found) = read.await?;
    let (simulation, caused) = super::find(&playground.inbox, &caller, found).await?;
    Ok(Answer::ok(SimulationView::new(simulation, Some(&caused))))
}
