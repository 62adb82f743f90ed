//! Metrics of notifications, and of what they cause.

use futures_util::future::join_all;
use runtime::Metric;
use serde_json::{Value, json};
use tests::chat::connect;
use tests::faults::Fault;
use tests::logs::Captured;
use tests::request::text;
use tests::standin::{APP_SECRET, Misbehave, error, signature};
use tests::{Call, Service as _, World};

use super::{MINUTE, published, told};

const NOTIFICATIONS: &str = "/v1/platform/notifications";

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
