//! Metrics of the sweep.

use std::time::Duration;

use domain::due::DueClass;
use runtime::Metric;
use serde_json::json;
use tests::catalogue::SIGNUP;
use tests::chat::connect;
use tests::faults::Fault;
use tests::standin::{Misbehave, error};
use tests::{Call, Service as _, World};

use super::{MINUTE, published, told, told_of};

const DAY: Duration = Duration::from_secs(86_400);

/// Runs one sweep and returns the metrics that it publishes, without ages of zero. Checks that the age of every class was
/// published once.
async fn swept(world: &World) -> Vec<(String, u64)> {
    world.index_caught_up().await;
    world.sweep_once().await;
    let (ages, mut rest): (Vec<_>, Vec<_>) =
        published(world).into_iter().partition(|(name, _)| name.starts_with(Metric::OldestDueSeconds.name()));
    let names: Vec<&String> = ages.iter().map(|(name, _)| name).collect();
    assert_eq!(names, DueClass::ALL.map(|class| told_of(class, Metric::OldestDueSeconds, 0).0).each_ref());
    // Nothing is counted in this world. tests/insight/usage has the lag.
    rest.retain(|(name, _)| name != Metric::MeterLagSeconds.name());
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
async fn a_failure_counts_at_every_attempt() {
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
async fn unneeded_secrets_that_cannot_be_deleted_are_counted() {
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
