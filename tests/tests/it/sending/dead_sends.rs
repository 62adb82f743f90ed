//! Queued messages that can never be sent: they take no place in the line of their number, and end as `REFUSED`.

use std::time::Duration;

use aws::queue::QueueEvent;
use domain::job::{Job, Queued as _};
use futures_util::future::join_all;
use serde_json::{Value, json};
use tests::chat::{connect, events};
use tests::request::text;
use tests::sms::linked_number;
use tests::standin::{Misbehave, error};
use tests::{Call, Service as _, World};

const NUMBER: &str = "+12015550100";
const TO: &str = "+12025550123";
const FAILED: &str = "messages.sms.failed";
/// More than an ordinary number sends in a minute.
const BACKLOG: usize = 70;
const AT_ONCE: usize = 10;

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// Queues an SMS message with an app key, and returns its id.
async fn queued(world: &World, key: &str, valid_for: u64) -> String {
    let body = json!({"from": NUMBER, "to": TO, "text": "Hello", "queue": true, "validForSeconds": valid_for});
    text(&world.send(Call::post("/v1/sms").key(key).json(&body)).await.expect(202), "id")
}

/// Queues as many messages as a number does not send in a minute, and lets each take its place in the line.
async fn backlog(world: &World, key: &str, valid_for: u64) -> Vec<String> {
    let mut ids = Vec::new();
    while ids.len() < BACKLOG {
        ids.extend(join_all((0..AT_ONCE).map(|_| queued(world, key, valid_for))).await);
    }
    work(world).await;
    ids
}

async fn work(world: &World) {
    while world.send_queued().await {}
}

/// Lets time pass, and the sweep and the worker do what is due then.
async fn later(world: &World, by: Duration) {
    world.clock.advance(by);
    Box::pin(world.sweep()).await;
    Box::pin(work(world)).await;
}

async fn outcome(world: &World, id: &str) -> String {
    let path = format!("/v1/organization/sms/messages/{id}");
    text(&world.admin(Call::get(path)).await.expect(200), "outcome")
}

async fn outcomes(world: &World, ids: &[String]) -> Vec<String> {
    join_all(ids.iter().map(|id| outcome(world, id))).await
}

fn sends(world: &World) -> usize {
    world.carrier_account.state().sends.len()
}

fn path(app: &str, number: &str) -> String {
    format!("/v1/organization/apps/{app}/phone-numbers/{number}")
}

async fn assign(world: &World, app: &str, number: &str) {
    world.admin(Call::put(path(app, number))).await.expect(200);
}

async fn unassign(world: &World, app: &str, number: &str) {
    world.admin(Call::delete(path(app, number))).await.expect(200);
}

async fn other_app(world: &World) -> (String, String) {
    world.app(&world.org.admin, &json!({"name": "Other"})).await
}

/// Invokes the worker with one batch of these messages.
async fn perform(world: &World, number: &str, ids: &[&String]) {
    let record = |(n, id): (usize, &&String)| {
        let job = Job::Send {
            v: 1,
            organization_id: world.org.id.parse().unwrap(),
            number_id: number.parse().unwrap(),
            message_id: id.parse().unwrap(),
        };
        json!({"messageId": n.to_string(), "receiptHandle": n.to_string(), "body": job.body(None).unwrap()})
    };
    let records: Vec<Value> = ids.iter().enumerate().map(record).collect();
    let event: QueueEvent = serde_json::from_value(json!({"Records": records})).unwrap();
    assert_eq!(Box::pin(world.worker.work(event)).await.batch_item_failures.len(), 0);
}

/// Expects that one of the backlog was sent, and that the others are refused, each with one event.
async fn expect_all_but_one_refused(world: &World, ids: &[String]) {
    let outcomes = outcomes(world, ids).await;
    let count = |wanted: &str| outcomes.iter().filter(|outcome| *outcome == wanted).count();
    assert_eq!((count("ACCEPTED"), count("REFUSED")), (1, BACKLOG - 1), "{outcomes:?}");
    let failed = events(world, &world.org, FAILED).await;
    assert_eq!(failed.iter().filter(|event| event["outcome"] == "REFUSED").count(), BACKLOG - 1);
    assert_eq!(failed.len(), BACKLOG - 1);
    assert!(failed.iter().all(|event| event["errorCode"] == "phone_number_not_assigned"));
}

