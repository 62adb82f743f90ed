//! Queued messages. The tests are named after the rows of the table in docs/adr/0026-queued-sends.md.

use std::collections::BTreeMap;
use std::time::Duration;

use aws::queue::{Job, QueueEvent, Queued as _};
use runtime::Metric;
use serde_json::{Value, json};
use tests::chat::{Line, connect, events, notification};
use tests::faults::{Fault, Outage};
use tests::request::text;
use tests::samples::PNG;
use tests::standin::{self, Misbehave, error};
use tests::{Call, Service as _, World, privileges};

const DAY: Duration = Duration::from_secs(86_400);
/// After this time, the sweep queues a message whose queue message was lost.
const QUEUED_AGAIN: Duration = Duration::from_secs(61);
/// After this time, an attempt without an outcome is unknown.
const UNRESOLVED: Duration = Duration::from_secs(121);

const TO: &str = "+16505551234";

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn to(number: &str) -> Value {
    json!({"to": number, "type": "text", "text": {"body": "Hello"}})
}

fn hello() -> Value {
    to(TO)
}

fn valid_for(seconds: u64) -> Value {
    let mut body = hello();
    body["validForSeconds"] = json!(seconds);
    body
}

/// A request that queues a message.
fn request(line: &Line, message: &Value) -> Call {
    let mut body = json!({"from": line.number, "queue": true});
    body.as_object_mut().unwrap().extend(message.as_object().unwrap().clone());
    Call::post("/v1/chat/messages").key(&line.org.app_key).json(&body)
}

/// Queues a message through the API.
async fn queued(world: &World, line: &Line, message: &Value) -> String {
    let waiting = world.send(request(line, message)).await.expect(202);
    assert_eq!(waiting["outcome"], "PENDING");
    text(&waiting, "id")
}

/// Queues a message whose first queue message is lost.
async fn stored(world: &World, line: &Line, message: &Value) -> String {
    let id = queued(world, line, message).await;
    // Messages that wait for an appointment may be in the queue, too.
    for _ in 0..10 {
        if world.take(&world.account.sends).await.iter().any(|body| body.contains(&id)) {
            return id;
        }
    }
    panic!("the message is not in the queue");
}

fn job(line: &Line, id: &str) -> Job {
    Job::Send {
        v: 1,
        organization_id: line.org.id.parse().unwrap(),
        number_id: line.number.parse().unwrap(),
        message_id: id.parse().unwrap(),
    }
}

/// Invokes the worker with these jobs, as messages of batches. Returns how many failed.
async fn perform(world: &World, jobs: impl AsRef<[Job]>) -> usize {
    let record = |(n, job): (usize, &Job)| json!({"messageId": n.to_string(), "receiptHandle": n.to_string(), "body": job.body().unwrap()});
    let mut failed = 0;
    for batch in jobs.as_ref().chunks(10) {
        let records: Vec<Value> = batch.iter().enumerate().map(record).collect();
        let event: QueueEvent = serde_json::from_value(json!({"Records": records})).unwrap();
        failed += Box::pin(world.worker.work(event)).await.batch_item_failures.len();
    }
    failed
}

async fn outcome(world: &World, line: &Line, id: &str) -> String {
    text(&line.details(world, id).await, "outcome")
}

fn posts(world: &World, line: &Line) -> usize {
    world.platform.seen(&format!("{}/messages", line.platform_number)).len()
}

/// How many requests the platform has got for this message.
fn posts_of(world: &World, id: &str) -> usize {
    let seen = world.platform.seen("/messages");
    seen.iter().filter(|seen| text(&seen.json(), "biz_opaque_callback_data").ends_with(id)).count()
}

/// The messages of the table that are due, or wait to be.
async fn due(world: &World) -> usize {
    let items = world.account.items().await;
    items.iter().filter(|item| item.contains_key("dueAt") && item["PK"].starts_with("MSG#")).count()
}

/// How many messages wait in the queue for the end of their delay.
async fn delayed(world: &World) -> String {
    let name = aws_sdk_sqs::types::QueueAttributeName::ApproximateNumberOfMessagesDelayed;
    let call = world.account.sqs.get_queue_attributes().queue_url(&world.account.sends).attribute_names(name.clone());
    call.send().await.unwrap().attributes.unwrap()[&name].clone()
}

/// The items that count the slots of numbers.
async fn pace_of(world: &World) -> Vec<BTreeMap<String, String>> {
    let items = world.account.items().await.into_iter();
    items.filter(|item| item["PK"].starts_with("PACE#") && item.contains_key("taken")).collect()
}

/// Lets time pass, and the sweep and the worker do what is due then.
async fn later(world: &World, by: Duration) {
    world.clock.advance(by);
    Box::pin(world.sweep()).await;
    Box::pin(work(world)).await;
}

