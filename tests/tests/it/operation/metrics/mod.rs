//! The service's own metrics: which function publishes which value, in CloudWatch's embedded metric format.

mod deliveries;
mod notifications;
mod sweep;
mod watched;

use std::time::Duration;

use domain::due::DueClass;
use runtime::Metric;
use serde_json::{Value, json};
use tests::World;
use tests::request::text;
use tests::settings::NAMESPACE;

const MINUTE: Duration = Duration::from_secs(60);

/// Returns the names and values published since the last call. Checks that each line is in CloudWatch's format and contains
/// nothing else.
#[track_caller]
fn published(world: &World) -> Vec<(String, u64)> {
    let lines = world.metrics.json();
    world.metrics.clear();
    lines.iter().map(|line| published_by(line, world.now().millis())).collect()
}

#[track_caller]
fn published_by(line: &Value, now: i64) -> (String, u64) {
    let declared = &line["_aws"]["CloudWatchMetrics"][0];
    let name = text(&declared["Metrics"][0], "Name");
    let metric = Metric::ALL.into_iter().find(|metric| metric.name() == name).expect("a known metric");

    let mut expected = json!({
        "_aws": {
            "Timestamp": now,
            "CloudWatchMetrics": [{
                "Namespace": NAMESPACE,
                "Dimensions": metric.dimensions(),
                "Metrics": [{"Name": name, "Unit": metric.unit()}],
            }],
        },
        (name.clone()): line[&name].as_u64().expect("a number"),
    });

    let is_by_class = metric.dimensions()[0] == json!(["Class"]);
    if is_by_class {
        expected["Class"] = line["Class"].clone();
    }
    assert_eq!(*line, expected);

    let class = if is_by_class { format!(" {}", text(line, "Class")) } else { String::new() };
    (format!("{name}{class}"), line[&name].as_u64().unwrap())
}

/// A metric as `published` returns it.
fn told(name: Metric, value: u64) -> (String, u64) {
    (name.name().to_owned(), value)
}

/// A metric of a class as `published` returns it.
fn told_of(class: DueClass, name: Metric, value: u64) -> (String, u64) {
    (format!("{} {}", name.name(), class.as_str()), value)
}
