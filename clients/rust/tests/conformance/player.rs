//! Plays one vector.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use messaging_client::{Body, Client, Error, HttpTransport, Items, List, Pages, Request, Response, Sending, Transport};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::clock::TheClock;
use crate::compare::{Outcome, compare};
use crate::operations::operation;
use crate::server::Server;
use crate::special::special;

const DEFAULT_KEY: &str = "sk_test_app_conformance";

/// What is done with a request, so that the same code plays all operations.
pub(crate) type Played = Pin<Box<dyn Future<Output = Outcome> + Send>>;

/// Why a vector cannot be played: the library has no such method, or its types do not allow the arguments.
pub(crate) struct Problem(pub(crate) String);

/// What a vector passes to a method.
pub(crate) struct Arguments {
    pub(crate) call: Value,
    /// Whether the result has no field that the types do not know.
    pub(crate) is_example: bool,
}

impl Arguments {
    pub(crate) fn id(&self, name: &str) -> Result<&str, Problem> {
        self.call["path"][name].as_str().ok_or_else(|| Problem(format!("the call has no {name}")))
    }

    pub(crate) fn body<T: DeserializeOwned>(&self) -> Result<T, Problem> {
        read(&self.call["body"])
    }

    pub(crate) fn query<T: DeserializeOwned>(&self) -> Result<T, Problem> {
        read(&self.call["query"])
    }
}

fn read<T: DeserializeOwned>(value: &Value) -> Result<T, Problem> {
    let value = if value.is_null() { json!({}) } else { value.clone() };
    serde_json::from_value(value).map_err(|error| Problem(error.to_string()))
}

/// Plays a method that leads to one object.
pub(crate) fn one<T>(request: Request<T>, of: &Arguments) -> Played
where
    T: DeserializeOwned + Serialize + Send + 'static,
{
    let request = with_options(request, &of.call["options"]);
    if of.call["result"]["empty"] == true {
        // A type has no value for no content; JSON has.
        let request = request.untyped();
        return Box::pin(async move { request.await.map_or_else(Outcome::failed, Outcome::of) });
    }
    let is_example = of.is_example;
    Box::pin(async move {
        let response = match request.await {
            Ok(response) => response,
            Err(error) => return Outcome::failed(error),
        };
        if is_example && !response.raw.is_null() {
            // The types lose nothing of what the document shows.
            assert_eq!(serde_json::to_value(&response.value).unwrap(), response.raw);
        }
        Outcome::of(response)
    })
}

/// Plays a method that leads to a list.
pub(crate) fn list<T>(request: Request<List<T>>, of: &Arguments) -> Played
where
    T: DeserializeOwned + Serialize + Send + 'static,
{
    let request = with_options(request, &of.call["options"]);
    let take = of.call["take"].as_u64().map(|take| usize::try_from(take).unwrap());
    match of.call["read"].as_str().unwrap() {
        "page" => Box::pin(async move { request.await.map_or_else(Outcome::failed, Outcome::of) }),
        "pages" => Box::pin(gather("pages", take, Reader::Pages(request.pages()))),
        _ => Box::pin(gather("items", take, Reader::Items(request.items()))),
    }
}

enum Reader<T> {
    Pages(Pages<T>),
    Items(Items<T>),
}

impl<T: DeserializeOwned + Send + 'static> Reader<T> {
    async fn next(&mut self) -> Result<Option<Value>, Error> {
        Ok(match self {
            Reader::Pages(pages) => pages.next().await?.map(|page| page.raw),
            Reader::Items(items) => items.next().await?.map(|item| item.raw),
        })
    }
}

