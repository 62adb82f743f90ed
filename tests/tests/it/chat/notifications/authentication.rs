//! The handshake, and the signature of each notification.

use std::time::Duration;

use api::HttpService;
use tests::chat::connect;
use tests::standin::{APP_SECRET, VERIFY_TOKEN, app_document, signature};
use tests::{Call, Service as _, World};

use super::{PATH, signed, text_message};

/// Stores a document with the secrets of the platform's app, and starts a function that reads it.
async fn started_with(world: &World, document: &str) -> HttpService {
    let put = world.account.secrets.put_secret_value().secret_id("platform");
    put.secret_string(document).send().await.unwrap();
    world.notifications(Duration::from_secs(600))
}

#[tokio::test]
async fn the_handshake_answers_the_challenge_to_who_knows_the_token() {
    let world = World::new().await;
    let handshake = |mode: &str, token: &str, challenge: &str| {
        Call::get(format!("{PATH}?hub.mode={mode}&hub.challenge={challenge}&hub.verify_token={token}"))
    };

    let reply = world.send(handshake("subscribe", VERIFY_TOKEN, "1158201444")).await;
    assert_eq!((reply.status.as_u16(), reply.text.as_str()), (200, "1158201444"));

    for call in [
        handshake("subscribe", "wrong", "1"),
        handshake("subscribe", "", "1"),
        handshake("other", VERIFY_TOKEN, "1"),
        Call::get(PATH),
    ] {
        let body = world.send(call).await.refused(403, None, None);
        assert_eq!(body["error"]["type"], "invalid_request_error");
    }
}

/// Without a configured token, an empty token is rejected.
#[tokio::test]
async fn the_handshake_refuses_all_where_no_token_is_set() {
    let world = World::new().await;
    let secret = ("appSecret", APP_SECRET);

    for document in [app_document(&[secret, ("verifyToken", "")]), app_document(&[secret])] {
        let restarted = started_with(&world, &document).await;

        for token in ["&hub.verify_token=", "", &format!("&hub.verify_token={VERIFY_TOKEN}")] {
            let call = Call::get(format!("{PATH}?hub.mode=subscribe&hub.challenge=1{token}"));
            assert_eq!(restarted.respond(call.request()).await.status(), 403, "{document} {token}");
        }
    }
}

#[tokio::test]
async fn only_a_signed_body_is_believed() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "701").await;
    let body = line.message(&text_message("wamid.1", "Grüße")).to_string();
    // The platform escapes non-ASCII characters; the signature covers the bytes as sent.
    let body = body.replace('ü', "\\u00fc").into_bytes();
    let right = signature(APP_SECRET, &body);

    let before = world.account.items().await;
    for wrong in
        [None, Some("sha256=".to_owned()), Some(signature("another", &body)), Some(right.replace("sha256", "sha1"))]
    {
        let call = Call::post(PATH).bytes(body.clone());
        let call = wrong.iter().fold(call, |call, header| call.header("x-hub-signature-256", header));
        let reply = world.send(call).await;
        assert_eq!(reply.refused(401, Some("X-Hub-Signature-256"), None)["error"]["type"], "authentication_error");
    }
    assert_eq!(world.account.items().await, before);

    world.send(Call::post(PATH).header("x-hub-signature-256", &right).bytes(body)).await.expect(200);
    assert_eq!(line.only_message(&world).await["textBody"], "Grüße");

    // A new function instance sees a new secret while the previous one is still valid.
    let new = r#"n"e\w é"#;
    let secrets = [("appSecret", new), ("previousAppSecret", APP_SECRET), ("verifyToken", VERIFY_TOKEN)];
    let restarted = started_with(&world, &app_document(&secrets)).await;
    for (secret, status) in [(new, 200), (APP_SECRET, 200), ("another", 401)] {
        let body = br#"{"entry": []}"#;
        let call = Call::post(PATH).header("x-hub-signature-256", &signature(secret, body)).bytes(body.to_vec());
        assert_eq!(restarted.respond(call.request()).await.status(), status, "{secret}");
    }

    // A signature does not make a valid notification.
    for (body, status) in
        [(vec![b' '; 3 * 1024 * 1024 + 1], 413), (b"[]".to_vec(), 400), (b"{\"entry\": 1}".to_vec(), 400)]
    {
        assert_eq!(world.send(signed(body)).await.status.as_u16(), status);
    }
}