fn refuse(world: &World, line: &Line, code: i64, times: u32) {
    let body = error(code, "refused").to_string();
    world.platform.misbehave(&format!("{}/messages", line.platform_number), Misbehave::Status(400, body), times);
}

/// Works off the queue of messages to send, as far as they are not delayed.
async fn work(world: &World) {
    while world.send_queued().await {}
}

#[tokio::test]
async fn a_queued_message_is_sent_once() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "2601").await;
    let id = queued(&world, &line, &hello()).await;
    assert_eq!((outcome(&world, &line, &id).await.as_str(), posts(&world, &line)), ("PENDING", 0));
    work(&world).await;
    let sent = line.details(&world, &id).await;
    assert_eq!((&sent["outcome"], &sent["providerMessageId"]), (&json!("ACCEPTED"), &json!("wamid.sent.1")));
    let seen = world.platform.seen("/messages");
    let body = seen[0].json();
    assert_eq!((seen.len(), &body["text"]["body"], &body["to"]), (1, &json!("Hello"), &json!(TO)));
    assert_eq!(body["biz_opaque_callback_data"], format!("{}:{id}", line.org.id));
    assert_eq!(due(&world).await, 0);
    later(&world, DAY).await;
    assert_eq!(posts(&world, &line), 1);
    assert!(events(&world, &world.org, "messages.chat.failed").await.is_empty());
}

#[tokio::test]
async fn the_sweep_queues_a_message_whose_queue_message_was_lost() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "2602").await;
    let id = stored(&world, &line, &hello()).await;
    later(&world, seconds(58)).await;
    assert_eq!(posts(&world, &line), 0, "not before its time");
    later(&world, seconds(3)).await;
    assert_eq!((outcome(&world, &line, &id).await.as_str(), posts(&world, &line)), ("ACCEPTED", 1));
}

/// SQS may deliver a message twice, and the sweep may queue one that waits in the queue.
#[tokio::test]
async fn a_queue_message_that_finds_an_attempt_changes_nothing() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "2603").await;
    let id = stored(&world, &line, &hello()).await;
    perform(&world, [job(&line, &id)]).await;
    let before = world.account.items().await;
    assert_eq!(perform(&world, [job(&line, &id), job(&line, &id)]).await, 0);
    assert_eq!(world.account.items().await, before);
    // The same while the first attempt is under way.
    let id = stored(&world, &line, &hello()).await;
    let held = world.platform.hold("/messages");
    let second = async {
        held.arrived().await;
        assert_eq!(posts_of(&world, &id), 1, "the attempt is under way");
        let before = world.account.items().await;
        assert_eq!(perform(&world, [job(&line, &id)]).await, 0);
        assert_eq!(world.account.items().await, before);
        held.end();
    };
    tokio::join!(perform(&world, [job(&line, &id)]), second);
    assert_eq!((outcome(&world, &line, &id).await.as_str(), posts_of(&world, &id)), ("ACCEPTED", 1));
}

#[tokio::test]
async fn of_concurrent_workers_one_makes_the_attempt() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "2604").await;
    for _ in 0..5 {
        let id = stored(&world, &line, &hello()).await;
        let jobs = vec![job(&line, &id); 8];
        assert_eq!(perform(&world, &jobs).await, 0);
        assert_eq!((outcome(&world, &line, &id).await.as_str(), posts_of(&world, &id)), ("ACCEPTED", 1));
    }
}

/// Whatever call a worker is stopped before: the message is sent once if the attempt had not begun, and is never sent
/// again if it had.
#[tokio::test]
async fn a_worker_that_is_stopped_anywhere_sends_once_at_most() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "2605").await;
    let mut ends: BTreeMap<(String, usize), u32> = BTreeMap::new();
    for step in 0.. {
        let id = stored(&world, &line, &hello()).await;
        world.faults.set(Fault::StoppedAfter(step));
        let is_whole = tokio::select! {
            _ = perform(&world, [job(&line, &id)]) => true,
            () = world.faults.struck() => false,
        };
        world.faults.clear();
        later(&world, QUEUED_AGAIN).await;
        later(&world, UNRESOLVED).await;
        let end = (outcome(&world, &line, &id).await, posts_of(&world, &id));
        *ends.entry(end.clone()).or_default() += 1;
        if is_whole {
            assert_eq!(end, ("ACCEPTED".to_owned(), 1));
            break;
        }
    }
    let allowed = [("ACCEPTED", 1), ("UNKNOWN", 0), ("UNKNOWN", 1)];
    assert!(ends.keys().all(|(outcome, posts)| allowed.contains(&(outcome.as_str(), *posts))), "{ends:?}");
    assert!(ends[&("ACCEPTED".to_owned(), 1)] > 3 && ends[&("UNKNOWN".to_owned(), 1)] > 0, "{ends:?}");
    assert_eq!(due(&world).await, 0);
}

