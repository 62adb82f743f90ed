//! Counts of the responses and faults that all clients saw.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard};

pub(crate) type Counts = BTreeMap<String, usize>;

/// A response with a status of 500 or more, or no response (status 0).
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    pub(crate) function: &'static str,
    pub(crate) request: String,
    pub(crate) status: u16,
    pub(crate) what: String,
    /// Whether the response is the service's own, and not the gateway's for a function that ended.
    pub(crate) is_own: bool,
    pub(crate) sent: f64,
    pub(crate) answered: f64,
}

#[derive(Default)]
pub(crate) struct Seen {
    pub(crate) answers: Counts,
    pub(crate) by_function: Counts,
    pub(crate) faults: Vec<Fault>,
    pub(crate) unexpected: Vec<String>,
    pub(crate) lost: Vec<String>,
    pub(crate) doubled: Vec<String>,
    pub(crate) checked: Counts,
    pub(crate) retries: usize,
    pub(crate) replays: usize,
    pub(crate) abandoned: usize,
}

#[derive(Default)]
pub(crate) struct Tally(Mutex<Seen>);

impl Tally {
    pub(crate) fn seen(&self) -> MutexGuard<'_, Seen> {
        self.0.lock().unwrap()
    }

    /// Counts a response; `None` if the connection broke before the response was complete.
    pub(crate) fn note(&self, function: &str, status: Option<u16>) {
        let mut seen = self.seen();
        *seen.by_function.entry(function.to_owned()).or_default() += 1;
        let kind = status.map_or("broken".to_owned(), |status| format!("{}xx", status / 100));
        *seen.answers.entry(kind).or_default() += 1;
    }

    pub(crate) fn lost(&self, what: String) {
        self.seen().lost.push(what);
    }

    pub(crate) fn doubled(&self, what: String) {
        self.seen().doubled.push(what);
    }

    pub(crate) fn unexpected(&self, what: String) {
        self.seen().unexpected.push(what);
    }
}

pub(crate) fn listed(counts: &Counts) -> String {
    counts.iter().map(|(name, count)| format!("{name} {count}")).collect::<Vec<_>>().join(", ")
}
