//! The alarms of the template.

use serde_json::{Value, json};
use tests::World;

use super::read;

const OWN: &str = "!Ref AWS::StackName";

/// An alarm of the template.
#[derive(Debug)]
pub(super) struct Alarm {
    name: String,
    pub(super) text: String,
}

impl Alarm {
    /// The alarms that exist with `Monitoring=essential`.
    pub(super) fn essential() -> Vec<Alarm> {
        let template = read("infra/template.yaml");
        let blocks = template.split("\n\n").filter(|block| block.contains("    Type: AWS::CloudWatch::Alarm\n"));
        let all = blocks.map(|block| {
            let (before, _) = block.split_once(":\n    Type: AWS::CloudWatch::Alarm").unwrap();
            Alarm { name: before.rsplit(' ').next().unwrap().to_owned(), text: block.to_owned() }
        });
        all.filter(|alarm| !alarm.text.contains("    Condition: HasFullMonitoring\n")).collect()
    }

    pub(super) fn named(name: &str) -> Alarm {
        let found = Alarm::essential().into_iter().find(|alarm| alarm.name == name);
        found.unwrap_or_else(|| panic!("no essential alarm is called {name}"))
    }

    fn property(&self, name: &str) -> &str {
        let (_, rest) =
            self.text.split_once(&format!("\n      {name}: ")).unwrap_or_else(|| panic!("{name}: {self:?}"));
        rest.split('\n').next().unwrap()
    }

    fn number(&self, name: &str) -> u64 {
        self.property(name).parse().unwrap()
    }

    /// Whether an alarm on a metric of our own is on, given all lines that the functions have published so far.
    pub(super) fn is_on(&self, world: &World) -> bool {
        assert_eq!((self.property("Namespace"), self.text.contains("Dimensions")), (OWN, false), "{self:?}");
        let (period, now) = (i64::try_from(self.number("Period") * 1000).unwrap(), world.now().millis());
        let lines = world.metrics.json();
        let values: Vec<(i64, u64)> =
            lines.iter().filter_map(|line| value(line, self.property("MetricName"))).collect();

        (0..self.number("EvaluationPeriods")).all(|window| {
            let end = now - period * i64::try_from(window).unwrap();
            let in_window = values.iter().filter(|(at, _)| end - period < *at && *at <= end).map(|(_, value)| *value);
            let found = match self.property("Statistic") {
                "Sum" => in_window.reduce(|all, one| all + one),
                "Maximum" => in_window.max(),
                other => panic!("{other}"),
            };
            match (found, self.property("ComparisonOperator")) {
                (None, _) => self.property("TreatMissingData") == "breaching",
                (Some(found), "GreaterThanOrEqualToThreshold") => found >= self.number("Threshold"),
                (Some(found), "LessThanThreshold") => found < self.number("Threshold"),
                (_, other) => panic!("{other}"),
            }
        })
    }
}

/// The time and value of a line in CloudWatch's format, if it publishes this metric without dimensions.
fn value(line: &Value, metric: &str) -> Option<(i64, u64)> {
    let declared = &line["_aws"]["CloudWatchMetrics"][0];
    let is_it = declared["Metrics"][0]["Name"] == metric && declared["Dimensions"] == json!([[]]);
    is_it.then(|| (line["_aws"]["Timestamp"].as_i64().unwrap(), line[metric].as_u64().unwrap()))
}
