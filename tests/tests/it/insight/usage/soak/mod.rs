//! Simulated messages of both channels and directions over days, and a meter that is killed at any call, whose batches are split,
//! repeated and overlap: the counters equal a full count of the log. The table is in memory, because the emulator is too slow for
//! many messages. docs/soak.md has the figures of the full run:
//! `COUNTED_MESSAGES=100000 cargo test -p tests --test it -- usage::soak --nocapture`.

mod mortal;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ::chat::ChatContext;
use api::HttpService;
use aws::Connection;
use aws_smithy_runtime_api::client::http::SharedHttpClient;
use domain::port::Clock as _;
use http::Method;
use meter::Meter;
use playground::PlaygroundContext;
use sending::SendingContext;
use serde_json::{Value, json};
use store::{DailySends, Store};
use tests::clock::TestClock;
use tests::memory::Memory;
use tests::request::text;
use tests::settings::TABLE;
use tests::world::passes;
use tests::{Call, Reply, Service as _, World};
use worker::Worker;

use self::mortal::Mortal;
use super::{counted, rows, shown, system_number};
use crate::operation::outage_simulation::simulation::worker;

/// The time between two messages: the quota of a test app is 10,000 a day.
const APART: Duration = Duration::from_secs(30);
/// The places of the functions.
const SENDING: usize = 0;
const CHAT_LOG: usize = 1;
const INSIGHT: usize = 2;
const PLAYGROUND: usize = 3;
/// How many records an invocation gets at most.
const BATCH: u64 = 1000;
const LIVE: DailySends = DailySends { messages: 200_000, parts: 10_000 };
const CHAT: [&str; 8] = [
    "+16505551234",
    "+4915112345678",
    "+33612345678",
    "+99930002",
    "+99910131026",
    "+99920131026",
    "+99930005",
    "+99930009",
];
const SMS: [&str; 5] = ["+12025550123", "+442079460123", "+99940001", "+99940002", "+99940003"];

/// An installation in memory, with what a real one stores for an organization.
struct Installation {
    memory: Memory,
    clock: Arc<TestClock>,
    worker: Worker,
    services: [HttpService; 4],
    meter: Meter,
    mortal: Mortal,
    waiting: Vec<Value>,
    dice: u64,
    kills: usize,
    repeats: usize,
}

impl Installation {
    async fn new(world: &World) -> Installation {
        let memory = Memory::default();
        let connection = memory.connection();
        for item in world.account.stored_items().await {
            connection.dynamodb().put_item().table_name(TABLE).set_item(Some(item)).send().await.unwrap();
        }
        memory.stream();
        let clock = Arc::new(TestClock::default());
        let worker = worker(&connection, clock.clone());
        let context = worker.inbox.context.clone();
        let installation = context.installation.clone();
        let sends = SendingContext::new(worker.outbound.clone(), worker.outbound.queue.clone(), LIVE);
        let services = [
            sending::routes(sends),
            ::chat::routes(chat(&worker)),
            insight::routes(context.clone()),
            playground::routes(PlaygroundContext { inbox: worker.inbox.clone() }),
        ];
        let mortal = Mortal::of(&memory);
        let to_meter = Connection { http_client: SharedHttpClient::new(mortal.clone()), ..connection };
        let meter = Meter { context: runtime::Context { store: Store::new(to_meter.dynamodb(), TABLE), ..context } };
        let services = services.map(|routes| HttpService::new(routes, installation.clone()));
        Installation {
            memory,
            clock,
            worker,
            services,
            meter,
            mortal,
            waiting: Vec::new(),
            dice: 11,
            kills: 0,
            repeats: 0,
        }
    }

