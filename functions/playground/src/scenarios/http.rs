use api::{Answer, Rejection, Tester};
use domain::events::event::EventName;
use serde::Serialize;
use utoipa::ToSchema;

use super::{Scenario, TargetKind};

/// The scenarios that can be simulated.
#[derive(Serialize, ToSchema)]
#[schema(as = PlaygroundScenarios)]
pub(crate) struct Scenarios {
    /// All scenarios.
    data: Vec<ScenarioView>,
}

/// A series of events at WhatsApp that can be simulated.
#[derive(Serialize, ToSchema)]
#[schema(as = PlaygroundScenario)]
struct ScenarioView {
    name: Scenario,
    /// What the scenario does.
    description: &'static str,
    /// The events that it causes; some of them only if it has to make its target first.
    events: &'static [EventName],
    target: TargetKind,
}

impl From<Scenario> for ScenarioView {
    fn from(scenario: Scenario) -> Self {
        ScenarioView {
            name: scenario,
            description: scenario.description(),
            events: scenario.events(),
            target: scenario.target(),
        }
    }
}

/// List scenarios
///
/// Returns the scenarios that can be simulated with `POST /v1/playground/simulations`.
#[utoipa::path(get, path = "/v1/playground/scenarios", operation_id = "playground.scenarios.list", tag = "Test mode",
    security(("testAppKey" = []), ("adminKey" = [])),
    responses((status = 200, description = "The scenarios", body = Scenarios),
        (status = 403, description = "The key is a live key")))]
pub(crate) async fn list_scenarios(_caller: Tester) -> Result<Answer<Scenarios>, Rejection> {
    Ok(Answer::ok(Scenarios { data: Scenario::ALL.iter().copied().map(ScenarioView::from).collect() }))
}
