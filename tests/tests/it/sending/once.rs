//! A message is sent at most once, whatever happens to the call, the function or the request; and its outcome is right.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Value, json};
use tests::chat::{Line, connect, event_counts};
use tests::faults::Fault;
use tests::request::text;
use tests::standin::{Misbehave, error};
use tests::{Call, Reply, Service as _, World};

const SEND: &str = "/v1/chat/messages";
/// After this time, the sweep gives up an attempt.
const UNRESOLVED: Duration = Duration::from_secs(121);

fn send(line: &Line) -> Call {
    let body = json!({"from": line.number, "to": "+16505551234", "type": "text", "text": {"body": "Hello"}});
    Call::post(SEND).key(&line.org.app_key).json(&body)
}

fn keyed(line: &Line) -> Call {
    send(line).header("idempotency-key", &line.number)
}

fn path(line: &Line) -> String {
    format!("/{}/messages", line.platform_number)
}

fn posts(world: &World, line: &Line) -> usize {
    world.platform.seen(&path(line)).len()
}

fn status(line: &Line, id: &str, platform_id: &str, status: &str) -> Value {
    line.status(&json!({"id": platform_id, "status": status, "timestamp": "2000000000", "recipient_id": "16505551234",
        "biz_opaque_callback_data": format!("{}:{id}", line.org.id)}))
}

fn refuse(code: i64) -> Misbehave {
    Misbehave::Status(400, error(code, "refused").to_string())
}

fn outcome_of(reply: &Reply) -> String {
    text(&reply.json(), "outcome")
}

/// Each way in which the platform can fail: the response, the outcome in the log, and one request on one connection.
#[tokio::test]
async fn each_failure_of_the_platform_has_its_outcome_and_one_request() {
    let world = World::new().await;
    let html = |status| Misbehave::Status(status, "<html>no</html>".to_owned());
    let coded = |status, code| Misbehave::Status(status, error(code, "failed").to_string());
    let no_code = |status| Misbehave::Status(status, json!({"error": {"message": "?"}}).to_string());
    let rows: Vec<(&str, Misbehave, u16, &str)> = vec![
        ("hangs", Misbehave::Silent, 202, "UNKNOWN"),
        ("late", Misbehave::Slow(Duration::from_secs(9)), 202, "UNKNOWN"),
        ("hangs up", Misbehave::HangUp, 202, "UNKNOWN"),
        ("cut off", Misbehave::CutOff, 202, "UNKNOWN"),
        ("oversized", Misbehave::Oversized, 202, "UNKNOWN"),
        ("500", html(500), 202, "UNKNOWN"),
        ("503", html(503), 202, "UNKNOWN"),
        ("500 with a code", coded(500, 100), 202, "UNKNOWN"),
        ("200 without JSON", html(200), 202, "UNKNOWN"),
        ("200 without an id", Misbehave::Status(200, "{}".to_owned()), 202, "UNKNOWN"),
        ("404 without JSON", html(404), 202, "UNKNOWN"),
        ("400 without a code", no_code(400), 202, "UNKNOWN"),
        ("200 with an error without a code", no_code(200), 202, "UNKNOWN"),
        ("code 1", coded(400, 1), 202, "UNKNOWN"),
        ("code 2", coded(503, 2), 202, "UNKNOWN"),
        ("code 131000", coded(500, 131_000), 202, "UNKNOWN"),
        ("code 131016", coded(500, 131_016), 202, "UNKNOWN"),
        ("code 131057", coded(500, 131_057), 503, "REFUSED"),
        ("code 133004", coded(503, 133_004), 503, "REFUSED"),
        ("code 131026 in a 500", coded(500, 131_026), 422, "REFUSED"),
        ("code 131047", coded(400, 131_047), 422, "REFUSED"),
        ("code 100", coded(400, 100), 422, "REFUSED"),
        ("slow", Misbehave::Slow(Duration::from_secs(2)), 201, "ACCEPTED"),
    ];
    let second = world.organization("Second").await;
    let mut lines = Vec::new();
    for (index, row) in rows.into_iter().enumerate() {
        // An organization may attempt 20 signups per hour.
        let line = connect(&world, if index < 15 { &world.org } else { &second }, &format!("28{index:02}")).await;
        world.platform.misbehave(&path(&line), row.1.clone(), 1);
        lines.push((line, row));
    }
    let replies = join_all(lines.iter().map(|(line, _)| world.send(send(line)))).await;
    let mut connections = BTreeSet::new();
    for ((line, (name, _, expected, outcome)), reply) in lines.iter().zip(replies) {
        assert_eq!(reply.status.as_u16(), *expected, "{name}: {reply:?}");
        let message = line.only_message(&world).await;
        assert_eq!(message["outcome"], *outcome, "{name}");
        assert_eq!(reply.header("x-message-id"), (*expected > 299).then(|| message["id"].as_str().unwrap()), "{name}");
        assert_eq!(message["errorCode"].is_string(), *expected > 299, "{name}");
        let seen = world.platform.seen(&path(line));
        assert_eq!(seen.len(), 1, "{name}");
        assert!(connections.insert(seen[0].connection), "{name}: a connection was used twice");
    }
    // Neither time nor the sweep sends anything again, and refusals emit no event: the caller knows.
    world.clock.advance(UNRESOLVED);
    world.sweep().await;
    for (line, (name, ..)) in &lines {
        assert_eq!(posts(&world, line), 1, "{name}");
    }
    assert!(event_counts(&world, &world.org).await.keys().all(|kind| !kind.starts_with("messages.")));
    // Any status resolves an unknown outcome.
    for (index, (line, (name, _, status_code, _))) in lines.iter().enumerate() {
        if *status_code != 202 {
            continue;
        }
        let id = text(&line.only_message(&world).await, "id");
        let kind = ["sent", "delivered", "read", "failed"][index % 4];
        world.notify(&status(line, &id, "wamid.late", kind)).await.expect(200);
        let message = line.only_message(&world).await;
        let found = (message["outcome"].as_str(), message["providerMessageId"].as_str());
        assert_eq!(found, (Some("ACCEPTED"), Some("wamid.late")), "{name}");
    }
}

