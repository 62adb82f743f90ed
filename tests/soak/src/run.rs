//! The run: tenants send requests while processes are killed, and all data is compared at the end.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Value, json};

use crate::kills::{Kill, kill_one};
use crate::memory;
use crate::options::Options;
use crate::processes::{Processes, load, waited_for_processor};
use crate::receiver::{Awaited, Hooks, Named};
use crate::stack::Stack;
use crate::tally::{Counts, Tally};
use crate::tenant::Tenant;
use crate::time::{monotonic, sleep};

const SAMPLE_EVERY: f64 = 0.5;
const REPORT_EVERY: f64 = 30.0;

pub(crate) struct Run {
    pub(crate) options: Arc<Options>,
    pub(crate) stack: Stack,
    pub(crate) tally: Arc<Tally>,
    pub(crate) hooks: Hooks,
    processes: Processes,
    pub(crate) kills: Mutex<Vec<Kill>>,
    pub(crate) started: Mutex<f64>,
}

impl Run {
    pub(crate) fn new(options: Options) -> Self {
        let twice = if options.is_long() { 2 } else { 0 };
        Run {
            stack: Stack::new(&options),
            tally: Arc::default(),
            hooks: Hooks::start(&options.seed, twice),
            processes: Processes::new(&options),
            kills: Mutex::default(),
            started: Mutex::default(),
            options: Arc::new(options),
        }
    }

    pub(crate) fn run(&self) -> Value {
        let options = &self.options;
        self.stack.shorten_visibility(&options.queues);
        let mut tenants: Vec<Tenant> =
            (0..options.threads).map(|number| Tenant::new(number, options, &self.tally, &self.hooks)).collect();
        each(&mut tenants, |_, tenant| tenant.set_up());
        self.tally.seen().answers.clear();
        println!(
            "{} requests and {} events from {} clients, one kill per {} s, seed {} ...",
            options.requests, options.events, options.threads, options.kill_every, options.seed
        );
        let begun = (monotonic(), waited_for_processor());
        *self.started.lock().unwrap() = begun.0;
        let took = self.work(&mut tenants);
        let starved = starvation(begun);
        let sent: usize = tenants.iter().map(|tenant| tenant.sent).sum();
        let answers = self.tally.seen().answers.clone();
        println!("   {sent} requests in {took:.0} s; waiting for the last events ...");
        let events = self.settle_events(&awaited(&tenants), &allowed(&tenants));
        let invocations = self.invocations();
        let begun = (monotonic(), waited_for_processor());
        println!("   comparing the stored data with the acknowledged data ...");
        let stored = self.stack.stored();
        each(&mut tenants, |_, tenant| tenant.verify(&stored));
        let mut deliveries = Counts::new();
        for (status, count) in each(&mut tenants, |_, tenant| tenant.delivery_statuses()).into_iter().flatten() {
            *deliveries.entry(status).or_default() += count;
        }
        let seen = self.tally.seen();
        json!({
            "parameters": {
                "requests": options.requests, "events": options.events, "killEvery": options.kill_every,
                "seed": options.seed, "threads": options.threads,
            },
            "requests": sent,
            "seconds": (took * 10.0).round() / 10.0,
            "answers": answers,
            "retries": seen.retries,
            "replays": seen.replays,
            "abandoned": seen.abandoned,
            "checked": seen.checked,
            "events": events,
            "deliveries": deliveries,
            "deadLetters": self.stack.messages_in(&options.dead_letter_queues),
            "starved": {"requests": starved, "comparison": starvation(begun)},
            "memory": memory::rows(&self.processes, &invocations),
        })
    }

