//! Messages that name other objects: messages, contacts and media.

use std::time::Duration;

use serde_json::{Value, json};
use tests::catalogue::download;
use tests::chat::{event_counts, events};
use tests::request::text;
use tests::samples::PNG;
use tests::{Call, Service as _, World};

use super::{INBOUND, from_user, receive};

/// A reply and a reaction name a message by our id; a changed name and a changed number update the contact.
#[tokio::test]
async fn messages_refer_to_messages_and_contacts_change() {
    let world = World::new().await;
    let first = receive(&world, &from_user("text", &json!({"text": {"body": "One"}}))).await.expect(201);

    let reply = json!({"text": {"body": "Two"}, "replyTo": first["id"]});
    let reply = receive(&world, &from_user("text", &reply)).await.expect(201);
    assert_eq!(reply["replyToMessageId"], first["id"]);

    let reaction = json!({"reaction": {"messageId": reply["id"], "emoji": "🎉"}});
    let reaction = receive(&world, &from_user("reaction", &reaction)).await.expect(201);
    assert_eq!((&reaction["reactionMessageId"], &reaction["reactionEmoji"]), (&reply["id"], &json!("🎉")));

    let removed = json!({"reaction": {"messageId": reply["id"], "emoji": ""}});
    let removed = receive(&world, &from_user("reaction", &removed)).await.expect(201);
    assert_eq!(removed["reactionEmoji"], Value::Null);

    let platform = json!({"text": {"body": "Three"}, "replyTo": first["providerMessageId"]});
    assert_eq!(receive(&world, &from_user("text", &platform)).await.expect(201)["replyToMessageId"], first["id"]);

    world.clock.advance(Duration::from_secs(1));
    let renamed = json!({"text": {"body": "Four"}, "profileName": "Ann B."});
    receive(&world, &from_user("text", &renamed)).await.expect(201);
    world.clock.advance(Duration::from_secs(1));
    let moved = json!({"system": {"kind": "number_changed", "newNumber": "+16505559999"}, "profileName": "Ann B."});
    let moved = receive(&world, &from_user("system", &moved)).await.expect(201);
    assert_eq!(moved["type"], "system");

    let updated = events(&world, &world.org, "contacts.chat.updated").await;
    let names: Vec<&Value> = updated.iter().map(|contact| &contact["name"]).collect();
    assert_eq!(names, [&json!("Ann B."), &json!("Ann B.")]);
    assert!(updated.iter().any(|contact| contact["phoneNumber"] == "+16505559999"), "{updated:?}");
    assert_eq!(event_counts(&world, &world.org).await["contacts.chat.created"], 1);
}

/// A simulated user sends a medium that the app has uploaded.
#[tokio::test]
async fn media_come_from_the_uploads_of_the_app() {
    let world = World::new().await;
    let key = &world.org.test_app_key;
    let file = world.send(Call::post("/v1/media").key(key).file("a.png", Some("image/png"), PNG)).await.expect(201);

    let image = json!({"image": {"mediaId": file["id"], "caption": "Look"}});
    let sent = receive(&world, &from_user("image", &image)).await.expect(201);
    assert_eq!((&sent["mediaMimeType"], &sent["mediaCaption"]), (&json!("image/png"), &json!("Look")));
    assert_eq!(sent.get("mediaUrl"), None);

    let path = format!("/v1/chat/messages/{}", text(&sent, "id"));
    let fetched = world.send(Call::get(path).key(key)).await.expect(200);
    assert_eq!(fetched["mediaFileSize"], PNG.len());
    let url = text(&fetched, "mediaUrl");
    let (status, mime, _, bytes) = download(url).await;
    assert_eq!((status, mime.as_str(), bytes.as_slice()), (200, "image/png", PNG));

    // The app's own media only, of the kind that the type says.
    let live = world.send(Call::post("/v1/media").key(&world.org.app_key).file("a.png", None, PNG)).await.expect(201);
    let foreign = json!({"image": {"mediaId": live["id"]}});
    receive(&world, &from_user("image", &foreign)).await.refused(404, Some("image.mediaId"), None);
    let wrong = json!({"video": {"mediaId": file["id"]}});
    let keyed = |body: Value| Call::post(INBOUND).key(key).header("idempotency-key", "media").json(&body);
    world.send(keyed(from_user("video", &wrong))).await.refused(400, Some("video.mediaId"), None);

    // The key can be used again.
    world.send(keyed(from_user("image", &image))).await.expect(201);

    // A medium that is deleted is gone from the messages too, and cannot be sent any more.
    let late = receive(&world, &from_user("image", &image)).await.expect(201);
    world.send(Call::delete(format!("/v1/media/{}", text(&file, "id"))).key(key)).await.expect(200);
    let path = format!("/v1/chat/messages/{}", text(&late, "id"));
    let late = world.send(Call::get(path).key(key)).await.expect(200);
    assert_eq!((late.get("mediaUrl"), late.get("mediaFileSize")), (None, None));
    receive(&world, &from_user("image", &image)).await.refused(404, Some("image.mediaId"), None);
    assert_eq!(world.dead_letters().await, Vec::<String>::new());
}
