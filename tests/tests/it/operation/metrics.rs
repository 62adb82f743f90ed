//! The service's own metrics: which function publishes which value, in CloudWatch's embedded metric format.

use std::sync::Arc;
use std::time::Duration;

use domain::due::DueClass;
use futures_util::future::join_all;
use runtime::{Environment, Metric};
use serde_json::{Value, json};
use tests::catalogue::SIGNUP;
use tests::chat::connect;
use tests::faults::Fault;
use tests::logs::Captured;
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
    let metric = Metric::ALL.into_iter().find(|metric| metric.name() == name).expect("a known metric");
    let mut expected = json!({
        "_aws": {
            "Timestamp": now,
            "CloudWatchMetrics": [{
                "Namespace": NAMESPACE,
                "Dimensions": metric.dimensions(),
                "Metrics": [{"Name": name, "Unit": metric.unit()}],
            }],
        },
        (name.clone()): line[&name].as_u64().expect("a number"),
    });
    let is_by_class = metric.dimensions()[0] == json!(["Class"]);
    if is_by_class {
        expected["Class"] = line["Class"].clone();
    }
    assert_eq!(*line, expected);
    let class = if is_by_class { format!(" {}", text(line, "Class")) } else { String::new() };
    (format!("{name}{class}"), line[&name].as_u64().unwrap())
}

fn told(name: Metric, value: u64) -> (String, u64) {
    (name.name().to_owned(), value)
}

fn told_of(class: DueClass, name: Metric, value: u64) -> (String, u64) {
    (format!("{} {}", name.name(), class.as_str()), value)
}

/// Runs one sweep and returns the metrics that it publishes, without ages of zero. Checks that the age of every class was
/// published once.
async fn swept(world: &World) -> Vec<(String, u64)> {
    world.index_caught_up().await;
    world.sweep_once().await;
    let (ages, mut rest): (Vec<_>, Vec<_>) =
        published(world).into_iter().partition(|(name, _)| name.starts_with(Metric::OldestDueSeconds.name()));
    let names: Vec<&String> = ages.iter().map(|(name, _)| name).collect();
    assert_eq!(names, DueClass::ALL.map(|class| told_of(class, Metric::OldestDueSeconds, 0).0).each_ref());
    rest.extend(ages.into_iter().filter(|(_, age)| *age > 0));
    rest.sort();
    rest
}

/// What a sweep publishes about media.
fn of_media(oldest: u64, failed: u64) -> Vec<(String, u64)> {
    let failed = (failed > 0).then(|| told_of(DueClass::Media, Metric::FailedDueItems, failed));
    let oldest = (oldest > 0).then(|| told_of(DueClass::Media, Metric::OldestDueSeconds, oldest));
    failed.into_iter().chain(oldest).collect()
}

#[tokio::test]
async fn notifications_count_as_accepted_or_refused() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "1401").await;
    let body = line.message(&json!({"id": "wamid.1", "type": "text", "text": {"body": "Hello"}}));
    assert_eq!(published(&world), []);
    world.notify(&body).await.expect(200);
    assert_eq!(published(&world), [told(Metric::AcceptedNotifications, 1)]);
    // A notification without updates is accepted, too.
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

/// Concurrent updates of one message conflict, and those that lose are applied again. Each counts once.
#[tokio::test]
async fn an_unknown_value_counts_once_per_update() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "1402").await;
    let warm = line
        .status(&json!({"id": "wamid.1", "status": "sent", "timestamp": "2000000000", "recipient_id": "16505551234"}));
    world.notify(&warm).await.expect(200);
    published(&world);
    let statuses: Vec<Value> = (0..12)
        .map(|n| {
            let at = (2_000_000_000 + n).to_string();
            line.status(&json!({"id": "wamid.1", "status": format!("later{n}"), "timestamp": at, "recipient_id": "16505551234"}))
        })
        .collect();
    join_all(statuses.iter().map(|status| world.notify(status))).await;
    let counted: u64 = published(&world)
        .iter()
        .filter(|(name, _)| *name == told(Metric::UnknownPlatformValues, 0).0)
        .map(|(_, count)| count)
        .sum();
    assert_eq!(counted, 12);
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
    assert_eq!(swept(&world).await, []);
    let announced = json!({"fileName": "a.pdf", "mimeType": "application/pdf", "fileSize": 1000});
    // The upload is due when its window ends, after 15 minutes.
    let announce = || world.send(Call::post("/v1/media/uploads").key(&world.org.app_key).json(&announced));
    announce().await.expect(201);
    assert_eq!(swept(&world).await, [], "nothing is due yet");
    world.clock.advance(MINUTE * 30);
    announce().await.expect(201);
    world.clock.advance(MINUTE * 25);
    assert_eq!(swept(&world).await, of_media(40 * 60, 0), "of two that are due the older counts");
    assert_eq!(swept(&world).await, []);
    // No metric: the alarm treats missing data as a breach.
    world.faults.set(Fault::TimedOut);
    let shards: u32 = DueClass::ALL.into_iter().map(DueClass::shards).sum();
    assert_eq!(world.sweep_once().await.unread, shards as usize);
    assert_eq!(published(&world), []);
}

/// A failed item is postponed, so it is never old. Only the count of failures shows that it keeps failing.
#[tokio::test]
async fn what_fails_counts_at_every_try() {
    let world = World::new().await;
    let announced = json!({"fileName": "a.pdf", "mimeType": "application/pdf", "fileSize": 1000});
    world.send(Call::post("/v1/media/uploads").key(&world.org.app_key).json(&announced)).await.expect(201);
    world.clock.advance(MINUTE * 20);
    world.faults.set(Fault::BucketSilent);
    assert_eq!(swept(&world).await, of_media(5 * 60, 1));
    world.clock.advance(MINUTE);
    assert_eq!(swept(&world).await, [], "left alone for five minutes");
    for _ in 0..2 {
        world.clock.advance(MINUTE * 5);
        assert_eq!(swept(&world).await, of_media(60, 1));
        world.clock.advance(MINUTE);
    }
    world.faults.clear();
    world.clock.advance(MINUTE * 5);
    assert_eq!(swept(&world).await, of_media(60, 0));
}

