//! Template sync: a job synchronizes the platform's templates.

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use serde_json::{Value, json};
use tests::catalogue::{fresh_account, simulated_profile};
use tests::chat::{Line, connect, event_counts, notification};
use tests::faults::Fault;
use tests::request::text;
use tests::standin::{Misbehave, error, template};
use tests::{Call, Reply, Service as _, World};

const SYNC: &str = "/v1/organization/chat/templates/sync";

fn sync(profile: &str) -> Call {
    Call::post(SYNC).json(&json!({"chatBusinessProfileId": profile}))
}

fn counts(added: u32, updated: u32, removed: u32, total: u32) -> Value {
    json!({"added": added, "updated": updated, "removed": removed, "total": total})
}

fn set_templates(world: &World, account: &str, templates: Vec<Value>) {
    world.platform.state().accounts.get_mut(account).unwrap().templates = templates;
}

fn many(count: usize) -> Vec<Value> {
    (0..count).map(|n| template(&format!("{}", 1_000_000 + n), &format!("template_{n}"))).collect()
}

async fn listed(world: &World, profile: &str) -> Vec<Value> {
    let (mut all, mut cursor) = (Vec::new(), String::new());
    loop {
        let path = format!("/v1/organization/chat/templates?chatBusinessProfileId={profile}&limit=100{cursor}");
        let page = world.admin(Call::get(path)).await.expect(200);
        all.extend(page["data"].as_array().unwrap().clone());
        let Some(next) = page["nextCursor"].as_str() else { return all };
        cursor = format!("&cursor={next}");
    }
}

async fn count(world: &World, name: &str) -> usize {
    event_counts(world, &world.org).await.get(&format!("templates.chat.{name}")).copied().unwrap_or(0)
}

#[tokio::test]
async fn a_sync_adds_updates_and_removes() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "901").await;
    set_templates(&world, "901", many(30));
    assert_eq!(world.admin(sync(&line.profile)).await.expect(200), counts(30, 0, 0, 30));
    assert_eq!(world.admin(sync(&line.profile)).await.expect(200), counts(0, 0, 0, 30));
    let mut changed = many(31);
    changed.remove(0);
    changed[3]["status"] = json!("PAUSED");
    changed[4]["components"] = json!([{"type": "BODY", "text": "Other", "deep": [1.50, {"x": null}]}]);
    set_templates(&world, "901", changed);
    let dry = Call::post(SYNC).json(&json!({"chatBusinessProfileId": line.profile, "dryRun": true}));
    let before = world.account.items().await.len();
    assert_eq!(world.admin(dry).await.expect(200), counts(1, 2, 1, 30));
    assert_eq!(world.account.items().await.len(), before + 1, "nothing but the run itself is written");
    assert_eq!(world.admin(sync(&line.profile)).await.expect(200), counts(1, 2, 1, 30));
    let templates = listed(&world, &line.profile).await;
    assert_eq!(templates.len(), 30);
    let paused = templates.iter().find(|template| template["status"] == "PAUSED").unwrap();
    assert_eq!((&paused["qualityScore"], &paused["language"]), (&json!("GREEN"), &json!("en_US")));
    assert!(paused.get("rejectedReason").is_none(), "NONE is no reason");
    let other = templates.iter().find(|template| template["components"][0]["text"] == "Other").unwrap();
    assert_eq!(other["components"][0]["deep"], json!([1.5, {"x": null}]));
    assert_eq!(
        (count(&world, "created").await, count(&world, "updated").await, count(&world, "deleted").await),
        (31, 2, 1)
    );
    let foreign = sync("wabp_0ujtsYcgvSTl8PAuAdqWYSMnLOv");
    world.admin(foreign).await.refused(404, Some("chatBusinessProfileId"), None);
    world.admin(sync("nope")).await.refused(400, Some("chatBusinessProfileId"), None);
    world.admin(Call::get("/v1/organization/chat/templates")).await.refused(400, Some("chatBusinessProfileId"), None);
}