/// The line of a number that was moved to another app begins anew, although the messages of the first app still wait.
#[tokio::test]
async fn a_dead_backlog_does_not_delay_the_messages_of_the_next_app() {
    let world = World::new().await;
    let number = linked_number(&world, NUMBER).await;
    let (app, key) = other_app(&world).await;
    let dead = backlog(&world, &world.org.app_key, 86_400).await;
    assert_eq!(sends(&world), 1, "a number sends one message per second");
    unassign(&world, &world.org.app, &number).await;
    assign(&world, &app, &number).await;
    world.clock.advance(seconds(1));
    let live = queued(&world, &key, 60).await;
    work(&world).await;
    assert_eq!((outcome(&world, &live).await.as_str(), sends(&world)), ("ACCEPTED", 2), "it waits for nobody");
    // Two more have one second between them, as in any line.
    let two = [queued(&world, &key, 300).await, queued(&world, &key, 300).await];
    work(&world).await;
    for _ in 0..3 {
        later(&world, seconds(63)).await;
    }
    assert_eq!(outcomes(&world, &two).await, ["ACCEPTED", "ACCEPTED"]);
    for _ in 0..3 {
        later(&world, seconds(BACKLOG as u64)).await;
    }
    expect_all_but_one_refused(&world, &dead).await;
    assert_eq!(sends(&world), 4);
}

/// A message that finds no place in the line before its end waits for its end. It was refused before that.
#[tokio::test]
async fn a_dead_message_without_a_place_in_the_line_is_refused_not_expired() {
    let world = World::new().await;
    let number = linked_number(&world, NUMBER).await;
    let dead = backlog(&world, &world.org.app_key, 60).await;
    unassign(&world, &world.org.app, &number).await;
    for _ in 0..3 {
        later(&world, seconds(61)).await;
    }
    expect_all_but_one_refused(&world, &dead).await;
}

/// An app that shares the number with the one that lost it.
#[tokio::test]
async fn a_dead_message_takes_no_slot() {
    let world = World::new().await;
    let number = linked_number(&world, NUMBER).await;
    let (app, key) = other_app(&world).await;
    assign(&world, &app, &number).await;
    let (dead, live) = (queued(&world, &world.org.app_key, 60).await, queued(&world, &key, 60).await);
    unassign(&world, &world.org.app, &number).await;
    perform(&world, &number, &[&dead]).await;
    perform(&world, &number, &[&live]).await;
    let ended = (outcome(&world, &dead).await, outcome(&world, &live).await);
    assert_eq!(ended, ("REFUSED".to_owned(), "ACCEPTED".to_owned()));
}

/// Messages from before stay dead, although the number is the app's again.
#[tokio::test]
async fn a_number_that_comes_back_does_not_send_what_was_queued_before() {
    let world = World::new().await;
    let number = linked_number(&world, NUMBER).await;
    let dead = queued(&world, &world.org.app_key, 3600).await;
    unassign(&world, &world.org.app, &number).await;
    world.clock.advance(seconds(1));
    assign(&world, &world.org.app, &number).await;
    let live = queued(&world, &world.org.app_key, 3600).await;
    perform(&world, &number, &[&dead]).await;
    perform(&world, &number, &[&live]).await;
    let ended = (outcome(&world, &dead).await, outcome(&world, &live).await, sends(&world));
    assert_eq!(ended, ("REFUSED".to_owned(), "ACCEPTED".to_owned(), 1));
}

