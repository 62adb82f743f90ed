//! `trigger`: runs a scenario of the playground.

use std::time::{Duration, Instant};

use messaging_client::Client;
use serde_json::{Value, json};

use super::messages::entries;
use super::read_as;
use crate::args::Trigger;
use crate::failure::Failure;
use crate::output::{Output, short};
use crate::session::Session;

pub(crate) async fn run(output: Output, session: &Session, trigger: &Trigger) -> Result<(), Failure> {
    let client = match session.profile.app_key.is_some() {
        true => session.app()?,
        false => session.organization()?,
    };
    let Some(wanted) = &trigger.scenario else { return list(output, &client).await };
    let mut body = json!({"scenario": scenario(&client, wanted).await?});
    if let Some(target) = &trigger.to {
        body["target"] = json!(target);
    }
    if let Some(delay) = trigger.delay {
        body["delaySeconds"] = json!(delay);
    }
    let simulations = client.playground().simulations();
    let begun = simulations.run(&read_as(body)?).await?;
    let (id, mut simulation) = (begun.value.id, begun.raw);
    let until = Instant::now() + Duration::from_secs(trigger.timeout + trigger.delay.unwrap_or_default());
    while simulation["status"] == "RUNNING" && Instant::now() < until {
        tokio::time::sleep(Duration::from_millis(500)).await;
        simulation = simulations.get(&id).await?.raw;
    }
    let rows: Vec<_> = simulation["steps"].as_array().into_iter().flatten().map(row).collect();
    output.table(&simulation, &["TIME", "STATUS", "EVENT", "EVENT ID", "DELIVERIES"], &rows)?;
    match simulation["status"] == "RUNNING" {
        true => Err(Failure::Negative(format!(
            "The simulation is still running. Check it later: messaging api GET /v1/playground/simulations/{id}"
        ))),
        false => Ok(()),
    }
}

/// Returns the scenario of this name, or the first one that causes an event of this name.
async fn scenario(client: &Client, wanted: &str) -> Result<String, Failure> {
    if !wanted.contains('.') {
        return Ok(wanted.to_owned());
    }
    let all = client.playground().scenarios().list().await?.raw;
    let causes = |scenario: &&Value| {
        scenario["events"].as_array().is_some_and(|events| events.iter().any(|event| event == wanted))
    };
    let found = entries(&all).find(causes).and_then(|scenario| scenario["name"].as_str());
    found.map(str::to_owned).ok_or_else(|| {
        Failure::Usage(format!(
            "No scenario causes {wanted}. `messaging trigger` lists the scenarios and their events."
        ))
    })
}

async fn list(output: Output, client: &Client) -> Result<(), Failure> {
    let all = client.playground().scenarios().list().await?.raw;
    let row = |scenario: &Value| {
        let text = |name: &str| scenario[name].as_str().unwrap_or_default().to_owned();
        let events: Vec<_> = scenario["events"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        vec![text("name"), text("target"), events.join(", "), short(&text("description"), 80)]
    };
    let rows: Vec<_> = entries(&all).map(row).collect();
    output.table(&all, &["SCENARIO", "TARGET", "EVENTS", "WHAT HAPPENS"], &rows)
}

fn row(step: &Value) -> Vec<String> {
    let text = |name: &str| step[name].as_str().unwrap_or_default().to_owned();
    let deliveries = step["deliveries"].as_array().into_iter().flatten();
    let deliveries: Vec<_> = deliveries.filter_map(|delivery| delivery["status"].as_str()).collect();
    let outcome = if deliveries.is_empty() { text("reason") } else { deliveries.join(", ") };
    vec![text("at").chars().take(19).collect(), text("status"), text("event"), text("eventId"), short(&outcome, 60)]
}