/// Asks for elements until there are none, or enough.
async fn gather<T>(how: &'static str, take: Option<usize>, mut reader: Reader<T>) -> Outcome
where
    T: DeserializeOwned + Send + 'static,
{
    let mut read = Vec::new();
    while take.is_none_or(|take| read.len() < take) {
        match reader.next().await {
            Ok(Some(element)) => read.push(element),
            Ok(None) => break,
            Err(error) => return Outcome { yielded: Some((how, read)), ..Outcome::failed(error) },
        }
    }
    Outcome { yielded: Some((how, read)), ..Outcome::default() }
}

pub(crate) fn with_options<T>(mut request: Request<T>, options: &Value) -> Request<T> {
    if let Some(milliseconds) = options["timeout"].as_u64() {
        request = request.timeout(Duration::from_millis(milliseconds));
    }
    if let Some(retries) = options["maxRetries"].as_u64() {
        request = request.max_retries(u32::try_from(retries).unwrap());
    }
    if let Some(key) = options["idempotencyKey"].as_str() {
        request = request.idempotency_key(key);
    }
    for (name, value) in options["headers"].as_object().into_iter().flatten() {
        request = request.header(name, value.as_str().unwrap());
    }
    request
}

/// Plays a vector, and returns what was wrong.
pub(crate) async fn play(server: &Server, name: &str) -> Vec<String> {
    let opened = server.ask("POST", "/runs", Some(json!({"name": name}))).await;
    play_opened(server, opened).await
}

pub(crate) async fn play_opened(server: &Server, opened: Value) -> Vec<String> {
    let path = format!("/runs/{}", opened["run"]);
    let clock = Arc::new(TheClock::new(format!("{}{path}/waits", server.address()), &opened["vector"]));
    let mut problems = calls(&opened, clock).await;
    let verdict = server.ask("DELETE", &path, None).await;
    problems.extend(verdict["problems"].as_array().unwrap().iter().map(ToString::to_string));
    problems
}

async fn calls(opened: &Value, clock: Arc<TheClock>) -> Vec<String> {
    let vector = &opened["vector"];
    let base_url = opened["baseUrl"].as_str().unwrap();
    let mut client: Option<Client> = None;
    for (at, call) in vector["calls"].as_array().unwrap().iter().enumerate() {
        let outcome = match client.clone().map_or_else(|| made(&vector["client"], base_url, &clock), Ok) {
            Err(error) => Outcome::failed(error),
            Ok(made) => {
                client = Some(made.clone());
                let of = Arguments { call: call.clone(), is_example: vector["rule"] == "requests" };
                match played(&made, &of, &clock).await {
                    Ok(outcome) => outcome,
                    Err(problem) => return vec![format!("call {}: {}", at + 1, problem.0)],
                }
            }
        };
        let problems = compare(&outcome, &call["result"]);
        if !problems.is_empty() {
            return problems.into_iter().map(|problem| format!("call {}: {problem}", at + 1)).collect();
        }
    }
    Vec::new()
}

async fn played(client: &Client, of: &Arguments, clock: &Arc<TheClock>) -> Result<Outcome, Problem> {
    let method = of.call["method"].as_str().unwrap();
    if method == "construct" {
        return Ok(Outcome::default());
    }
    match of.call.get("arguments") {
        Some(arguments) => special(client, method, arguments, of, clock).await,
        None => Ok(operation(client, method, of)?.await),
    }
}

fn made(said: &Value, base_url: &str, clock: &Arc<TheClock>) -> Result<Client, Error> {
    let mut builder = Client::builder().clock(SharedClock(Arc::clone(clock)));
    if said.get("environment").is_none() {
        builder = builder.api_key(DEFAULT_KEY).base_url(base_url);
    }
    builder = match said.get("apiKey") {
        None => builder,
        Some(Value::Null) => builder.without_api_key(),
        Some(Value::String(key)) => builder.api_key(key),
        Some(keys) => {
            let keys: Vec<String> = serde_json::from_value(keys.clone()).unwrap();
            let keys = Arc::new(Mutex::new(keys.into_iter()));
            builder.api_key_with(move || {
                let key = keys.lock().unwrap().next().expect("no key is left");
                async move { Ok(key) }
            })
        }
    };
    if let Some(address) = said["baseUrl"].as_str() {
        builder = builder.base_url(address);
    }
    if let Some(milliseconds) = said["timeout"].as_u64() {
        builder = builder.timeout(Duration::from_millis(milliseconds));
    }
    if let Some(retries) = said["maxRetries"].as_u64() {
        builder = builder.max_retries(u32::try_from(retries).unwrap());
    }
    for (name, value) in said["headers"].as_object().into_iter().flatten() {
        builder = builder.header(name, value.as_str().unwrap());
    }
    if said["transport"] == "injected" {
        builder = builder.transport(Marked(HttpTransport::new()?));
    }
    builder.build()
}

/// A transport that a program puts in place of the library's.
#[derive(Debug)]
struct Marked(HttpTransport);

impl Transport for Marked {
    fn send(&self, mut request: http::Request<Body>) -> Sending<'_> {
        request.headers_mut().insert("x-transport", http::HeaderValue::from_static("injected"));
        self.0.send(request)
    }
}

#[derive(Debug)]
struct SharedClock(Arc<TheClock>);

impl messaging_client::Clock for SharedClock {
    fn now(&self) -> std::time::SystemTime {
        self.0.now()
    }

    fn random(&self) -> f64 {
        self.0.random()
    }

    fn sleep(&self, duration: Duration) -> messaging_client::Pause<'_> {
        self.0.sleep(duration)
    }
}

impl Outcome {
    pub(crate) fn of<T>(response: Response<T>) -> Outcome {
        Outcome { data: response.raw, http: Some(response.http), ..Outcome::default() }
    }
}
