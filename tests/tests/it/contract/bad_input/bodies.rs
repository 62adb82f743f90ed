//! Bodies that are no JSON object, or no valid form.

use serde_json::json;
use tests::catalogue::cases;
use tests::samples::PNG;
use tests::{Call, Service as _, World};

/// Bodies that every JSON operation rejects.
fn bad_bodies() -> Vec<(Vec<u8>, &'static str)> {
    let deep = [b"{\"name\":".repeat(5000), b"1".to_vec(), b"}".repeat(5000)].concat();
    vec![
        (b"{".to_vec(), "body"),
        (b"nonsense".to_vec(), "body"),
        (b"[]".to_vec(), "body"),
        (b"null".to_vec(), "body"),
        (b"\"text\"".to_vec(), "body"),
        (b"{} {}".to_vec(), "body"),
        (b"\xff\xfe{}".to_vec(), "body"),
        (b"\xef\xbb\xbf{}".to_vec(), "body"),
        (b"{\"name\":\"\\ud800\"}".to_vec(), "body"),
        (deep, "body"),
        (b"{\"x\":1,\"x\":2}".to_vec(), "x"),
    ]
}

#[tokio::test]
async fn bodies_that_are_no_json_object_are_refused_by_every_json_operation() {
    let world = World::new().await;
    let all = cases(&world).await;
    let before = world.account.items().await;
    let json_cases =
        all.iter().filter(|case| case.call.headers.get("content-type").is_some_and(|mime| mime == "application/json"));

    for case in json_cases {
        for (body, param) in bad_bodies() {
            let call = case.call.clone().key(case.right_key(&world.org)).bytes(body);
            world.send(call).await.refused(400, Some(param), None);
        }

        let call = || case.call.clone().key(case.right_key(&world.org));
        for mime in
            ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/jsonx"]
        {
            world.send(call().header("content-type", mime)).await.refused(415, Some("Content-Type"), None);
        }

        world.send(call().bytes(vec![b' '; 300_000])).await.refused(413, None, None);
        let nested = json!({"name": {"a": {"b": []}}, "url": [[]], "number": {}, "fileName": [], "from": {}, "mediaRetentionDays": []});
        let reply = world.send(call().json(&nested)).await;
        assert_eq!(reply.status.as_u16(), 400, "{reply:?}");
    }
    assert_eq!(world.account.items().await, before);
}

#[tokio::test]
async fn an_operation_without_a_body_ignores_one() {
    let world = World::new().await;
    let document = contract::document();
    let mut bare = 0;
    for case in cases(&world).await {
        let operation = &document["paths"][case.template][case.method().as_str().to_lowercase()];
        let mut call = case.call.clone().key(case.right_key(&world.org));
        if operation.get("requestBody").is_none() {
            call = call.header("content-type", "application/json").bytes("{\"x\":1,\"x\":2}");
            bare += 1;
        }
        let reply = world.send(call).await;
        assert_eq!(reply.status.as_u16(), case.status, "{case:?}: {reply:?}");
    }
    assert!(bare > 20, "{bare}");
}

#[tokio::test]
async fn json_needs_no_type_and_may_have_parameters() {
    let world = World::new().await;
    let call = || Call::post("/v1/organization/apps").bytes(br#"{"name":"x"}"#);
    world.admin(call()).await.expect(201);
    for mime in ["application/json;charset=UTF-8", "Application/JSON; charset=utf-8"] {
        world.admin(call().header("content-type", mime)).await.expect(201);
    }
}

#[tokio::test]
async fn broken_multipart_bodies_are_refused() {
    let world = World::new().await;
    let good = Call::post("/v1/media").key(&world.org.app_key).file("a.png", Some("image/png"), PNG);
    for cut in (1..good.body.len()).step_by(7) {
        let reply = world.send(good.clone().bytes(&good.body[..cut])).await;
        assert_eq!(reply.status.as_u16(), 400, "cut at {cut}: {reply:?}");
    }

    for mime in [
        "multipart/form-data; boundary=",
        "multipart/form-data; boundary=\"",
        "multipart/mixed; boundary=edge",
        "multipart",
    ] {
        let reply = world.send(good.clone().header("content-type", mime)).await;
        assert!(matches!(reply.status.as_u16(), 400 | 415), "{mime}: {reply:?}");
    }

    for name in ["../../x", "a\u{202e}b.png", "x".repeat(5000).as_str(), "", "C:\\x.png"] {
        let made = world.send(Call::post("/v1/media").key(&world.org.app_key).file(name, None, PNG)).await.expect(201);
        let kept = made["fileName"].as_str().unwrap();
        assert!(!kept.contains(['/', '\\', '\u{202e}']) && kept.chars().count() <= 255 && !kept.is_empty(), "{kept}");
    }
    assert_eq!(world.account.objects().await.len(), 5);
}
