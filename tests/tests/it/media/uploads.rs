//! Files that are uploaded through the API.

use serde_json::json;
use tests::catalogue::download;
use tests::request::text;
use tests::samples::{PDF, PNG, TEXT, jpeg};
use tests::{Call, Service as _, World};

use super::{PATH, get, upload};

#[tokio::test]
async fn an_upload_can_be_downloaded_as_it_was() {
    let world = World::new().await;
    let made = upload(&world, "Bild Ü.png", Some("image/png"), PNG).await.expect(201);
    let id = text(&made, "id");
    assert_eq!(
        made,
        json!({"id": id, "fileName": "Bild Ü.png", "mimeType": "image/png", "fileSize": PNG.len(), "mediaType": "image",
            "url": made["url"], "expiresAt": world.now().plus_days(30).to_string(), "createdAt": world.now().to_string(),
            "urlExpiresIn": 3600})
    );
    assert!(text(&made, "url").contains("/media/org_"), "{made}");

    let (status, mime, disposition, bytes) = download(text(&made, "url")).await;
    assert_eq!((status, mime.as_str(), disposition.as_str(), bytes.as_slice()), (200, "image/png", "inline", PNG));
    assert_eq!(get(&world, &id).await.expect(200)["fileName"], made["fileName"]);

    let document = upload(&world, "Grüße.txt", None, TEXT).await.expect(201);
    assert_eq!((&document["mimeType"], &document["mediaType"]), (&json!("text/plain"), &json!("document")));
    let (_, mime, disposition, _) = download(text(&document, "url")).await;
    assert_eq!(mime, "text/plain");
    assert_eq!(disposition, "attachment; filename=\"Gr__e.txt\"; filename*=UTF-8''Gr%C3%BC%C3%9Fe.txt");
}

#[tokio::test]
async fn media_belongs_to_the_app_that_uploaded_it() {
    let world = World::new().await;
    let id = text(&upload(&world, "a.png", None, PNG).await.expect(201), "id");
    let (_, sibling) = world.app(&world.org.admin, &json!({"name": "Sibling"})).await;

    for key in [&sibling, &world.org.test_app_key] {
        for call in [
            Call::get(format!("{PATH}/{id}")),
            Call::delete(format!("{PATH}/{id}")),
            Call::post(format!("{PATH}/{id}/complete")),
        ] {
            world.send(call.key(key)).await.refused(404, Some("mediaId"), None);
        }
    }

    for id in ["x", "media_x", "media_0ujtsYcgvSTl8PAuAdqWYSMnLOv", "..", "%00", "a%2Fb"] {
        get(&world, id).await.refused(404, Some("mediaId"), None);
    }
}

#[tokio::test]
async fn an_invalid_upload_is_rejected_and_leaves_nothing() {
    let world = World::new().await;
    let before = world.account.items().await;
    let call = || Call::post(PATH).key(&world.org.app_key);
    let refused = async |call: Call, status: u16, param: &str, code: Option<&str>| {
        world.send(call).await.refused(status, Some(param), code);
    };

    refused(call(), 415, "Content-Type", None).await;
    refused(call().json(&json!({})), 415, "Content-Type", None).await;
    refused(call().header("content-type", "multipart/form-data"), 400, "Content-Type", None).await;
    refused(call().header("content-type", "multipart/form-data; boundary=x").bytes("no parts"), 400, "body", None)
        .await;
    refused(
        call().file("a.png", None, PNG).header("content-type", "multipart/form-data; boundary=other"),
        400,
        "body",
        None,
    )
    .await;
    let mut cut = call().file("a.png", None, PNG);
    cut.body.truncate(cut.body.len() - 20);
    refused(cut, 400, "body", None).await;

    refused(call().parts(&[]), 400, "file", None).await;
    refused(call().parts(&[("other", None, None, b"x")]), 400, "file", None).await;
    refused(call().parts(&[("other", None, None, b"x"), ("file", Some("a.png"), None, PNG)]), 400, "other", None).await;
    refused(call().parts(&[("file", Some("a"), None, PNG), ("file", Some("b"), None, PNG)]), 400, "file", None).await;
    refused(call().file("a.png", None, b""), 400, "file", None).await;
    refused(call().file("a.gif", None, b"GIF89a\x01\0\x01\0\x80\xff"), 415, "file", None).await;
    refused(call().file("a.png", Some("image/png"), PDF), 415, "file", None).await;
    refused(call().file("a.gif", Some("image/gif"), PNG), 415, "file", None).await;
    refused(call().file("a.html", Some("text/plain"), b"<script>alert(1)</script>"), 415, "file", None).await;
    let webp = [b"RIFF\0\0\0\0WEBPVP8 ".as_slice(), &vec![0; 500 * 1024]].concat();
    refused(call().file("a.webp", None, &webp), 413, "file", Some("media_too_large")).await;

    assert_eq!(world.account.items().await, before);
    assert_eq!(world.account.objects().await, Vec::<String>::new());
}

#[tokio::test]
async fn four_mebibytes_fit_and_one_byte_more_does_not() {
    const MOST: usize = 4 * 1024 * 1024;
    const LARGEST_IN_AN_EVENT: usize = 6 * 1024 * 1024 * 3 / 4;

    let world = World::new().await;
    upload(&world, "a.jpg", None, &jpeg(MOST)).await.expect(201);

    for size in [MOST + 1, MOST + 100_000, LARGEST_IN_AN_EVENT - 1000, 3 * MOST] {
        let refused =
            upload(&world, "a.jpg", None, &jpeg(size)).await.refused(413, Some("file"), Some("media_too_large"));
        let message = refused["error"]["message"].as_str().unwrap();
        assert!(message.contains("4194304") && message.contains("/v1/media/uploads"), "{message}");
        // A body larger than a Lambda payload can hold is not even read.
        assert!(size > LARGEST_IN_AN_EVENT || message.contains(&size.to_string()), "{message}");
    }
}
