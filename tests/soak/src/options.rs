//! The options of a run: the stack that the launcher started, and the amount of work.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;

/// The number of requests from which a run is long. A long run waits for events that fail twice, whose second retry comes five
/// minutes later. In a shorter run, items that the sweep would find after five minutes are made due at once, and requests whose
/// key stays in use for a minute after a kill are made only at the beginning.
const LONG_RUN: usize = 20_000;

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Options {
    pub(crate) requests: usize,
    pub(crate) events: usize,
    /// The mean time between two kills in seconds; 0 for no kills.
    pub(crate) kill_every: f64,
    pub(crate) seed: String,
    pub(crate) threads: usize,
    /// The file for the result.
    pub(crate) result: PathBuf,
    /// The base URL of the API, and the endpoint of the AWS services.
    pub(crate) base_url: String,
    pub(crate) endpoint: String,
    pub(crate) region: String,
    /// The process id of the emulator, which starts the functions' processes.
    pub(crate) emulator: i32,
    pub(crate) table: String,
    /// Physical function names, by short name.
    pub(crate) functions: BTreeMap<String, String>,
    pub(crate) log_groups: BTreeMap<String, String>,
    pub(crate) queues: Vec<String>,
    pub(crate) dead_letter_queues: BTreeMap<String, String>,
    /// The organizations, one per thread.
    pub(crate) organizations: Vec<Organization>,
}

/// An organization as the operator function returns it.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Organization {
    pub(crate) organization_id: String,
    pub(crate) admin_key: String,
    pub(crate) session_token: String,
}

impl Options {
    pub(crate) fn is_long(&self) -> bool {
        self.requests >= LONG_RUN
    }

    /// The share of one thread in a total.
    pub(crate) fn share(&self, total: usize, number: usize) -> usize {
        total * (number + 1) / self.threads - total * number / self.threads
    }

    /// A random number generator for one subject, the same in every run with the same seed.
    pub(crate) fn random(&self, subject: &str) -> fastrand::Rng {
        random(&format!("{}/{subject}", self.seed))
    }
}

pub(crate) fn random(seed: &str) -> fastrand::Rng {
    use std::hash::{DefaultHasher, Hash as _, Hasher as _};
    let mut hasher = DefaultHasher::new();
    seed.hash(&mut hasher);
    fastrand::Rng::with_seed(hasher.finish())
}