/// The messages that another app had queued before do not wait behind the dead ones either.
#[tokio::test]
async fn a_dead_backlog_does_not_delay_messages_that_wait_behind_it() {
    let world = World::new().await;
    let number = linked_number(&world, NUMBER).await;
    let (app, key) = other_app(&world).await;
    assign(&world, &app, &number).await;
    let dead = backlog(&world, &world.org.app_key, 86_400).await;
    // One has an appointment behind them, another one none before its end.
    let live = [queued(&world, &key, 600).await, queued(&world, &key, 60).await];
    work(&world).await;
    unassign(&world, &world.org.app, &number).await;
    // The first of the dead messages that comes to its turn.
    world.clock.advance(seconds(2));
    perform(&world, &number, &[dead.last().unwrap(), &dead[1], &dead[2], &dead[3]]).await;
    // One of the two is sent a second after the other. A delayed queue message brings it back, and the queue does not follow
    // the clock of the test. All rounds together stay within the 60 seconds that the second one may wait.
    for _ in 0..50 {
        world.work_off().await;
        later(&world, seconds(1)).await;
        if outcomes(&world, &live).await == ["ACCEPTED", "ACCEPTED"] {
            break;
        }
        tokio::time::sleep(Duration::from_millis(250)).await;
    }
    assert_eq!(outcomes(&world, &live).await, ["ACCEPTED", "ACCEPTED"]);
    world.work_off().await;
    expect_all_but_one_refused(&world, &dead).await;
}

#[tokio::test]
async fn a_deleted_app_delays_no_other_sends() {
    let world = World::new().await;
    let number = linked_number(&world, NUMBER).await;
    let (app, key) = other_app(&world).await;
    assign(&world, &app, &number).await;
    let dead = backlog(&world, &world.org.app_key, 86_400).await;
    world.admin(Call::delete(format!("/v1/organization/apps/{}", world.org.app))).await.expect(200);
    world.clock.advance(seconds(1));
    let live = queued(&world, &key, 60).await;
    work(&world).await;
    assert_eq!(outcome(&world, &live).await, "ACCEPTED");
    for _ in 0..3 {
        later(&world, seconds(BACKLOG as u64)).await;
    }
    expect_all_but_one_refused(&world, &dead).await;
}

/// A linked number that was deleted sends nothing while it is unlinked, and nothing after that.
#[tokio::test]
async fn the_messages_of_a_deleted_number_are_refused() {
    let world = World::new().await;
    let number = linked_number(&world, NUMBER).await;
    let dead = backlog(&world, &world.org.app_key, 60).await;
    world.admin(Call::delete(format!("/v1/organization/phone-numbers/{number}"))).await.expect(200);
    later(&world, seconds(5)).await;
    world.work_off().await;
    for _ in 0..3 {
        later(&world, seconds(61)).await;
    }
    expect_all_but_one_refused(&world, &dead).await;
}

/// The pause of a number outlasts its line: the provider asked for it.
#[tokio::test]
async fn a_line_that_begins_anew_keeps_the_pause_of_its_number() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "2661").await;
    let (app, key) = other_app(&world).await;
    let send = |key: String, to: &str| {
        let body = json!({"from": line.number, "to": to, "type": "text", "text": {"body": "Hello"}, "queue": true});
        Call::post("/v1/chat/messages").key(&key).json(&body)
    };
    let limit = Misbehave::Status(400, error(130_429, "refused").to_string());
    world.platform.misbehave(&format!("{}/messages", line.platform_number), limit, 1);
    let dead = text(&world.send(send(world.org.app_key.clone(), "+16505551234")).await.expect(202), "id");
    work(&world).await;
    unassign(&world, &world.org.app, &line.number).await;
    assign(&world, &app, &line.number).await;
    let live = text(&world.send(send(key, "+16505551235")).await.expect(202), "id");
    work(&world).await;
    world.clock.advance(seconds(8));
    perform(&world, &line.number, &[&live, &dead]).await;
    let state = async |id: &str| text(&line.details(&world, id).await, "outcome");
    assert_eq!((state(&live).await.as_str(), state(&dead).await.as_str()), ("PENDING", "REFUSED"));
    world.clock.advance(seconds(12));
    perform(&world, &line.number, &[&live]).await;
    assert_eq!(state(&live).await, "ACCEPTED");
}
