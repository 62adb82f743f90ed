//! Scenarios that the simulated platform plays: `POST /v1/playground/simulations`.

mod live_twin;
mod outcomes;
mod requests;
mod steps;
mod targets;

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use messaging_client::types::{
    PlaygroundScenario, PlaygroundScenarioTarget, PlaygroundScenarios, PlaygroundSimulation, PlaygroundSimulationStatus,
};
use serde_json::{Value, json};
use tests::request::text;
use tests::world::Organization;
use tests::{Call, Reply, Service as _, World};

const SCENARIOS: &str = "/v1/playground/scenarios";
const SIMULATIONS: &str = "/v1/playground/simulations";

/// Requests a simulation.
async fn run(world: &World, key: &str, body: &Value) -> Reply {
    world.send(Call::post(SIMULATIONS).key(key).json(body)).await
}

/// Begins a simulation. Returns it as the response shows it.
async fn begin(world: &World, key: &str, body: &Value) -> PlaygroundSimulation {
    serde_json::from_value(run(world, key, body).await.expect(201)).unwrap()
}

/// The simulation as the API shows it.
async fn simulation(world: &World, key: &str, id: &str) -> PlaygroundSimulation {
    let shown = world.send(Call::get(format!("{SIMULATIONS}/{id}")).key(key)).await.expect(200);
    serde_json::from_value(shown).unwrap()
}

/// Does what the job of the simulation's next step does.
async fn simulate(world: &World, org: &Organization, id: &str) {
    let (org, id) = (org.id.parse().unwrap(), id.parse().unwrap());
    Box::pin(world.worker.inbox.simulate(&org, &id)).await.unwrap();
}

/// Begins a simulation, and plays each of its steps when its time has come. Returns the completed simulation.
async fn play(world: &World, org: &Organization, key: &str, body: &Value) -> PlaygroundSimulation {
    let begun = begin(world, key, body).await;
    assert_eq!(begun.status, PlaygroundSimulationStatus::Running);

    for _ in &begun.steps {
        world.clock.advance(Duration::from_secs(1));
        simulate(world, org, &begun.id).await;
    }

    let over = simulation(world, key, &begun.id).await;
    assert_eq!(over.status, PlaygroundSimulationStatus::Completed, "{over:?}");
    over
}

/// Checks that the table holds what it held before.
async fn assert_unchanged(world: &World, before: &[BTreeMap<String, String>]) {
    let after = world.account.items().await;
    let new: Vec<_> = after.iter().filter(|item| !before.contains(item)).collect();
    assert!(new.is_empty() && after.len() == before.len(), "{new:?}");
}

/// All scenarios, with those of groups last.
async fn scenarios(world: &World, key: &str) -> Vec<PlaygroundScenario> {
    let listed = world.send(Call::get(SCENARIOS).key(key)).await.expect(200);
    serde_json::from_value::<PlaygroundScenarios>(listed).unwrap().data
}

/// The names of the events of a simulation.
fn names(simulation: &PlaygroundSimulation) -> Vec<&str> {
    simulation.steps.iter().filter_map(|step| Some(step.event.as_ref()?.as_str())).collect()
}

/// The chat number of the organization's test app.
async fn own_number(world: &World, org: &Organization) -> Value {
    let listed = Call::get("/v1/organization/chat/phone-numbers?limit=100").key(&org.admin);
    let listed = world.send(listed).await.expect(200);
    let is_own = |number: &&Value| number["apps"][0]["appId"] == org.test_app.as_str();
    listed["data"].as_array().unwrap().iter().find(is_own).unwrap().clone()
}

/// Creates a group of the test app. Returns its id.
async fn group(world: &World, org: &Organization) -> String {
    let number = own_number(world, org).await;
    let body = json!({"chatPhoneNumberId": number["id"], "subject": "Friends"});
    let made = world.send(Call::post("/v1/chat/groups").key(&org.test_app_key).json(&body)).await.expect(201);
    text(&made, "id")
}

/// The body that runs a scenario: with a group, if it is about one.
fn body_of(scenario: &PlaygroundScenario, group: &str) -> Value {
    let mut body = json!({"scenario": scenario.name});
    if scenario.target == PlaygroundScenarioTarget::Group {
        body["target"] = json!(group);
    }
    body
}

/// The value with `#` in place of every text that contains a digit: such texts name or date something.
fn masked(value: &Value) -> Value {
    match value {
        Value::String(text) if text.bytes().any(|byte| byte.is_ascii_digit()) => json!("#"),
        Value::Array(list) => list.iter().map(masked).collect(),
        Value::Object(object) => object.iter().map(|(name, value)| (name.clone(), masked(value))).collect(),
        other => other.clone(),
    }
}

/// The names and masked contents of all events of an organization, without those that were seen before.
async fn new_events(world: &World, org: &Organization, seen: &mut HashSet<String>) -> Vec<(String, String)> {
    let prefix = format!("EVT#{}#", org.id);
    let mut new = Vec::new();
    for item in world.account.items().await {
        if item["PK"].starts_with(&prefix) && seen.insert(item["PK"].clone()) {
            let data: Value = serde_json::from_str(&item["data"]).unwrap();
            new.push((item["type"].clone(), masked(&data).to_string()));
        }
    }
    new.sort();
    new
}
