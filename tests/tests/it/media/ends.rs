//! Media that expire or are deleted.

use std::time::Duration;

use serde_json::{Value, json};
use tests::catalogue::download;
use tests::faults::Fault;
use tests::request::text;
use tests::samples::PNG;
use tests::{Call, Service as _, World};

use super::{PATH, get, upload};

#[tokio::test]
async fn media_ends_at_its_time_to_the_second_and_its_url_before() {
    let world = World::new().await;
    world.admin(Call::patch("/v1/organization/settings").json(&json!({"mediaRetentionDays": 1}))).await.expect(200);
    let made = upload(&world, "a.png", None, PNG).await.expect(201);
    let id = text(&made, "id");
    assert_eq!(made["expiresAt"], json!(world.now().plus_days(1).to_string()));

    // The bucket does not know when the media expires, so the URL must not outlive it.
    let lasts = |media: &Value, seconds: u64| {
        assert_eq!(media["urlExpiresIn"], json!(seconds));
        let url = text(media, "url");
        assert!(url.split(['?', '&']).any(|part| part == format!("X-Amz-Expires={seconds}")), "{url}");
    };
    lasts(&made, 3600);

    // The retention period is fixed at upload.
    world.admin(Call::patch("/v1/organization/settings").json(&json!({"mediaRetentionDays": 9}))).await.expect(200);
    world.clock.advance(Duration::from_secs(86_400 - 100));
    lasts(&get(&world, &id).await.expect(200), 100);

    world.clock.advance(Duration::from_secs(99));
    lasts(&get(&world, &id).await.expect(200), 1);

    world.clock.advance(Duration::from_secs(1));
    get(&world, &id).await.refused(404, Some("mediaId"), None);
    world.send(Call::delete(format!("{PATH}/{id}")).key(&world.org.app_key)).await.refused(404, Some("mediaId"), None);

    // The remaining item is in the due index until the sweep removes it.
    let item = world.account.items().await.into_iter().find(|item| item["PK"].starts_with("MEDIA#")).unwrap();
    assert_eq!(item["dueAt"], (world.now().millis()).to_string());
    assert!(item.contains_key("duePartition") && item.contains_key("ttl"));
}

#[tokio::test]
async fn deletion_removes_the_bytes_before_it_answers() {
    let world = World::new().await;
    let made = upload(&world, "a.png", None, PNG).await.expect(201);
    let path = format!("{PATH}/{}", text(&made, "id"));
    let delete = || Call::delete(&path).key(&world.org.app_key);

    assert_eq!(world.send(delete()).await.expect(200), json!({"message": "Media deleted"}));

    assert_eq!(world.account.objects().await, Vec::<String>::new());
    assert_eq!(download(text(&made, "url")).await.0, 404);
    get(&world, &text(&made, "id")).await.refused(404, Some("mediaId"), None);
    assert!(!world.account.items().await.iter().any(|item| item["PK"].starts_with("MEDIA#")), "and the item");
    world.send(delete()).await.refused(404, Some("mediaId"), None);
}

/// Whatever step a deletion stops after, the media is not visible once the deletion began, and the sweep or the same
/// request completes the deletion.
#[tokio::test]
async fn a_deletion_that_stopped_anywhere_is_made_good() {
    let world = World::new().await;
    let mut stops = 0;

    for repeats in [false, true] {
        for step in 0.. {
            let id = text(&upload(&world, "a.png", None, PNG).await.expect(201), "id");
            let delete = || Call::delete(format!("{PATH}/{id}")).key(&world.org.app_key);
            world.faults.set(Fault::StoppedAfter(step));
            let is_whole = tokio::select! {
                reply = world.send(delete()) => { reply.expect(200); true }
                () = world.faults.struck() => false,
            };
            world.faults.clear();

            let item =
                || async { world.account.items().await.into_iter().find(|item| item["PK"].starts_with("MEDIA#")) };
            let has_begun = item().await.is_none_or(|item| item["state"] != "ready");
            if is_whole {
                assert!(item().await.is_none() && world.account.objects().await.is_empty());
                break;
            }

            stops += 1;
            assert_eq!(get(&world, &id).await.status.as_u16(), if has_begun { 404 } else { 200 }, "step {step}");
            if repeats || !has_begun {
                assert_eq!(world.send(delete()).await.status.as_u16(), if has_begun { 404 } else { 200 });
            } else {
                world.clock.advance(Duration::from_secs(60));
                world.sweep().await;
            }
            assert!(item().await.is_none() && world.account.objects().await.is_empty(), "step {step}");
        }
    }

    assert!(stops >= 6, "{stops}");
}