/// The same with a rate limit: the attempt is taken back in one write, so that no state in between can be left.
#[tokio::test]
async fn a_worker_that_is_stopped_anywhere_after_a_rate_limit_loses_nothing() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "2606").await;
    let mut ends: BTreeMap<(String, usize), u32> = BTreeMap::new();
    for step in 0.. {
        let id = stored(&world, &line, &hello()).await;
        refuse(&world, &line, 130_429, 1);
        world.faults.set(Fault::StoppedAfter(step));
        let is_whole = tokio::select! {
            _ = perform(&world, [job(&line, &id)]) => true,
            () = world.faults.struck() => false,
        };
        world.faults.clear();
        world.platform.state().misbehave.clear();
        for _ in 0..3 {
            later(&world, UNRESOLVED).await;
        }
        *ends.entry((outcome(&world, &line, &id).await, posts_of(&world, &id))).or_default() += 1;
        if is_whole {
            break;
        }
        // The pause of the number is over and forgotten.
        world.clock.advance(DAY);
    }
    // UNKNOWN: the worker was stopped between the platform's refusal and the write that takes the attempt back.
    let allowed = [("ACCEPTED", 1), ("ACCEPTED", 2), ("UNKNOWN", 0), ("UNKNOWN", 1)];
    assert!(ends.keys().all(|(outcome, posts)| allowed.contains(&(outcome.as_str(), *posts))), "{ends:?}");
    assert!(ends[&("ACCEPTED".to_owned(), 2)] > 0 && ends[&("UNKNOWN".to_owned(), 1)] > 0, "{ends:?}");
}

#[tokio::test]
async fn the_sweep_leaves_a_message_alone_whose_attempt_is_under_way() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "2607").await;
    let id = stored(&world, &line, &valid_for(61)).await;
    let held = world.platform.hold("/messages");
    let sweep = async {
        held.arrived().await;
        // Both the next queue message and the end would be due.
        world.clock.advance(seconds(62));
        world.sweep().await;
        assert!(!world.send_queued().await, "it is not queued again");
        assert_eq!(outcome(&world, &line, &id).await, "PENDING");
        held.end();
    };
    tokio::join!(perform(&world, [job(&line, &id)]), sweep);
    assert_eq!((outcome(&world, &line, &id).await.as_str(), posts(&world, &line)), ("ACCEPTED", 1));
}

#[tokio::test]
async fn a_late_response_replaces_unknown() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "2608").await;
    let id = stored(&world, &line, &hello()).await;
    let held = world.platform.hold("/messages");
    let sweep = async {
        held.arrived().await;
        world.clock.advance(UNRESOLVED);
        world.sweep().await;
        assert_eq!(outcome(&world, &line, &id).await, "UNKNOWN");
        held.end();
    };
    tokio::join!(perform(&world, [job(&line, &id)]), sweep);
    assert_eq!((outcome(&world, &line, &id).await.as_str(), posts(&world, &line)), ("ACCEPTED", 1));
}

#[tokio::test]
async fn an_unknown_outcome_is_never_tried_again() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "2609").await;
    for how in [
        Misbehave::Status(500, "oops".to_owned()),
        Misbehave::Status(200, "{".to_owned()),
        Misbehave::Status(400, error(131_000, "something went wrong").to_string()),
        Misbehave::CutOff,
    ] {
        let id = queued(&world, &line, &hello()).await;
        world.platform.misbehave("/messages", how.clone(), 1);
        work(&world).await;
        assert_eq!(outcome(&world, &line, &id).await, "UNKNOWN", "{how:?}");
        later(&world, UNRESOLVED).await;
        later(&world, DAY).await;
        assert_eq!((outcome(&world, &line, &id).await.as_str(), posts_of(&world, &id)), ("UNKNOWN", 1), "{how:?}");
    }
}

/// Three limits pause the number: nobody sends from it until the pause is over.
#[tokio::test]
async fn a_rate_limit_of_the_number_pauses_it() {
    for (account, code, pause) in [("2610", 130_429, 10), ("2611", 4, 60), ("2612", 80_007, 60)] {
        let world = World::new().await;
        let line = connect(&world, &world.org, account).await;
        refuse(&world, &line, code, 1);
        let first = stored(&world, &line, &hello()).await;
        perform(&world, [job(&line, &first)]).await;
        let waits = line.details(&world, &first).await;
        assert_eq!((&waits["outcome"], waits.get("errorCode")), (&json!("PENDING"), None), "{code}");
        let second = stored(&world, &line, &to("+16505551235")).await;
        world.clock.advance(seconds(pause - 2));
        perform(&world, [job(&line, &first), job(&line, &second)]).await;
        assert_eq!(posts(&world, &line), 1, "{code}: the number pauses");
        later(&world, seconds(2 + 2 * 60 + 10)).await;
        assert_eq!((posts_of(&world, &first), posts_of(&world, &second)), (2, 1), "{code}");
        for id in [first, second] {
            assert_eq!(outcome(&world, &line, &id).await, "ACCEPTED", "{code}");
        }
        assert!(events(&world, &world.org, "messages.chat.failed").await.is_empty());
    }
}