    fn roll(&mut self, sides: u64) -> u64 {
        self.dice = self.dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.dice >> 33) % sides
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[usize::try_from(self.roll(all.len() as u64)).unwrap()]
    }

    async fn call(&self, call: Call) -> Reply {
        let is_get = call.method == Method::GET;
        let place = match call.path.as_str() {
            path if path.starts_with("/v1/usage") => INSIGHT,
            path if path.starts_with("/v1/playground") => PLAYGROUND,
            path if path.starts_with("/v1/chat") && is_get => CHAT_LOG,
            _ => SENDING,
        };
        Reply::of(self.services[place].respond(call.request()).await).await
    }

    /// Lets the worker do what was queued: the statuses and receipts that the simulation reports.
    async fn work(&self) {
        for body in self.memory.sent() {
            let record = json!({"messageId": "1", "receiptHandle": "1", "body": body, "attributes": {"ApproximateReceiveCount": "1", "SentTimestamp": self.clock.now().millis().to_string()}, "messageAttributes": {}});
            let event = serde_json::from_value(json!({"Records": [record]})).unwrap();
            let outcome = serde_json::to_value(self.worker.work(event).await).unwrap();
            assert_eq!(outcome["batchItemFailures"], json!([]), "{body}");
        }
    }

    /// Takes what the stream has reported.
    fn listen(&mut self) {
        let at = self.clock.now().millis() as f64 / 1000.0;
        for mut record in self.memory.stream_records() {
            if passes(&record) {
                record["dynamodb"]["ApproximateCreationDateTime"] = json!(at);
                record["eventSourceARN"] =
                    json!("arn:aws:dynamodb:us-east-1:000000000000:table/table/stream/2026-01-01T00:00:00.000");
                self.waiting.push(record);
            }
        }
    }

    /// Invokes the meter with what waits, as Lambda does: a batch that was killed comes again, perhaps in two parts, and some that
    /// were counted come again.
    async fn count(&mut self) {
        self.listen();
        let records = std::mem::take(&mut self.waiting);
        let mut begin = 0;
        while begin < records.len() {
            let size = usize::try_from(1 + self.roll(BATCH)).unwrap();
            let end = records.len().min(begin + size);
            if self.roll(2) == 0 {
                let calls = 1 + self.roll(3);
                self.mortal.dies_with(calls);
            }
            let is_done = self.invoke(&records[begin..end]).await;
            self.mortal.dies_with(0);
            if !is_done {
                self.kills += 1;
                continue;
            }
            if self.roll(4) == 0 {
                // The response was lost, and part of the batch before comes along.
                self.repeats += 1;
                let from = begin.saturating_sub(size / 2);
                assert!(self.invoke(&records[from..end]).await);
            }
            begin = end;
        }
    }

    /// Returns whether the invocation ended by itself.
    async fn invoke(&self, records: &[Value]) -> bool {
        let window = json!({"Records": records, "shardId": "shardId-00000000000000000000-00000001", "window": {"start": "", "end": ""}, "state": {}});
        let work = self.meter.work(serde_json::from_value(window).unwrap());
        tokio::select! {
            done = work => { done.unwrap_or_else(|failure| panic!("{}", failure.log_text())); true }
            () = self.mortal.death() => false,
        }
    }

    /// All messages, as the log shows them.
    async fn log(&self, key: &str, path: &str) -> Vec<Value> {
        let (mut log, mut cursor) = (Vec::new(), String::new());
        loop {
            let page = self.call(Call::get(format!("{path}&limit=100{cursor}")).key(key)).await.expect(200);
            log.extend(rows(&page).iter().cloned());
            let Some(next) = page["nextCursor"].as_str() else { return log };
            cursor = format!("&cursor={next}");
        }
    }
}

/// The chat function, for its log.
fn chat(worker: &Worker) -> ChatContext {
    ChatContext {
        context: worker.inbox.context.clone(),
        platforms: worker.outbound.platforms.clone(),
        presigner: worker.outbound.presigner.clone(),
        queue: worker.inbox.queue.clone(),
        sync_patience: Duration::ZERO,
        api_url: String::new(),
        installation_name: String::new(),
        signup_configuration: String::new(),
    }
}

#[tokio::test]
async fn counters_equal_a_full_count_after_kills() {
    let total: usize = std::env::var("COUNTED_MESSAGES").ok().and_then(|count| count.parse().ok()).unwrap_or(400);
    let world = World::new().await;
    let key = &world.org.test_app_key;
    let system = system_number(&world).await;
    let numbers = world.send(Call::get("/v1/phone-numbers").key(key)).await.expect(200);
    let chat = rows(&numbers).iter().find(|number| number["kind"] == "chat").unwrap()["id"].clone();
    let mut installation = Box::pin(Installation::new(&world)).await;
    let started = Instant::now();

    for number in 0..total {
        installation.clock.advance(APART);
        let (sms, to) = (installation.one_of(&SMS), installation.one_of(&CHAT));
        let call = match number % 4 {
            0 => Call::post("/v1/sms").json(&json!({"from": system, "to": sms, "text": "Hello"})),
            1 => {
                let inbound = json!({"from": "+442079460123", "to": system, "text": "Hi"});
                Call::post("/v1/playground/sms/inbound").json(&inbound)
            }
            _ => {
                let hello = json!({"from": chat, "to": to, "type": "text", "text": {"body": "Hello"}});
                Call::post("/v1/chat/messages").json(&hello)
            }
        };
        let reply = installation.call(call.key(key)).await;
        assert!(reply.status.as_u16() < 500 && reply.status != 400, "{reply:?}");
        installation.work().await;
        if installation.roll(20) == 0 {
            installation.count().await;
        }
    }
    installation.count().await;
    let (took, kills, repeats) = (started.elapsed(), installation.kills, installation.repeats);
    assert!(kills > 2 && repeats > 0, "{kills} kills, {repeats} repeats");

    let mut log =
        installation.log(key, &format!("/v1/chat/messages?chatPhoneNumberId={}", chat.as_str().unwrap())).await;
    let system_id = rows(&numbers).iter().find(|number| number["number"] == *system).unwrap()["id"].clone();
    log.extend(installation.log(key, &format!("/v1/sms?phoneNumberId={}", system_id.as_str().unwrap())).await);
    assert_eq!(log.len(), total);
    let until = installation.clock.now();
    let mut days = BTreeMap::new();
    let mut from = until.minus(Duration::from_secs(60 * 86_400));
    while from < until {
        let to = from.plus(Duration::from_secs(30 * 86_400));
        let query = format!("/v1/usage?period=day&groupBy=number,direction&since={from}&until={to}");
        let page = installation.call(Call::get(query).key(key)).await.expect(200);
        days.extend(shown(&page, 10, &["number", "direction"]));
        from = to;
    }
    let number = |message: &Value| {
        message["chatPhoneNumberId"].as_str().or(message["phoneNumberId"].as_str()).unwrap_or("-").to_owned()
    };
    let expected = counted(&log, 10, |message| vec![number(message), text(message, "direction")]);
    assert_eq!(days, expected);
    eprintln!(
        "{total} messages in {took:?}; the meter was killed {kills} times, {repeats} batches repeated; the counters equal the log"
    );
}
