//! Queued messages while everything meets at random: workers, requests and sweeps that are stopped at any point, queue
//! messages that come twice, and a platform that refuses, fails, hangs up and responds late. No message is lost, and none
//! is sent twice. docs/soak.md has the figures of the full run:
//! `QUEUED_MESSAGES=10000 cargo test -p tests --test it -- queued_soak --nocapture`.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, Instant};

use domain::job::Job;
use futures_util::future::join_all;
use serde_json::{Value, json};
use tests::chat::{Line, connect};
use tests::request::text;
use tests::standin::{Misbehave, error};
use tests::{Call, Service as _, World};
use tokio::time::sleep;

const REQUESTERS: usize = 4;
const WORKERS: usize = 6;
/// Numbers per organization.
const NUMBERS: usize = 10;

fn setting(name: &str, default: usize) -> usize {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// A source of chance that a seed determines.
struct Dice(Cell<u64>);

impl Dice {
    fn below(&self, end: u64) -> u64 {
        self.0.set(self.0.get().wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407));
        (self.0.get() >> 33) % end
    }
}

/// What the run has done.
#[derive(Default)]
struct Done {
    ids: RefCell<HashMap<usize, String>>,
    kills: Cell<u32>,
    doubled: Cell<u32>,
    is_over: Cell<bool>,
}

struct Soak {
    world: World,
    lines: Vec<Line>,
    dice: Dice,
    done: Done,
}

/// How the platform misbehaves, and whether it certainly did not take the message.
fn trouble(dice: u64) -> Misbehave {
    let refusal = |code: i64| Misbehave::Status(400, error(code, "refused").to_string());
    match dice {
        0 => refusal(130_429),
        1 | 2 => refusal(131_056),
        3 => refusal(131_057),
        4 => refusal(131_047),
        5 => Misbehave::Status(500, "oops".to_owned()),
        6 => Misbehave::HangUp,
        7 => Misbehave::CutOff,
        8 => Misbehave::Slow(Duration::from_millis(300)),
        _ => Misbehave::Status(200, "{".to_owned()),
    }
}

fn is_refusal(how: Option<&Misbehave>) -> bool {
    matches!(how, Some(Misbehave::Status(400, _)))
}

impl Soak {
    async fn new(numbers: usize, seed: u64) -> Soak {
        let world = World::new().await;
        let mut lines = Vec::new();
        for n in 0..numbers.div_ceil(NUMBERS) {
            let org = world.organization(&format!("Soak {n}")).await;
            for m in 0..NUMBERS.min(numbers - n * NUMBERS) {
                lines.push(connect(&world, &org, &format!("8{n:02}{m:02}")).await);
            }
        }
        Soak { world, lines, dice: Dice(Cell::new(seed)), done: Done::default() }
    }

    /// Runs an invocation, which is perhaps stopped somewhere. Returns `None` if it was.
    async fn perhaps_killed<T>(&self, invocation: impl Future<Output = T>) -> Option<T> {
        if self.dice.below(12) > 0 {
            return Some(invocation.await);
        }
        let when = sleep(Duration::from_millis(self.dice.below(400)));
        tokio::select! {
            done = invocation => Some(done),
            () = when => {
                self.done.kills.set(self.done.kills.get() + 1);
                None
            }
        }
    }

    /// Sends requests, each with a key of its own, and repeats those that were stopped.
    async fn request(&self, messages: impl Iterator<Item = usize>) {
        for n in messages {
            let line = &self.lines[n % self.lines.len()];
            let to = format!("+1650555{:04}", n / self.lines.len() % 40);
            let body =
                json!({"from": line.number, "to": to, "queue": true, "type": "text", "text": {"body": n.to_string()}});
            let call = Call::post("/v1/chat/messages").key(&line.org.app_key);
            let call = call.header("idempotency-key", &n.to_string()).json(&body);
            let id = loop {
                let reply = Box::pin(self.perhaps_killed(self.world.send_undocumented(call.clone()))).await;
                let Some(reply) = reply else { continue };
                match reply.status.as_u16() {
                    200 | 202 => break text(&serde_json::from_str::<Value>(&reply.text).unwrap(), "id"),
                    // Refused meanwhile: the response to a repetition.
                    422 => break reply.headers["x-message-id"].to_str().unwrap().to_owned(),
                    409 | 500 => sleep(Duration::from_millis(50)).await,
                    _ => panic!("{reply:?}"),
                }
            };
            if self.dice.below(10) == 0 {
                self.done.doubled.set(self.done.doubled.get() + 1);
                let _ = self.world.worker.sends.queue.send(&[job(line, &id)]).await;
            }
            assert!(self.done.ids.borrow_mut().insert(n, id).is_none());
        }
    }

    async fn work(&self) {
        while !self.done.is_over.get() {
            if Box::pin(self.perhaps_killed(self.world.send_queued())).await == Some(false) {
                sleep(Duration::from_millis(100)).await;
            }
        }
    }

    async fn sweep(&self) {
        while !self.done.is_over.get() {
            Box::pin(self.perhaps_killed(self.world.sweep_once())).await;
            sleep(Duration::from_secs(3)).await;
        }
    }

    /// The clock of the functions goes five times as fast as that of the queues.
    async fn tick(&self) {
        let mut last = Instant::now();
        while !self.done.is_over.get() {
            sleep(Duration::from_millis(20)).await;
            self.world.clock.advance(last.elapsed() * 5);
            last = Instant::now();
        }
    }

    /// Makes about one request in four fail.
    async fn make_trouble(&self) {
        let mut next = 0;
        while !self.done.is_over.get() {
            if self.world.platform.state().seen.len() >= next {
                let line = &self.lines[usize::try_from(self.dice.below(self.lines.len() as u64)).unwrap()];
                let how = trouble(self.dice.below(10));
                self.world.platform.misbehave(&format!("/{}/messages", line.platform_number), how, 1);
                next += 4;
            }
            sleep(Duration::from_millis(10)).await;
        }
    }