#[tokio::test]
async fn a_limit_of_the_pair_delays_that_recipient_only() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "2613").await;
    refuse(&world, &line, 131_056, 2);
    let first = stored(&world, &line, &hello()).await;
    perform(&world, [job(&line, &first)]).await;
    let (same, other) = (stored(&world, &line, &hello()).await, stored(&world, &line, &to("+16505551235")).await);
    world.clock.advance(seconds(4));
    let pace = pace_of(&world).await;
    perform(&world, [job(&line, &same), job(&line, &first)]).await;
    assert_eq!((posts_of(&world, &first), posts_of(&world, &same)), (1, 0), "the recipient waits six seconds");
    assert_eq!(pace_of(&world).await, pace, "a message that cannot be sent takes no slot");
    // Another recipient does not wait. Its attempt gets the second refusal, which delays it, and nobody else.
    perform(&world, [job(&line, &other)]).await;
    assert_eq!(posts_of(&world, &other), 1);
    world.clock.advance(seconds(8));
    refuse(&world, &line, 131_056, 1);
    perform(&world, [job(&line, &first)]).await;
    assert_eq!(posts_of(&world, &first), 2);
    world.clock.advance(seconds(22));
    perform(&world, [job(&line, &same), job(&line, &first)]).await;
    assert_eq!((posts_of(&world, &first), posts_of(&world, &same)), (2, 0), "now four times as long");
    later(&world, seconds(90)).await;
    later(&world, seconds(90)).await;
    for id in [first, same, other] {
        assert_eq!(outcome(&world, &line, &id).await, "ACCEPTED");
    }
}

/// The platform did certainly not take the message, and may take it later.
#[tokio::test]
async fn an_unavailable_platform_makes_messages_wait() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "2614").await;
    for code in [131_057, 133_004] {
        refuse(&world, &line, code, 1);
        let id = queued(&world, &line, &hello()).await;
        work(&world).await;
        assert_eq!((outcome(&world, &line, &id).await.as_str(), posts_of(&world, &id)), ("PENDING", 1), "{code}");
        later(&world, seconds(80)).await;
        assert_eq!((outcome(&world, &line, &id).await.as_str(), posts_of(&world, &id)), ("ACCEPTED", 2), "{code}");
    }
}

#[tokio::test]
async fn a_final_refusal_ends_the_message_and_is_an_event() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "2615").await;
    refuse(&world, &line, 131_047, 1);
    let id = queued(&world, &line, &hello()).await;
    work(&world).await;
    let refused = line.details(&world, &id).await;
    assert_eq!(
        (&refused["outcome"], &refused["errorCode"]),
        (&json!("REFUSED"), &json!("conversation_window_expired"))
    );
    let failed = events(&world, &world.org, "messages.chat.failed").await;
    assert_eq!((failed.len(), &failed[0]["id"], &failed[0]["outcome"]), (1, &json!(id), &json!("REFUSED")));
    later(&world, DAY).await;
    assert_eq!((posts(&world, &line), events(&world, &world.org, "messages.chat.failed").await.len()), (1, 1));
}

#[tokio::test]
async fn a_message_that_is_not_sent_in_time_expires() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "2616").await;
    // By the sweep, by the worker, and by both at once.
    for who in 0..3 {
        let id = stored(&world, &line, &valid_for(30)).await;
        world.clock.advance(seconds(31));
        let worker = async { if who > 0 { perform(&world, [job(&line, &id)]).await } else { 0 } };
        let sweep = async { if who != 1 { world.sweep().await.done } else { 0 } };
        tokio::join!(worker, sweep);
        let expired = line.details(&world, &id).await;
        assert_eq!((&expired["outcome"], expired["errorMessage"].is_string()), (&json!("EXPIRED"), true), "{who}");
        let failed = events(&world, &world.org, "messages.chat.failed").await;
        let of_it: Vec<_> = failed.iter().filter(|event| event["id"] == id).collect();
        assert_eq!((of_it.len(), &of_it[0]["outcome"]), (1, &json!("EXPIRED")), "{who}");
        work(&world).await;
    }
    assert_eq!((posts(&world, &line), due(&world).await), (0, 0));
}

