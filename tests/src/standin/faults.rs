//! Faults that a test injects into responses.

use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use super::StandIn;

/// A fault to inject into matching requests.
#[derive(Clone, Debug)]
pub enum Misbehave {
    Status(u16, String),
    /// A response after a delay.
    Slow(Duration),
    CutOff,
    /// The stand-in's response, or this status and body, when the test opens the gate (`StandIn::hold`).
    Held(Gate, Option<(u16, String)>),
    /// Closes the connection after reading the request.
    HangUp,
    Oversized,
    Silent,
}

/// Closed at first. It stays open once it was opened.
#[derive(Clone, Debug, Default)]
pub struct Gate(Arc<(Mutex<bool>, Condvar)>);

impl Gate {
    pub fn open(&self) {
        *self.0.0.lock().unwrap() = true;
        self.0.1.notify_all();
    }

    /// Waits until the gate is open.
    pub(crate) fn pass(&self) {
        drop(self.0.1.wait_while(self.0.0.lock().unwrap(), |is_open| !*is_open).unwrap());
    }
}

/// A request that is held.
pub struct Hold {
    stand_in: StandIn,
    path: String,
    /// The number of requests before it.
    before: usize,
    gate: Gate,
}

impl Hold {
    /// Waits until the request has arrived.
    pub async fn arrived(&self) {
        while self.stand_in.seen(&self.path).len() <= self.before {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Lets the request have its response.
    pub fn end(&self) {
        self.gate.open();
    }
}

impl StandIn {
    /// Injects a fault into the next requests whose path contains the text.
    pub fn misbehave(&self, path: &str, how: Misbehave, times: u32) {
        self.state().misbehave.push((path.to_owned(), how, times));
    }

    /// Holds the next request whose path contains the text, so that what happens meanwhile does not depend on time.
    pub fn hold(&self, path: &str) -> Hold {
        self.hold_with(path, None)
    }

    /// Holds the next request as above; its response has this status and body.
    pub fn hold_with(&self, path: &str, other: Option<(u16, String)>) -> Hold {
        let (gate, before) = (Gate::default(), self.seen(path).len());
        self.misbehave(path, Misbehave::Held(gate.clone(), other), 1);
        Hold { stand_in: self.clone(), path: path.to_owned(), before, gate }
    }

    /// The fault to inject into a request with this path, which counts as injected.
    pub(super) fn next_misbehaviour(&self, path: &str) -> Option<Misbehave> {
        let mut state = self.state();
        let (_, how, times) =
            state.misbehave.iter_mut().find(|(text, _, times)| *times > 0 && path.contains(text.as_str()))?;
        *times -= 1;
        Some(how.clone())
    }
}
