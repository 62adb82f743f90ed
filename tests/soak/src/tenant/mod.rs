//! One organization and its only client, which knows what data must exist.

mod access;
mod known;
mod mistakes;
mod objects;
mod reading;
mod requests;
mod schedule;
mod setup;
mod verify;

use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::JoinHandle;

use tests::Call;

use crate::client::Client;
use crate::options::{Options, Organization};
use crate::receiver::{Hooks, SLOW_HOOK};
use crate::tally::Tally;

pub(crate) use known::{Known, text};

pub(crate) struct Tenant {
    pub(crate) name: String,
    number: usize,
    pub(crate) org: Organization,
    options: Arc<Options>,
    random: fastrand::Rng,
    pub(crate) client: Client,
    pub(crate) tally: Arc<Tally>,
    hooks: Hooks,
    known: Arc<Mutex<Known>>,
    /// Requests that are retried in the background.
    late: Vec<JoinHandle<()>>,
    counter: usize,
    pub(crate) sent: usize,
    tests: usize,
}

impl Tenant {
    pub(crate) fn new(number: usize, options: &Arc<Options>, tally: &Arc<Tally>, hooks: &Hooks) -> Self {
        let name = if number == 0 { SLOW_HOOK.to_owned() } else { format!("t{number}") };
        Tenant {
            name,
            number,
            org: options.organizations[number].clone(),
            random: options.random(&number.to_string()),
            client: Client::new(&options.base_url, tally.clone()),
            options: options.clone(),
            tally: tally.clone(),
            hooks: hooks.clone(),
            known: Arc::default(),
            late: Vec::new(),
            counter: 0,
            sent: 0,
            tests: 0,
        }
    }

    /// Locks the known data. Do not hold the lock during a request: background requests write to it too.
    pub(crate) fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap()
    }

    fn admin(&self, call: Call) -> Call {
        call.key(&self.org.admin_key)
    }

    /// Adds the main app's key to a request.
    fn app_call(&self, call: Call) -> Call {
        let key = self.known().key.clone();
        call.key(&key)
    }

    fn unique(&mut self) -> String {
        self.counter += 1;
        format!("{}-{}", self.name, self.counter)
    }

    fn pick<T: Clone>(&mut self, among: &[T]) -> Option<T> {
        self.random.choice(among).cloned()
    }

    fn below(&mut self, most: usize) -> usize {
        self.random.usize(..most)
    }
}