/// Two profiles of one organization, whose templates share names but no ids.
#[tokio::test]
async fn a_list_holds_the_templates_of_one_profile() {
    let world = World::new().await;
    let lines = [connect(&world, &world.org, "912").await, connect(&world, &world.org, "913").await];
    let sent: [Vec<String>; 2] = [0..3, 3..8].map(|ids| ids.map(|n| format!("{}", 1_000_000 + n)).collect());
    for (line, ids) in lines.iter().zip(&sent) {
        set_templates(&world, &line.account, ids.iter().map(|id| template(id, "welcome")).collect());
    }
    for line in &lines {
        world.admin(sync(&line.profile)).await.expect(200);
    }
    for (line, ids) in lines.iter().zip(&sent) {
        let found = listed(&world, &line.profile).await;
        assert_eq!(found.len(), ids.len());
        for (template, id) in found.iter().zip(ids.iter().rev()) {
            assert_eq!(template["chatBusinessProfileId"], line.profile.as_str());
            assert_eq!(template["id"], id.as_str());
        }
    }
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

/// The caller leaves before the run ends: the counts are kept for ten minutes, after which a new run starts.
#[tokio::test]
async fn counts_that_nobody_got_wait_for_who_asks_again() {
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
        assert_eq!(world.admin(sync(&line.profile)).await.expect(200), expected, "{account}");
        assert_eq!(world.platform.seen(&format!("{account}/message_templates")).len(), runs);
    }
}

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
    assert_eq!(world.admin(sync(&line.profile)).await.expect(200), counts(250, 0, 0, 250));
}

/// The worker stops after each of its AWS calls in turn. The next run completes correctly, and every change has one event.
#[tokio::test]
async fn a_worker_that_stops_anywhere_leaves_work_that_the_next_run_ends() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "905").await;
    let mut stopped = 0;
    // The waiting request polls, so a slow machine makes more calls: the steps get wider.
    for step in (0..).map(|n| n + n * n / 60) {
        // Two pages of templates. Some disappear, some are new, and some of the remaining ones change.
        let mut templates: Vec<Value> = (0..150).map(|n| template(&format!("{}", 1000 + 8 * step + n), "t")).collect();
        let mut changed_names = std::collections::BTreeSet::new();
        for template in templates.iter_mut().take(8) {
            template["name"] = json!(format!("name_{step}"));
            changed_names.insert(text(template, "id"));
        }
        set_templates(&world, "905", templates.clone());
        let before = (
            listed(&world, &line.profile).await,
            count(&world, "created").await,
            count(&world, "deleted").await,
            count(&world, "updated").await,
        );
        let run = Call::post(SYNC).json(&json!({"chatBusinessProfileId": line.profile}));
        world.faults.set(Fault::StoppedAfter(6 + step));
        let reply = tokio::select! {
            reply = world.admin(run) => Some(reply),
            () = world.faults.struck() => None,
        };
        world.faults.clear();
        if reply.is_none() {
            stopped += 1;
            world.clock.advance(Duration::from_secs(16 * 60));
            world.admin(sync(&line.profile)).await.expect(200);
        }
        let now = listed(&world, &line.profile).await;
        assert_eq!(now.len(), 150, "step {step}");
        let ids = |templates: &[Value]| {
            templates.iter().map(|template| text(template, "id")).collect::<std::collections::BTreeSet<_>>()
        };
        assert_eq!(ids(&now), templates.iter().map(|template| text(template, "id")).collect());
        let (came, left) =
            (ids(&now).difference(&ids(&before.0)).count(), ids(&before.0).difference(&ids(&now)).count());
        assert_eq!(count(&world, "created").await - before.1, came, "step {step}");
        assert_eq!(count(&world, "deleted").await - before.2, left, "step {step}");
        let known = ids(&before.0);
        let changed = changed_names.iter().filter(|id| known.contains(*id)).count();
        assert_eq!(count(&world, "updated").await - before.3, changed, "step {step}");
        if let Some(reply) = reply {
            let (added, updated, removed) = (came as u32, changed as u32, left as u32);
            assert_eq!(reply.expect(200), counts(added, updated, removed, 150));
            break;
        }
    }
    assert!(stopped > 5, "{stopped}");
}

