//! How long a send takes beside the platform's own time, and how many one environment sends a second. docs/performance.md
//! has the figures of a long run: `SENDS=1000 cargo test --workspace --test it -- sending::speed --nocapture`.

use std::time::{Duration, Instant};

use api::HttpService;
use http_body_util::BodyExt as _;
use serde_json::json;
use store::DailySends;
use tests::chat::{Line, connect};
use tests::{Call, World};

/// More than a run sends.
const MANY: DailySends = DailySends { messages: 1_000_000, parts: 0 };

/// The times of sends, one after the other, as one environment gets them.
struct Times {
    ours: Vec<Duration>,
    platform: Duration,
    whole: Duration,
}

impl Times {
    async fn measure(world: &World, service: &HttpService, line: &Line, sends: usize) -> Times {
        let body =
            json!({"from": line.number, "to": "+16505551234", "type": "text", "text": {"body": "x".repeat(1024)}});
        let send = async |n: usize| {
            let call = Call::post("/v1/chat/messages").key(&line.org.app_key).json(&body);
            let request = call.header("idempotency-key", &n.to_string()).request();
            let started = Instant::now();
            let response = service.respond(request).await;
            let status = response.status();
            let _ = response.into_body().collect().await.unwrap();
            assert_eq!(status, 201);
            started.elapsed()
        };
        // The first request opens connections and learns where to read.
        send(sends).await;
        let before = world.platform.times().len();
        let mut totals = Vec::new();
        for n in 0..sends {
            totals.push(send(n).await);
        }
        let platform = world.platform.times()[before..].to_vec();
        assert_eq!(platform.len(), sends, "each message is one request at the platform");
        let mut ours: Vec<_> =
            totals.iter().zip(&platform).map(|(total, platform)| total.saturating_sub(*platform)).collect();
        ours.sort();
        Times { ours, platform: platform.iter().sum(), whole: totals.iter().sum() }
    }

    fn report(&self) {
        let sends = self.ours.len();
        let build = if cfg!(debug_assertions) { "debug" } else { "release" };
        eprintln!(
            "{sends} sends, {build} build: our part p50 {:?}, p99 {:?}; the platform's {:?}; {:.0} a second",
            self.ours[sends / 2],
            self.ours[sends * 99 / 100],
            self.platform / u32::try_from(sends).unwrap(),
            sends as f64 / self.whole.as_secs_f64(),
        );
    }
}

#[tokio::test]
async fn a_send_takes_little_beside_the_platform() {
    let sends = std::env::var("SENDS").map_or(20, |text| text.parse().unwrap());
    let world = World::new().await;
    let line = connect(&world, &world.org, "2520").await;
    let times = Times::measure(&world, &world.sending(MANY), &line, sends).await;
    times.report();
    // Far above what is measured, because the machine may be busy: a send waits for nothing but its calls.
    assert!(times.ours[sends / 2] < Duration::from_secs(4), "{:?}", times.ours);
}
