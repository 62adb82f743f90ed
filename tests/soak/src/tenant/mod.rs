//! One organization and its only client, who knows what must be there.

mod access;
mod known;
mod mistakes;
mod objects;
mod reading;
mod requests;
mod setup;
mod turns;
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
    /// Requests that go on beside the others.
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

    /// Held only while no request is under way: those beside this one write to it too.
    pub(crate) fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap()
    }

    fn admin(&self, call: Call) -> Call {
        call.key(&self.org.admin_key)
    }

    /// As the main app.
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
