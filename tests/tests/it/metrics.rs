//! The service's own metrics: which function publishes which value, in CloudWatch's embedded metric format.

use std::sync::Arc;
use std::time::Duration;

use runtime::{Environment, Metric};
use serde_json::{Value, json};
use tests::catalogue::SIGNUP;
use tests::chat::connect;
use tests::faults::Fault;
use tests::receiver::{Receiver, plain, status};
use tests::request::text;
use tests::settings::NAMESPACE;
use tests::standin::{APP_SECRET, Misbehave, error, signature};
use tests::{Call, Service as _, World};

const DAY: Duration = Duration::from_secs(86_400);
const MINUTE: Duration = Duration::from_secs(60);
const NOTIFICATIONS: &str = "/v1/platform/notifications";

/// Returns the names and values published since the last call. Checks that each line is in CloudWatch's format and contains
/// nothing else.
#[track_caller]
fn published(world: &World) -> Vec<(String, u64)> {
    let lines = world.metrics.json();
    world.metrics.clear();
    lines.iter().map(|line| published_by(line, world.now().millis())).collect()
}

#[track_caller]
fn published_by(line: &Value, now: i64) -> (String, u64) {
    let declared = &line["_aws"]["CloudWatchMetrics"][0];
    let name = text(&declared["Metrics"][0], "Name");
    let unit = Metric::ALL.into_iter().find(|metric| metric.name() == name).expect("a known metric").unit();
    let expected = json!({
        "_aws": {
            "Timestamp": now,
            "CloudWatchMetrics": [{
                "Namespace": NAMESPACE,
                "Dimensions": [[]],
                "Metrics": [{"Name": name, "Unit": unit}],
            }],
        },
        (name.clone()): line[&name].as_u64().expect("a number"),
    });
    assert_eq!(*line, expected);
    (name.clone(), line[&name].as_u64().unwrap())
}

fn told(name: Metric, value: u64) -> (String, u64) {
    (name.name().to_owned(), value)
}

/// Runs one sweep and returns the metrics that it publishes.
async fn swept(world: &World) -> Vec<(String, u64)> {
    world.index_caught_up().await;
    world.sweeper.sweep().await;
    published(world)
}

fn after_sweep(oldest: u64, failed: u64, secrets: u64) -> Vec<(String, u64)> {
    vec![
        told(Metric::OldestDueSeconds, oldest),
        told(Metric::FailedDueItems, failed),
        told(Metric::SecretsWithoutProfile, secrets),
    ]
}

#[tokio::test]
async fn notifications_count_as_accepted_or_refused() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "1401").await;
    let body = line.message(&json!({"id": "wamid.1", "type": "text", "text": {"body": "Hello"}}));
    assert_eq!(published(&world), []);
    world.notify(&body).await.expect(200);
    assert_eq!(published(&world), [told(Metric::AcceptedNotifications, 1)]);
    // An update of an unknown account is accepted too.
    world.notify(&json!({"entry": []})).await.expect(200);
    assert_eq!(published(&world), [told(Metric::AcceptedNotifications, 1)]);
    let unsigned = || Call::post(NOTIFICATIONS).bytes(body.to_string());
    for call in [unsigned(), unsigned().header("x-hub-signature-256", &signature("another", b"body"))] {
        world.send(call).await.refused(401, Some("X-Hub-Signature-256"), None);
        assert_eq!(published(&world), [told(Metric::RefusedSignatures, 1)]);
    }
    // Signed, but not a valid notification.
    let signed = signature(APP_SECRET, b"[]");
    world.send(Call::post(NOTIFICATIONS).header("x-hub-signature-256", &signed).bytes(*b"[]")).await.refused(
        400,
        Some("body"),
        None,
    );
    world.faults.set(Fault::TimedOut);
    world.notify(&body).await.expect(500);
    world.faults.clear();
    world.send(Call::get(NOTIFICATIONS)).await.refused(403, None, None);
    assert_eq!(published(&world), []);
}

#[tokio::test]
async fn a_webhook_that_is_disabled_counts_once() {
    let world = World::with_local_webhooks().await;
    // The delay ensures that both attempts begin before either ends.
    let receiver = Receiver::start(Arc::new(|_, _| (Duration::from_millis(500), plain(410, ""))));
    let hook = json!({"url": receiver.url, "events": ["messages.sms.received"]});
    let path = format!("/v1/organization/apps/{}/webhooks", world.org.test_app);
    let hook = text(&world.admin(Call::post(&path).json(&hook)).await.expect(201), "id");
    let test = || world.admin(Call::post(format!("{path}/{hook}/test")));
    for _ in 0..2 {
        test().await.expect(202);
    }
    world.deliver().await;
    assert_eq!(receiver.got().len(), 2, "both attempts ended together");
    assert_eq!(published(&world), [told(Metric::DisabledWebhooks, 1)]);
    let failing = Receiver::start(status(500));
    let mended = json!({"url": failing.url});
    world.admin(Call::put(format!("{path}/{hook}")).json(&mended)).await.expect(200);
    test().await.expect(202);
    world.deliver().await;
    assert_eq!((failing.got().len(), published(&world)), (1, vec![]));
}

