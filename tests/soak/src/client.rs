//! A client with one persistent connection. It retries failed requests with the same `Idempotency-Key`, as clients should.

use std::io::Write as _;
use std::net::TcpStream;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use contract::ROUTES;
use serde_json::Value;
use tests::Call;

use crate::tally::{Fault, Tally};
use crate::time::{monotonic, sleep};

/// Time after which a client gives up a request. The key of a killed request can be used again after 60 s.
pub(crate) const PATIENCE: f64 = 150.0;
/// Time after which a client stops waiting for a key in use and retries in the background.
pub(crate) const PROMPT: f64 = 2.5;
/// Idle time after which the connection is replaced, because the server closes idle connections.
const KEPT: Duration = Duration::from_secs(3);
const TIME_LIMIT: Duration = Duration::from_secs(60);

static PATHS: LazyLock<matchit::Router<&'static str>> = LazyLock::new(|| {
    let mut paths = matchit::Router::new();
    for route in ROUTES.iter() {
        let _ = paths.insert(&route.path, route.function);
    }
    paths
});

/// The function that serves the request.
fn function_of(path: &str) -> &'static str {
    PATHS.at(without_query(path)).map_or("reference", |found| *found.value)
}

fn without_query(path: &str) -> &str {
    path.split('?').next().unwrap_or_default()
}

#[derive(Clone, Debug)]
pub(crate) struct Answer {
    /// The response's status; 0 without a response.
    pub(crate) status: u16,
    pub(crate) headers: http::HeaderMap,
    pub(crate) text: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_default()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    pub(crate) fn is_replayed(&self) -> bool {
        self.header("idempotency-replayed") == Some("true")
    }

    pub(crate) fn beginning(&self) -> String {
        self.text.chars().take(200).collect()
    }
}

/// The `Idempotency-Key` was in use for longer than the client wanted to wait.
pub(crate) struct StillRunning;

pub(crate) fn agent() -> ureq::Agent {
    let config = ureq::Agent::config_builder()
        .http_status_as_error(false)
        .allow_non_standard_methods(true)
        .max_redirects(0)
        .max_idle_age(KEPT)
        .proxy(None)
        .timeout_global(Some(TIME_LIMIT));
    ureq::Agent::new_with_config(config.build())
}

pub(crate) struct Client {
    base_url: String,
    tally: Arc<Tally>,
    agent: ureq::Agent,
}

impl Client {
    pub(crate) fn new(base_url: &str, tally: Arc<Tally>) -> Self {
        Client { base_url: base_url.to_owned(), tally, agent: agent() }
    }

    /// Creates another client with its own connection.
    pub(crate) fn another(&self) -> Self {
        Client::new(&self.base_url, self.tally.clone())
    }

    fn request(&self, call: &Call) -> http::Request<Vec<u8>> {
        let mut request = http::Request::new(call.body.clone());
        *request.method_mut() = call.method.clone();
        *request.uri_mut() = format!("{}{}", self.base_url, call.path).parse().unwrap();
        *request.headers_mut() = call.headers.clone();
        request
    }

    /// Sends a request. `None` if the connection broke before the response was complete.
    fn send(&self, call: &Call) -> Option<Answer> {
        let mut answer = self.agent.run(self.request(call)).ok()?;
        let text = answer.body_mut().read_to_string().ok()?;
        Some(Answer { status: answer.status().as_u16(), headers: answer.headers().clone(), text })
    }

    /// Sends a request and closes the connection, like a client that lost its network.
    pub(crate) fn abandon(&self, call: &Call) {
        let request = self.request(call);
        let host = request.uri().authority().unwrap().to_string();
        let mut bytes =
            format!("{} {} HTTP/1.1\r\nHost: {host}\r\n", request.method(), request.uri().path()).into_bytes();
        for (name, value) in request.headers() {
            bytes.extend_from_slice(&[name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"].concat());
        }
        bytes.extend_from_slice(format!("Content-Length: {}\r\n\r\n", call.body.len()).as_bytes());
        bytes.extend_from_slice(&call.body);
        if let Ok(mut stream) = TcpStream::connect(&host) {
            let _ = stream.write_all(&bytes);
        }
        self.tally.seen().abandoned += 1;
    }

    /// Returns the first final response, and the number of retries before it.
    pub(crate) fn ask(&self, call: &Call, patience: f64) -> Result<(Answer, usize), StillRunning> {
        let (begun, function, mut failures) = (monotonic(), function_of(&call.path), 0);
        loop {
            let sent = monotonic();
            let answer = self.send(call);
            let answered = monotonic();
            self.tally.note(function, answer.as_ref().map(|answer| answer.status));
            let pause = match &answer {
                Some(answer) if answer.status < 500 => match waits(answer) {
                    Some(seconds) => seconds,
                    None => return Ok((answer.clone(), failures)),
                },
                _ => {
                    failures += 1;
                    let request = format!("{} {}", call.method, without_query(&call.path));
                    self.tally.seen().faults.push(fault(function, request, answer.as_ref(), (sent, answered)));
                    0.1
                }
            };
            if answered - begun > patience {
                if patience < PATIENCE {
                    return Err(StillRunning);
                }
                self.tally.lost(format!("no final response to {} {} within {patience} s", call.method, call.path));
                let none = Answer { status: 0, headers: http::HeaderMap::new(), text: "{}".to_owned() };
                return Ok((answer.unwrap_or(none), failures));
            }
            sleep(pause);
            self.tally.seen().retries += 1;
        }
    }

    /// Like `ask`, with the longest patience.
    pub(crate) fn finally(&self, call: &Call) -> (Answer, usize) {
        self.ask(call, PATIENCE).unwrap_or_else(|StillRunning| unreachable!("it waits to the end"))
    }
}

/// The delay before a retry; `None` if the response is final.
fn waits(answer: &Answer) -> Option<f64> {
    let after = answer.header("retry-after");
    let is_interim = answer.status == 429 || (answer.status == 409 && after.is_some());
    is_interim.then(|| after.and_then(|seconds| seconds.parse().ok()).unwrap_or(1.0))
}

fn fault(function: &'static str, request: String, answer: Option<&Answer>, (sent, answered): (f64, f64)) -> Fault {
    let Some(answer) = answer else {
        let what = "the connection broke".to_owned();
        return Fault { function, request, status: 0, what, is_own: false, sent, answered };
    };
    let body = answer.json();
    let is_own = body.get("error").is_some();
    let told = if is_own { body["error"]["message"].as_str() } else { body["errorType"].as_str() };
    let what = told.map_or_else(|| answer.text.chars().take(80).collect(), str::to_owned);
    Fault { function, request, status: answer.status, what, is_own, sent, answered }
}
