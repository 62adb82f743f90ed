//! Files that are announced, uploaded to the bucket, and completed.

use std::time::Duration;

use serde_json::{Value, json};
use tests::catalogue::{download, put_bytes, uploaded};
use tests::request::text;
use tests::samples::{PNG, pdf};
use tests::{Call, Reply, Service as _, World};

use super::{PATH, get};

/// Announces a direct upload.
async fn announce(world: &World, body: Value) -> Reply {
    world.send(Call::post(format!("{PATH}/uploads")).key(&world.org.app_key).json(&body)).await
}

/// Completes a direct upload.
async fn complete(world: &World, id: &str) -> Reply {
    world.send(Call::post(format!("{PATH}/{id}/complete")).key(&world.org.app_key)).await
}

#[tokio::test]
async fn a_direct_upload_exists_once_it_is_completed() {
    let world = World::new().await;
    let content = pdf(5 * 1024 * 1024);
    let made =
        announce(&world, json!({"fileName": "big.pdf", "mimeType": "application/pdf", "fileSize": content.len()}))
            .await;
    let made = made.expect(201);

    let id = text(&made, "id");
    assert_eq!(made["expiresAt"], json!(world.now().plus(Duration::from_secs(900)).to_string()));
    assert!(text(&made, "uploadUrl").split('&').any(|part| part == "X-Amz-Expires=900"), "{made}");

    complete(&world, &id).await.refused(409, Some("mediaId"), None);
    put_bytes(&made, content.clone()).await.unwrap();
    get(&world, &id).await.refused(404, Some("mediaId"), None);
    let ready = complete(&world, &id).await.expect(200);
    assert_eq!((&ready["fileSize"], &ready["fileName"]), (&json!(content.len()), &json!("big.pdf")));

    // The uploaded object remains for a while, but only the validated copy is used.
    assert!(text(&ready, "url").contains("/media/org_"), "{ready}");
    assert_eq!(ready["expiresAt"], json!(world.now().plus_days(30).to_string()));
    assert_eq!(download(text(&ready, "url")).await.3, content);

    world.clock.advance(Duration::from_secs(5));
    let again = complete(&world, &id).await.expect(200);
    for field in ["id", "createdAt", "expiresAt", "fileSize", "mimeType"] {
        assert_eq!(again[field], ready[field], "{field}");
    }

    // The upload URL can no longer replace the validated bytes.
    assert!(world.account.objects().await.iter().any(|key| key.starts_with("media/")));
    assert_eq!(put_bytes(&made, pdf(content.len())).await, Err(412));
    assert_eq!(download(text(&ready, "url")).await.3, content);
}

#[tokio::test]
async fn a_direct_upload_is_what_was_announced() {
    let world = World::new().await;
    let made =
        announce(&world, json!({"fileName": "a.pdf", "mimeType": "application/pdf", "fileSize": PNG.len()})).await;
    let made = made.expect(201);
    let id = text(&made, "id");

    assert_eq!(put_bytes(&made, pdf(PNG.len() + 1)).await, Err(403), "the signature holds the length");
    let mut retyped = made.clone();
    let headers = retyped["headers"].as_object_mut().unwrap();
    let name = headers.keys().find(|name| name.eq_ignore_ascii_case("content-type")).unwrap().clone();
    headers[&name] = json!("text/html");
    assert_eq!(put_bytes(&retyped, pdf(PNG.len())).await, Err(403), "and the type");

    put_bytes(&made, PNG.to_vec()).await.unwrap();
    complete(&world, &id).await.refused(415, Some("file"), None);

    // The rejected bytes are deleted, and the upload can be repeated.
    assert_eq!(world.account.objects().await, Vec::<String>::new());
    put_bytes(&made, pdf(PNG.len())).await.unwrap();
    complete(&world, &id).await.expect(200);
}

#[tokio::test]
async fn an_upload_is_given_up_after_fifteen_minutes() {
    let world = World::new().await;
    let id = uploaded(&world).await;

    world.clock.advance(Duration::from_secs(900));
    complete(&world, &id).await.refused(404, Some("mediaId"), None);
}

#[tokio::test]
async fn wrong_announcements_are_refused() {
    let world = World::new().await;
    let good = json!({"fileName": "a.jpg", "mimeType": "image/jpeg", "fileSize": 10});
    let with = |field: &str, value: Value| {
        let mut body = good.clone();
        body[field] = value;
        body
    };

    for (body, status, param, code) in [
        (json!({}), 400, "fileName", None),
        (with("fileName", json!("")), 400, "fileName", None),
        (with("fileName", json!(" ")), 400, "fileName", None),
        (with("mimeType", json!("image/gif")), 415, "mimeType", None),
        (with("fileSize", json!(0)), 400, "fileSize", None),
        (with("fileSize", json!(-1)), 400, "fileSize", None),
        (with("fileSize", json!("10")), 400, "fileSize", None),
        (with("fileSize", json!(5 * 1024 * 1024 + 1)), 413, "fileSize", Some("media_too_large")),
        (with("more", json!(1)), 400, "more", None),
    ] {
        announce(&world, body).await.refused(status, Some(param), code);
    }

    for (mime, limit) in [
        ("image/jpeg", 5 * 1024 * 1024),
        ("image/png", 5 * 1024 * 1024),
        ("image/webp", 500 * 1024),
        ("video/mp4", 16 * 1024 * 1024),
        ("audio/ogg", 16 * 1024 * 1024),
        ("application/pdf", 100 * 1024 * 1024),
        ("text/plain", 100 * 1024 * 1024),
    ] {
        let of_size = |size: u64| json!({"fileName": "a", "mimeType": mime, "fileSize": size});
        announce(&world, of_size(limit)).await.expect(201);
        let refused = announce(&world, of_size(limit + 1)).await;
        refused.refused(413, Some("fileSize"), Some("media_too_large"));
    }

    announce(&world, with("fileName", json!(format!("../{}\n.jpg", "a".repeat(300))))).await.expect(201);
}
