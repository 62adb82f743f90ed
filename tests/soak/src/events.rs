//! Waits until the receivers have acknowledged all events, up to the longest allowed delay.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::receiver::{Awaited, Event, Named};
use crate::run::Run;
use crate::tally::Counts;
use crate::time::{monotonic, sleep};

/// The longest delay of an event: two retries because of the receiver, or an event that only the sweep finds, plus a margin.
const SETTLE_SECONDS: f64 = 480.0;
const HURRY_SECONDS: f64 = 15.0;

impl Run {
    pub(crate) fn settle_events(&self, awaited: &Awaited, allowed: &BTreeSet<Named>) -> Value {
        let (ended, mut hurried) = (monotonic() + SETTLE_SECONDS, monotonic());
        while self.late_by(awaited).len() < awaited.len() && monotonic() < ended {
            sleep(2.0);
            if !self.options.is_long() && monotonic() - hurried > HURRY_SECONDS {
                self.stack.hurry(&self.options.functions["sweep"]);
                hurried = monotonic();
            }
        }
        // A delivery whose success was not recorded is attempted again.
        sleep(5.0);
        let arrived = self.late_by(awaited);
        for ((hook, (kind, object)), _) in awaited.iter().filter(|(what, _)| !arrived.contains_key(what)) {
            self.tally.lost(format!("event {kind} of {object} never arrived at {hook}"));
        }
        let events = self.hooks.events();
        for event in &events {
            if !event.is_genuine {
                self.tally.unexpected(format!("an attempt of {} had a wrong signature", event.id));
            } else if !names(event).iter().any(|what| awaited.contains_key(what) || allowed.contains(what)) {
                self.tally.doubled(format!("an event about an object that was never acknowledged: {event:?}"));
            }
        }
        let mut attempts = Counts::new();
        for (_, verdict) in events.iter().flat_map(|event| &event.attempts) {
            *attempts.entry((*verdict).to_owned()).or_default() += 1;
        }
        let mut late: Vec<f64> = arrived.values().map(|seconds| (seconds * 10.0).round() / 10.0).collect();
        late.sort_by(f64::total_cmp);
        json!({
            "awaited": awaited.len(),
            "arrived": arrived.len(),
            "lost": awaited.len() - arrived.len(),
            "attempts": attempts,
            "doubled": events.iter().filter(|event| event.acknowledgements() > 1).count(),
            "secondsMedian": late.get(late.len() / 2),
            "secondsLongest": late.last(),
        })
    }

    /// The delays of all events that arrived, in seconds.
    fn late_by(&self, awaited: &Awaited) -> BTreeMap<Named, f64> {
        let events = self.hooks.events();
        let acknowledged = events.iter().filter_map(|event| Some((event, event.acknowledged()?)));
        let named = acknowledged.flat_map(|(event, at)| names(event).map(|what| (what, at)));
        named.filter_map(|(what, at)| Some((what.clone(), at - awaited.get(&what)?))).collect()
    }
}

fn names(event: &Event) -> [Named; 2] {
    event.names().map(|name| (event.hook.clone(), name))
}
