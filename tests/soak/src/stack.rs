//! The local stack behind the API: its table, queues, logs and functions.

use std::collections::{BTreeMap, BTreeSet};

use aws::{Connection, client_config};
use aws_sdk_sqs::config::Credentials;
use aws_sdk_sqs::types::QueueAttributeName::{ApproximateNumberOfMessages, VisibilityTimeout};
use domain::port::{Clock as _, SystemClock};
use serde::Deserialize;
use serde_json::{Value, json};
use store::keys::KeyClass;
use store::maintenance::Maintenance;
use tokio::runtime::Runtime;

use crate::client::agent;
use crate::options::Options;
use crate::tally::Counts;

/// The visibility timeout after which the messages of a killed function reappear; 6 to 90 minutes in the template.
const VISIBILITY_SECONDS: &str = "30";
/// Key classes of objects that have no list operation.
pub(crate) const UNLISTED: [KeyClass; 3] = [KeyClass::Media, KeyClass::Group, KeyClass::SmsMessage];

pub(crate) type Stored = BTreeMap<(String, KeyClass), BTreeSet<String>>;

pub(crate) struct Stack {
    runtime: Runtime,
    table: Maintenance,
    sqs: aws_sdk_sqs::Client,
    endpoint: String,
    region: String,
}

/// Attributes that determine whether an object is visible.
#[derive(Deserialize)]
struct State {
    state: Option<String>,
}

impl Stack {
    pub(crate) fn new(options: &Options) -> Self {
        let credentials = Credentials::new("test", "test", None, None, "local");
        let endpoint = options.endpoint.clone();
        let connection = Connection::new(options.region.clone(), credentials, Some(endpoint.clone())).unwrap();
        Stack {
            runtime: tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap(),
            table: Maintenance::new(connection.dynamodb(), &options.table),
            sqs: aws_sdk_sqs::Client::from_conf(client_config!(aws_sdk_sqs, &connection).build()),
            endpoint,
            region: options.region.clone(),
        }
    }

    pub(crate) fn shorten_visibility(&self, queues: &[String]) {
        for queue in queues {
            let call = self.sqs.set_queue_attributes().queue_url(queue);
            self.runtime.block_on(call.attributes(VisibilityTimeout, VISIBILITY_SECONDS).send()).unwrap();
        }
    }

    pub(crate) fn messages_in(&self, queues: &BTreeMap<String, String>) -> Counts {
        let count = |queue: &String| {
            let call = self.sqs.get_queue_attributes().queue_url(queue).attribute_names(ApproximateNumberOfMessages);
            let answer = self.runtime.block_on(call.send()).unwrap();
            answer.attributes.unwrap_or_default()[&ApproximateNumberOfMessages].parse().unwrap()
        };
        queues.iter().map(|(name, queue)| (name.clone(), count(queue))).collect()
    }

    /// The ids of objects without a list operation, read from the table.
    pub(crate) fn stored(&self) -> Stored {
        let items = self.runtime.block_on(self.table.scan(&UNLISTED)).unwrap();
        let mut found = Stored::new();
        for key in items.keys() {
            let parsed = key.parse().unwrap();
            let state = items.get::<State>(key).unwrap().and_then(|item| item.state);
            let is_whole = state.is_none_or(|state| state.eq_ignore_ascii_case("ready"));
            if key.sort == parsed.class.as_str() && is_whole {
                let organization = parsed.organization().unwrap().to_string();
                found.entry((organization, parsed.class)).or_default().insert(parsed.own_part().unwrap().to_owned());
            }
        }
        found
    }

    /// Makes pending items due at once and runs the sweep. A retry is still not attempted before its time.
    pub(crate) fn hurry(&self, sweep: &str) {
        let classes = [KeyClass::Event, KeyClass::Delivery];
        self.runtime.block_on(self.table.make_due(&classes, SystemClock.now())).unwrap();
        let path = format!("/2015-03-31/functions/{sweep}/invocations");
        self.call("lambda", &path, None, &json!({}));
    }

    /// The number of invocations in the log group.
    pub(crate) fn invocations(&self, log_group: &str) -> usize {
        let (mut count, mut next) = (0, None::<Value>);
        loop {
            let mut request = json!({"logGroupName": log_group, "filterPattern": "REPORT"});
            if let Some(next) = next {
                request["nextToken"] = next;
            }
            let page = self.call("logs", "/", Some("Logs_20140328.FilterLogEvents"), &request);
            let is_report = |event: &&Value| event["message"].as_str().is_some_and(|line| line.starts_with("REPORT"));
            count += page["events"].as_array().map_or(0, |events| events.iter().filter(is_report).count());
            match page.get("nextToken").filter(|token| token.is_string()) {
                Some(token) => next = Some(token.clone()),
                None => return count,
            }
        }
    }

    /// Calls a service for which the project has no client. The emulator reads the credential scope and ignores the signature.
    fn call(&self, service: &str, path: &str, target: Option<&str>, body: &Value) -> Value {
        let scope = format!("test/20260101/{}/{service}/aws4_request", self.region);
        let signature = format!("AWS4-HMAC-SHA256 Credential={scope}, SignedHeaders=host, Signature={:064}", 0);
        let mut request = http::Request::post(format!("{}{path}", self.endpoint))
            .header("authorization", signature)
            .header("x-amz-date", "20260101T000000Z")
            .header("content-type", "application/x-amz-json-1.1");
        if let Some(target) = target {
            request = request.header("x-amz-target", target);
        }
        let mut answer = agent().run(request.body(body.to_string()).unwrap()).unwrap();
        let text = answer.body_mut().read_to_string().unwrap();
        assert!(answer.status().is_success(), "{service}: {} {text}", answer.status());
        serde_json::from_str(&text).unwrap_or_default()
    }
}