/// No connection: nothing was sent, and the caller may try again.
#[tokio::test]
async fn without_a_connection_nothing_was_sent() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "2710").await;
    // A number whose platform is gone: the stand-in of another world that has ended.
    let gone = world.sending_to("http://127.0.0.1:9");
    let response = gone.respond(keyed(&line).request()).await;
    assert_eq!(response.status().as_u16(), 503);
    assert!(response.headers().contains_key("retry-after"));
    let first = line.only_message(&world).await;
    assert_eq!((&first["outcome"], &first["errorCode"]), (&json!("REFUSED"), &json!("platform_api_unavailable")));
    // The key is free: the repetition makes a new message, and the first one stays in the log.
    let second = world.send(keyed(&line)).await.expect(201);
    assert_ne!(second["id"], first["id"]);
    assert_eq!((line.messages(&world).await.len(), posts(&world, &line)), (2, 1));
}

/// A platform that accepts a connection and leaves the TLS handshake unanswered has read no request.
#[tokio::test]
async fn a_handshake_that_hangs_sent_nothing() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "2711").await;
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let service = world.sending_to(&format!("https://{}", silent.local_addr().unwrap()));
    let response = service.respond(keyed(&line).request()).await;
    assert_eq!((response.status().as_u16(), response.headers().contains_key("retry-after")), (503, true));
    let refused = line.only_message(&world).await;
    assert_eq!((&refused["outcome"], &refused["errorCode"]), (&json!("REFUSED"), &json!("platform_api_unavailable")));
}