/// What no longer holds at its turn refuses a message, with the code of the direct send.
#[tokio::test]
async fn what_no_longer_holds_refuses_a_message() {
    let world = World::new().await;
    let app = format!("/v1/organization/apps/{}", world.org.app);
    let upload = Call::post("/v1/media").key(&world.org.app_key).file("a.png", None, PNG);
    let media = text(&world.send(upload).await.expect(201), "id");
    let cases = [
        ("a disconnected account", "chat_not_configured"),
        ("an expired token", "chat_not_configured"),
        ("a paused template", "template_not_found"),
        ("a deleted medium", ""),
        ("a number taken off the app", "phone_number_not_assigned"),
        ("a deleted app", "phone_number_not_assigned"),
    ];
    for (n, (what, code)) in cases.into_iter().enumerate() {
        let account = format!("262{n}");
        let line = connect(&world, &world.org, &account).await;
        let tell = async |field: &str, value: Value| {
            world.notify(&notification(&account, 2_000_000_000 + n as i64, field, &value)).await.expect(200);
        };
        let template = json!({"message_template_id": 7, "message_template_name": "t", "message_template_language": "en_US",
            "message_template_category": "UTILITY"});
        let content = match what {
            "a paused template" => {
                let mut listed = standin::template("7", "t");
                listed["components"] = json!([{"type": "BODY", "text": "Hello"}]);
                world.platform.state().accounts.get_mut(&account).unwrap().templates = vec![listed];
                let sync = json!({"chatBusinessProfileId": line.profile});
                world.admin(Call::post("/v1/organization/chat/templates/sync").json(&sync)).await.expect(200);
                json!({"to": TO, "type": "template", "template": {"name": "t", "language": "en_US"}})
            }
            "a deleted medium" => json!({"to": TO, "type": "image", "image": {"mediaId": media}}),
            _ => hello(),
        };
        let sendable = queued(&world, &line, &content).await;
        work(&world).await;
        assert_eq!(outcome(&world, &line, &sendable).await, "ACCEPTED", "{what}: it holds before");
        for seen in world.platform.seen("/messages") {
            privileges::note_presigned_in("worker", &seen.json().to_string());
        }
        let id = queued(&world, &line, &content).await;
        match what {
            "a disconnected account" => tell("account_update", json!({"event": "PARTNER_REMOVED"})).await,
            "an expired token" => expire_token(&world, &line).await,
            "a paused template" => {
                let mut paused = template.clone();
                paused["event"] = json!("PAUSED");
                tell("message_template_status_update", paused).await;
            }
            "a deleted medium" => {
                world.send(Call::delete(format!("/v1/media/{media}")).key(&world.org.app_key)).await.expect(200);
            }
            "a number taken off the app" => {
                world.admin(Call::delete(format!("{app}/phone-numbers/{}", line.number))).await.expect(200);
            }
            _ => {
                world.admin(Call::delete(&app)).await.expect(200);
            }
        }
        work(&world).await;
        let refused = line.details(&world, &id).await;
        assert_eq!((&refused["outcome"], posts_of(&world, &id)), (&json!("REFUSED"), 0), "{what}");
        // A reason without a code of this API has none.
        let expected = if code.is_empty() { Value::Null } else { json!(code) };
        assert_eq!((&refused["errorCode"], refused["errorMessage"].is_string()), (&expected, true), "{what}");
        let failed = events(&world, &world.org, "messages.chat.failed").await;
        assert_eq!(failed.iter().filter(|event| event["id"] == id).count(), 1, "{what}");
    }
}

/// Sets the end of the token, as a signup with a token of that end does.
async fn expire_token(world: &World, line: &Line) {
    use aws_sdk_dynamodb::types::AttributeValue;
    change_profile(world, line, "tokenExpiresAt", AttributeValue::S(world.now().to_string())).await;
}

async fn change_profile(world: &World, line: &Line, name: &str, to: aws_sdk_dynamodb::types::AttributeValue) {
    let items = world.account.stored_items().await;
    let mut profile = items
        .into_iter()
        .find(|item| {
            let is = |name: &str, test: &dyn Fn(&str) -> bool| item[name].as_s().is_ok_and(|text| test(text));
            is("PK", &|text| text.starts_with("WABP#")) && is("SK", &|text| line.profile.ends_with(text))
        })
        .unwrap();
    profile.insert(name.to_owned(), to);
    world.account.store_item(profile).await;
}

#[tokio::test]
async fn a_number_sends_as_many_messages_a_second_as_the_platform_accepts() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "2630").await;
    let mut jobs = Vec::new();
    for n in 0..82 {
        jobs.push(job(&line, &stored(&world, &line, &to(&format!("+1650555{n:04}"))).await));
    }
    perform(&world, &jobs).await;
    assert_eq!(posts(&world, &line), 80);
}