/// A notification that arrives while the pages are read is newer than the pages.
#[tokio::test]
async fn a_notification_in_between_is_not_overwritten() {
    let world = World::new().await;
    let line: Line = connect(&world, &world.org, "906").await;
    set_templates(&world, "906", many(3));
    world.admin(sync(&line.profile)).await.expect(200);
    let mut changed = many(3);
    for template in &mut changed {
        template["category"] = json!("MARKETING");
    }
    set_templates(&world, "906", changed);
    let held = world.platform.hold("906/message_templates");
    let time = world.now().seconds() + 5;
    let paused = notification(
        "906",
        time,
        "message_template_status_update",
        &json!({"event": "PAUSED", "message_template_id": 1_000_001}),
    );
    let (synced, ()) = tokio::join!(world.admin(sync(&line.profile)), async {
        held.arrived().await;
        world.notify(&paused).await.expect(200);
        held.end();
    });
    assert_eq!(synced.expect(200), counts(0, 2, 0, 3));
    let templates = listed(&world, &line.profile).await;
    let kept = templates.iter().find(|template| template["id"] == "1000001").unwrap();
    assert_eq!((&kept["status"], &kept["category"]), (&json!("PAUSED"), &json!("UTILITY")));
    world.platform.state().accounts.get_mut("906").unwrap().templates[1]["status"] = json!("PAUSED");
    assert_eq!(world.admin(sync(&line.profile)).await.expect(200), counts(0, 1, 0, 3));
}

/// The simulated platform's templates change with each sync.
#[tokio::test]
async fn a_second_simulated_sync_shows_all_kinds_of_changes() {
    let world = World::new().await;
    let profile = text(&simulated_profile(&world, &fresh_account(), false).await, "id");
    assert_eq!(world.admin(sync(&profile)).await.expect(200), counts(4, 0, 0, 4));
    let dry = Call::post(SYNC).json(&json!({"chatBusinessProfileId": profile, "dryRun": true}));
    for _ in 0..2 {
        assert_eq!(world.admin(dry.clone()).await.expect(200), counts(1, 1, 1, 4));
    }
    assert_eq!(world.admin(sync(&profile)).await.expect(200), counts(1, 1, 1, 4));
    assert!(world.platform.state().seen.is_empty());
}

/// Returns what a send reads of a template: its id, status and components.
async fn named(world: &World, profile: &str, name: &str, language: &str) -> Option<(String, String, Value)> {
    let store = world.account.store().of(&world.org.id.parse().unwrap());
    let found = store.template_named(&profile.parse().unwrap(), name, language).await.unwrap();
    found.map(|stored| (stored.template.id, stored.template.status, json!(stored.template.components)))
}

#[tokio::test]
async fn a_template_is_found_by_its_name_and_language() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "915").await;
    let found =
        async |name: &str| named(&world, &line.profile, name, "en_US").await.map(|(id, status, _)| (id, status));
    let is = |id: &str, status: &str| Some((id.to_owned(), status.to_owned()));
    set_templates(&world, "915", many(3));
    world.admin(sync(&line.profile)).await.expect(200);
    let (_, _, components) = named(&world, &line.profile, "template_1", "en_US").await.unwrap();
    assert_eq!(components, many(3)[1]["components"]);
    assert_eq!(found("template_1").await, is("1000001", "APPROVED"));
    for (name, language) in [("template_1", "en"), ("template_9", "en_US"), ("", "en_US"), ("template_1", "")] {
        assert_eq!(named(&world, &line.profile, name, language).await, None, "{name} {language}");
    }
    let longest = "x".repeat(5000);
    assert_eq!(named(&world, &line.profile, &longest, &longest).await, None);

    // A sync changes one, removes one, and replaces one by a template of the same name.
    let mut changed = many(2);
    changed[1]["status"] = json!("PAUSED");
    changed[0] = template("2000000", "template_0");
    set_templates(&world, "915", changed);
    assert_eq!(world.admin(sync(&line.profile)).await.expect(200), counts(1, 1, 2, 2));
    assert_eq!(found("template_0").await, is("2000000", "APPROVED"));
    assert_eq!(found("template_1").await, is("1000001", "PAUSED"));
    assert_eq!(found("template_2").await, None);

    // Notifications about the predecessor leave the template of its name alone.
    let tell = async |seconds: i64, value: Value| {
        let told = notification("915", world.now().seconds() + seconds, "message_template_status_update", &value);
        world.notify(&told).await.expect(200);
    };
    tell(
        10,
        json!({"event": "PENDING_DELETION", "message_template_id": 1_000_000, "message_template_name": "template_0",
        "message_template_language": "en_US"}),
    )
    .await;
    tell(
        11,
        json!({"event": "DELETED", "message_template_id": 1_000_000, "message_template_name": "template_0",
        "message_template_language": "en_US"}),
    )
    .await;
    tell(12, json!({"event": "REINSTATED", "message_template_id": 1_000_001})).await;
    assert_eq!(found("template_1").await, is("1000001", "APPROVED"));
    tell(13, json!({"event": "DELETED", "message_template_id": 1_000_001})).await;
    assert_eq!(found("template_1").await, None);
}

