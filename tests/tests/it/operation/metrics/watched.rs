//! The alarms, the dashboard and the runbook name what is published.

use domain::due::DueClass;
use runtime::{Environment, Metric};
use tests::World;

fn read(path: &str) -> String {
    std::fs::read_to_string(format!("{}/../{path}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

#[tokio::test]
async fn a_function_without_the_namespace_does_not_start() {
    let world = World::new().await;
    let mut environment = Environment::default();
    environment.context(&world.account.connection);
    let why = environment.finish().expect_err("variables are missing");
    assert!(why.contains("METRICS_NAMESPACE"), "{why}");
}

/// The alarms, the dashboard and the runbook name every metric, and the functions use the alarms' namespace.
#[test]
fn every_metric_has_an_alarm_and_an_explanation() {
    let (template, runbook) = (read("infra/template.yaml"), read("docs/runbook.md"));
    assert!(template.contains("        METRICS_NAMESPACE: !Ref AWS::StackName\n"));

    for metric in Metric::ALL {
        let name = metric.name();
        let alarm = format!("      Namespace: !Ref AWS::StackName\n      MetricName: {name}\n");
        assert!(template.contains(&alarm), "{name} has an alarm");
        // The dashboard has the dead-letter queues' own metrics.
        let is_shown = template.contains(&format!("[\"${{AWS::StackName}}\", \"{name}\""));
        assert_eq!(is_shown, metric != Metric::DeadLetters, "{name} is on the dashboard");
        assert!(runbook.contains(&format!("| `{name}` | {} |", metric.unit())), "{name} is in the runbook");
    }
}

/// Each class of due work has an alarm for its age and one for shards that are not read, and its line on the dashboard.
#[test]
fn every_class_of_due_work_is_watched() {
    let template = read("infra/template.yaml");
    let alarm = |name: &str| {
        let (_, rest) = template.split_once(&format!("\n  {name}:\n")).unwrap_or_else(|| panic!("no {name}"));
        rest.split("\n\n").next().unwrap().to_owned()
    };

    for class in DueClass::ALL {
        let name = class.as_str();
        let title = format!("{}{}", name[..1].to_uppercase(), &name[1..]);
        let of_class = format!("MetricName: OldestDueSeconds\n      Dimensions: [{{ Name: Class, Value: {name} }}]\n");

        let late = alarm(&format!("{title}DueAlarm"));
        assert!(late.contains(&of_class) && late.contains("Statistic: Maximum\n"), "{late}");
        let unread = alarm(&format!("{title}UnreadAlarm"));
        // Five values in five minutes; two may be late.
        let count = "Statistic: SampleCount\n      Period: 300\n      EvaluationPeriods: 2\n      Threshold: 3\n";
        assert!(unread.contains(&of_class) && unread.contains(count), "{unread}");
        assert!(unread.contains("LessThanThreshold\n      TreatMissingData: breaching\n"), "{unread}");
        assert!(template.contains(&format!("\"{name}\", {{\"label\": \"{name}, s\"}}")), "{name} is on the dashboard");
    }
}
