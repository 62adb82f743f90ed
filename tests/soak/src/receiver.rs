//! The receiver of events: verifies and records every event, and sometimes fails on purpose.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ::tests::receiver::{Got, Receiver};
use serde_json::Value;
use standardwebhooks::Webhook;

use crate::options::random;
use crate::time::wall;

/// The only hook that lets senders time out.
pub(crate) const SLOW_HOOK: &str = "slow";
pub(crate) const ACKNOWLEDGED: &str = "204";
/// Longer than the deadline of a delivery.
const TIME_OUT: Duration = Duration::from_secs(16);
/// Shares of the events whose first attempt fails.
const FAILURES: [(f64, &str); 4] = [(0.03, "500"), (0.02, "503"), (0.02, "hung up"), (0.01, "timed out")];

/// The hook and a name of an event.
pub(crate) type Named = (String, (String, String));
/// Awaited events, with the time of the request.
pub(crate) type Awaited = BTreeMap<Named, f64>;

#[derive(Clone, Debug)]
pub(crate) struct Event {
    pub(crate) hook: String,
    pub(crate) id: String,
    pub(crate) kind: String,
    /// The id of the object that the event is about.
    pub(crate) object: String,
    pub(crate) is_genuine: bool,
    pub(crate) attempts: Vec<(f64, &'static str)>,
    /// The number of attempts that fail first, regardless of random failures.
    failures: usize,
}

impl Event {
    /// The time of the first acknowledged attempt.
    pub(crate) fn acknowledged(&self) -> Option<f64> {
        self.attempts.iter().find(|(_, verdict)| *verdict == ACKNOWLEDGED).map(|(at, _)| *at)
    }

    pub(crate) fn acknowledgements(&self) -> usize {
        self.attempts.iter().filter(|(_, verdict)| *verdict == ACKNOWLEDGED).count()
    }

    /// The names under which the event may be awaited.
    pub(crate) fn names(&self) -> [(String, String); 2] {
        [("test".to_owned(), self.id.clone()), (self.kind.clone(), self.object.clone())]
    }
}

#[derive(Default)]
struct Memory {
    secrets: HashMap<String, Vec<String>>,
    events: BTreeMap<(String, String), Event>,
    counts: HashMap<String, usize>,
}

#[derive(Clone)]
pub(crate) struct Hooks {
    base_url: String,
    memory: Arc<Mutex<Memory>>,
}

impl Hooks {
    /// Starts the receiver. The first `twice` events of each hook fail twice, so that their second retry comes minutes
    /// later.
    pub(crate) fn start(seed: &str, twice: usize) -> Self {
        let memory: Arc<Mutex<Memory>> = Arc::default();
        let (server, seed) = (memory.clone(), seed.to_owned());
        let receiver = Receiver::start(Arc::new(move |_, got| answer(&server, &seed, twice, got)));
        let (base_url, _) = receiver.url.rsplit_once('/').unwrap();
        Hooks { base_url: base_url.to_owned(), memory }
    }

    pub(crate) fn url(&self, hook: &str) -> String {
        format!("{}/{hook}", self.base_url)
    }

    pub(crate) fn know(&self, hook: &str, secret: &str) {
        self.memory.lock().unwrap().secrets.entry(hook.to_owned()).or_default().push(secret.to_owned());
    }

