//! An installation with a connected number from which messages are queued, and what tests do with it.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use aws::queue::QueueEvent;
use aws_sdk_dynamodb::types::AttributeValue;
use aws_sdk_sqs::types::QueueAttributeName;
use domain::job::{Job, Queued as _};
use serde_json::{Value, json};
use tests::chat::{Line, connect, events};
use tests::faults::Fault;
use tests::request::text;
use tests::standin::{Misbehave, error};
use tests::{Call, Service as _, World};

use super::{Progress, fields, job, to};

/// An installation, and a connected number from which messages are queued.
pub(super) struct Scene {
    pub(super) world: World,
    pub(super) line: Line,
}

impl Scene {
    pub(super) async fn new(account: &str) -> Scene {
        let world = World::new().await;
        let line = connect(&world, &world.org, account).await;
        Scene { world, line }
    }

    /// Connects another account, whose number sends the messages from now on.
    pub(super) async fn connect(&mut self, account: &str) {
        self.line = connect(&self.world, &self.world.org, account).await;
    }

    /// A request that queues a message.
    pub(super) fn request(&self, message: &Value) -> Call {
        let mut body = json!({"from": self.line.number, "queue": true});
        body.as_object_mut().unwrap().extend(message.as_object().unwrap().clone());
        Call::post("/v1/chat/messages").key(&self.line.org.app_key).json(&body)
    }

    /// Queues a message through the API. Returns its id.
    pub(super) async fn queued(&self, message: &Value) -> String {
        let waiting = self.world.send(self.request(message)).await.expect(202);
        assert_eq!(waiting["outcome"], "PENDING");
        text(&waiting, "id")
    }

    /// Queues a message whose first queue message is lost. Returns its id.
    pub(super) async fn stored(&self, message: &Value) -> String {
        let id = self.queued(message).await;
        // Messages that wait for an appointment may be in the queue, too.
        for _ in 0..10 {
            if self.world.take(&self.world.account.sends).await.iter().any(|body| body.contains(&id)) {
                return id;
            }
        }
        panic!("the message is not in the queue");
    }

    /// Queues as many messages whose first queue messages are lost, each for another number. Returns their ids.
    pub(super) async fn stored_for_each(&self, first_digits: &str, count: usize) -> Vec<String> {
        let mut ids = Vec::new();
        for n in 0..count {
            ids.push(self.stored(&to(&format!("{first_digits}{n:04}"))).await);
        }
        ids
    }

    /// Invokes the worker with the queue messages of these messages. Returns how many failed.
    pub(super) async fn perform(&self, ids: impl IntoIterator<Item = impl AsRef<str>>) -> usize {
        let jobs: Vec<Job> = ids.into_iter().map(|id| job(&self.line, id.as_ref())).collect();
        self.perform_jobs(&jobs).await
    }

    /// Invokes the worker with these jobs, as messages of batches. Returns how many failed.
    pub(super) async fn perform_jobs(&self, jobs: &[Job]) -> usize {
        let record = |(n, job): (usize, &Job)| json!({"messageId": n.to_string(), "receiptHandle": n.to_string(), "body": job.body(None).unwrap()});
        let mut failed = 0;
        for batch in jobs.chunks(10) {
            let records: Vec<Value> = batch.iter().enumerate().map(record).collect();
            let event: QueueEvent = serde_json::from_value(json!({"Records": records})).unwrap();
            failed += Box::pin(self.world.worker.work(event)).await.batch_item_failures.len();
        }
        failed
    }

    /// Attempts a message, and does something while the platform has the request and has not responded yet.
    pub(super) async fn during_attempt(&self, id: &str, meanwhile: impl Future<Output = ()>) {
        let held = self.world.platform.hold("/messages");
        let while_held = async {
            held.arrived().await;
            meanwhile.await;
            held.end();
        };
        tokio::join!(self.perform([id]), while_held);
    }

    /// Runs an invocation that is stopped after this many calls of AWS. Returns its result if it ended before.
    pub(super) async fn stopped_after<T>(&self, calls: u32, invocation: impl Future<Output = T>) -> Option<T> {
        self.world.faults.set(Fault::StoppedAfter(calls));
        let result = tokio::select! {
            result = invocation => Some(result),
            () = self.world.faults.struck() => None,
        };
        self.world.faults.clear();
        result
    }

    /// Works off the queue of messages to send, as far as they are not delayed.
    pub(super) async fn work(&self) {
        while self.world.send_queued().await {}
    }

    /// Lets time pass, and the sweep and the worker do what is due then.
    pub(super) async fn later(&self, by: Duration) {
        self.world.clock.advance(by);
        Box::pin(self.world.sweep()).await;
        Box::pin(self.work()).await;
    }

    /// Lets the platform refuse the next requests of the number with this code.
    pub(super) fn refuse(&self, code: i64, times: u32) {
        let refusal = Misbehave::Status(400, error(code, "refused").to_string());
        self.world.platform.misbehave(&format!("{}/messages", self.line.platform_number), refusal, times);
    }

    pub(super) async fn outcome(&self, id: &str) -> String {
        text(&self.line.details(&self.world, id).await, "outcome")
    }

    pub(super) async fn progress(&self, id: &str) -> Progress {
        (self.outcome(id).await, self.requests_for(id))
    }

    /// How many requests to send a message from the number the platform has got.
    pub(super) fn requests(&self) -> usize {
        self.world.platform.seen(&format!("{}/messages", self.line.platform_number)).len()
    }

    /// How many requests to send this message the platform has got.
    pub(super) fn requests_for(&self, id: &str) -> usize {
        let seen = self.world.platform.seen("/messages");
        seen.iter().filter(|seen| text(&seen.json(), "biz_opaque_callback_data").ends_with(id)).count()
    }

    /// The id and the outcome in each event of a message that was not sent.
    pub(super) async fn failures(&self) -> Vec<Value> {
        let failed = events(&self.world, &self.world.org, "messages.chat.failed").await;
        failed.iter().map(|message| fields(message, ["id", "outcome"])).collect()
    }

    /// The failures of one message.
    pub(super) async fn failures_of(&self, id: &str) -> Vec<Value> {
        self.failures().await.into_iter().filter(|failure| failure["id"] == id).collect()
    }

    /// How many messages of the table are due, or wait to be.
    pub(super) async fn due(&self) -> usize {
        let items = self.items().await;
        items.iter().filter(|item| item.contains_key("dueAt") && item["PK"].starts_with("MSG#")).count()
    }

    /// All items of the table.
    pub(super) async fn items(&self) -> Vec<BTreeMap<String, String>> {
        self.world.account.items().await
    }

    /// An attribute of the queue of messages to send.
    pub(super) async fn queue_attribute(&self, name: QueueAttributeName) -> String {
        let account = &self.world.account;
        let call = account.sqs.get_queue_attributes().queue_url(&account.sends).attribute_names(name.clone());
        call.send().await.unwrap().attributes.unwrap()[&name].clone()
    }

    /// Changes an attribute of the stored business profile to which the number belongs.
    pub(super) async fn change_profile(&self, name: &str, to: AttributeValue) {
        let items = self.world.account.stored_items().await;
        let is_profile = |item: &HashMap<String, AttributeValue>| {
            let (partition, sort) = (item["PK"].as_s().unwrap(), item["SK"].as_s().unwrap());
            partition.starts_with("WABP#") && self.line.profile.ends_with(sort)
        };
        let mut profile = items.into_iter().find(is_profile).unwrap();
        profile.insert(name.to_owned(), to);
        self.world.account.store_item(profile).await;
    }
}
