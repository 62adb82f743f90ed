//! Media of messages: a job fetches them from the platform, and the API shows their URL until their retention ends.

use std::collections::BTreeMap;
use std::time::Duration;

use aws_smithy_types::base64;
use ring::digest::{SHA256, digest};
use serde_json::{Value, json};
use tests::World;
use tests::chat::connect;
use tests::request::text;
use tests::standin::{Misbehave, error};

const JPEG: &[u8] = b"\xFF\xD8\xFF\xE0 a picture";

fn image(id: &str, medium: &Value) -> Value {
    json!({"id": id, "type": "image", "image": medium})
}

/// Lets the platform have this medium, under the id 900.
fn provide(world: &World, bytes: impl Into<Vec<u8>>) {
    world.platform.state().media.insert("900".to_owned(), bytes.into());
}

/// The item of the only message.
async fn stored(world: &World) -> BTreeMap<String, String> {
    world.account.items().await.into_iter().find(|item| item["SK"] == "MSG").unwrap()
}

/// Checks that nothing was stored in the bucket, and that no job failed for good.
async fn nothing_is_left(world: &World) {
    assert_eq!((world.account.objects().await.len(), world.dead_letters().await.len()), (0, 0));
}

/// A job fetches media from the platform, validates it and stores it for the retention period.
#[tokio::test]
async fn inbound_media_are_fetched_and_presigned() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "704").await;
    provide(&world, JPEG);
    let image = line.message(&image("wamid.image", &json!({"id": "900", "mime_type": "image/jpeg"})));

    world.notify(&image).await.expect(200);
    assert!(line.only_message(&world).await.get("mediaUrl").is_none());

    world.work_off().await;
    let message = line.only_message(&world).await;
    assert_eq!(message["mediaFileSize"], JPEG.len());
    let url = text(&message, "mediaUrl");
    assert!(url.contains("/media/org_") && url.contains("X-Amz-Expires=3600"), "{url}");
    let (status, mime, _, found) = tests::catalogue::download(url).await;
    assert_eq!((status, mime.as_str(), found.as_slice()), (200, "image/jpeg", JPEG));

    // A repeated notification fetches nothing again.
    let before = world.platform.seen("bytes").len();
    world.notify(&image).await.expect(200);
    world.work_off().await;
    assert_eq!(world.platform.seen("bytes").len(), before);

    // The URL never outlives the media.
    world.clock.advance(Duration::from_secs(30 * 86_400 - 100));
    let url = text(&line.only_message(&world).await, "mediaUrl");
    assert!(url.contains("X-Amz-Expires=100&"), "{url}");
    world.clock.advance(Duration::from_secs(86_400));
    assert!(line.only_message(&world).await.get("mediaUrl").is_none(), "past its retention");
}

#[tokio::test]
async fn media_that_differ_from_their_announcement_are_left_out() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "705").await;
    provide(&world, b"something else");
    let other = image("wamid.1", &json!({"id": "900", "mime_type": "image/jpeg", "sha256": "AAAA"}));
    let gone = image("wamid.2", &json!({"id": "404", "mime_type": "image/jpeg"}));

    for message in [other, gone] {
        world.notify(&line.message(&message)).await.expect(200);
    }
    world.work_off().await;

    assert!(line.messages(&world).await.iter().all(|message| message.get("mediaUrl").is_none()));
    nothing_is_left(&world).await;
}

/// The platform encodes the digest in base64.
#[tokio::test]
async fn media_whose_digest_is_right_are_kept() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "734").await;
    provide(&world, JPEG);
    let sha256 = base64::encode(digest(&SHA256, JPEG));
    let image = image("wamid.1", &json!({"id": "900", "mime_type": "image/jpeg", "sha256": sha256}));

    world.notify(&line.message(&image)).await.expect(200);
    world.work_off().await;

    let message = line.only_message(&world).await;
    assert!(message["mediaUrl"].is_string());
    assert_eq!(message["mediaSha256"], sha256);
}

/// Media that exceeds 100 MiB, the platform's limit, by one byte is not stored.
#[tokio::test]
async fn a_medium_that_is_too_large_is_given_up() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "735").await;
    provide(&world, vec![b'x'; 100 * 1024 * 1024 + 1]);
    let document = json!({"id": "900", "mime_type": "text/plain"});

    world.notify(&line.message(&json!({"id": "wamid.1", "type": "document", "document": document}))).await.expect(200);
    world.work_off().await;

    assert!(line.only_message(&world).await.get("mediaUrl").is_none());
    let item = stored(&world).await;
    assert!(item["inboundMedia"].contains("the limit of 104857600 bytes"), "{item:?}");
    nothing_is_left(&world).await;
}

/// A platform failure does not lose media: the message stays due.
#[tokio::test]
async fn media_wait_for_the_platform() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "723").await;
    provide(&world, b"bytes");
    let image = line.message(&image("wamid.1", &json!({"id": "900", "mime_type": "image/jpeg", "sha256": ""})));

    for (code, status) in [(130_429, 400), (190, 401), (2, 503)] {
        world.platform.misbehave("/900", Misbehave::Status(status, error(code, "not now").to_string()), 2);
        world.notify(&image).await.expect(200);
        world.work_off().await;
        world.platform.state().misbehave.clear();
        assert!(line.only_message(&world).await.get("mediaUrl").is_none(), "{code}");
    }
    assert_eq!(world.dead_letters().await.len(), 0);

    world.notify(&image).await.expect(200);
    world.work_off().await;
    assert!(line.only_message(&world).await["mediaUrl"].is_string());
    let retention = stored(&world).await["dueAt"].parse::<i64>().unwrap() - world.now().millis();
    assert_eq!(retention, 30 * 86_400_000, "due when its retention ends");
}