/// What a repeated request returns, for each outcome of the first one.
#[tokio::test]
async fn a_repeated_request_returns_what_became_of_the_message() {
    let world = World::new().await;
    for (index, (how, first, again)) in [
        (None, 201, 200),
        (Some(Misbehave::HangUp), 202, 202),
        (Some(refuse(131_026)), 422, 422),
        (Some(refuse(132_001)), 404, 404),
    ]
    .into_iter()
    .enumerate()
    {
        let line = connect(&world, &world.org, &format!("272{index}")).await;
        if let Some(how) = how {
            world.platform.misbehave(&path(&line), how, 1);
        }
        let reply = world.send(keyed(&line)).await;
        assert_eq!((reply.status.as_u16(), reply.header("idempotency-replayed")), (first, None));
        let repeated = world.send(keyed(&line)).await;
        assert_eq!((repeated.status.as_u16(), repeated.header("idempotency-replayed")), (again, Some("true")));
        assert_eq!(
            (repeated.text, repeated.headers.get("x-message-id")),
            (reply.text, reply.headers.get("x-message-id"))
        );
        let other = json!({"from": line.number, "to": "+16505551235", "type": "text", "text": {"body": "Hello"}});
        let other = Call::post(SEND).key(&line.org.app_key).json(&other).header("idempotency-key", &line.number);
        world.send(other).await.refused(422, Some("Idempotency-Key"), None);
        assert_eq!((posts(&world, &line), line.messages(&world).await.len()), (1, 1));
        // An unknown outcome is resolved by a status.
        let message = line.only_message(&world).await;
        if message["outcome"] == "UNKNOWN" {
            let sent = status(&line, &text(&message, "id"), "wamid.x", "sent");
            world.notify(&sent).await.expect(200);
            assert_eq!(outcome_of(&world.send(keyed(&line)).await), "ACCEPTED");
        }
        // The number is taken off the app: the repetition still gets its response.
        let assignment = format!("/v1/organization/apps/{}/phone-numbers/{}", line.org.app, line.number);
        world.admin(Call::delete(assignment)).await.expect(200);
        assert_eq!(world.send(keyed(&line)).await.header("idempotency-replayed"), Some("true"));
        world.send(send(&line)).await.refused(403, Some("from"), Some("phone_number_not_assigned"));
    }
}

/// Only a refusal for now frees the key. Concurrent repetitions send one new message together.
#[tokio::test]
async fn a_refusal_for_now_frees_the_key_once() {
    let world = World::new().await;
    for (index, code) in [130_429, 131_056, 131_057].into_iter().enumerate() {
        let line = connect(&world, &world.org, &format!("273{index}")).await;
        world.platform.misbehave(&path(&line), refuse(code), 1);
        let refused = world.send(keyed(&line)).await;
        assert!(matches!(refused.status.as_u16(), 429 | 503) && refused.header("retry-after").is_some(), "{refused:?}");
        let replies = join_all((0..6).map(|_| world.send(keyed(&line)))).await;
        let messages: BTreeSet<String> = replies.iter().map(|reply| text(&reply.json(), "id")).collect();
        assert_eq!(messages.len(), 1, "{replies:?}");
        assert_eq!(replies.iter().filter(|reply| reply.status.as_u16() == 201).count(), 1, "{replies:?}");
        assert_eq!((posts(&world, &line), line.messages(&world).await.len()), (2, 2));
    }
}

#[tokio::test]
async fn concurrent_requests_with_one_key_make_one_attempt() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "2740").await;
    world.platform.misbehave(&path(&line), Misbehave::Slow(Duration::from_secs(1)), 1);
    let replies = join_all((0..8).map(|_| world.send(keyed(&line)))).await;
    let mut statuses: BTreeMap<u16, usize> = BTreeMap::new();
    for reply in &replies {
        *statuses.entry(reply.status.as_u16()).or_default() += 1;
    }
    assert_eq!(statuses.get(&201), Some(&1), "{statuses:?}");
    assert!(statuses.keys().all(|status| [200, 201, 202].contains(status)), "{statuses:?}");
    assert_eq!((posts(&world, &line), line.messages(&world).await.len()), (1, 1));
    assert_eq!(world.send(keyed(&line)).await.status.as_u16(), 200);
}

