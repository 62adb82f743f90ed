//! What the launcher has started, and how much is to be done.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;

/// A run of this length waits for what takes minutes: some events fail twice, and the second retry is five minutes later. In a
/// shorter one, what the sweep would find after five minutes is due at once, and what holds a key for a minute if it is killed
/// is asked for at its beginning.
const LONG_RUN: usize = 20_000;

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Options {
    pub(crate) requests: usize,
    pub(crate) events: usize,
    /// The mean of seconds between two kills; 0 for none.
    pub(crate) kill_every: f64,
    pub(crate) seed: String,
    pub(crate) threads: usize,
    /// Where the result is written.
    pub(crate) result: PathBuf,
    /// Of the API, and of AWS's services.
    pub(crate) base_url: String,
    pub(crate) endpoint: String,
    pub(crate) region: String,
    /// The process that starts those of the functions.
    pub(crate) emulator: i32,
    pub(crate) table: String,
    /// Physical names by ours.
    pub(crate) functions: BTreeMap<String, String>,
    pub(crate) log_groups: BTreeMap<String, String>,
    pub(crate) delivery_queues: Vec<String>,
    pub(crate) dead_letter_queues: BTreeMap<String, String>,
    /// One for each thread.
    pub(crate) organizations: Vec<Organization>,
}

/// As the operator function makes it.
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

    /// What each thread does of a total.
    pub(crate) fn share(&self, total: usize, number: usize) -> usize {
        total * (number + 1) / self.threads - total * number / self.threads
    }

    /// Random numbers of a subject's own, the same in every run of the seed.
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
