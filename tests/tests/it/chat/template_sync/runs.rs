//! Runs: they can take longer than a request may wait, fail, or stop anywhere.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use serde_json::{Value, json};
use tests::chat::connect;
use tests::request::text;
use tests::standin::{Misbehave, error, template};
use tests::{Reply, Service as _, World};

use super::{SYNC, count, counts, listed, many, set_templates, sync, synced};
use crate::chat::unless_stopped;

/// Repeats the request until it has the counts. Returns them, and the number of requests.
async fn ask_until_done(world: &World, profile: &str) -> (Value, u32) {
    for asked in 1..100 {
        let started = Instant::now();
        let reply: Reply = world.admin(sync(profile)).await;
        assert!(started.elapsed() < Duration::from_secs(28), "{:?}", started.elapsed());
        if reply.status != 503 {
            return (reply.expect(200), asked);
        }

        assert_eq!(reply.header("retry-after"), Some("10"));
        let body = reply.refused(503, None, None);
        assert_eq!(body["error"]["type"], "api_error");
        tokio::time::sleep(Duration::from_secs(3)).await;
    }
    panic!("no end of it");
}

/// The platform needs half a second per page: no response takes 30 s, and a repeated request returns the counts.
#[tokio::test]
async fn six_thousand_templates_at_half_a_second_a_page() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "902").await;
    set_templates(&world, "902", many(6000));
    world.platform.state().page_delay = Duration::from_millis(500);

    let (outcome, asked) = world.with_worker(ask_until_done(&world, &line.profile)).await;
    assert!(asked > 1, "it takes longer than one request may wait");
    assert_eq!(outcome, counts(6000, 0, 0, 6000));
    assert_eq!(world.platform.seen("message_templates").len(), 60, "one run for all who asked");
    assert_eq!(count(&world, "created").await, 6000);
}

/// Waits for a job in the queue.
async fn a_job_is_queued(world: &World) {
    use aws_sdk_sqs::types::QueueAttributeName::ApproximateNumberOfMessages;
    loop {
        let call = world.account.sqs.get_queue_attributes().queue_url(&world.account.queue);
        let found = call.attribute_names(ApproximateNumberOfMessages).send().await.unwrap().attributes.unwrap();
        if found[&ApproximateNumberOfMessages] != "0" {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// The caller leaves before the run ends: the counts are kept for ten minutes, after which a new run starts.
#[tokio::test]
async fn counts_of_an_abandoned_sync_are_kept_for_ten_minutes() {
    let world = World::new().await;

    for (account, pause, runs, expected) in [("907", 599, 1, counts(3, 0, 0, 3)), ("908", 601, 2, counts(0, 0, 0, 3))] {
        let line = connect(&world, &world.org, account).await;
        set_templates(&world, account, many(3));
        let request = sync(&line.profile).key(&world.org.admin).request();
        tokio::select! {
            reply = world.api(SYNC).respond(request) => panic!("{reply:?}"),
            () = a_job_is_queued(&world) => {}
        }
        world.work_off().await;

        world.clock.advance(Duration::from_secs(pause));
        assert_eq!(synced(&world, &line.profile).await, expected, "{account}");
        assert_eq!(world.platform.seen(&format!("{account}/message_templates")).len(), runs);
    }
}

/// Of ten requests at once, one starts the run and waits for it. The others are told at once that it is running.
#[tokio::test]
async fn only_the_request_that_started_a_run_waits_for_it() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "903").await;
    set_templates(&world, "903", many(120));
    let held = world.platform.hold("903/message_templates");
    let ask = || world.admin(sync(&line.profile));

    let (waited, refused) = world
        .with_worker(async {
            let others = async {
                held.arrived().await;
                // The run cannot end before all of them have their responses.
                let replies = join_all((0..9).map(|_| ask())).await;
                held.end();
                replies
            };
            tokio::join!(ask(), others)
        })
        .await;

    assert_eq!(waited.expect(200), counts(120, 0, 0, 120));
    for reply in refused {
        assert_eq!(reply.header("retry-after"), Some("10"));
        assert_eq!(reply.status, 503);
    }
    assert_eq!(world.platform.seen("903/message_templates").len(), 2, "one run for all");
    assert_eq!(count(&world, "created").await, 120);
}

#[tokio::test]
async fn a_failed_page_changes_nothing() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "904").await;
    set_templates(&world, "904", many(250));
    let circles = json!({"data": [], "paging": {"cursors": {"after": "100"}, "next": "x"}}).to_string();

    for (how, times, expected) in [
        (Misbehave::Status(400, error(190, "expired").to_string()), 1, (422, "platform_api_error")),
        (Misbehave::Status(400, error(80_007, "too many").to_string()), 1, (429, "chat_rate_limited")),
        (Misbehave::Status(500, error(2, "temporary").to_string()), 2, (503, "platform_api_unavailable")),
        (Misbehave::Status(500, error(131_000, "broken").to_string()), 2, (502, "platform_api_error")),
        (Misbehave::Status(200, circles), 5, (502, "platform_api_error")),
    ] {
        world.platform.state().misbehave.clear();
        // The first page is valid.
        world.platform.misbehave("message_templates", Misbehave::Slow(Duration::ZERO), 1);
        world.platform.misbehave("message_templates", how.clone(), times);

        let reply = world.admin(sync(&line.profile)).await;
        assert_eq!(reply.header("retry-after").is_some(), matches!(expected.0, 429 | 503), "{how:?}");
        let body = reply.refused(expected.0, None, Some(expected.1));
        assert_eq!(body["error"]["provider"]["source"], "platform", "{how:?}");
        assert!(listed(&world, &line.profile).await.is_empty());
    }

    world.platform.state().misbehave.clear();
    assert_eq!(synced(&world, &line.profile).await, counts(250, 0, 0, 250));
}

