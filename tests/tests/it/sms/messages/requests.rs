//! The carrier's request, and requests that are refused before it.

use std::time::Duration;

use serde_json::{Value, json};
use store::DailySends;
use tests::functions::{CONFIGURATION_SET, MAX_PRICE};
use tests::request::text;
use tests::samples::PNG;
use tests::sms::linked_number;
use tests::{Call, Reply, Service as _, World};

use super::{LOG, NUMBER, SEND, TO, hello, send, sent_count};

#[tokio::test]
async fn a_message_is_sent_once_with_exactly_this_request() {
    let world = World::new().await;
    let id = linked_number(&world, NUMBER).await;
    let mut body = hello(NUMBER);
    body["clientReference"] = json!("order 7");
    let keyed = || send(&world, &body).header("idempotency-key", "k");

    let sent = world.send(keyed()).await.expect(201);
    let message = text(&sent, "id");
    assert!(message.starts_with("msg_sms_") && !message.contains("test"), "{message}");

    let expected = json!({
        "id": message, "appId": world.org.app, "phoneNumberId": id, "direction": "OUTBOUND", "type": "sms",
        "from": NUMBER, "to": TO, "text": "Hello", "clientReference": "order 7", "outcome": "ACCEPTED",
        "status": "QUEUED", "queuedAt": sent["queuedAt"], "parts": 1, "createdAt": sent["createdAt"],
        "updatedAt": sent["updatedAt"],
    });
    assert_eq!(sent, expected);

    let replayed = world.send(keyed()).await;
    assert_eq!(replayed.header("idempotency-replayed"), Some("true"));
    assert_eq!(replayed.expect(200), sent);

    let sends = world.carrier_account.state().sends.clone();
    assert_eq!(sends.len(), 1);
    let request = json!({
        "DestinationPhoneNumber": TO, "OriginationIdentity": NUMBER, "MessageBody": "Hello",
        "MessageType": "TRANSACTIONAL", "ConfigurationSetName": CONFIGURATION_SET, "MaxPrice": MAX_PRICE,
        "Context": {"organization": world.org.id, "message": message},
    });
    assert_eq!((&sends[0].operation[..], &sends[0].input), ("TextMessage", &request));
    assert!(sends[0].is_signed);
    assert_eq!(sends[0].retries, "attempt=1; max=1");
}

#[tokio::test]
async fn a_medium_makes_an_mms_that_the_carrier_reads_from_the_bucket() {
    let world = World::new().await;
    linked_number(&world, NUMBER).await;
    let upload = Call::post("/v1/media").key(&world.org.app_key).file("a.png", Some("image/png"), PNG);
    let medium = text(&world.send(upload).await.expect(201), "id");

    let sent = world.send(send(&world, &json!({"from": NUMBER, "to": TO, "mediaId": medium}))).await.expect(201);
    assert_eq!((&sent["type"], &sent["mediaId"], &sent["parts"]), (&json!("mms"), &json!(medium), &json!(1)));

    let sends = world.carrier_account.state().sends.clone();
    let url = format!("s3://{}/media/{}/{medium}", world.account.bucket, world.org.id);
    let request = json!({
        "DestinationPhoneNumber": TO, "OriginationIdentity": NUMBER, "MediaUrls": [url],
        "ConfigurationSetName": CONFIGURATION_SET, "MaxPrice": MAX_PRICE,
        "Context": {"organization": world.org.id, "message": sent["id"]},
    });
    assert_eq!((&sends[0].operation[..], &sends[0].input, sends[0].is_signed), ("MediaMessage", &request, true));

    // The carrier's list has no WebP, no AAC and no plain text.
    for (name, bytes) in [
        ("a.webp", &b"RIFF\x04\0\0\0WEBPVP8 "[..]),
        ("a.aac", &b"\xFF\xF1\x50\x80"[..]),
        ("a.txt", &b"Your parcel"[..]),
    ] {
        let upload = Call::post("/v1/media").key(&world.org.app_key).file(name, None, bytes);
        let other = text(&world.send(upload).await.expect(201), "id");
        let refused = world.send(send(&world, &json!({"from": NUMBER, "to": TO, "mediaId": other}))).await;
        refused.refused(400, Some("mediaId"), Some("unsupported_message_type"));
    }

    let unknown = json!({"from": NUMBER, "to": TO, "mediaId": "media_0ujtsYcgvSTl8PAuAdqWYSMnLOv"});
    world.send(send(&world, &unknown)).await.refused(404, Some("mediaId"), None);
    assert_eq!(sent_count(&world), 1);
}