/// On the platform, a template gets its successor's name only after it was deleted, but both can be in one list.
#[tokio::test]
async fn a_name_belongs_to_the_newest_of_its_templates() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "916").await;
    let found = async || named(&world, &line.profile, "welcome", "en_US").await.map(|(id, _, _)| id);
    let tell = async |id: u64, event: &str, seconds: i64| {
        let value = json!({"event": event, "message_template_id": id, "message_template_name": "welcome",
            "message_template_language": "en_US", "message_template_category": "UTILITY"});
        let at = world.now().seconds() + seconds;
        world.notify(&notification("916", at, "message_template_status_update", &value)).await.expect(200);
    };
    tell(20, "APPROVED", 1).await;
    world.clock.advance(Duration::from_secs(60));
    tell(10, "APPROVED", 1).await;
    assert_eq!(found().await.as_deref(), Some("10"));
    // Updates of the older one change only itself.
    tell(20, "PAUSED", 2).await;
    assert_eq!(found().await.as_deref(), Some("10"));
    tell(20, "DELETED", 3).await;
    assert_eq!(found().await.as_deref(), Some("10"));
    // A sync that finds two: the newer keeps the name, also when it goes in the same sync as it came.
    world.clock.advance(Duration::from_secs(60));
    set_templates(&world, "916", vec![template("10", "welcome"), template("30", "welcome")]);
    world.admin(sync(&line.profile)).await.expect(200);
    assert_eq!(found().await.as_deref(), Some("30"));
    set_templates(&world, "916", vec![template("10", "welcome")]);
    assert_eq!(world.admin(sync(&line.profile)).await.expect(200), counts(0, 0, 1, 1));
    assert_eq!(found().await.as_deref(), Some("10"));
    set_templates(&world, "916", Vec::new());
    world.admin(sync(&line.profile)).await.expect(200);
    assert_eq!(found().await, None);
}

/// Templates from before the item by name existed get theirs by the next sync, which reports no change.
#[tokio::test]
async fn the_next_sync_names_templates_from_before() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "917").await;
    set_templates(&world, "917", many(40));
    world.admin(sync(&line.profile)).await.expect(200);
    for mut item in world.account.stored_items().await {
        let partition = item["PK"].as_s().unwrap().clone();
        if partition.starts_with("TPLNAME#") {
            world.account.remove_item(&item).await;
        } else if partition.starts_with("TPL#") {
            item.remove("isNamed");
            world.account.store_item(item).await;
        }
    }
    assert_eq!(named(&world, &line.profile, "template_7", "en_US").await, None);
    assert_eq!(world.admin(sync(&line.profile)).await.expect(200), counts(0, 0, 0, 40));
    for n in 0..40 {
        let (id, ..) = named(&world, &line.profile, &format!("template_{n}"), "en_US").await.unwrap();
        assert_eq!(id, (1_000_000 + n).to_string());
    }
    assert_eq!((count(&world, "created").await, count(&world, "updated").await), (40, 0));
}

#[tokio::test]
async fn an_update_of_the_components_reaches_lists_and_sends() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "918").await;
    let mut sent = many(1);
    sent[0]["components"] = json!([{"type": "HEADER", "format": "IMAGE"}, {"type": "BODY", "text": "Hello {{1}}"}]);
    set_templates(&world, "918", sent);
    world.admin(sync(&line.profile)).await.expect(200);
    let tell = async |seconds: i64, body: &str| {
        let value = json!({"message_template_id": 1_000_000, "message_template_name": "template_0",
            "message_template_language": "en_US", "message_template_element": body});
        let at = world.now().seconds() + seconds;
        world.notify(&notification("918", at, "message_template_components_update", &value)).await.expect(200);
    };
    tell(20, "Hello {{1}} and {{2}}").await;
    tell(10, "An older text").await;
    let expected = json!([{"type": "HEADER", "format": "IMAGE"}, {"type": "BODY", "text": "Hello {{1}} and {{2}}"}]);
    assert_eq!(listed(&world, &line.profile).await[0]["components"], expected);
    assert_eq!(named(&world, &line.profile, "template_0", "en_US").await.unwrap().2, expected);
    assert_eq!(count(&world, "updated").await, 1);
}
