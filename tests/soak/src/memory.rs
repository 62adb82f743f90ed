//! Memory of the functions' processes. A process's number of requests is estimated from its share of write calls.

use serde_json::{Value, json};

use crate::processes::{Life, Processes};
use crate::tally::Counts;

const WARM: f64 = 50.0;
const MANY: f64 = 1000.0;
const COLUMNS: [(&str, &str); 5] = [
    ("warmBytes", "warm"),
    ("manyBytes", "at 1,000"),
    ("endBytes", "at end"),
    ("growthBytes", "growth"),
    ("laterGrowthBytes", "after 1,000"),
];

/// Returns a row for each function that was invoked.
pub(crate) fn rows(processes: &Processes, invocations: &Counts) -> Value {
    let rows = invocations.iter().filter_map(|(function, count)| {
        let lives = processes.lives(function);
        let writes: u64 = lives.iter().filter_map(|life| Some(life.samples.last()?.writes)).sum();
        let row = (writes > 0 && *count > 0).then(|| row(&lives, writes as f64 / *count as f64, *count))?;
        Some((function.clone(), row))
    });
    Value::Object(rows.collect())
}

fn row(lives: &[Life], each: f64, invocations: usize) -> Value {
    let at = |life: &Life, requests: f64| {
        life.samples.iter().find(|sample| sample.writes as f64 / each >= requests).map(|sample| sample.resident as i64)
    };
    let end = |life: &Life| life.samples.last().map_or(0, |sample| sample.resident as i64);
    let growth = |since: f64| lives.iter().filter_map(|life| Some(end(life) - at(life, since)?)).max();
    let longest = lives.iter().filter_map(|life| Some(life.samples.last()?.writes)).max().unwrap_or(0);
    json!({
        "invocations": invocations,
        "processes": lives.len(),
        "longestLife": (longest as f64 / each).round() as u64,
        "warmBytes": lives.iter().filter_map(|life| at(life, WARM)).max(),
        "manyBytes": lives.iter().filter_map(|life| at(life, MANY)).max(),
        "endBytes": lives.iter().map(end).max(),
        "growthBytes": growth(WARM),
        "laterGrowthBytes": growth(MANY),
    })
}

pub(crate) fn print(rows: &Value) {
    println!(
        "\nMemory of the processes in MB: the most after 50 requests, after 1,000, at the end of life; the most that one has grown since"
    );
    let titles: String = COLUMNS.iter().map(|(_, title)| format!("{title:>13}")).collect();
    println!("{:14}{:>10}{:>11}{:>14}{titles}", "", "requests", "processes", "longest life");
    for (function, row) in rows.as_object().into_iter().flatten() {
        let sizes: String = COLUMNS
            .iter()
            .map(|(name, _)| {
                let size =
                    row[name].as_i64().map_or("-".to_owned(), |bytes| format!("{:.1}", bytes as f64 / 1_048_576.0));
                format!("{size:>13}")
            })
            .collect();
        let [invocations, processes, longest] =
            ["invocations", "processes", "longestLife"].map(|name| row[name].as_u64().unwrap_or(0));
        println!("{function:14}{invocations:>10}{processes:>11}{longest:>14}{sizes}");
    }
}
