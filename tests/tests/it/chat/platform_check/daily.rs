//! The daily check of each live profile: when it is made, what of it is stored and shown, and what is counted.

use std::collections::BTreeMap;
use std::time::Duration;

use domain::port::Clock as _;
use serde_json::{Value, json};
use tests::catalogue::PROFILES;
use tests::chat::{Line, connect, notification};
use tests::request::text;
use tests::standin::{APP_ID, Misbehave};
use tests::{Call, Service as _, World};

use super::DAY;

/// The time at which the profile's next check is due.
async fn due_at(world: &World, line: &Line) -> Option<i64> {
    let items = world.account.items().await;
    let item = items.iter().find(|item| item.get("id").is_some_and(|id| *id == line.profile)).unwrap();
    assert_eq!(item.contains_key("dueAt"), item.contains_key("duePartition"));
    item.get("dueAt").map(|at| at.parse().unwrap())
}

/// How long it takes until a time.
fn until(world: &World, at: i64) -> Duration {
    Duration::from_millis(u64::try_from(at - world.now().millis()).unwrap())
}

/// Lets the time come at which the profile is due, sweeps, and lets the worker make the check.
async fn next_day(world: &World, line: &Line) {
    let at = due_at(world, line).await.unwrap();
    world.clock.advance(until(world, at).saturating_sub(Duration::from_millis(1)));
    world.sweep().await;
    world.work_off().await;
    assert_eq!(due_at(world, line).await, Some(at), "not before its time");

    world.clock.advance(Duration::from_millis(1));
    world.sweep().await;
    world.work_off().await;
    assert_eq!(due_at(world, line).await, Some(at + DAY * 1000));
}

/// The health of the profile, as it shows it itself and in the list.
async fn shown_health(world: &World, line: &Line) -> Option<Value> {
    let one = world.admin(Call::get(format!("{PROFILES}/{}", line.profile))).await.expect(200);
    let list = world.admin(Call::get(PROFILES)).await.expect(200);
    assert!(list["data"].as_array().unwrap().contains(&one), "the list shows the same");
    one.get("health").cloned()
}

/// The health of a profile that the next check finds.
async fn health_on_the_next_day(world: &World, line: &Line) -> Value {
    next_day(world, line).await;
    shown_health(world, line).await.unwrap()
}

/// The metrics of the checks since the last call of this function, except those that are zero.
fn counted(world: &World) -> BTreeMap<&'static str, u64> {
    let names = ["AppProblems", "TokenProblems", "AccountProblems", "NumberProblems", "UncheckedProfiles"];
    let lines = world.metrics.json();
    world.metrics.clear();
    let value = |name: &str| lines.iter().filter_map(|line| line[name].as_u64()).sum();
    names.into_iter().map(|name| (name, value(name))).filter(|(_, count)| *count > 0).collect()
}

#[tokio::test]
async fn live_profiles_are_checked_every_day() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "5109").await;
    assert_eq!(shown_health(&world, &line).await, None);

    let health = health_on_the_next_day(&world, &line).await;
    let now = serde_json::to_value(world.clock.now()).unwrap();
    assert_eq!(health, json!({"status": "OK", "checkedAt": now, "problems": []}));
    assert_eq!(counted(&world), BTreeMap::new());

    // Every kind of problem is stored and counted.
    let ends = world.now().seconds() + 3 * DAY;
    world.platform.say("token-5109", json!({"expires_at": ends}));
    world.platform.say(APP_ID, json!({"fields": []}));
    world.platform.say("5109", json!({"account_review_status": "REJECTED"}));
    world.platform.say(&line.platform_number, json!({"quality_rating": "RED", "name_status": "PENDING_REVIEW"}));
    let health = health_on_the_next_day(&world, &line).await;
    assert_eq!(health["status"], "FAILED");
    let need = world.attention().await[0].clone();
    assert_eq!((&need["kind"], &need["target"]["id"]), (&json!("PROFILE_FAILED"), &json!(line.profile)));
    assert_eq!(need["since"], health["checkedAt"]);
    assert!(need["message"].as_str().unwrap().ends_with("There are 4 more problems."), "{need}");
    world.expect_complete_attention().await;
    let problems = health["problems"].as_array().unwrap().iter();
    let found: Vec<String> = problems.map(|problem| text(problem, "check") + " " + &text(problem, "status")).collect();
    let expected = [
        "callback_fields FAILED",
        "account_review FAILED",
        "number_quality FAILED",
        "token_expiry WARNING",
        "number_name WARNING",
    ];
    assert_eq!(found, expected);
    let expected = [("AppProblems", 1), ("TokenProblems", 1), ("AccountProblems", 1), ("NumberProblems", 1)];
    assert_eq!(counted(&world), BTreeMap::from(expected));

    // The platform does not respond: the check could not be made, and is made again on the next day.
    world.platform.state().said.clear();
    world.platform.misbehave("/debug_token", Misbehave::HangUp, u32::MAX);
    let health = health_on_the_next_day(&world, &line).await;
    assert_eq!(health["status"], "WARNING");
    assert_eq!(health["problems"][0]["check"], "reachability");
    assert_eq!(world.needs().await, [("PROFILE_LIMITED".to_owned(), line.profile.clone())]);
    assert_eq!(counted(&world), BTreeMap::from([("UncheckedProfiles", 1)]));

    world.platform.state().misbehave.clear();
    assert_eq!(health_on_the_next_day(&world, &line).await["status"], "OK");
    assert_eq!(world.needs().await, []);
    assert!(world.dead_letters().await.is_empty());
}

#[tokio::test]
async fn a_disconnected_profile_is_not_checked_until_it_is_connected_again() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "5110").await;
    let tell = async |event: &str, seconds: i64| {
        let told = notification("5110", 2_100_000_000 + seconds, "account_update", &json!({"event": event}));
        world.notify(&told).await.expect(200)
    };

    // The job is already in the queue when the account is disconnected.
    let at = due_at(&world, &line).await.unwrap();
    world.clock.advance(until(&world, at));
    world.sweep().await;
    tell("PARTNER_REMOVED", 0).await;
    world.platform.state().seen.clear();
    world.work_off().await;
    assert_eq!((due_at(&world, &line).await, world.platform.state().seen.len()), (None, 0));
    assert_eq!(shown_health(&world, &line).await, None);

    tell("ACCOUNT_RECONNECTED", 10).await;
    assert!(due_at(&world, &line).await.is_some_and(|at| at > world.now().millis()));
    assert_eq!(health_on_the_next_day(&world, &line).await["status"], "OK");
    assert!(world.dead_letters().await.is_empty());
}

/// Profiles that were connected before there was a check join it with the next change.
#[tokio::test]
async fn profiles_of_an_earlier_release_join_the_checks() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "5111").await;
    let items = world.account.stored_items().await;
    let is_profile = |id: &aws_sdk_dynamodb::types::AttributeValue| id.as_s().is_ok_and(|id| *id == line.profile);
    let mut item = items.into_iter().find(|item| item.get("id").is_some_and(is_profile)).unwrap();
    item.remove("dueAt");
    item.remove("duePartition");
    world.account.store_item(item).await;
    assert_eq!(due_at(&world, &line).await, None);

    let approved = notification("5111", 2_100_000_000, "account_review_update", &json!({"decision": "APPROVED"}));
    world.notify(&approved).await.expect(200);
    assert!(due_at(&world, &line).await.is_some());
    assert_eq!(health_on_the_next_day(&world, &line).await["status"], "OK");
}