    pub(crate) fn events(&self) -> Vec<Event> {
        self.memory.lock().unwrap().events.values().cloned().collect()
    }
}

fn answer(memory: &Mutex<Memory>, seed: &str, twice: usize, got: &Got) -> (Duration, Vec<u8>) {
    let hook = got.head.rsplit('/').next().unwrap_or_default().to_owned();
    let id = got.headers.get("webhook-id").and_then(|id| id.to_str().ok()).unwrap_or("none").to_owned();
    let mut memory = memory.lock().unwrap();
    let secrets = memory.secrets.get(&hook).map_or(&[][..], Vec::as_slice);
    // Verify with the current or the previous secret.
    let mut signing = secrets.iter().rev().take(2).filter_map(|secret| Webhook::new(secret).ok());
    let is_genuine = signing.any(|webhook| webhook.verify(&got.body, &got.headers).is_ok());
    let body: Value = serde_json::from_slice(&got.body).unwrap_or_default();
    let is_genuine = is_genuine && body["id"] == *id;
    let verdict = memory.attempt((hook, id), is_genuine.then_some(&body), seed, twice);
    match verdict {
        "hung up" => (Duration::ZERO, Vec::new()),
        "timed out" => (TIME_OUT, Vec::new()),
        status => (Duration::ZERO, plain(status)),
    }
}

fn plain(status: &str) -> Vec<u8> {
    let retry = if status == "503" { "Retry-After: 6\r\n" } else { "" };
    format!("HTTP/1.1 {status} Answer\r\nConnection: close\r\n{retry}Content-Length: 0\r\n\r\n").into_bytes()
}

impl Memory {
    /// Records an attempt and returns the verdict. `body` is `None` if the signature is wrong.
    fn attempt(&mut self, at: (String, String), body: Option<&Value>, seed: &str, twice: usize) -> &'static str {
        let (hook, id) = at.clone();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let count = self.counts.entry(hook.clone()).or_default();
        let event = self.events.entry(at).or_insert_with(|| {
            *count += 1;
            Event {
                hook,
                id,
                kind: body.map_or("not signed".to_owned(), |body| text(&body["type"])),
                object: body.map_or_else(String::new, |body| text(&body["data"]["id"])),
                is_genuine: true,
                attempts: Vec::new(),
                failures: if *count <= twice { 2 } else { 0 },
            }
        });
        event.is_genuine &= body.is_some();
        let verdict = if body.is_some() { event.verdict(seed) } else { "401" };
        event.attempts.push((wall(), verdict));
        verdict
    }
}

impl Event {
    fn verdict(&self, seed: &str) -> &'static str {
        if self.attempts.len() < self.failures {
            return "500";
        }
        if !self.attempts.is_empty() {
            return ACKNOWLEDGED;
        }
        let mut luck = random(&format!("{seed}/{}", self.id)).f64();
        for (share, verdict) in FAILURES {
            let share = if verdict == "timed out" && self.hook != SLOW_HOOK { 0.0 } else { share };
            if luck < share {
                return verdict;
            }
            luck -= share;
        }
        ACKNOWLEDGED
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_delivery_that_is_not_genuine_is_not_counted() {
        let mut memory = Memory::default();
        let at = || ("t1".to_owned(), "evt_1".to_owned());
        assert_eq!(memory.attempt(at(), None, "1", 0), "401");
        let event = &memory.events[&at()];
        assert!(!event.is_genuine && event.acknowledged().is_none());
    }

    #[test]
    fn the_first_events_of_a_hook_fail_twice_where_that_is_wanted() {
        let mut memory = Memory::default();
        let body = json!({"type": "messages.sms.sent", "data": {"id": "msg_1"}});
        let mut attempt = |id: &str| memory.attempt(("t1".to_owned(), id.to_owned()), Some(&body), "1", 1);
        assert_eq!([attempt("evt_1"), attempt("evt_1"), attempt("evt_1")], ["500", "500", ACKNOWLEDGED]);
        attempt("evt_2");
        assert_eq!(attempt("evt_2"), ACKNOWLEDGED, "after luck at most once");
        assert_eq!(memory.events[&("t1".to_owned(), "evt_1".to_owned())].names()[1].1, "msg_1");
    }

    #[test]
    fn a_share_of_all_events_fails_first() {
        let mut memory = Memory::default();
        let body = json!({"type": "messages.sms.sent", "data": {"id": "msg_1"}});
        let first = |memory: &mut Memory, hook: &str, count: usize| -> BTreeMap<&str, usize> {
            let mut verdicts = BTreeMap::new();
            for number in 0..count {
                let at = (hook.to_owned(), format!("evt_{number}"));
                *verdicts.entry(memory.attempt(at, Some(&body), "1", 0)).or_default() += 1;
            }
            verdicts
        };
        let slow = first(&mut memory, SLOW_HOOK, 2000);
        assert!(FAILURES.iter().all(|(_, verdict)| slow[verdict] > 0) && slow[ACKNOWLEDGED] > 1700, "{slow:?}");
        assert!(!first(&mut memory, "t1", 2000).contains_key("timed out"));
    }
}
