//! The function processes of the emulator, from /proc: which are alive, which are busy, and their memory.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::sync::{Mutex, MutexGuard};

use rustix::param::page_size;

use crate::options::Options;

/// The writes and memory of one process at one moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    /// The number of write calls. Each request causes the same number of them.
    pub(crate) writes: u64,
    pub(crate) resident: u64,
}

/// The samples of a process, oldest first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Life {
    pub(crate) function: String,
    pub(crate) samples: Vec<Sample>,
}

#[derive(Default)]
struct Seen {
    /// The functions of the known processes, by process id.
    functions: HashMap<i32, String>,
    lives: BTreeMap<i32, Life>,
}

pub(crate) struct Processes {
    emulator: i32,
    /// Short function names, by physical name.
    names: HashMap<String, String>,
    seen: Mutex<Seen>,
}

impl Processes {
    pub(crate) fn new(options: &Options) -> Self {
        let names = options.functions.iter().map(|(name, physical)| (physical.clone(), name.clone())).collect();
        Processes { emulator: options.emulator, names, seen: Mutex::default() }
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap()
    }

    /// The child processes of the emulator that run a function.
    pub(crate) fn living(&self) -> BTreeMap<i32, String> {
        let folders = fs::read_dir("/proc").unwrap().flatten();
        let pids = folders.filter_map(|folder| folder.file_name().to_str()?.parse::<i32>().ok());
        let children = pids.filter(|pid| parent(*pid) == Some(self.emulator));
        children.filter_map(|pid| Some((pid, self.function(pid)?))).collect()
    }

    fn function(&self, pid: i32) -> Option<String> {
        if let Some(known) = self.seen().functions.get(&pid) {
            return Some(known.clone());
        }
        let variables = fs::read(format!("/proc/{pid}/environ")).ok()?;
        let mut variables = variables.split(|byte| *byte == 0);
        let name = variables.find_map(|variable| variable.strip_prefix(b"AWS_LAMBDA_FUNCTION_NAME="))?;
        // Between fork and exec, a child still has the emulator's environment.
        let function = self.names.get(std::str::from_utf8(name).ok()?)?;
        self.seen().functions.insert(pid, function.clone());
        Some(function.clone())
    }

    pub(crate) fn sample_all(&self) {
        for (pid, function) in self.living() {
            self.sample(pid, &function);
        }
    }

    pub(crate) fn sample(&self, pid: i32, function: &str) {
        let Some(sample) = sample(pid).filter(|sample| sample.resident > 0) else { return };
        let mut seen = self.seen();
        let life = seen.lives.entry(pid).or_default();
        function.clone_into(&mut life.function);
        life.samples.push(sample);
    }

    pub(crate) fn lives(&self, function: &str) -> Vec<Life> {
        self.seen().lives.values().filter(|life| life.function == function).cloned().collect()
    }
}

fn parent(pid: i32) -> Option<i32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The process name in parentheses may contain any characters.
    stat.rsplit(')').next()?.split_whitespace().nth(1)?.parse().ok()
}

fn sample(pid: i32) -> Option<Sample> {
    let io = fs::read_to_string(format!("/proc/{pid}/io")).ok()?;
    let writes = io.lines().find_map(|line| line.strip_prefix("syscw: "))?.parse().ok()?;
    let statm = fs::read_to_string(format!("/proc/{pid}/statm")).ok()?;
    let pages: u64 = statm.split_whitespace().nth(1)?.parse().ok()?;
    Some(Sample { writes, resident: pages * page_size() as u64 })
}

/// The number of context switches, which grows while a process is busy.
pub(crate) fn switches(pid: i32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"))?.trim().parse().ok()
}

/// The total time in seconds during which some process of the machine waited for a processor.
pub(crate) fn waited_for_processor() -> f64 {
    let pressure = fs::read_to_string("/proc/pressure/cpu").unwrap_or_default();
    let total = pressure.split("total=").nth(1).and_then(|rest| rest.split_whitespace().next());
    total.and_then(|micros| micros.parse::<f64>().ok()).unwrap_or(0.0) / 1e6
}

pub(crate) fn load() -> f64 {
    let loads = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    loads.split_whitespace().next().and_then(|load| load.parse().ok()).unwrap_or(0.0)
}
