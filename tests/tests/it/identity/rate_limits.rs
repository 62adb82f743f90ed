//! How many requests a key, an app and an organization may make.

use std::time::Duration;

use domain::id::OrganizationId;
use domain::identity::rate::RateLimit;
use domain::port::Clock as _;
use runtime::{Admission, Rates};
use serde_json::{Value, json};
use store::Store;
use tests::faults::{Fault, Outage};
use tests::request::{Reply, text};
use tests::settings::{TABLE, of_size};
use tests::{Call, Service as _, World};

const ADMIN_KEYS: &str = "/v1/organization/admin-keys";
const SETTINGS: &str = "/v1/organization/settings";
const NUMBERS: &str = "/v1/phone-numbers";

async fn limited_key(world: &World, limit: &Value) -> (String, String) {
    let body = json!({"name": "Limited", "rateLimit": limit});
    let made = world.admin(Call::post(ADMIN_KEYS).json(&body)).await.expect(201);
    (text(&made, "key"), format!("{ADMIN_KEYS}/{}", text(&made, "id")))
}

/// Makes requests until one is refused, and returns how many were not, and the refusal.
async fn until_refused(world: &World, call: &Call) -> (usize, Reply) {
    for passed in 0..200 {
        let reply = world.send(call.clone()).await;
        if reply.status == 429 {
            return (passed, reply);
        }
        assert!(reply.status.is_success(), "{reply:?}");
    }
    panic!("no request was refused");
}

#[tokio::test]
async fn a_key_has_its_burst_and_then_its_rate() {
    let world = World::new().await;
    let (key, path) = limited_key(&world, &json!({"requestsPerSecond": 2, "burst": 5})).await;
    let call = Call::get(SETTINGS).key(&key);

    let first = world.send(call.clone()).await;
    assert_eq!(first.header("ratelimit-policy"), Some("\"key\";q=5;w=3"));
    assert_eq!(first.header("ratelimit"), Some("\"key\";r=4;t=1"));
    let (passed, refusal) = until_refused(&world, &call).await;
    assert_eq!((passed, refusal.header("retry-after")), (4, Some("1")));
    assert_eq!(refusal.header("ratelimit"), Some("\"key\";r=0;t=3"));
    refusal.refused(429, None, Some("rate_limit_exceeded"));

    world.clock.advance(Duration::from_secs(1));
    assert_eq!(until_refused(&world, &call).await.0, 2);
    world.clock.advance(Duration::from_secs(60));
    assert_eq!(until_refused(&world, &call).await.0, 5);

    // Each key has its own bucket, and one without a limit has none.
    assert_eq!(world.admin(Call::get(SETTINGS)).await.header("ratelimit"), None);
    let freed = world.admin(Call::patch(&path).json(&json!({"rateLimit": null}))).await.expect(200);
    assert!(freed.get("rateLimit").is_none(), "{freed}");
    for _ in 0..10 {
        world.send(call.clone()).await.expect(200);
    }
}

#[tokio::test]
async fn wrong_limits_are_refused() {
    let world = World::new().await;
    for (limit, param) in [
        (json!({"requestsPerSecond": 0}), "rateLimit.requestsPerSecond"),
        (json!({"requestsPerSecond": 1001}), "rateLimit.requestsPerSecond"),
        (json!({"requestsPerSecond": "10"}), "rateLimit.requestsPerSecond"),
        (json!({"burst": 10}), "rateLimit.requestsPerSecond"),
        (json!({"requestsPerSecond": 10, "burst": 101}), "rateLimit.burst"),
        (json!({"requestsPerSecond": 10, "burst": 0}), "rateLimit.burst"),
        (json!({"requestsPerSecond": 10, "perDay": 5}), "rateLimit.perDay"),
        (json!(10), "rateLimit"),
        (json!(null), "rateLimit"),
    ] {
        let key = json!({"name": "Limited", "rateLimit": limit});
        world.admin(Call::post(ADMIN_KEYS).json(&key)).await.refused(400, Some(param), None);
        let app = json!({"name": "Limited", "rateLimit": limit});
        world.admin(Call::post("/v1/organization/apps").json(&app)).await.refused(400, Some(param), None);
    }
}

/// A refusal for the address comes first and costs nothing; one for a scope comes after and counts.
#[tokio::test]
async fn a_missing_scope_counts_and_another_network_does_not() {
    let world = World::new().await;
    let body = json!({"name": "Office", "scopes": ["apps:read"], "allowedIps": ["203.0.113.0/24"],
        "rateLimit": {"requestsPerSecond": 1, "burst": 2}});
    let made = world.admin(Call::post(ADMIN_KEYS).json(&body)).await.expect(201);
    let call = |path: &str, address: &str| Call::get(path).key(&text(&made, "key")).from(address);
    for _ in 0..5 {
        let elsewhere = world.send(call(SETTINGS, "198.51.100.1")).await;
        assert_eq!((elsewhere.status.as_u16(), elsewhere.header("ratelimit")), (403, None));
    }
    world.send(call(SETTINGS, "203.0.113.1")).await.expect(403);
    world.send(call("/v1/organization/apps", "203.0.113.1")).await.expect(200);
    world.send(call(SETTINGS, "203.0.113.1")).await.expect(429);
}

