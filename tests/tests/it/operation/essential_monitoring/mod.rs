//! Essential monitoring: the failure of each row of the runbook's table of alarms is injected, and one of the few essential
//! alarms goes off. The template says when an alarm does; metrics of AWS itself are taken as AWS documents them.

mod alarm;
mod failures;
mod outside;
mod updates;

use std::collections::BTreeSet;
use std::time::Duration;

use futures_util::{StreamExt as _, stream};
use runtime::Metric;
use tests::World;

use self::alarm::Alarm;
use self::failures::inject;

const MINUTE: Duration = Duration::from_secs(60);
const DAY: Duration = Duration::from_secs(86_400);
const NOTIFICATIONS: &str = "/v1/platform/notifications";

fn read(path: &str) -> String {
    std::fs::read_to_string(format!("{}/../{path}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

/// How the failure of a row shows with essential monitoring.
enum Shown {
    /// This alarm on a metric of our own is on, because a function has published this metric of the runbook.
    Alarm(&'static str, Metric),
    /// This alarm is on, because a metric of our own is missing.
    Missing(&'static str),
    /// This alarm watches the metric with which AWS counts the failure.
    Aws(&'static str, &'static str),
}

#[test]
fn ten_alarms_and_ten_metrics_at_most() {
    let alarms = Alarm::essential();
    assert!(alarms.len() <= 10, "{} alarms", alarms.len());

    let names: BTreeSet<&str> = Metric::ALL.into_iter().filter_map(Metric::essential_name).collect();
    assert!(names.len() <= 10, "{names:?}");
    for name in names {
        let watching = alarms.iter().filter(|alarm| alarm.text.contains(&format!("      MetricName: {name}\n")));
        assert_eq!(watching.count(), 1, "alarms on {name}");
    }

    assert!(
        read("infra/template.yaml")
            .contains("  Dashboard:\n    Type: AWS::CloudWatch::Dashboard\n    Condition: HasFullMonitoring\n")
    );
}

/// The alarms that the runbook's table has a row for.
fn rows() -> BTreeSet<String> {
    let runbook = read("docs/runbook.md");
    let (_, table) = runbook.split_once("\n## Alarms\n").unwrap();
    let table = table.split("\n## ").next().unwrap();
    let cells = table.lines().filter_map(|line| line.strip_prefix("| ")?.split(" | ").next());
    cells.flat_map(|cell| cell.split(", ")).filter(|name| name.ends_with("Alarm")).map(str::to_owned).collect()
}

/// The failure of a row, by which rows with the same one share an injection; none if nothing is lost or late.
fn failure_of(row: &str) -> Option<&str> {
    match row {
        // A function that ends in time, however late, has not failed. If it does not, that counts as an error.
        _ if row.ends_with("DurationAlarm") => None,
        // The carrier has refused the messages, and the caller knows.
        "OptOutRefusalsAlarm" => None,
        // The requests themselves have not failed.
        "UnrecordedKeyUsesAlarm" => None,
        // The requests were refused, as they should be.
        "DeniedRequestsAlarm" => None,
        "ServerErrorsAlarm" | "PlatformErrorsAlarm" => Some(row),
        // Lambda counts the errors of all functions as one.
        _ if row.ends_with("ErrorsAlarm") => Some("FunctionErrorsAlarm"),
        _ => Some(row),
    }
}

#[tokio::test]
async fn every_failure_of_the_runbook_raises_an_essential_alarm() {
    let rows = rows();
    assert!(rows.len() > 70, "{rows:?}");
    let failures: BTreeSet<&str> = rows.iter().filter_map(|row| failure_of(row)).collect();
    let all = stream::iter(failures).map(|failure| async move { Box::pin(expect_alarm(failure)).await });
    all.buffer_unordered(12).for_each(async |()| {}).await;
}

/// Injects the failure of a row and expects its alarm.
async fn expect_alarm(row: &str) {
    let mut world = World::with_essential_monitoring().await;
    match Box::pin(inject(&mut world, row)).await {
        Shown::Alarm(name, metric) => {
            let lines = world.metrics.json();
            assert!(lines.iter().any(|line| line["metric"] == metric.name()), "{row}: {lines:?}");
            assert!(Alarm::named(name).is_on(&world), "{row}: {name} is off: {lines:?}");
        }
        Shown::Missing(name) => assert!(Alarm::named(name).is_on(&world), "{row}: {name} is off"),
        Shown::Aws(name, metric) => {
            let alarm = Alarm::named(name);
            assert!(alarm.text.contains(&format!("MetricName: {metric}")), "{row}: {alarm:?}");
        }
    }
}