fn ids(templates: &[Value]) -> BTreeSet<String> {
    templates.iter().map(|template| text(template, "id")).collect()
}

/// The numbers of events of templates that were created, updated and deleted.
async fn counted(world: &World) -> [usize; 3] {
    [count(world, "created").await, count(world, "updated").await, count(world, "deleted").await]
}

/// Two pages of templates. From one step to the next, some disappear and some are new; the ids are returned of those that
/// have a name of the step.
fn two_pages(step: u32) -> (Vec<Value>, BTreeSet<String>) {
    let mut templates: Vec<Value> = (0..150).map(|n| template(&format!("{}", 1000 + 8 * step + n), "t")).collect();
    for template in templates.iter_mut().take(8) {
        template["name"] = json!(format!("name_{step}"));
    }
    let renamed = ids(&templates[..8]);
    (templates, renamed)
}

/// The worker stops after each of its AWS calls in turn. The next run completes correctly, and every change has one event.
#[tokio::test]
async fn a_worker_that_stops_anywhere_leaves_work_that_the_next_run_ends() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "905").await;
    let mut stopped = 0;

    // The waiting request polls, so a slow machine makes more calls: the steps get wider.
    for step in (0..).map(|n| n + n * n / 60) {
        let (templates, renamed) = two_pages(step);
        set_templates(&world, "905", templates.clone());
        let (before, counted_before) = (listed(&world, &line.profile).await, counted(&world).await);

        let reply = unless_stopped(&world, 6 + step, world.admin(sync(&line.profile))).await;
        if reply.is_none() {
            stopped += 1;
            world.clock.advance(Duration::from_secs(16 * 60));
            synced(&world, &line.profile).await;
        }

        let now = listed(&world, &line.profile).await;
        assert_eq!((now.len(), ids(&now)), (150, ids(&templates)), "step {step}");
        let (known, now) = (ids(&before), ids(&now));
        let (added, removed) = (now.difference(&known).count(), known.difference(&now).count());
        let updated = renamed.intersection(&known).count();
        let new =
            counted(&world).await.iter().zip(counted_before).map(|(now, before)| now - before).collect::<Vec<_>>();
        assert_eq!(new, [added, updated, removed], "step {step}");

        if let Some(reply) = reply {
            assert_eq!(reply.expect(200), counts(added as u32, updated as u32, removed as u32, 150));
            break;
        }
    }

    assert!(stopped > 5, "{stopped}");
}
