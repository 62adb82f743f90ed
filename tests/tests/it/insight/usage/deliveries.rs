//! How many events were delivered to webhooks, and how long that took.

use std::sync::Arc;
use std::time::Duration;

use tests::chat::connect;
use tests::receiver::{Got, Receiver, plain};
use tests::request::text;
use tests::{Service as _, World};

use super::{rows, send, status, usage};
use crate::insight::timeline::webhook;

#[tokio::test]
async fn attempts_are_counted_with_their_durations() {
    let world = World::with_stream().await;
    // The first attempt fails, and one is slow.
    let answer = |count: usize, _: &Got| {
        let wait = if count == 2 { Duration::from_millis(300) } else { Duration::ZERO };
        (wait, plain(if count == 1 { 500 } else { 200 }, "said"))
    };
    let receiver = Receiver::start(Arc::new(answer));
    let line = connect(&world, &world.org, "5221").await;
    let hook = webhook(&world, &receiver, &world.org.app).await;
    let sent = world.send(send(&line, "+16505551234")).await.expect(201);
    for name in ["sent", "delivered", "read"] {
        let reported = status(&line, &text(&sent, "providerMessageId"), name, &serde_json::json!({}));
        world.notify(&reported).await.expect(200);
        world.send_events().await;
    }
    world.clock.advance(Duration::from_secs(600));
    world.sweep().await;
    world.send_events().await;
    world.count().await;
    // Batches that come again, in other parts, add nothing.
    for part in world.stream_records().chunks(7) {
        world.meter(part).await.unwrap();
    }

    let page = usage(&world, "kind=deliveries&groupBy=webhook,event").await;
    assert_eq!(rows(&page).len(), 3, "{page}");
    let page = usage(&world, "kind=deliveries&groupBy=webhook").await;
    let row = &rows(&page)[0];
    assert_eq!(row["webhook"], hook.as_str());
    assert_eq!([&row["deliveries"], &row["succeeded"], &row["failed"], &row["attempts"]], [3, 3, 0, 4], "{page}");
    let durations = row["durations"].as_array().unwrap();
    let all: i64 = durations.iter().map(|entry| entry["attempts"].as_i64().unwrap()).sum();
    let slow: i64 = durations
        .iter()
        .filter(|entry| entry["upToMs"].as_u64().is_none_or(|most| most > 250))
        .map(|entry| entry["attempts"].as_i64().unwrap())
        .sum();
    assert_eq!(all, 4, "{page}");
    assert!(slow >= 1, "{page}");
    assert!(row["messages"].is_null(), "{page}");
}