#[tokio::test]
async fn the_keys_of_an_app_share_its_limit() {
    let world = World::new().await;
    let body = json!({"name": "Shop", "rateLimit": {"requestsPerSecond": 4}});
    let app = world.admin(Call::post("/v1/organization/apps").json(&body)).await.expect(201);
    assert_eq!(app["rateLimit"], json!({"requestsPerSecond": 4, "burst": 4}));
    let app = format!("/v1/organization/apps/{}", text(&app, "id"));
    let keys = format!("{app}/keys");
    let own = json!({"rateLimit": {"requestsPerSecond": 1, "burst": 3}});
    let first = world.admin(Call::post(&keys).json(&own)).await.expect(201);
    let second = world.admin(Call::post(&keys).json(&json!({}))).await.expect(201);
    let call = |made: &Value| Call::get(NUMBERS).key(&text(made, "key"));

    let reply = world.send(call(&first)).await;
    assert_eq!(reply.header("ratelimit-policy"), Some("\"key\";q=3;w=3, \"app\";q=4;w=1"));
    assert_eq!(reply.header("ratelimit"), Some("\"key\";r=2;t=1, \"app\";r=3;t=1"));
    assert_eq!(until_refused(&world, &call(&second)).await.0, 3);
    let refused = world.send(call(&first)).await;
    assert!(text(&refused.clone().expect(429)["error"], "message").starts_with("The app of this key"), "{refused:?}");

    // A value of after a rotation, and a key of after a change, have the limit too.
    world.clock.advance(Duration::from_secs(60));
    let path = format!("{keys}/{}", text(&second, "id"));
    let rotated = world.admin(Call::post(format!("{path}/rotate"))).await.expect(200);
    assert_eq!(until_refused(&world, &call(&rotated)).await.0, 4);
    let changed = json!({"rateLimit": {"requestsPerSecond": 6}});
    assert_eq!(world.admin(Call::patch(&app).json(&changed)).await.expect(200)["rateLimit"]["burst"], 6);
    let third = world.admin(Call::post(&keys).json(&json!({}))).await.expect(201);
    for made in [&second, &rotated, &third] {
        world.clock.advance(Duration::from_secs(60));
        assert_eq!(until_refused(&world, &call(made)).await.0, 6);
    }
    world.admin(Call::patch(&app).json(&json!({"rateLimit": null}))).await.expect(200);
    for made in [&second, &rotated, &third] {
        assert_eq!(world.send(call(made)).await.header("ratelimit"), None);
    }
}

#[tokio::test]
async fn every_function_keeps_to_limits() {
    let world = World::new().await;
    let keys = format!("/v1/organization/apps/{}/keys", world.org.test_app);
    let made = world.admin(Call::post(keys).json(&json!({"rateLimit": {"requestsPerSecond": 1}}))).await.expect(201);
    for call in [
        Call::get("/v1/phone-numbers"),
        Call::get("/v1/webhooks"),
        Call::get("/v1/chat/templates"),
        Call::get("/v1/sms"),
        Call::get("/v1/media/media_0ujtsYcgvSTl8PAuAdqWYSMnLOv"),
        Call::get("/v1/playground/scenarios"),
    ] {
        let call = call.key(&text(&made, "key"));
        assert_eq!(world.send(call.clone()).await.header("ratelimit"), Some("\"key\";r=0;t=1"), "{call:?}");
        world.send(call).await.refused(429, None, Some("rate_limit_exceeded"));
        world.clock.advance(Duration::from_secs(1));
    }
}

/// The first value ends, and the new one is deleted with the app.
#[tokio::test]
async fn no_value_outlives_its_app() {
    let world = World::new().await;
    let app = world.admin(Call::post("/v1/organization/apps").json(&json!({"name": "Shop"}))).await.expect(201);
    let app = format!("/v1/organization/apps/{}", text(&app, "id"));
    let mut values = Vec::new();
    let mut keys = Vec::new();
    for _ in 0..4 {
        let made = world.admin(Call::post(format!("{app}/keys")).json(&json!({}))).await.expect(201);
        values.push(text(&made, "key"));
        keys.push(format!("{app}/keys/{}", text(&made, "id")));
    }
    let rotations = keys.iter().map(|key| world.admin(Call::post(format!("{key}/rotate"))));
    let (rotated, deleted) = tokio::join!(futures_util::future::join_all(rotations), world.admin(Call::delete(&app)));
    values.extend(rotated.iter().filter(|reply| reply.status == 200).map(|reply| text(&reply.json(), "key")));
    if deleted.status != 200 {
        world.admin(Call::delete(&app)).await.expect(200);
    }
    for value in values {
        world.send(Call::get(NUMBERS).key(&value)).await.expect(401);
    }
}

