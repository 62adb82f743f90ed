//! Failures of the platform and of the connection to it.

use std::collections::BTreeSet;
use std::time::Duration;

use futures_util::future::join_all;
use serde_json::json;
use tests::chat::{connect, event_counts};
use tests::request::text;
use tests::standin::{Misbehave, error};
use tests::{Service as _, World};

use super::{UNRESOLVED, keyed, path, posts, send, status};

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
        ("429 with a code without an entry", coded(429, 100), 429, "REFUSED"),
        ("429 without a code", no_code(429), 429, "REFUSED"),
        ("429 without JSON", html(429), 429, "REFUSED"),
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
