//! Kills of processes, and the faults that each of them caused.

use std::time::Duration;

use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

use crate::processes::{Processes, switches};
use crate::tally::Fault;
use crate::time::monotonic;

/// A kill caused a 5xx if it hit the request's function during the request, or within this time before it or after the
/// response.
const BEFORE: f64 = 0.5;
const AFTER: f64 = 0.1;
/// Time within which a busy process shows activity.
const LOOK: Duration = Duration::from_millis(10);

#[derive(Clone, Debug)]
pub(crate) struct Kill {
    at: f64,
    pub(crate) function: String,
    pub(crate) was_busy: bool,
    pub(crate) faults: usize,
}

/// Kills a busy process, if there is one.
pub(crate) fn kill_one(processes: &Processes, random: &mut fastrand::Rng) -> Option<Kill> {
    let before: Vec<_> = processes.living().into_keys().map(|pid| (pid, switches(pid))).collect();
    std::thread::sleep(LOOK);
    let busy: Vec<i32> = before.iter().filter(|(pid, count)| switches(*pid) != *count).map(|(pid, _)| *pid).collect();
    let all: Vec<i32> = before.into_iter().map(|(pid, _)| pid).collect();
    let was_busy = !busy.is_empty();
    let pid = random.choice(if was_busy { busy } else { all })?;
    // The handle stays bound to one process. Checking the parent afterwards ensures that it is the intended one.
    let handle = pidfd_open(Pid::from_raw(pid)?, PidfdFlags::empty()).ok()?;
    let function = processes.living().remove(&pid)?;
    processes.sample(pid, &function);
    pidfd_send_signal(&handle, Signal::KILL).ok()?;
    Some(Kill { at: monotonic(), function, was_busy, faults: 0 })
}

/// Assigns each fault to a kill of its function during the request, preferably one without a fault so far.
/// Returns the faults with a kill and those without.
pub(crate) fn blame(faults: Vec<Fault>, kills: &mut [Kill]) -> (Vec<Fault>, Vec<Fault>) {
    faults.into_iter().partition(|fault| {
        let span = fault.sent - BEFORE..=fault.answered + AFTER;
        let causes = kills.iter_mut().filter(|kill| kill.function == fault.function && span.contains(&kill.at));
        match causes.min_by_key(|kill| kill.faults).filter(|_| !fault.is_own) {
            Some(kill) => {
                kill.faults += 1;
                true
            }
            None => false,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kill(at: f64, function: &str) -> Kill {
        Kill { at, function: function.to_owned(), was_busy: true, faults: 0 }
    }

    fn fault(function: &'static str, sent: f64, is_own: bool) -> Fault {
        let (request, what, answered) = ("GET /".to_owned(), String::new(), sent + 1.0);
        Fault { function, request, status: 502, what, is_own, sent, answered }
    }

    #[test]
    fn a_fault_goes_to_a_kill_of_its_function_while_it_was_under_way() {
        let mut kills = [kill(10.2, "apps"), kill(10.4, "apps"), kill(20.0, "chat")];
        let faults = vec![
            fault("apps", 10.0, false),
            fault("apps", 10.0, false),
            // An internal fault, another function, too late, too early.
            fault("apps", 10.0, true),
            fault("media", 10.0, false),
            fault("chat", 20.6, false),
            fault("chat", 18.8, false),
        ];
        let (beside, alone) = blame(faults, &mut kills);
        assert_eq!((beside.len(), alone.len()), (2, 4));
        assert_eq!(kills.map(|kill| kill.faults), [1, 1, 0]);
    }
}