/// The function is stopped before each of its calls to AWS, and while the platform has the request.
#[tokio::test]
async fn a_stopped_function_sends_at_most_once_and_the_outcome_is_right() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "2750").await;
    let mut outcomes = BTreeMap::<String, usize>::new();
    let (mut steps, mut stops) = (0, 0);
    loop {
        let posts_before = posts(&world, &line);
        let key = format!("stop {steps}");
        let call = || send(&line).header("idempotency-key", &key.replace(' ', "-"));
        world.faults.set(Fault::StoppedAfter(steps));
        let stopped = tokio::select! {
            _ = world.send(call()) => false,
            () = world.faults.struck() => true,
        };
        world.faults.clear();
        if !stopped {
            break;
        }
        (steps, stops) = (steps + 1, stops + 1);
        // The caller repeats the request at once, and after the sweep.
        let at_once = world.send(call()).await;
        assert!(matches!(at_once.status.as_u16(), 200..=202), "{at_once:?}");
        world.clock.advance(UNRESOLVED);
        world.sweep().await;
        let later = world.send(call()).await;
        assert!(matches!(later.status.as_u16(), 200 | 202), "{later:?}");
        let sent = posts(&world, &line) - posts_before;
        assert!(sent <= 1, "step {steps}: {sent} requests");
        // Without a request there is no accepted message, and what was requested without an outcome is unknown.
        let outcome = outcome_of(&later);
        assert!(outcome == "UNKNOWN" || (outcome == "ACCEPTED" && sent == 1), "step {steps}: {outcome}");
        *outcomes.entry(outcome).or_default() += 1;
    }
    assert!(stops >= 5, "{stops}");
    assert!(outcomes.len() == 2, "{outcomes:?}");

    // Stopped while the platform has the request.
    let held = world.platform.hold(&path(&line));
    let before = posts(&world, &line);
    tokio::select! {
        _ = world.send(keyed(&line)) => panic!("it did not wait"),
        () = held.arrived() => held.end(),
    }
    assert_eq!(outcome_of(&world.send(keyed(&line)).await), "PENDING");
    world.clock.advance(UNRESOLVED);
    world.sweep().await;
    let unknown = world.send(keyed(&line)).await;
    assert_eq!((unknown.status.as_u16(), outcome_of(&unknown).as_str()), (202, "UNKNOWN"));
    assert_eq!(posts(&world, &line), before + 1);
}

/// The response of the table to the outcome is lost, or the table is down after the call: the caller is never told that
/// the message was not sent.
#[tokio::test]
async fn a_table_that_fails_after_the_call_makes_no_error() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "2760").await;
    world.send(send(&line)).await.expect(201);
    let held = world.platform.hold(&path(&line));
    let before = posts(&world, &line);
    let (reply, ()) = tokio::join!(world.send(keyed(&line)), async {
        held.arrived().await;
        world.faults.set(Fault::TimedOut);
        held.end();
    });
    world.faults.clear();
    assert_eq!((reply.status.as_u16(), outcome_of(&reply).as_str()), (202, "PENDING"), "{reply:?}");
    world.clock.advance(UNRESOLVED);
    world.sweep().await;
    assert_eq!(outcome_of(&world.send(keyed(&line)).await), "UNKNOWN");
    assert_eq!(posts(&world, &line), before + 1);
}

/// The statuses of a message come before, during or after the response, repeated and in any order: the message and its
/// events are the same.
#[tokio::test]
async fn statuses_come_in_any_order() {
    let world = World::new().await;
    let mut results = BTreeSet::new();
    let mut generator = fastrand::Rng::with_seed(18);
    for round in 0..12 {
        let line = connect(&world, &world.org, &format!("29{round:02}")).await;
        let mut kinds = vec!["sent", "delivered", "read", "sent", "delivered"];
        generator.shuffle(&mut kinds);
        let before = generator.usize(0..=kinds.len());
        let held = world.platform.hold(&path(&line));
        let platform_id = || format!("wamid.sent.{}", round + 1);
        let report = async |kind: &str| {
            let id = text(&line.only_message(&world).await, "id");
            world.notify(&status(&line, &id, &platform_id(), kind)).await.expect(200);
        };
        let (reply, ()) = tokio::join!(world.send(send(&line)), async {
            held.arrived().await;
            for kind in &kinds[..before] {
                report(kind).await;
            }
            held.end();
        });
        assert_eq!(reply.status.as_u16(), 201, "{kinds:?} {before}: {reply:?}");
        for kind in &kinds[before..] {
            report(kind).await;
        }
        let message = line.only_message(&world).await;
        let shown = ["outcome", "sentAt", "deliveredAt", "readAt", "errorCode"].map(|name| message[name].to_string());
        results.insert((shown, message["recipients"][0]["status"].to_string()));
        assert_eq!(message["providerMessageId"], platform_id());
    }
    assert_eq!(results.len(), 1, "{results:?}");
    let counts = event_counts(&world, &world.org).await;
    for kind in ["messages.chat.sent", "messages.chat.delivered", "messages.chat.read"] {
        assert_eq!(counts.get(kind), Some(&12), "{counts:?}");
    }
}

