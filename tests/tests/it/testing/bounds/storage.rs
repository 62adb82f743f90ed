//! How much test apps store in a day, and how large a message becomes.

use std::time::Duration;

use serde_json::{Value, json};
use tests::chat::{connect, events};
use tests::request::text;
use tests::samples::PNG;
use tests::{Call, Service as _, World};

use super::{DAY, replay};

/// The test apps of an organization have one budget for the bytes that they store in a day: of their uploads and of the
/// notifications that they make up.
#[tokio::test]
async fn the_test_apps_of_an_organization_store_two_gigabytes_a_day() {
    let world = World::new().await;
    let announce = |key: &str, size: u64| {
        let body = json!({"fileName": "a.pdf", "mimeType": "application/pdf", "fileSize": size});
        Call::post("/v1/media/uploads").key(key).json(&body)
    };

    let (_, second) = world.app(&world.org.admin, &json!({"name": "T2", "test": true})).await;
    let (_, third) = world.app(&world.org.admin, &json!({"name": "T3", "test": true})).await;

    for key in [&world.org.test_app_key, &second] {
        for _ in 0..10 {
            world.send(announce(key, 100_000_000)).await.expect(201);
        }
    }

    for reply in [
        world.send(announce(&third, 10)).await,
        world.send(Call::post("/v1/media").key(&third).file("a.png", None, PNG)).await,
        replay(&world, "account_review_update", &json!({"decision": "REJECTED"})).await,
    ] {
        assert!(reply.header("retry-after").is_some());
        let refused = text(&reply.expect(429)["error"], "message");
        assert!(refused.contains("2000000000 bytes") && refused.contains("test apps"), "{refused}");
    }

    // Live apps have quotas of their own, and so has the next day.
    world.send(announce(&world.org.app_key, 100_000_000)).await.expect(201);
    world.clock.advance(Duration::from_secs(DAY));
    world.send(announce(&third, 10)).await.expect(201);
    replay(&world, "account_review_update", &json!({"decision": "REJECTED"})).await.expect(202);
}

/// Made-up statuses do not make a message and its events large.
#[tokio::test]
async fn made_up_statuses_keep_a_message_small() {
    let world = World::new().await;
    let time = world.now().seconds().to_string();
    let status = |id: &str, fields: Value| {
        let mut status =
            json!({"id": id, "status": "sent", "timestamp": time, "recipient_id": "G-1", "recipient_type": "group"});
        status.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        status
    };
    let member = |n: usize| status("wamid.g.1", json!({"recipient_participant_id": format!("1650555{n:04}")}));

    let (mut applied, mut ignored) = (0, Vec::new());
    for members in (0..75).map(member).collect::<Vec<_>>().chunks(25) {
        let replayed = replay(&world, "messages", &json!({"statuses": members})).await.expect(202);
        applied += replayed["applied"].as_u64().unwrap();
        ignored.extend(replayed["ignored"].as_array().unwrap().iter().map(|one| text(one, "reason")));
    }
    assert_eq!((applied, ignored.len()), (32, 43));
    assert!(ignored.iter().all(|reason| reason.contains("at most 32 recipients")), "{ignored:?}");

    // One that is known goes on.
    let read = json!({"recipient_participant_id": "16505550007", "status": "read"});
    let replayed = replay(&world, "messages", &json!({"statuses": [status("wamid.g.1", read)]})).await.expect(202);
    assert_eq!(replayed, json!({"applied": 1, "ignored": []}));

    // Nor do long errors, nor what no field holds.
    let long = "x".repeat(100_000);
    for fields in [
        json!({"status": "failed", "errors": [{"code": 131_026, "title": long, "error_data": {"details": long}}]}),
        json!({"status": "invented", "more": long}),
        json!({"more": long}),
    ] {
        let value = json!({"statuses": [status("wamid.g.2", fields)]});
        let replayed = replay(&world, "messages", &value).await.expect(202);
        assert_eq!(replayed["applied"], 0, "{replayed}");
        let reason = text(&replayed["ignored"][0], "reason");
        assert!(reason.contains("65536 bytes"), "{reason}");
    }

    let largest =
        events(&world, &world.org, "messages.chat.sent").await.iter().map(|data| data.to_string().len()).max();
    assert!(largest.is_some_and(|bytes| bytes < 20_000), "{largest:?}");

    // The platform decides what a live message has.
    let line = connect(&world, &world.org, "995").await;
    for members in (0..50).map(member).collect::<Vec<_>>().chunks(25) {
        world.notify(&line.about("messages", &json!({"statuses": members}))).await.expect(200);
    }
    world.work_off().await;
    assert_eq!(line.only_message(&world).await["recipients"].as_array().unwrap().len(), 50);
}
