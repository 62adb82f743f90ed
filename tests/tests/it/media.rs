use std::time::Duration;

use serde_json::{Value, json};
use tests::catalogue::{download, put_bytes, uploaded};
use tests::faults::Fault;
use tests::request::text;
use tests::samples::{PDF, PNG, TEXT, jpeg, pdf};
use tests::{Call, Reply, Service as _, World};

const PATH: &str = "/v1/media";

async fn upload(world: &World, name: &str, mime: Option<&str>, content: &[u8]) -> Reply {
    world.send(Call::post(PATH).key(&world.org.app_key).file(name, mime, content)).await
}

async fn get(world: &World, id: &str) -> Reply {
    world.send(Call::get(format!("{PATH}/{id}")).key(&world.org.app_key)).await
}

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
async fn what_is_no_upload_is_refused_and_leaves_nothing() {
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
    let world = World::new().await;
    const MOST: usize = 4 * 1024 * 1024;
    const LARGEST_IN_AN_EVENT: usize = 6 * 1024 * 1024 * 3 / 4;
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

async fn announce(world: &World, body: Value) -> Reply {
    world.send(Call::post(format!("{PATH}/uploads")).key(&world.org.app_key).json(&body)).await
}

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