/// A failure is reported in the response, in a status, or in both, in either order.
#[tokio::test]
async fn a_refusal_and_a_status_agree_in_either_order() {
    let world = World::new().await;
    let mut results = BTreeSet::new();
    for (round, kind, is_first) in [(0, "failed", true), (1, "failed", false), (2, "sent", true), (3, "sent", false)] {
        let line = connect(&world, &world.org, &format!("277{round}")).await;
        let held = world.platform.hold_with(&path(&line), Some((400, error(131_026, "no").to_string())));
        let report = async || {
            let id = text(&line.only_message(&world).await, "id");
            let mut update = status(&line, &id, "wamid.x", kind);
            if kind == "failed" {
                update["entry"][0]["changes"][0]["value"]["statuses"][0]["errors"] =
                    json!([{"code": 131_026, "title": "no"}]);
            }
            world.notify(&update).await.expect(200);
        };
        let (reply, ()) = tokio::join!(world.send(send(&line)), async {
            held.arrived().await;
            if is_first {
                report().await;
            }
            held.end();
        });
        // A status that shows that the message was sent prevails over the refusal that follows.
        assert_eq!(reply.status.as_u16(), if kind == "sent" && is_first { 201 } else { 422 });
        if !is_first {
            report().await;
        }
        let message = line.only_message(&world).await;
        results.insert((
            kind,
            message["outcome"].to_string(),
            message["errorCode"].to_string(),
            message["recipients"][0]["status"].to_string(),
        ));
    }
    assert_eq!(results.len(), 2, "{results:?}");
    let counts = event_counts(&world, &world.org).await;
    assert_eq!((counts.get("messages.chat.failed"), counts.get("messages.chat.sent")), (Some(&2), Some(&2)));
}

/// Callback data can be read by others. What they name must agree with what was sent.
#[tokio::test]
async fn statuses_of_one_tenant_never_touch_the_messages_of_another() {
    let world = World::new().await;
    let stranger = world.organization("Stranger").await;
    let line = connect(&world, &world.org, "2780").await;
    let second = connect(&world, &world.org, "2781").await;
    let foreign = connect(&world, &stranger, "2782").await;
    let id = text(&world.send(send(&line)).await.expect(201), "id");
    world.platform.misbehave(&path(&line), Misbehave::HangUp, 1);
    let unknown = text(&world.send(send(&line)).await.expect(202), "id");
    let before = world.account.items().await;
    let of = |from: &Line, organization: &str, id: &str, platform_id: &str| {
        from.status(&json!({"id": platform_id, "status": "read", "timestamp": "2000000000",
            "biz_opaque_callback_data": format!("{organization}:{id}")}))
    };
    let nobody = tests::request::altered(&id);
    for update in [
        of(&foreign, &line.org.id, &id, "wamid.sent.1"),
        of(&foreign, &foreign.org.id, &id, "wamid.sent.1"),
        of(&foreign, &line.org.id, &unknown, "wamid.y"),
        of(&second, &line.org.id, &id, "wamid.sent.1"),
        of(&second, &line.org.id, &unknown, "wamid.y"),
        of(&line, &foreign.org.id, &id, "wamid.sent.1"),
        of(&line, &line.org.id, &id, "wamid.other"),
        of(&line, &line.org.id, &nobody, "wamid.z"),
    ] {
        world.notify(&update).await.expect(200);
    }
    assert_eq!(world.account.items().await, before);
    let dropped = world.metrics.text().lines().filter(|line| line.contains("\"DroppedStatuses\":1")).count();
    assert_eq!(dropped, 8);
    // An echo of a message that was sent here changes nothing.
    let echo = json!({"message_echoes": [{"id": "wamid.sent.1", "from": line.display, "to": "16505551234",
        "timestamp": "2000000000", "type": "text", "text": {"body": "Hello"}}]});
    world.notify(&line.about("smb_message_echoes", &echo)).await.expect(200);
    assert_eq!(line.messages(&world).await.len(), 2);
}
