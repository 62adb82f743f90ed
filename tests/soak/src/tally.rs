//! What all clients have seen.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard};

pub(crate) type Counts = BTreeMap<String, usize>;

/// An answer of 500 and more, or none at all (status 0).
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    pub(crate) function: &'static str,
    pub(crate) request: String,
    pub(crate) status: u16,
    pub(crate) what: String,
    /// Of our own making; the gateway's answer for a function that ended is not.
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

    /// `None`: the connection broke before there was a whole answer.
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
