//! The report of a run, and whether the run is clean.

use serde_json::{Value, json};

use crate::kills::blame;
use crate::memory;
use crate::run::Run;
use crate::tally::{Counts, Fault, listed};

const SHOWN: usize = 20;

fn count(value: &Value) -> u64 {
    value.as_u64().unwrap_or(0)
}

fn counts(value: &Value) -> Counts {
    serde_json::from_value(value.clone()).unwrap()
}

fn seconds(value: &Value) -> String {
    value.as_f64().map_or("no".to_owned(), |seconds| seconds.to_string())
}

/// Prints the report and adds it to the result. Returns whether the run is clean.
pub(crate) fn report(run: &Run, result: &mut Value) -> bool {
    let seen = run.tally.seen();
    let mut kills = run.kills.lock().unwrap().clone();
    let (beside, alone) = blame(seen.faults.clone(), &mut kills);
    let started = *run.started.lock().unwrap();
    let alone: Vec<String> = alone.iter().map(|fault| describe(fault, started)).collect();
    let (mut by_function, mut kinds) = (Counts::new(), Counts::new());
    for kill in &kills {
        *by_function.entry(kill.function.clone()).or_default() += 1;
    }
    for fault in &beside {
        let status = if fault.status == 0 { "no answer".to_owned() } else { fault.status.to_string() };
        *kinds.entry(format!("{status} {}", fault.what)).or_default() += 1;
    }
    let busy = kills.iter().filter(|kill| kill.was_busy).count();
    let most = kills.iter().map(|kill| kill.faults).max().unwrap_or(0);
    for (name, value) in [
        ("kills", json!(by_function)),
        ("killsOfBusy", json!(busy)),
        ("faultsBesideKills", json!(kinds)),
        ("mostFaultsOfAKill", json!(most)),
        ("faultsAlone", json!(alone)),
        ("lost", json!(seen.lost)),
        ("doubled", json!(seen.doubled)),
        ("unexpected", json!(seen.unexpected)),
    ] {
        result[name] = value;
    }
    let (requests, took) = (count(&result["requests"]), result["seconds"].as_f64().unwrap_or(0.0));
    println!(
        "\nRequests: {requests} in {took} s, {:.1} per second; {}",
        requests as f64 / took.max(0.1),
        listed(&counts(&result["answers"]))
    );
    println!(
        "  retried {}, abandoned and retried {}, replayed responses {}",
        result["retries"], result["abandoned"], result["replays"]
    );
    println!("Kills: {}, {busy} of them of a busy process; {}", kills.len(), listed(&by_function));
    println!(
        "5xx and broken connections: {} caused by a kill (at most {most} by one kill), {} without a kill",
        beside.len(),
        alone.len()
    );
    let mut kinds: Vec<_> = kinds.into_iter().collect();
    kinds.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    for (kind, count) in kinds {
        println!("  {count} x {kind}");
    }
    for fault in alone.iter().take(SHOWN) {
        println!("  WITHOUT A KILL: {fault}");
    }
    let starved = result["starved"].as_object().unwrap();
    let starved: Vec<String> =
        starved.iter().map(|(phase, share)| format!("{phase} {}", share.as_str().unwrap())).collect();
    println!("Time during which processes waited for a processor: {}", starved.join("; "));
    print_events(result);
    memory::print(&result["memory"]);
    for (title, found) in [("LOST", &seen.lost), ("DUPLICATED", &seen.doubled), ("UNEXPECTED", &seen.unexpected)] {
        println!("\n{title}: {}", found.len());
        for line in found.iter().take(SHOWN) {
            println!("  {line}");
        }
    }
    let is_clean = [&seen.lost, &seen.doubled, &seen.unexpected, &alone].iter().all(|found| found.is_empty());
    is_clean && counts(&result["deadLetters"]).values().sum::<usize>() == 0
}

fn print_events(result: &Value) {
    let events = &result["events"];
    println!("\nCompared at the end: {}", listed(&counts(&result["checked"])));
    println!(
        "Events: {} awaited, {} arrived; median delay {} s, longest delay {} s",
        events["awaited"],
        events["arrived"],
        seconds(&events["secondsMedian"]),
        seconds(&events["secondsLongest"])
    );
    println!("  attempts: {}", listed(&counts(&events["attempts"])));
    println!(
        "  acknowledged twice by the receiver {}; deliveries {}",
        events["doubled"],
        listed(&counts(&result["deliveries"]))
    );
    println!("  dead-letter queues {}", listed(&counts(&result["deadLetters"])));
}

fn describe(fault: &Fault, started: f64) -> String {
    let (took, at) = (fault.answered - fault.sent, fault.sent - started);
    let Fault { request, status, what, .. } = fault;
    format!("{at:.0} s after the start: {request}: {status} {what}, after {took:.1} s")
}
