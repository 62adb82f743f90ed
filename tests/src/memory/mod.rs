//! AWS in memory, for fuzzing and simulations, for which the emulator is too slow: a table, a bucket, queues and
//! secrets, used through the SDK's own clients. Like the real services, it rejects keys and items that are too large
//! and calls that name an item twice.

mod expression;
mod stream;
mod table;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use aws::Connection;
use aws_sdk_dynamodb::config::Credentials;
use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpClient, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_types::body::SdkBody;
use aws_smithy_types::timeout::TimeoutConfig;
use domain::identity::credential::hex;
use ring::digest::{SHA256, digest};
use serde_json::{Value, json};

use table::Table;

const LARGEST_BATCH: usize = 256 * 1024;
const MOST_ENTRIES: usize = 10;

/// A handle; clones share the same memory.
#[derive(Clone, Debug, Default)]
pub struct Memory(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    table: Table,
    objects: BTreeMap<String, Vec<u8>>,
    /// Objects that existed when the memory was frozen.
    frozen_objects: BTreeMap<String, Vec<u8>>,
    secrets: BTreeMap<String, String>,
    sent: Vec<String>,
    dead: Vec<String>,
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("State")
    }
}

impl Memory {
    pub fn connection(&self) -> Connection {
        Connection {
            http_client: SharedHttpClient::new(self.clone()),
            region: "us-east-1".to_owned(),
            credentials: Credentials::new("000000000000", "test", None, None, "test"),
            endpoint_url: Some("http://aws.invalid".to_owned()),
            timeouts: TimeoutConfig::disabled(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn keep_secret(&self, name: &str, text: &str) {
        self.state().secrets.insert(name.to_owned(), text.to_owned());
    }

    pub fn keep_object(&self, key: &str, bytes: &[u8]) {
        self.state().objects.insert(key.to_owned(), bytes.to_vec());
    }

    /// Freezes the current content, to which `reset` returns.
    pub fn freeze(&self) {
        let mut state = self.state();
        state.table.freeze();
        state.frozen_objects = state.objects.clone();
        state.sent.clear();
    }

    pub fn reset(&self) {
        let mut state = self.state();
        state.table.reset();
        state.objects = state.frozen_objects.clone();
        state.sent.clear();
    }

    /// Items written since the reset, by key; `null` for a deleted item.
    pub fn changes(&self) -> BTreeMap<String, Value> {
        self.state().table.changes()
    }

    /// Switches the stream of the table on.
    pub fn stream(&self) {
        self.state().table.stream = Some(stream::Stream::default());
    }

    /// Returns what the stream has reported since the last call of this method.
    pub fn stream_records(&self) -> Vec<Value> {
        self.state().table.stream.as_mut().map(stream::Stream::take).unwrap_or_default()
    }

    /// Objects written since the reset.
    pub fn written_objects(&self) -> Vec<(String, Vec<u8>)> {
        let state = self.state();
        let is_new = |(key, bytes): &(&String, &Vec<u8>)| state.frozen_objects.get(*key) != Some(*bytes);
        state.objects.iter().filter(is_new).map(|(key, bytes)| (key.clone(), bytes.clone())).collect()
    }

    /// Returns the messages sent to the dead-letter queue `dead` since the last call of this method.
    pub fn dead_letters(&self) -> Vec<String> {
        std::mem::take(&mut self.state().dead)
    }

    /// Returns the messages sent to other queues since the last call of this method or of `reset`.
    pub fn sent(&self) -> Vec<String> {
        std::mem::take(&mut self.state().sent)
    }
}

impl HttpClient for Memory {
    fn http_connector(&self, _: &HttpConnectorSettings, _: &RuntimeComponents) -> SharedHttpConnector {
        SharedHttpConnector::new(self.clone())
    }
}

impl HttpConnector for Memory {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let target = request.headers().get("x-amz-target").unwrap_or_default().to_owned();
        let mut state = self.state();
        let (status, body) = match target.rsplit_once('.') {
            None => state.bucket(&request),
            Some((service, operation)) => {
                let call: Value =
                    request.body().bytes().and_then(|body| serde_json::from_slice(body).ok()).unwrap_or_default();
                let (status, answer) = match service {
                    "DynamoDB_20120810" => state.table.answer(operation, &call),
                    "AmazonSQS" => state.queue(operation, &call),
                    _ => state.secret(operation, &call),
                };
                (status, answer.to_string().into_bytes())
            }
        };
        let etag = target.is_empty().then(|| etag(&body));
        let mut response = HttpResponse::new(status.try_into().expect("a status"), SdkBody::from(body));
        let mime = if target.is_empty() { "application/xml" } else { "application/x-amz-json-1.0" };
        response.headers_mut().insert("content-type", mime);
        if let Some(etag) = etag {
            response.headers_mut().insert("etag", etag);
        }
        HttpConnectorFuture::ready(Ok(response))
    }
}

impl State {
    fn queue(&mut self, operation: &str, call: &Value) -> (u16, Value) {
        if operation != "SendMessageBatch" {
            return (200, json!({}));
        }
        let entries: Vec<&Value> = call["Entries"].as_array().into_iter().flatten().collect();
        let bodies: Vec<&str> = entries.iter().filter_map(|entry| entry["MessageBody"].as_str()).collect();
        let bytes: usize = bodies.iter().map(|body| body.len()).sum();
        let is_empty = entries.is_empty() || bodies.iter().any(|body| body.is_empty());
        if is_empty || entries.len() > MOST_ENTRIES || bytes > LARGEST_BATCH {
            return (400, json!({"__type": "com.amazonaws.sqs#InvalidMessageContents", "message": "refused"}));
        }
        let kept = |body: &str| {
            body.chars().map(|c| if is_in_a_message(c) { c } else { char::REPLACEMENT_CHARACTER }).collect()
        };
        // The queue's URL ends with its name.
        let is_dead = call["QueueUrl"].as_str().is_some_and(|url| url.ends_with("/dead"));
        let sent = if is_dead { &mut self.dead } else { &mut self.sent };
        sent.extend(bodies.into_iter().map(kept));
        let taken: Vec<Value> = entries
            .iter()
            .map(|entry| json!({"Id": entry["Id"], "MessageId": "00000000-0000-4000-8000-000000000000", "MD5OfMessageBody": ""}))
            .collect();
        (200, json!({"Successful": taken, "Failed": []}))
    }

    fn secret(&mut self, operation: &str, call: &Value) -> (u16, Value) {
        let name = call["SecretId"].as_str().or(call["Name"].as_str()).unwrap_or_default().to_owned();
        match (operation, call["SecretString"].as_str()) {
            ("CreateSecret", Some(text)) => {
                self.secrets.insert(name, text.to_owned());
                (200, json!({}))
            }
            ("GetSecretValue", _) if self.secrets.contains_key(&name) => {
                (200, json!({"SecretString": self.secrets[&name]}))
            }
            _ => (400, json!({"__type": "ResourceNotFoundException", "message": "no such secret"})),
        }
    }

    fn bucket(&mut self, request: &HttpRequest) -> (u16, Vec<u8>) {
        let path =
            request.uri().split_once("://").and_then(|(_, rest)| rest.split_once('/')).map_or("", |(_, path)| path);
        let key = path.split('?').next().unwrap_or_default().to_owned();
        let refused = |status, code: &str| (status, format!("<Error><Code>{code}</Code></Error>").into_bytes());
        match (request.method(), request.headers().get("x-amz-copy-source")) {
            ("PUT", Some(source)) => {
                let source = source.trim_start_matches('/');
                let Some(bytes) = self.objects.get(source).cloned() else { return refused(404, "NoSuchKey") };
                let etag = etag(&bytes);
                if request.headers().get("x-amz-copy-source-if-match").is_some_and(|wanted| wanted != etag) {
                    return refused(412, "PreconditionFailed");
                }
                self.objects.insert(key, bytes);
                (200, format!("<CopyObjectResult><ETag>{etag}</ETag></CopyObjectResult>").into_bytes())
            }
            ("PUT", None) => {
                self.objects.insert(key, request.body().bytes().unwrap_or_default().to_vec());
                (200, Vec::new())
            }
            ("DELETE", _) => {
                self.objects.remove(&key);
                (204, Vec::new())
            }
            _ => self.objects.get(&key).map_or_else(|| refused(404, "NoSuchKey"), |bytes| (200, bytes.clone())),
        }
    }
}

fn etag(bytes: &[u8]) -> String {
    format!("\"{}\"", hex(digest(&SHA256, bytes).as_ref()))
}

/// Whether SQS accepts a character: those of XML 1.0 only.
fn is_in_a_message(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..='\u{10ffff}')
}