#[tokio::test]
async fn a_request_is_checked_before_anything_is_sent() {
    let world = World::new().await;
    let id = linked_number(&world, NUMBER).await;
    let checks = async |body: Value, status: u16, param: &str, code: Option<&str>| {
        world.send(send(&world, &body)).await.refused(status, Some(param), code);
    };

    checks(json!({"to": TO, "text": "x"}), 400, "from", None).await;
    checks(json!({"from": NUMBER, "to": "123", "text": "x"}), 400, "to", Some("invalid_phone_number")).await;
    checks(json!({"from": NUMBER, "to": TO}), 400, "text", None).await;
    checks(json!({"from": NUMBER, "to": TO, "text": ""}), 400, "text", None).await;
    checks(json!({"from": NUMBER, "to": TO, "text": "x".repeat(1601)}), 400, "text", None).await;
    checks(json!({"from": NUMBER, "to": TO, "text": "x", "validForSeconds": 60}), 400, "validForSeconds", None).await;
    checks(
        json!({"from": NUMBER, "to": TO, "text": "x", "clientReference": "x".repeat(256)}),
        400,
        "clientReference",
        None,
    )
    .await;
    checks(hello("+12015550199"), 403, "from", Some("phone_number_not_assigned")).await;
    checks(json!({"from": id, "to": "+491701234567", "text": "x"}), 403, "to", None).await;

    // A number that is not linked.
    let new = json!({"number": "+12015550111", "appIds": [world.org.app]});
    let unlinked = text(&world.admin(Call::post("/v1/organization/phone-numbers").json(&new)).await.expect(201), "id");
    checks(hello(&unlinked), 409, "from", None).await;

    // The number of another organization, and a live number for a test key.
    let other = world.organization("Other").await;
    for key in [&other.app_key, &world.org.test_app_key] {
        let call = Call::post(SEND).key(key).json(&hello(&id));
        world.send(call).await.refused(403, Some("from"), Some("phone_number_not_assigned"));
    }

    assert_eq!(sent_count(&world), 0);
}

/// A message that needs more parts than are left of the day is refused, and nothing is stored or sent.
#[tokio::test]
async fn an_organization_sends_as_many_parts_a_day_as_its_quota() {
    let world = World::new().await;
    let id = linked_number(&world, NUMBER).await;
    let service = world.sending(DailySends { messages: 1_000, parts: 5 });
    let attempt = async |text: &str| {
        let body = json!({"from": id, "to": TO, "text": text});
        Reply::of(service.respond(send(&world, &body).request()).await).await
    };

    let (three, two) = ("x".repeat(400), "x".repeat(200));
    assert_eq!(attempt(&three).await.expect(201)["parts"], 3);

    let refused = attempt(&three).await;
    let seconds: u32 = refused.header("retry-after").unwrap().parse().unwrap();
    assert!(seconds <= 24 * 3600, "{seconds}");
    let message = text(&refused.expect(429)["error"], "message");
    assert!(message.contains("at most 5 parts") && message.contains("has 3"), "{message}");

    assert_eq!(attempt(&two).await.expect(201)["parts"], 2);
    attempt("x").await.expect(429);

    let log = world.admin(Call::get(format!("{LOG}?phoneNumberId={id}"))).await.expect(200);
    assert_eq!((log["data"].as_array().unwrap().len(), sent_count(&world)), (2, 2));

    world.clock.advance(Duration::from_secs(24 * 3600));
    attempt("x").await.expect(201);
}
