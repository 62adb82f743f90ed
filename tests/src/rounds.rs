//! Counts sequential round trips by what waits for what, not by time, so that a busy machine does not change the result.
//!
//! While something is measured, a response is held until every call that was made has its response and nothing is left to
//! run. Then all of them are passed on, and what is called next belongs to the next round trip: it waited for one of these
//! responses, because otherwise it would have been called before.

use std::sync::{Arc, Mutex};

use tokio::sync::Notify;
use tokio::task::yield_now;

/// How often everything else that can run gets a turn before responses are passed on. A call takes a few turns from the
/// decision to make it until it gets here; the rest is reserve.
const TURNS: usize = 100;

#[derive(Clone, Debug, Default)]
pub(crate) struct Rounds(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct State {
    is_measuring: bool,
    /// The number of the current round trip.
    round: usize,
    /// The calls so far.
    made: usize,
    /// The calls without a response.
    open: usize,
}

/// A measurement; it ends when this is dropped.
pub(crate) struct Measuring(Arc<Shared>);

/// A call, from when it is made until its response is passed on.
pub(crate) struct Turn {
    shared: Arc<Shared>,
    pub(crate) round: usize,
    is_open: bool,
}

impl Rounds {
    pub(crate) fn begin(&self) -> Measuring {
        let mut state = self.0.state.lock().unwrap();
        assert!(!state.is_measuring, "one measurement at a time");
        (state.is_measuring, state.round) = (true, 1);
        Measuring(self.0.clone())
    }

    pub(crate) fn enter(&self) -> Turn {
        let mut state = self.0.state.lock().unwrap();
        state.made += 1;
        state.open += 1;
        Turn { shared: self.0.clone(), round: state.round, is_open: true }
    }
}

impl Drop for Measuring {
    fn drop(&mut self) {
        let mut state = self.0.state.lock().unwrap();
        (state.is_measuring, state.round) = (false, 0);
        self.0.changed.notify_waiters();
    }
}

impl Turn {
    /// Holds the response for as long as its round trip lasts.
    pub(crate) async fn end(&mut self) {
        self.close();
        loop {
            let changed = self.shared.changed.notified();
            let Some(made) = self.quiet() else { return };
            match made {
                None => changed.await,
                Some(made) => {
                    for _ in 0..TURNS {
                        yield_now().await;
                    }
                    self.pass_on(made);
                }
            }
        }
    }

    /// Returns `None` if the response need not be held; otherwise the number of calls, if all of them have their responses.
    fn quiet(&self) -> Option<Option<usize>> {
        let state = self.shared.state.lock().unwrap();
        let is_held = state.is_measuring && state.round == self.round;
        is_held.then(|| (state.open == 0).then_some(state.made))
    }

    /// Ends the round trip, unless another call was made meanwhile.
    fn pass_on(&self, made: usize) {
        let mut state = self.shared.state.lock().unwrap();
        if state.made == made && state.round == self.round {
            state.round += 1;
            self.shared.changed.notify_waiters();
        }
    }

    fn close(&mut self) {
        if std::mem::take(&mut self.is_open) {
            self.shared.state.lock().unwrap().open -= 1;
            self.shared.changed.notify_waiters();
        }
    }
}

/// A call that failed or that nobody waits for any more.
impl Drop for Turn {
    fn drop(&mut self) {
        self.close();
    }
}