#[tokio::test]
async fn the_operator_limits_an_organization() {
    let world = World::new().await;
    let other = world.organization("Other").await;
    let set = |rate: Value| {
        let mut request = json!({"operation": "setLimit", "organizationId": world.org.id});
        if !rate.is_null() {
            request["requestsPerSecond"] = rate;
        }
        world.operate(request)
    };
    let reply = set(json!(3)).await.unwrap();
    assert_eq!(reply, json!({"organizationId": world.org.id, "requestsPerSecond": 3}));
    let call = Call::get(SETTINGS).key(&world.org.admin);
    world.clock.advance(Duration::from_secs(61));
    let (passed, refusal) = until_refused(&world, &call).await;
    assert_eq!((passed, refusal.header("ratelimit-policy")), (3, Some("\"organization\";q=3;w=1")));
    world.send(Call::get(SETTINGS).key(&other.admin)).await.expect(200);

    set(Value::Null).await.unwrap();
    world.clock.advance(Duration::from_secs(61));
    for _ in 0..5 {
        world.send(call.clone()).await.expect(200);
    }
    for wrong in [0, 10_001] {
        assert!(set(json!(wrong)).await.unwrap_err().starts_with("requestsPerSecond: "));
    }
    let nobody = OrganizationId::mint(world.clock.now(), &ring::rand::SystemRandom::new());
    let unknown = json!({"operation": "setLimit", "organizationId": nobody, "requestsPerSecond": 3});
    assert!(world.operate(unknown).await.unwrap_err().starts_with("organizationId: "));
}

#[tokio::test]
async fn a_limited_request_costs_one_write_per_lease() {
    let world = World::new().await;
    let (key, _) = limited_key(&world, &json!({"requestsPerSecond": 20})).await;
    let call = Call::get(SETTINGS).key(&key);
    world.send(call.clone()).await.expect(200);
    let mut calls = Vec::new();
    for _ in 0..3 {
        let (reply, cost) = world.faults.meter.of(world.send(call.clone())).await;
        reply.expect(200);
        calls.push((cost.calls.len(), cost.write_units));
    }
    // The first lease was of one request, and each other one is of two.
    assert_eq!(calls, [(3, 1.0), (2, 0.0), (3, 1.0)]);
}

/// Without the table, what is left of the last lease can be spent, and no more.
#[tokio::test]
async fn without_the_table_the_last_lease_is_spent() {
    let world = World::new().await;
    let org = store(&world).of(&world.org.id.parse().unwrap());
    let limit = RateLimit { requests_per_second: 30, burst: 30 };
    let rates = Rates::default();
    let now = world.clock.now();
    // Leases of one, two and three, of which two are left.
    for _ in 0..4 {
        assert!(matches!(rates.admit(&org, "k", limit, now).await, Ok(Admission::Allowed(_))));
    }
    world.faults.set(Fault::TableDown(Outage::Failing));
    let later = now.plus(Duration::from_secs(2));
    for _ in 0..2 {
        assert!(matches!(rates.admit(&org, "k", limit, later).await, Ok(Admission::Allowed(_))));
    }
    assert!(rates.admit(&org, "k", limit, later).await.is_err());
}

fn store(world: &World) -> Store {
    Store::new(world.account.connection_of("organization").dynamodb(), TABLE)
}

/// 200 processes share a bucket. Some are killed, with what they hold; their clocks differ by up to 50 ms.
#[tokio::test]
async fn many_processes_keep_to_a_limit() {
    const PROCESSES: usize = 200;
    const STEP: u64 = 250;
    let world = World::new().await;
    let org = store(&world).of(&world.org.id.parse().unwrap());
    for seed in 0..of_size(2, 10) {
        let mut random = fastrand::Rng::with_seed(seed);
        let rate = [3, 20, 100][random.usize(0..3)];
        let limit = RateLimit { requests_per_second: rate, burst: random.u32(1..=rate * 3) };
        let bucket = format!("seed-{seed}");
        let mut processes: Vec<Rates> = (0..PROCESSES).map(|_| Rates::default()).collect();
        let skews: Vec<u64> = (0..PROCESSES).map(|_| random.u64(0..50)).collect();
        let begin = world.clock.now();
        let mut passed = Vec::new();
        for step in 0..90_000 / STEP {
            for _ in 0..random.u32(0..=rate / 2 + 2) {
                let process = random.usize(0..PROCESSES);
                if random.f64() < 0.02 {
                    processes[process] = Rates::default();
                }
                let now = begin.plus(Duration::from_millis(step * STEP + skews[process]));
                let admission = processes[process].admit(&org, &bucket, limit, now).await.unwrap();
                if matches!(admission, Admission::Allowed(_)) {
                    passed.push(step * STEP);
                }
            }
        }
        let most = 1.1 * f64::from(60 * rate + limit.burst);
        for (first, at) in passed.iter().enumerate() {
            let in_minute = passed[first..].iter().take_while(|other| **other < at + 60_000).count();
            assert!(in_minute as f64 <= most, "seed {seed}: {in_minute} of {limit:?} in a minute from {at} ms");
        }
        // The limit is no lower than it says, as far as requests were made where tokens were.
        assert!(passed.len() as f64 >= 0.5 * f64::from(90 * rate), "seed {seed}: {} of {limit:?}", passed.len());
    }
}