    async fn outcomes(&self) -> BTreeMap<String, String> {
        let items = self.world.account.items().await;
        let sent = items.into_iter().filter(|item| item["PK"].starts_with("MSG#") && item["SK"] == "MSG");
        sent.map(|item| (item["id"].clone(), item["outcome"].clone())).collect()
    }

    /// Lets time pass until no message is pending.
    async fn settle(&self) -> BTreeMap<String, String> {
        self.world.platform.state().misbehave.clear();
        for _ in 0..60 {
            while self.world.send_queued().await {}
            let outcomes = self.outcomes().await;
            if !outcomes.values().any(|outcome| outcome == "PENDING") {
                return outcomes;
            }
            self.world.clock.advance(Duration::from_secs(65));
            self.world.sweep().await;
            while self.world.sweep_round().await {}
        }
        panic!("messages are still pending");
    }
}

fn job(line: &Line, id: &str) -> Job {
    Job::Send {
        v: 1,
        organization_id: line.org.id.parse().unwrap(),
        number_id: line.number.parse().unwrap(),
        message_id: id.parse().unwrap(),
    }
}

#[tokio::test]
async fn no_queued_message_is_lost_or_sent_twice() {
    let total = setting("QUEUED_MESSAGES", 200);
    let soak = Box::pin(Soak::new((total / 40).clamp(5, 50), setting("SEED", 1) as u64)).await;
    let started = Instant::now();
    let requests = async {
        let each = |first: usize| soak.request((first..total).step_by(REQUESTERS));
        join_all((0..REQUESTERS).map(each)).await;
        // What is queued is worked off under the same conditions for a while.
        sleep(Duration::from_secs(total as u64 / 50)).await;
        soak.done.is_over.set(true);
    };
    let requested = started.elapsed();
    let workers = join_all((0..WORKERS).map(|_| soak.work()));
    tokio::join!(requests, workers, soak.sweep(), soak.tick(), soak.make_trouble());
    let outcomes = Box::pin(soak.settle()).await;
    let seconds = (started.elapsed() - requested).as_secs();

    let (ids, seen) = (soak.done.ids.borrow().clone(), soak.world.platform.seen("/messages"));
    let mut taken: HashMap<String, u32> = HashMap::new();
    let mut refused = 0;
    for post in &seen {
        let data = text(&post.json(), "biz_opaque_callback_data");
        match is_refusal(post.misbehaviour.as_ref()) {
            true => refused += 1,
            false => *taken.entry(data.split(':').nth(1).unwrap().to_owned()).or_default() += 1,
        }
    }
    let mut ends: BTreeMap<(&str, u32), u32> = BTreeMap::new();
    for id in ids.values() {
        let end = (outcomes[id].as_str(), taken.get(id).copied().unwrap_or(0));
        *ends.entry(end).or_default() += 1;
    }
    eprintln!(
        "{total} messages of {} numbers in {seconds} s; {} kills, {} queue messages sent twice; {} requests at the platform, \
         {refused} of them refused; outcomes and times taken: {ends:?}",
        soak.lines.len(),
        soak.done.kills.get(),
        soak.done.doubled.get(),
        seen.len(),
    );
    let distinct: std::collections::BTreeSet<_> = ids.values().collect();
    assert_eq!((distinct.len(), outcomes.len()), (total, total), "one message for each key, and no other");
    let allowed = [("ACCEPTED", 1), ("UNKNOWN", 0), ("UNKNOWN", 1), ("REFUSED", 0)];
    assert!(ends.keys().all(|end| allowed.contains(end)), "{ends:?}");
    assert!(ends[&("ACCEPTED", 1)] > 0 && soak.done.kills.get() > 0, "{ends:?}");
    assert!(soak.world.messages(&soak.world.account.send_dead_letters).await.is_empty());
    let mut requests: HashMap<String, usize> = HashMap::new();
    for post in &seen {
        let data = text(&post.json(), "biz_opaque_callback_data");
        *requests.entry(data.split(':').nth(1).unwrap().to_owned()).or_default() += 1;
    }
    for (n, id) in &ids {
        soak.expect_timeline(&soak.lines[n % soak.lines.len()], id, &outcomes[id], requests.get(id).copied()).await;
    }
}

impl Soak {
    /// The timeline has every request that the platform has got, each followed by a wait or by the outcome. An attempt that was
    /// stopped before its request is in it, too.
    async fn expect_timeline(&self, line: &Line, id: &str, outcome: &str, requests: Option<usize>) {
        let path = format!("/v1/chat/messages/{id}/timeline?limit=100");
        let shown = self.world.send(Call::get(path).key(&line.org.app_key)).await.expect(200);
        let entries = shown["data"].as_array().unwrap().iter().map(|entry| entry["kind"].as_str().unwrap());
        let kinds: Vec<&str> = entries.filter(|kind| *kind != "EVENT").collect();
        assert_eq!(&kinds[..2], ["REQUESTED", "QUEUED"], "{shown}");
        assert_eq!(kinds.last(), Some(&outcome), "{shown}");
        let attempts = kinds.iter().filter(|kind| **kind == "ATTEMPTED").count();
        let least = requests.unwrap_or(0);
        assert!(attempts >= least && attempts <= least + 1, "{attempts} attempts, {least} requests: {shown}");
        let is_followed = |pair: &[&str]| pair[0] != "ATTEMPTED" || pair[1] == "DEFERRED" || pair[1] == outcome;
        assert!(kinds.windows(2).all(is_followed), "{shown}");
    }
}