/// Messages that found no slot come back at their appointments, before those that arrive later.
#[tokio::test]
async fn messages_with_an_appointment_come_before_new_ones() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "2631").await;
    // Its pace is 20 messages a second.
    set_coexistence(&world, &line).await;
    let mut jobs = Vec::new();
    for n in 0..51 {
        jobs.push(job(&line, &stored(&world, &line, &to(&format!("+1650555{n:04}"))).await));
    }
    let new = jobs.pop().unwrap();
    perform(&world, &jobs).await;
    assert_eq!(posts(&world, &line), 20);
    // The others have appointments in the next two seconds. The new message gets one after them, although there are slots.
    world.clock.advance(seconds(1));
    perform(&world, [new.clone()]).await;
    assert_eq!(posts(&world, &line), 20);
    world.clock.advance(seconds(3));
    jobs.push(new);
    perform(&world, &jobs).await;
    assert_eq!(posts(&world, &line), 40, "all appointments have come, and a second has 20 slots");
    // The rest comes back by its queue messages, whose delays are those of the queue.
    world.clock.advance(seconds(3));
    tokio::time::sleep(seconds(3)).await;
    work(&world).await;
    assert_eq!(posts(&world, &line), 51);
    later(&world, seconds(200)).await;
    assert_eq!(posts(&world, &line), 51);
}

/// SQS may deliver a queue message twice, and the sweep may queue a message that waits in the queue: neither gives the
/// message another appointment.
#[tokio::test]
async fn a_message_with_an_appointment_gets_no_second_one() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "2632").await;
    refuse(&world, &line, 130_429, 1);
    let first = stored(&world, &line, &hello()).await;
    perform(&world, [job(&line, &first)]).await;
    let second = stored(&world, &line, &to("+16505551235")).await;
    perform(&world, [job(&line, &second)]).await;
    let before = world.account.items().await;
    for _ in 0..3 {
        assert_eq!(perform(&world, [job(&line, &first), job(&line, &second)]).await, 0);
    }
    assert_eq!(world.account.items().await, before);
    // Of concurrent first turns, one makes the appointment and queues the message.
    let third = stored(&world, &line, &to("+16505551236")).await;
    perform(&world, vec![job(&line, &third); 4]).await;
    assert_eq!(delayed(&world).await, "3", "one queue message for each");
    world.clock.advance(seconds(20));
    perform(&world, [job(&line, &first), job(&line, &second), job(&line, &third)]).await;
    assert_eq!((posts_of(&world, &first), posts_of(&world, &second), posts_of(&world, &third)), (2, 1, 1));
}

/// A job that names another number than its message would take that number's slots. It can never be right.
#[tokio::test]
async fn a_job_names_the_number_of_its_message() {
    let world = World::new().await;
    let (line, other) = (connect(&world, &world.org, "2633").await, connect(&world, &world.org, "2634").await);
    let id = stored(&world, &line, &hello()).await;
    let before = world.account.items().await;
    perform(&world, [job(&other, &id)]).await;
    assert_eq!((posts_of(&world, &id), world.account.items().await), (0, before));
    let dead = world.dead_letters().await;
    assert!(dead.len() == 1 && dead[0].contains(&id), "{dead:?}");
    perform(&world, [job(&line, &id)]).await;
    assert_eq!((outcome(&world, &line, &id).await.as_str(), posts_of(&world, &id)), ("ACCEPTED", 1));
}

/// What cannot be queued or read is not lost: the message is due in the table.
#[tokio::test]
async fn an_outage_delays_messages_and_loses_none() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "2640").await;
    for outage in [Outage::Throttling, Outage::Failing] {
        let id = queued(&world, &line, &hello()).await;
        world.faults.set(Fault::TableDown(outage));
        world.send_queued().await;
        world.faults.clear();
        assert_eq!((outcome(&world, &line, &id).await.as_str(), posts_of(&world, &id)), ("PENDING", 0));
        later(&world, QUEUED_AGAIN).await;
        assert_eq!((outcome(&world, &line, &id).await.as_str(), posts_of(&world, &id)), ("ACCEPTED", 1));
    }
    // The queue takes nothing: neither the first message of a request nor the one with which a message comes back.
    world.faults.set(Fault::BucketSilent);
    let id = queued(&world, &line, &hello()).await;
    world.faults.clear();
    assert!(!world.send_queued().await, "nothing is in the queue");
    later(&world, QUEUED_AGAIN).await;
    assert_eq!((outcome(&world, &line, &id).await.as_str(), posts_of(&world, &id)), ("ACCEPTED", 1));
    refuse(&world, &line, 131_056, 1);
    let id = stored(&world, &line, &hello()).await;
    world.faults.set(Fault::BucketSilent);
    assert_eq!(perform(&world, [job(&line, &id)]).await, 0, "the sweep queues it");
    world.faults.clear();
    later(&world, seconds(90)).await;
    assert_eq!((outcome(&world, &line, &id).await.as_str(), posts_of(&world, &id)), ("ACCEPTED", 2));
}

/// While SQS takes no copy either, a queue message stays in its queue, and its message is due in the table.
#[tokio::test]
async fn a_queue_message_that_cannot_be_put_back_stays_in_its_queue() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "2642").await;
    let id = queued(&world, &line, &hello()).await;
    world.faults.set(Fault::Throttled);
    assert!(world.send_queued().await);
    world.faults.clear();
    assert!(world.metrics.json().iter().all(|line| line.get(Metric::PutBackMessages.name()).is_none()));
    let name = aws_sdk_sqs::types::QueueAttributeName::ApproximateNumberOfMessagesNotVisible;
    let call = world.account.sqs.get_queue_attributes().queue_url(&world.account.sends).attribute_names(name.clone());
    assert_eq!(call.send().await.unwrap().attributes.unwrap()[&name], "1");
    later(&world, QUEUED_AGAIN).await;
    assert_eq!((outcome(&world, &line, &id).await.as_str(), posts_of(&world, &id)), ("ACCEPTED", 1));
}

