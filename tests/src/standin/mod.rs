//! A stand-in for the platform: an HTTP server in the test's process that sends responses in the platform's documented format
//! and injects faults on request. It writes to the socket directly, because an HTTP library would not truncate responses.

mod faults;
mod objects;
mod routes;
mod server;
mod socket;
mod state;

use std::net::TcpListener;
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::Duration;

use aws_smithy_types::base64;
use domain::identity::credential::hex;
use ring::hmac;
use serde_json::{Value, json};

pub use self::faults::{Gate, Hold, Misbehave};
pub use self::objects::{error, number, template};
pub use self::routes::ACCOUNT_STATE;
pub use self::socket::Seen;
pub(crate) use self::socket::{answer, read_request};
pub use self::state::{Account, State};

pub const APP_ID: &str = "1000000000000001";
pub const APP_SECRET: &str = "app-secret-of-the-stand-in";
pub const VERIFY_TOKEN: &str = "verify-token-of-the-stand-in";

/// Returns the version of the platform's API that the template sets; only the template names it.
pub fn api_version() -> &'static str {
    let (_, version) = include_str!("../../../infra/template.yaml").split_once(", apiVersion: ").unwrap();
    version.split_once(" }").unwrap().0
}

/// The installation's secret with these values, in the form that the template gives it.
pub fn app_document(values: &[(&str, &str)]) -> String {
    let values = values.iter().map(|(name, value)| ((*name).to_owned(), json!(base64::encode(value))));
    Value::Object(values.collect()).to_string()
}

/// The `X-Hub-Signature-256` header of a body.
pub fn signature(secret: &str, body: &[u8]) -> String {
    format!("sha256={}", hmac_sha256(secret, body))
}

/// A keyed hash of a text, in hexadecimal digits.
fn hmac_sha256(secret: &str, text: &[u8]) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
    hex(hmac::sign(&key, text).as_ref())
}

/// A handle; clones share the same state.
#[derive(Clone)]
pub struct StandIn {
    pub url: String,
    app_secret: String,
    state: Arc<Mutex<State>>,
}

impl StandIn {
    pub fn start() -> StandIn {
        Self::listen(TcpListener::bind("127.0.0.1:0").unwrap())
    }

    pub fn listen(listener: TcpListener) -> StandIn {
        Self::serving(listener, APP_SECRET)
    }

    /// Starts a stand-in for an app with this secret.
    pub fn serving(listener: TcpListener, app_secret: &str) -> StandIn {
        let url = format!("http://{}", listener.local_addr().unwrap());
        let stand_in = StandIn { url, app_secret: app_secret.to_owned(), state: Arc::default() };

        let server = stand_in.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let server = server.clone();
                thread::spawn(move || server.serve(stream));
            }
        });
        stand_in
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// Adds an account with these numbers, given as ids and display numbers.
    pub fn account(&self, id: &str, numbers: &[(&str, &str)]) {
        let numbers = numbers.iter().map(|(id, display)| number(id, display)).collect();
        let account = Account { name: format!("Business {id}"), numbers, templates: Vec::new() };
        self.state().accounts.insert(id.to_owned(), account);
    }

    /// Sets fields of what the platform says of a token, an account, a number or the app.
    pub fn say(&self, id: &str, fields: Value) {
        let mut state = self.state();
        let said = state.said.entry(id.to_owned()).or_insert_with(|| json!({}));
        said.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    }

    /// The received requests whose path contains the text.
    pub fn seen(&self, path: &str) -> Vec<Seen> {
        self.state().seen.iter().filter(|seen| seen.path.contains(path)).cloned().collect()
    }

    /// How long each request took, once all responses are written.
    pub fn times(&self) -> Vec<Duration> {
        loop {
            let state = self.state();
            if state.times.len() == state.seen.len() {
                return state.times.clone();
            }
            drop(state);
            thread::sleep(Duration::from_millis(1));
        }
    }
}
