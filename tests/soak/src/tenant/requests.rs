//! How a tenant sends requests: idempotent ones, and creations with an `Idempotency-Key`.

use std::sync::{Arc, Mutex};
use std::thread;

use http::Method;
use serde_json::Value;
use tests::Call;

use super::{Known, Tenant};
use crate::client::{Answer, Client, PATIENCE, PROMPT, StillRunning};
use crate::tally::Tally;

/// Records an acknowledged response.
type Keep = Box<dyn Fn(&mut Known, &Value) + Send>;

/// A POST with an `Idempotency-Key`.
struct Creation {
    call: Call,
    expected: u16,
    repeated: Repeated,
    /// Whether to send the request a second time after its response.
    is_twice: bool,
    keep: Keep,
}

/// The response to a repeated request.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Repeated {
    /// The stored response of the first request.
    Response,
    /// The sent message as it is now: 200 if the provider took it, 202 if its outcome is not known yet.
    Message,
}

impl Repeated {
    fn answers(self, expected: u16, answer: &Answer) -> bool {
        answer.status == expected
            || self == Repeated::Message && answer.is_replayed() && matches!(answer.status, 200 | 202)
    }

    /// Returns whether two responses tell of the same object.
    fn agree(self, first: &Answer, second: &Answer) -> bool {
        match self {
            Repeated::Response => first.text == second.text,
            Repeated::Message => first.json()["id"] == second.json()["id"],
        }
    }
}

impl Creation {
    fn settle(&self, client: &Client, tally: &Tally, known: &Mutex<Known>, patience: f64) -> Result<(), StillRunning> {
        let Call { method, path, .. } = &self.call;
        let (answer, _) = client.ask(&self.call, patience)?;
        if answer.is_replayed() {
            tally.seen().replays += 1;
        }
        if !self.repeated.answers(self.expected, &answer) {
            unexpected(tally, self.expected, &self.call, &answer);
            return Ok(());
        }
        (self.keep)(&mut known.lock().unwrap(), &answer.json());
        if self.is_twice {
            let (again, _) = client.finally(&self.call);
            if !again.is_replayed() || !self.repeated.agree(&answer, &again) {
                let (first, second) = (answer.beginning(), again.beginning());
                tally.doubled(format!("{method} {path} with one key: {first}, then {} {second}", again.status));
            }
            tally.seen().replays += 1;
        }
        Ok(())
    }
}

fn unexpected(tally: &Tally, expected: u16, call: &Call, answer: &Answer) {
    let (Call { method, path, .. }, status) = (call, answer.status);
    tally.unexpected(format!("{method} {path}: {status} instead of {expected}: {}", answer.beginning()));
}

impl Tenant {
    /// Sends an idempotent request. `None` if the response is not the expected one.
    pub(super) fn ask(&mut self, call: Call, expected: u16) -> Option<Answer> {
        self.sent += 1;
        let (answer, failures) = self.client.finally(&call);
        if call.method == Method::DELETE && failures > 0 && answer.status == 404 {
            return Some(answer);
        }
        if answer.status != expected {
            unexpected(&self.tally, expected, &call, &answer);
            return None;
        }
        Some(answer)
    }

    pub(super) fn get(&mut self, call: Call) -> Option<Value> {
        self.ask(call, 200).map(|answer| answer.json())
    }

    /// Sends a change with the organization's admin key. Returns whether it succeeded.
    pub(super) fn changes(&mut self, call: Call) -> bool {
        let call = self.admin(call);
        self.ask(call, 200).is_some()
    }

    /// Sends a POST with a new `Idempotency-Key`; `keep` gets the response. Some requests are abandoned and retried, and some are
    /// sent twice.
    pub(super) fn create(&mut self, call: Call, expected: u16, keep: impl Fn(&mut Known, &Value) + Send + 'static) {
        let key = self.unique();
        self.create_under(&key, call, expected, keep);
    }

    pub(super) fn create_under(
        &mut self,
        key: &str,
        call: Call,
        expected: u16,
        keep: impl Fn(&mut Known, &Value) + Send + 'static,
    ) {
        self.settle(key, call, (expected, Repeated::Response), keep);
    }

    /// Sends a message as `create` does.
    pub(super) fn send_message(&mut self, call: Call, keep: impl Fn(&mut Known, &Value) + Send + 'static) {
        let key = self.unique();
        self.settle(&key, call, (201, Repeated::Message), keep);
    }

    fn settle(
        &mut self,
        key: &str,
        call: Call,
        (expected, repeated): (u16, Repeated),
        keep: impl Fn(&mut Known, &Value) + Send + 'static,
    ) {
        let call = call.header("idempotency-key", key);
        let luck = self.random.f64();
        if luck < 0.02 {
            self.sent += 1;
            self.client.abandon(&call);
        }
        let is_twice = (0.02..0.07).contains(&luck);
        self.sent += 1 + usize::from(is_twice);
        let creation = Creation { call, expected, repeated, is_twice, keep: Box::new(keep) };
        if let Err(StillRunning) = creation.settle(&self.client, &self.tally, &self.known, PROMPT) {
            self.retry_in_background(creation);
        }
    }

    /// Retries in a thread of its own while the tenant continues.
    fn retry_in_background(&mut self, creation: Creation) {
        let (client, tally, known) = (self.client.another(), Arc::clone(&self.tally), Arc::clone(&self.known));
        let work = thread::spawn(move || {
            let _ = creation.settle(&client, &tally, &known, PATIENCE);
        });
        self.late.retain(|work| !work.is_finished());
        self.late.push(work);
    }

    /// Whether no request is retried in the background.
    pub(super) fn is_quiet(&self) -> bool {
        self.late.iter().all(thread::JoinHandle::is_finished)
    }

    pub(super) fn join_late(&mut self) {
        for work in self.late.drain(..) {
            work.join().unwrap();
        }
    }

    /// Reads all pages of a list. A non-empty `query` ends with `&`.
    pub(super) fn walk(&mut self, path: &str, query: &str, size: usize) -> Vec<Value> {
        let (mut found, mut cursor) = (Vec::new(), String::new());
        loop {
            let call = self.admin(Call::get(format!("{path}?{query}limit={size}{cursor}")));
            let Some(page) = self.get(call) else { return found };
            found.extend(page["data"].as_array().cloned().unwrap_or_default());
            match page["nextCursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => return found,
            }
        }
    }
}