/// Whatever call of its turn fails, a message that the platform refused for now waits, and is sent afterwards.
#[tokio::test]
async fn a_rate_limit_outlasts_a_failing_call() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "2691").await;
    for step in 0.. {
        let id = stored(&world, &line, &to(&format!("+1650556{step:04}"))).await;
        refuse(&world, &line, 131_056, 1);
        world.faults.set(Fault::FailsAfter(step));
        perform(&world, [job(&line, &id)]).await;
        let is_over = world.faults.is_set();
        world.faults.clear();
        assert_eq!(outcome(&world, &line, &id).await, "PENDING", "step {step}");
        for _ in 0..3 {
            later(&world, seconds(90)).await;
        }
        assert_eq!((outcome(&world, &line, &id).await.as_str(), posts_of(&world, &id)), ("ACCEPTED", 2), "step {step}");
        if is_over {
            assert!(step > 8, "{step} calls");
            return;
        }
    }
}

/// The SDK repeats a write whose response was lost. The repetition finds the attempt that it has written itself.
#[tokio::test]
async fn an_attempt_whose_record_was_confirmed_late_is_made() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "2641").await;
    let id = stored(&world, &line, &hello()).await;
    let org = world.account.store().of(&line.org.id.parse().unwrap());
    let message = org.message(&id.parse::<domain::id::ChatMessageId>().unwrap()).await.unwrap().unwrap();
    world.faults.set(Fault::UpdateAnswerLost);
    let begun = org.begin_attempt(&message, "a1".to_owned(), world.now()).await.unwrap();
    assert_eq!(begun.unwrap().kept.attempt_id.as_deref(), Some("a1"));
    assert!(org.begin_attempt(&message, "a2".to_owned(), world.now()).await.unwrap().is_none());
}

/// Whatever call a request is stopped before: repeated with its key, it has queued one message, which is sent once.
#[tokio::test]
async fn a_request_that_is_stopped_anywhere_queues_one_message() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "2650").await;
    let mut stored_before_stop = 0;
    for step in 0.. {
        let call = request(&line, &hello()).header("idempotency-key", &format!("key-{step}"));
        let before = line.messages(&world).await.len();
        world.faults.set(Fault::StoppedAfter(step));
        let is_whole = tokio::select! {
            reply = world.send(call.clone()) => reply.expect(202).is_object(),
            () = world.faults.struck() => false,
        };
        world.faults.clear();
        let now = line.messages(&world).await;
        stored_before_stop += usize::from(!is_whole && now.len() > before);
        later(&world, QUEUED_AGAIN).await;
        let status = if now.len() > before { 200 } else { 202 };
        let repeated = world.send(call.clone()).await.expect(status);
        work(&world).await;
        let id = text(&repeated, "id");
        assert_eq!(world.send(call).await.expect(200)["id"], id.as_str());
        assert_eq!(line.messages(&world).await.len(), before + 1, "step {step}");
        assert_eq!((outcome(&world, &line, &id).await.as_str(), posts_of(&world, &id)), ("ACCEPTED", 1), "step {step}");
        if is_whole {
            break;
        }
    }
    assert!(stored_before_stop > 0, "a request was stopped between its transaction and its queue message");
}

/// A repeated request queues nothing, and returns what became of the message.
#[tokio::test]
async fn a_repeated_request_changes_nothing() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "2651").await;
    let keyed = |key: &str, message: &Value| request(&line, message).header("idempotency-key", key);
    let call = keyed("accepted", &hello());
    let id = text(&world.send(call.clone()).await.expect(202), "id");
    // While it waits.
    assert_eq!(world.send(call.clone()).await.expect(202)["id"], id.as_str());
    assert_eq!(world.take(&world.account.sends).await.len(), 1, "the first request's own");
    // While its attempt is under way.
    let held = world.platform.hold("/messages");
    let repeat = async {
        held.arrived().await;
        assert_eq!(world.send(call.clone()).await.expect(202)["id"], id.as_str());
        assert_eq!(posts(&world, &line), 1);
        held.end();
    };
    tokio::join!(perform(&world, [job(&line, &id)]), repeat);
    assert_eq!(world.send(call).await.expect(200)["outcome"], "ACCEPTED");
    assert!(!world.send_queued().await);
    let call = keyed("expired", &valid_for(30));
    world.send(call.clone()).await.expect(202);
    later(&world, seconds(31)).await;
    assert_eq!(world.send(call).await.expect(200)["outcome"], "EXPIRED");
    let call = keyed("refused", &hello());
    let id = text(&world.send(call.clone()).await.expect(202), "id");
    refuse(&world, &line, 131_047, 1);
    work(&world).await;
    let refused = world.send(call).await;
    assert_eq!(refused.headers["x-message-id"], id.as_str());
    refused.refused(422, None, Some("conversation_window_expired"));
    assert_eq!(posts(&world, &line), 2);
}