#[tokio::test]
async fn every_sweep_says_how_late_it_is() {
    let world = World::new().await;
    assert_eq!(swept(&world).await, after_sweep(0, 0, 0));
    let announced = json!({"fileName": "a.pdf", "mimeType": "application/pdf", "fileSize": 1000});
    // The upload is due when its window ends, after 15 minutes.
    let announce = || world.send(Call::post("/v1/media/uploads").key(&world.org.app_key).json(&announced));
    announce().await.expect(201);
    assert_eq!(swept(&world).await, after_sweep(0, 0, 0), "nothing is due yet");
    world.clock.advance(MINUTE * 30);
    announce().await.expect(201);
    world.clock.advance(MINUTE * 25);
    assert_eq!(swept(&world).await, after_sweep(40 * 60, 0, 0), "of two that are due the older counts");
    assert_eq!(swept(&world).await, after_sweep(0, 0, 0));
    // No metric: the alarm treats missing data as a breach.
    world.faults.set(Fault::TimedOut);
    world.sweeper.sweep().await;
    assert_eq!(published(&world), after_sweep(0, 0, 0)[1..]);
}

/// A failed item is postponed, so it is never old. Only the count of failures shows that it keeps failing.
#[tokio::test]
async fn what_fails_counts_at_every_try() {
    let world = World::new().await;
    let announced = json!({"fileName": "a.pdf", "mimeType": "application/pdf", "fileSize": 1000});
    world.send(Call::post("/v1/media/uploads").key(&world.org.app_key).json(&announced)).await.expect(201);
    world.clock.advance(MINUTE * 20);
    world.faults.set(Fault::BucketSilent);
    assert_eq!(swept(&world).await, after_sweep(5 * 60, 1, 0));
    world.clock.advance(MINUTE);
    assert_eq!(swept(&world).await, after_sweep(0, 0, 0), "left alone for five minutes");
    for _ in 0..2 {
        world.clock.advance(MINUTE * 5);
        assert_eq!(swept(&world).await, after_sweep(60, 1, 0));
        world.clock.advance(MINUTE);
    }
    world.faults.clear();
    world.clock.advance(MINUTE * 5);
    assert_eq!(swept(&world).await, after_sweep(60, 0, 0));
}

#[tokio::test]
async fn secrets_count_that_nobody_needs_and_that_cannot_be_deleted() {
    let world = World::new().await;
    connect(&world, &world.org, "1402").await;
    world.platform.account("1403", &[]);
    world.platform.misbehave("/1403", Misbehave::Status(400, error(100, "no access").to_string()), 4);
    let signup = Call::post(SIGNUP).json(&json!({"code": "code.1403"}));
    world.admin(signup).await.refused(422, Some("wabaId"), Some("platform_api_error"));
    assert_eq!(swept(&world).await, after_sweep(0, 0, 0), "it may be taken up again");
    world.clock.advance(DAY + MINUTE);
    world.faults.set(Fault::BucketSilent);
    let kept = swept(&world).await;
    world.faults.clear();
    assert!(kept.contains(&told(Metric::SecretsWithoutProfile, 1)), "{kept:?}");
    world.clock.advance(MINUTE * 6);
    let deleted = swept(&world).await;
    assert!(deleted.contains(&told(Metric::SecretsWithoutProfile, 0)), "{deleted:?}");
    let listed = world.account.secrets.list_secrets().send().await.unwrap();
    let left = listed.secret_list().iter().filter(|secret| secret.name().unwrap().starts_with("profiles/"));
    assert_eq!(left.count(), 1, "that of the account that was connected");
}

#[tokio::test]
async fn a_function_that_is_not_told_the_namespace_does_not_start() {
    let world = World::new().await;
    let mut environment = Environment::default();
    environment.context(&world.account.connection);
    let why = environment.finish().expect_err("variables are missing");
    assert!(why.contains("METRICS_NAMESPACE"), "{why}");
}

/// The alarms, the dashboard and the runbook name every metric, and the functions use the alarms' namespace.
#[test]
fn what_is_published_is_watched() {
    let read = |path: &str| std::fs::read_to_string(format!("{}/../{path}", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let (template, runbook) = (read("infra/template.yaml"), read("docs/runbook.md"));
    assert!(template.contains("        METRICS_NAMESPACE: !Ref AWS::StackName\n"));
    for metric in Metric::ALL {
        let name = metric.name();
        let alarm = format!("      Namespace: !Ref AWS::StackName\n      MetricName: {name}\n");
        assert!(template.contains(&alarm), "{name} has an alarm");
        assert!(template.contains(&format!("[\"${{AWS::StackName}}\", \"{name}\"")), "{name} is on the dashboard");
        assert!(runbook.contains(&format!("| `{name}` | {} |", metric.unit())), "{name} is in the runbook");
    }
}