#[tokio::test]
async fn secrets_count_that_nobody_needs_and_that_cannot_be_deleted() {
    let world = World::new().await;
    connect(&world, &world.org, "1402").await;
    world.platform.account("1403", &[]);
    world.platform.misbehave("/1403", Misbehave::Status(400, error(100, "no access").to_string()), 4);
    let signup = Call::post(SIGNUP).json(&json!({"code": "code.1403"}));
    world.admin(signup).await.refused(422, Some("wabaId"), Some("platform_api_error"));
    assert_eq!(swept(&world).await, [], "it may be taken up again");
    world.clock.advance(DAY + MINUTE);
    world.faults.set(Fault::BucketSilent);
    let kept = swept(&world).await;
    world.faults.clear();
    assert!(kept.contains(&told(Metric::SecretsWithoutProfile, 1)), "{kept:?}");
    world.clock.advance(MINUTE * 6);
    let deleted = swept(&world).await;
    // The daily check of the connected account could not be queued either.
    let retried = [DueClass::Profiles, DueClass::Signups].map(|class| told_of(class, Metric::OldestDueSeconds, 60));
    assert_eq!(deleted, retried);
    let listed = world.account.secrets.list_secrets().send().await.unwrap();
    let left = listed.secret_list().iter().filter(|secret| secret.name().unwrap().starts_with("profiles/"));
    assert_eq!(left.count(), 1, "that of the account that was connected");
}

/// Each failed fetch counts and is logged with the platform's status and code, and without its text.
#[tokio::test]
async fn media_that_could_not_be_fetched_count_and_are_logged() {
    let captured = Captured::start();
    let world = World::new().await;
    let line = connect(&world, &world.org, "1404").await;
    let image = |message: &str, media: &str| {
        line.message(&json!({"id": message, "type": "image", "image": {"id": media, "mime_type": "image/jpeg"}}))
    };
    world.platform.state().media.insert("900".to_owned(), b"bytes".to_vec());
    for (path, status, body, code, retries) in [
        ("/900", 401, error(190, "a-recognisable-text").to_string(), 190, true),
        ("/bytes/900", 403, "Forbidden: a-recognisable-text".to_owned(), 403, true),
        ("/900", 400, error(100, "a-recognisable-text").to_string(), 100, false),
    ] {
        world.platform.misbehave(path, Misbehave::Status(status, body), 2);
        world.notify(&image(&format!("wamid.{code}"), "900")).await.expect(200);
        published(&world);
        world.work_off().await;
        world.platform.state().misbehave.clear();
        assert_eq!(published(&world), [told(Metric::UnfetchedMedia, 1)], "{code}");
        let message = text(&line.messages(&world).await[0], "id");
        let logged = captured.lines_with("object", &message);
        assert_eq!(logged.len(), 1, "{logged:?}");
        for (field, expected) in [
            ("message", json!("an inbound medium could not be fetched")),
            ("level", json!("WARN")),
            ("organization", json!(world.org.id)),
            ("status", json!(status)),
            ("code", json!(code)),
            ("retries", json!(retries)),
        ] {
            assert_eq!(logged[0][field], expected, "{}", logged[0]);
        }
        world.clock.advance(MINUTE);
    }
    assert!(!captured.text().contains("a-recognisable-text"));
    world.notify(&image("wamid.fine", "900")).await.expect(200);
    published(&world);
    world.work_off().await;
    assert_eq!(published(&world), []);
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
        // The dashboard has the dead-letter queues' own metrics.
        let is_shown = template.contains(&format!("[\"${{AWS::StackName}}\", \"{name}\""));
        assert_eq!(is_shown, metric != Metric::DeadLetters, "{name} is on the dashboard");
        assert!(runbook.contains(&format!("| `{name}` | {} |", metric.unit())), "{name} is in the runbook");
    }
}

/// Each class of due work has an alarm for its age and one for shards that are not read, and its line on the dashboard.
#[test]
fn every_class_of_due_work_is_watched() {
    let template = std::fs::read_to_string(format!("{}/../infra/template.yaml", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let alarm = |name: &str| {
        let (_, rest) = template.split_once(&format!("\n  {name}:\n")).unwrap_or_else(|| panic!("no {name}"));
        rest.split("\n\n").next().unwrap().to_owned()
    };
    for class in DueClass::ALL {
        let name = class.as_str();
        let title = format!("{}{}", name[..1].to_uppercase(), &name[1..]);
        let of_class = format!("MetricName: OldestDueSeconds\n      Dimensions: [{{ Name: Class, Value: {name} }}]\n");
        let late = alarm(&format!("{title}DueAlarm"));
        assert!(late.contains(&of_class) && late.contains("Statistic: Maximum\n"), "{late}");
        let unread = alarm(&format!("{title}UnreadAlarm"));
        // Five values in five minutes; two may be late.
        let count = "Statistic: SampleCount\n      Period: 300\n      EvaluationPeriods: 2\n      Threshold: 3\n";
        assert!(unread.contains(&of_class) && unread.contains(count), "{unread}");
        assert!(unread.contains("LessThanThreshold\n      TreatMissingData: breaching\n"), "{unread}");
        assert!(template.contains(&format!("\"{name}\", {{\"label\": \"{name}, s\"}}")), "{name} is on the dashboard");
    }
}
