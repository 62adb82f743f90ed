//! Media that users send are uploads of the app, whose bytes are stored once.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::json;
use tests::catalogue::download;
use tests::request::text;
use tests::samples::PNG;
use tests::{Call, Service as _, World};

use super::{DAY, USER, own_number};

/// Uploads an image. Returns its id.
async fn upload(world: &World, key: &str) -> String {
    let call = Call::post("/v1/media").key(key).file("a.png", Some("image/png"), PNG);
    text(&world.send(call).await.expect(201), "id")
}

/// A user sends a medium. Returns the path of the message.
async fn receive_image(world: &World, medium: &str) -> String {
    let body = json!({"from": USER, "type": "image", "image": {"mediaId": medium}});
    let call = Call::post("/v1/playground/chat/inbound").key(&world.org.test_app_key).json(&body);
    let received = world.send(call).await.expect(201);
    format!("/v1/chat/messages/{}", text(&received, "id"))
}

/// The URLs of a message's medium in all that shows it: to the app, to an admin, and in the lists of both.
async fn urls(world: &World, path: &str) -> Vec<Option<String>> {
    let (key, id) = (&world.org.test_app_key, path.rsplit('/').next().unwrap());
    let of_number = format!("/v1/organization/chat/messages?chatPhoneNumberId={}", own_number(world).await);
    let mut shown = Vec::new();
    for call in [
        Call::get(path).key(key),
        Call::get(format!("/v1/organization/chat/messages/{id}")).key(&world.org.test_admin),
        Call::get("/v1/chat/messages").key(key),
        Call::get(of_number).key(&world.org.test_admin),
    ] {
        let read = world.send(call).await.expect(200);
        let message = match read["data"].as_array() {
            Some(listed) => listed.iter().find(|message| message["id"] == id).unwrap().clone(),
            None => read,
        };
        shown.push(message["mediaUrl"].as_str().map(str::to_owned));
    }
    shown
}

/// However many messages name an upload, its bytes are stored once.
#[tokio::test]
async fn an_inbound_medium_is_the_upload() {
    let world = World::new().await;
    let key = &world.org.test_app_key;
    let medium = upload(&world, key).await;

    let mut paths = Vec::new();
    for _ in 0..3 {
        let path = receive_image(&world, &medium).await;
        let read = world.send(Call::get(&path).key(key)).await.expect(200);
        assert_eq!(read["mediaFileSize"], PNG.len());
        paths.push(path);
    }

    // There is nothing to fetch: the bytes are there at once.
    for url in urls(&world, &paths[0]).await {
        let (status, mime, _, bytes) = download(url.expect("a URL")).await;
        assert_eq!((status, mime.as_str(), bytes.as_slice()), (200, "image/png", PNG));
    }

    world.work_off().await;
    let objects = world.account.objects().await;
    assert_eq!(objects, [format!("media/{}/{medium}", world.org.id)]);

    // To erase the user concerns the messages, not what the app has uploaded.
    let erase = json!({"operation": "eraseContact", "organizationId": world.org.id, "contact": USER});
    world.operate(erase).await.unwrap();
    world.sweep().await;
    world.work_off().await;

    world.send(Call::get(&paths[0]).key(key)).await.expect(404);
    world.send(Call::get(format!("/v1/media/{medium}")).key(key)).await.expect(200);
    assert_eq!(world.account.objects().await, objects);
    assert_eq!(world.dead_letters().await, Vec::<String>::new());
}

/// A message's medium ends with the upload: when it is deleted, and when its retention is over.
#[tokio::test]
async fn an_inbound_medium_ends_with_the_upload() {
    let world = World::new().await;
    let key = &world.org.test_app_key;
    let (deleted, expired) = (upload(&world, key).await, upload(&world, key).await);
    let of_deleted = receive_image(&world, &deleted).await;
    world.clock.advance(Duration::from_secs(10 * DAY));
    let of_expired = receive_image(&world, &expired).await;
    assert!(urls(&world, &of_deleted).await.iter().chain(&urls(&world, &of_expired).await).all(Option::is_some));

    world.send(Call::delete(format!("/v1/media/{deleted}")).key(key)).await.expect(200);
    assert!(urls(&world, &of_deleted).await.iter().all(Option::is_none));
    assert!(urls(&world, &of_expired).await.iter().all(Option::is_some));

    // The upload is kept for 30 days. Its message is younger, and stays.
    world.clock.advance(Duration::from_secs(20 * DAY));
    assert!(urls(&world, &of_expired).await.iter().all(Option::is_none));
    world.sweep().await;
    assert!(urls(&world, &of_expired).await.iter().all(Option::is_none));
    assert_eq!(world.account.objects().await, Vec::<String>::new());

    let left = world.account.items().await;
    let is_due = |item: &&BTreeMap<String, String>| item["PK"].starts_with("MSG#") && item.contains_key("dueAt");
    assert_eq!(left.iter().filter(is_due).count(), 0);
}