    /// Sends all requests while processes are killed. Returns the time of the slowest tenant in seconds.
    fn work(&self, tenants: &mut [Tenant]) -> f64 {
        let sent: Vec<AtomicUsize> = tenants.iter().map(|_| AtomicUsize::new(0)).collect();
        let (ended, started) = (AtomicBool::new(false), monotonic());
        let is_going_on = || !ended.load(Ordering::Relaxed);
        thread::scope(|scope| {
            scope.spawn(|| {
                while pause(SAMPLE_EVERY, is_going_on) {
                    self.processes.sample_all();
                }
            });
            if self.options.kill_every > 0.0 {
                scope.spawn(|| self.kill_some(is_going_on));
            }
            scope.spawn(|| {
                while pause(REPORT_EVERY, is_going_on) {
                    let total: usize = sent.iter().map(|sent| sent.load(Ordering::Relaxed)).sum();
                    let (kills, faults) = (self.kills.lock().unwrap().len(), self.tally.seen().faults.len());
                    println!("   {:5.0} s: {total} requests, {kills} kills, {faults} 5xx", monotonic() - started);
                }
            });
            let took = each(tenants, |number, tenant| {
                let (requests, events) = (self.options.requests, self.options.events);
                let shares = (self.options.share(requests, number), self.options.share(events, number));
                tenant.work(shares.0, shares.1, |count| sent[number].store(count, Ordering::Relaxed));
                let took = monotonic() - started;
                tenant.finish();
                took
            });
            ended.store(true, Ordering::Relaxed);
            took.into_iter().fold(0.0, f64::max)
        })
    }

    fn kill_some(&self, is_going_on: impl Fn() -> bool) {
        let mut random = self.options.random("kills");
        // Exponentially distributed intervals: a memoryless process.
        while pause(-(1.0 - random.f64()).ln() * self.options.kill_every, &is_going_on) {
            if let Some(kill) = kill_one(&self.processes, &mut random) {
                self.kills.lock().unwrap().push(kill);
            }
        }
    }

    /// The number of invocations by function: of requests for functions with routes, from the logs for the others.
    fn invocations(&self) -> Counts {
        let mut counts = self.tally.seen().by_function.clone();
        for (function, group) in &self.options.log_groups {
            counts.insert(function.clone(), self.stack.invocations(group));
        }
        counts
    }
}

fn awaited(tenants: &[Tenant]) -> Awaited {
    let of = |tenant: &Tenant| {
        let awaited = tenant.known().awaited.clone();
        awaited.into_iter().map(|(what, since)| ((tenant.name.clone(), what), since)).collect::<Vec<_>>()
    };
    tenants.iter().flat_map(of).collect()
}

fn allowed(tenants: &[Tenant]) -> BTreeSet<Named> {
    let of = |tenant: &Tenant| {
        let allowed = tenant.known().allowed.clone();
        allowed.into_iter().map(|what| (tenant.name.clone(), what)).collect::<Vec<_>>()
    };
    tenants.iter().flat_map(of).collect()
}

/// Runs all tenants concurrently, each in its own thread.
fn each<T: Send>(tenants: &mut [Tenant], act: impl Fn(usize, &mut Tenant) -> T + Sync) -> Vec<T> {
    thread::scope(|scope| {
        let act = &act;
        let spawned = tenants.iter_mut().enumerate().map(|(number, tenant)| scope.spawn(move || act(number, tenant)));
        let threads: Vec<_> = spawned.collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

/// Sleeps, and returns whether the run is still going on.
fn pause(seconds: f64, is_going_on: impl Fn() -> bool) -> bool {
    let ended = monotonic() + seconds;
    while is_going_on() && monotonic() < ended {
        sleep((ended - monotonic()).clamp(0.0, 0.1));
    }
    is_going_on()
}

/// Formats the share of time that processes waited for a processor since then, and the load.
fn starvation((begun, before): (f64, f64)) -> String {
    let share = 100.0 * (waited_for_processor() - before) / (monotonic() - begun).max(0.001);
    let processors = thread::available_parallelism().map_or(1, std::num::NonZero::get);
    format!("{share:.0} %, load {:.0} on {processors} processors", load())
}