fn status(line: &Line, id: &str, platform_id: &str) -> Value {
    line.status(&json!({"id": platform_id, "status": "sent", "timestamp": "2000000000", "recipient_id": "16505551234",
        "biz_opaque_callback_data": format!("{}:{id}", line.org.id)}))
}

/// A status shows that the platform took the message, before or instead of the response.
#[tokio::test]
async fn a_status_resolves_an_attempt_before_and_after_its_outcome() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "2652").await;
    // Before the response.
    let id = stored(&world, &line, &hello()).await;
    let held = world.platform.hold("/messages");
    let tell = async {
        held.arrived().await;
        world.notify(&status(&line, &id, "wamid.sent.1")).await.expect(200);
        assert_eq!(outcome(&world, &line, &id).await, "ACCEPTED");
        held.end();
    };
    tokio::join!(perform(&world, [job(&line, &id)]), tell);
    assert_eq!((outcome(&world, &line, &id).await.as_str(), posts_of(&world, &id)), ("ACCEPTED", 1));
    // Instead of it.
    let id = queued(&world, &line, &hello()).await;
    world.platform.misbehave("/messages", Misbehave::CutOff, 1);
    work(&world).await;
    assert_eq!(outcome(&world, &line, &id).await, "UNKNOWN");
    world.notify(&status(&line, &id, "wamid.other")).await.expect(200);
    assert_eq!((outcome(&world, &line, &id).await.as_str(), posts_of(&world, &id)), ("ACCEPTED", 1));
    assert_eq!(events(&world, &world.org, "messages.chat.sent").await.len(), 2);
    assert_eq!(due(&world).await, 0);
}

/// No attempt of a waiting message has begun, so a status that names it is not about it.
#[tokio::test]
async fn a_status_does_not_end_a_waiting_message() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "2653").await;
    let id = queued(&world, &line, &hello()).await;
    world.notify(&status(&line, &id, "wamid.forged")).await.expect(200);
    assert_eq!(outcome(&world, &line, &id).await, "PENDING");
    work(&world).await;
    assert_eq!((outcome(&world, &line, &id).await.as_str(), posts_of(&world, &id)), ("ACCEPTED", 1));
}

/// What the number receives counts, too, and a number in the business app may send fewer messages.
#[tokio::test]
async fn what_a_number_receives_leaves_fewer_slots() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "2654").await;
    for n in 0..40 {
        let message = json!({"id": format!("wamid.in.{n}"), "type": "text", "text": {"body": "Hi"}});
        world.notify(&line.message(&message)).await.expect(200);
    }
    let mut jobs = Vec::new();
    for n in 0..70 {
        jobs.push(job(&line, &stored(&world, &line, &to(&format!("+1650555{n:04}"))).await));
    }
    world.clock.advance(seconds(1));
    perform(&world, &jobs).await;
    // Forty messages in two seconds are twenty a second.
    assert_eq!(posts(&world, &line), 60);
    set_coexistence(&world, &line).await;
    world.clock.advance(seconds(60));
    let mut jobs = Vec::new();
    for n in 0..25 {
        jobs.push(job(&line, &stored(&world, &line, &to(&format!("+1650556{n:04}"))).await));
    }
    perform(&world, &jobs).await;
    assert_eq!(posts(&world, &line), 80);
}

/// Lets the profile say that the business keeps using its app.
async fn set_coexistence(world: &World, line: &Line) {
    use aws_sdk_dynamodb::types::AttributeValue;
    change_profile(world, line, "isCoexistence", AttributeValue::Bool(true)).await;
}

/// A reply names a message by our id; at its turn it gets the platform's.
#[tokio::test]
async fn a_queued_reply_names_its_message_at_its_turn() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "2790").await;
    let inbound = json!({"id": "wamid.in.1", "type": "text", "text": {"body": "Hi"}});
    world.notify(&line.message(&inbound)).await.expect(200);
    let original = text(&line.messages(&world).await[0], "id");
    let mut reply = hello();
    reply["replyTo"] = json!(original);
    let id = stored(&world, &line, &reply).await;
    assert_eq!(perform(&world, [job(&line, &id)]).await, 0);
    assert_eq!(outcome(&world, &line, &id).await, "ACCEPTED");
    let seen = world.platform.seen(&format!("{}/messages", line.platform_number));
    assert_eq!(seen[0].json()["context"]["message_id"], "wamid.in.1");
}
