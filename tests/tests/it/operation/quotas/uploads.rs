//! Uploads of an app.

use std::time::Duration;

use serde_json::json;
use tests::catalogue::put_bytes;
use tests::request::text;
use tests::samples::PDF;
use tests::{Call, Service as _, World};

use super::{DAY, at_once, is_over, pass, spent};

fn announce(key: &str, size: u64) -> Call {
    let body = json!({"fileName": "a.pdf", "mimeType": "application/pdf", "fileSize": size});
    Call::post("/v1/media/uploads").key(key).json(&body)
}

#[tokio::test]
async fn a_test_app_uploads_a_gigabyte_a_day() {
    let world = World::new().await;
    let key = &world.org.test_app_key;
    for _ in 0..9 {
        world.send(announce(key, 100_000_000)).await.expect(201);
    }

    let (made, refused) = at_once(&world, 20, |_| announce(key, 50_000_000)).await;
    assert_eq!(made, 2);
    refused.into_iter().for_each(|reply| is_over(reply, DAY));
    is_over(world.send(Call::post("/v1/media").key(key).file("a.pdf", None, PDF)).await, DAY);

    // Another app and another day have their own quota.
    world.send(announce(&world.org.app_key, 100_000_000)).await.expect(201);
    pass(&world, DAY);
    world.send(Call::post("/v1/media").key(key).file("a.pdf", None, PDF)).await.expect(201);
}

#[tokio::test]
async fn the_operator_sets_the_daily_uploads_of_live_apps() {
    let world = World::new().await;
    let scope = world.org.app.clone();
    spent(&world, &scope, "uploadedBytes", 2_000_000_000 - PDF.len() as u64, DAY).await;
    world.send(Call::post("/v1/media").key(&world.org.app_key).file("a.pdf", None, PDF)).await.expect(201);
    is_over(world.send(Call::post("/v1/media").key(&world.org.app_key).file("a.pdf", None, PDF)).await, DAY);
}

/// Small files are limited too, because each costs an item, an object and later their removal.
#[tokio::test]
async fn uploads_are_counted_as_their_bytes_are() {
    let world = World::new().await;

    for (app, key, most) in
        [(&world.org.app, &world.org.app_key, 3_000), (&world.org.test_app, &world.org.test_app_key, 10_000)]
    {
        spent(&world, app, "uploads", most - 3, DAY).await;
        world.send(announce(key, 10)).await.expect(201);
        let (made, refused) = at_once(&world, 12, |_| Call::post("/v1/media").key(key).file("a.pdf", None, PDF)).await;
        assert_eq!(made, 2);
        for reply in refused {
            let message = text(&reply.clone().expect(429)["error"], "message");
            assert_eq!(message, format!("An app of this mode may upload at most {most} files per day (UTC)."));
            is_over(reply, DAY);
        }
        is_over(world.send(announce(key, 10)).await, DAY);
    }

    pass(&world, DAY);
    world.send(announce(&world.org.app_key, 10)).await.expect(201);
}

#[tokio::test]
async fn a_hundred_uploads_may_be_pending() {
    let world = World::new().await;
    let key = &world.org.app_key;
    let size = PDF.len() as u64;

    let first = world.send(announce(key, size)).await.expect(201);
    for _ in 0..89 {
        world.send(announce(key, size)).await.expect(201);
    }
    let (made, refused) = at_once(&world, 20, |_| announce(key, size)).await;
    assert_eq!(made, 10);
    refused.into_iter().for_each(|reply| is_over(reply, 60));

    // A completed upload frees one place, however often it is completed.
    put_bytes(&first, PDF.to_vec()).await.unwrap();
    let complete = format!("/v1/media/{}/complete", text(&first, "id"));
    for _ in 0..3 {
        world.send(Call::post(&complete).key(key)).await.expect(200);
    }
    let (made, _) = at_once(&world, 20, |_| announce(key, size)).await;
    assert_eq!(made, 1);

    // Each abandoned upload frees one place.
    world.clock.advance(Duration::from_secs(21 * 60));
    world.sweep().await;
    let (made, _) = at_once(&world, 110, |_| announce(key, size)).await;
    assert_eq!(made, 100);
}
