//! SMS and MMS messages: sent once, with exactly the carrier's request; and their log.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde_json::{Value, json};
use store::DailySends;
use tests::carrier::Sent;
use tests::faults::Fault;
use tests::functions::{CONFIGURATION_SET, MAX_PRICE};
use tests::request::text;
use tests::samples::PNG;
use tests::sms::linked_number;
use tests::standin::Misbehave;
use tests::{Call, Reply, Service as _, World};

const SEND: &str = "/v1/sms";
const LOG: &str = "/v1/organization/sms/messages";
const NUMBER: &str = "+12015550100";
const TO: &str = "+12025550123";

fn send(world: &World, body: &Value) -> Call {
    Call::post(SEND).key(&world.org.app_key).json(body)
}

fn hello(from: &str) -> Value {
    json!({"from": from, "to": TO, "text": "Hello"})
}

fn refuse(exception: &str, reason: &str) -> Misbehave {
    Misbehave::Status(400, json!({"__type": exception, "Message": "no", "Reason": reason}).to_string())
}

/// IAM's denial of a call, which names the account and the role.
fn denied() -> Misbehave {
    let message = "User: arn:aws:sts::123456789012:assumed-role/sending is not authorized to perform this";
    Misbehave::Status(400, json!({"__type": "AccessDeniedException", "Message": message}).to_string())
}

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
    assert_eq!(world.carrier_account.state().sends.len(), 1);
}

/// Each way in which the carrier can fail: the response, the outcome in the log, and one request on one connection.
#[tokio::test]
async fn each_failure_of_the_carrier_has_its_outcome_and_one_request() {
    let world = World::new().await;
    linked_number(&world, NUMBER).await;
    let status = |status, body: &str| Misbehave::Status(status, body.to_owned());
    let internal = r#"{"__type": "InternalServerException", "Message": "?"}"#;
    let conflict = |reason| refuse("ConflictException", reason);
    let invalid = |reason| refuse("ValidationException", reason);
    let spent = refuse("ServiceQuotaExceededException", "MONTHLY_SPEND_LIMIT_REACHED_FOR_TEXT");
    let rows: Vec<(&str, Misbehave, u16, Option<&str>)> = vec![
        ("late", Misbehave::Slow(Duration::from_secs(9)), 202, None),
        ("hangs up", Misbehave::HangUp, 202, None),
        ("cut off", Misbehave::CutOff, 202, None),
        ("500", status(500, internal), 202, None),
        ("503", status(503, "<html>no</html>"), 202, None),
        ("200 without JSON", status(200, "<html>yes</html>"), 202, None),
        ("200 without an id", status(200, "{}"), 202, None),
        ("400 without a code", status(400, "{}"), 202, None),
        ("opted out", conflict("DESTINATION_PHONE_NUMBER_OPTED_OUT"), 422, Some("message_undeliverable")),
        ("unverified", conflict("DESTINATION_PHONE_NUMBER_NOT_VERIFIED"), 422, Some("carrier_api_error")),
        ("not active", conflict("RESOURCE_NOT_ACTIVE"), 422, Some("carrier_api_error")),
        ("price", invalid("PRICE_OVER_THRESHOLD"), 422, Some("carrier_api_error")),
        ("spent", spent, 422, Some("carrier_api_error")),
        ("media type", invalid("MEDIA_TYPE_NOT_SUPPORTED"), 400, Some("unsupported_message_type")),
        ("disabled", refuse("AccessDeniedException", "ACCOUNT_DISABLED"), 422, Some("carrier_api_error")),
        ("throttled", refuse("ThrottlingException", ""), 429, Some("rate_limit_exceeded")),
        ("credentials", refuse("UnrecognizedClientException", ""), 503, Some("carrier_api_unavailable")),
        ("a denied call", denied(), 503, Some("carrier_api_unavailable")),
    ];
    let mut connections = Vec::new();
    for (name, fault, status, code) in rows {
        world.carrier_account.state().sends.clear();
        world.carrier_account.state().faults = vec![fault];
        let reply =
            world.send(send(&world, &hello(NUMBER)).header("idempotency-key", name.replace(' ', "-").as_str())).await;
        let sends = world.carrier_account.state().sends.clone();
        assert_eq!(sends.len(), 1, "{name}");
        let id = match code {
            None => {
                let body = reply.expect(status);
                assert_eq!(body["outcome"], "UNKNOWN", "{name}");
                text(&body, "id")
            }
            Some(code) => {
                let id = reply.header("x-message-id").unwrap().to_owned();
                let error = reply.refused(status, None, Some(code))["error"].clone();
                assert!(!error.to_string().contains("123456789012"), "{error}");
                assert_eq!(
                    (&error["type"], &error["provider"]["source"]),
                    (&json!("provider_error"), &json!("carrier"))
                );
                id
            }
        };
        let stored = world.admin(Call::get(format!("{LOG}/{id}"))).await.expect(200);
        let expected = if code.is_some() { ("REFUSED", "FAILED") } else { ("UNKNOWN", "QUEUED") };
        assert_eq!((&stored["outcome"], &stored["status"]), (&json!(expected.0), &json!(expected.1)), "{name}");
        assert_eq!(stored["errorCode"].as_str(), code, "{name}");
        // A repeated request sends nothing, unless the carrier refused the message for now.
        let again =
            world.send(send(&world, &hello(NUMBER)).header("idempotency-key", name.replace(' ', "-").as_str())).await;
        let sent_again = matches!(status, 429 | 503);
        assert_eq!(again.status.as_u16(), if sent_again { 201 } else { status }, "{name}");
        let sends = world.carrier_account.state().sends.clone();
        assert_eq!(sends.len(), 1 + usize::from(sent_again), "{name}");
        connections.extend(sends.iter().map(|sent| sent.connection));
    }
    let different: BTreeSet<usize> = connections.iter().copied().collect();
    assert_eq!(different.len(), connections.len(), "{connections:?}");
}

#[tokio::test]
async fn without_a_carrier_or_a_connection_nothing_is_sent() {
    let world = World::new().await;
    linked_number(&world, NUMBER).await;
    let request = || send(&world, &hello(NUMBER)).request();
    let none = world.sending_with_carrier(None).respond(request()).await;
    assert_eq!((none.status().as_u16(), none.headers().contains_key("x-message-id")), (503, false));
    let gone = world.sending_with_carrier(Some("http://127.0.0.1:9")).respond(request()).await;
    assert_eq!((gone.status().as_u16(), gone.headers().contains_key("retry-after")), (503, true));
    let id = gone.headers()["x-message-id"].to_str().unwrap();
    let stored = world.admin(Call::get(format!("{LOG}/{id}"))).await.expect(200);
    assert_eq!((&stored["outcome"], &stored["errorCode"]), (&json!("REFUSED"), &json!("carrier_api_unavailable")));
    assert_eq!(world.carrier_account.state().sends.len(), 0);
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
    assert_eq!(world.carrier_account.state().sends.len(), 0);
}

#[tokio::test]
async fn a_queued_message_is_sent_at_its_turn_or_ends() {
    let world = World::new().await;
    let id = linked_number(&world, NUMBER).await;
    let queue = |to: &str| json!({"from": id, "to": to, "text": "Hello", "queue": true, "validForSeconds": 60});
    let first = world.send(send(&world, &queue(TO))).await.expect(202);
    assert_eq!((&first["outcome"], &first["status"]), (&json!("PENDING"), &json!("QUEUED")));
    assert_eq!(world.carrier_account.state().sends.len(), 0);
    while world.send_queued().await {}
    let shown = async |id: &Value| world.admin(Call::get(format!("{LOG}/{}", id.as_str().unwrap()))).await.expect(200);
    assert_eq!(shown(&first["id"]).await["outcome"], "ACCEPTED");
    assert_eq!(world.carrier_account.state().sends.len(), 1);
    // One message a second: the second one gets an appointment, and expires before the sweep looks at it again.
    let second = world.send(send(&world, &queue(TO))).await.expect(202);
    while world.send_queued().await {}
    assert_eq!(shown(&second["id"]).await["outcome"], "PENDING");
    world.clock.advance(Duration::from_secs(61));
    world.sweep().await;
    assert_eq!(shown(&second["id"]).await["outcome"], "EXPIRED");
    // What was checked when it was queued no longer holds at its turn.
    let third = world.send(send(&world, &queue(TO))).await.expect(202);
    let path = format!("/v1/organization/apps/{}/phone-numbers/{id}", world.org.app);
    world.admin(Call::delete(path)).await.expect(200);
    while world.send_queued().await {}
    let refused = shown(&third["id"]).await;
    assert_eq!((&refused["outcome"], &refused["errorCode"]), (&json!("REFUSED"), &json!("phone_number_not_assigned")));
    assert_eq!(world.carrier_account.state().sends.len(), 1);
}

/// What certainly was not sent waits: after a rate limit, without credentials, and without a carrier.
#[tokio::test]
async fn a_queued_message_waits_while_the_carrier_takes_none() {
    let world = World::new().await;
    let id = linked_number(&world, NUMBER).await;
    let body = json!({"from": id, "to": TO, "text": "Hello", "queue": true});
    for (case, fault) in [("throttled", refuse("ThrottlingException", "")), ("denied", denied())] {
        world.clock.advance(Duration::from_secs(600));
        world.carrier_account.state().sends.clear();
        world.carrier_account.state().faults = vec![fault];
        let message = text(&world.send(send(&world, &body)).await.expect(202), "id");
        let outcome = async || text(&world.admin(Call::get(format!("{LOG}/{message}"))).await.expect(200), "outcome");
        while world.send_queued().await {}
        assert_eq!((outcome().await.as_str(), world.carrier_account.state().sends.len()), ("PENDING", 1), "{case}");
        world.clock.advance(Duration::from_secs(600));
        world.sweep().await;
        while world.send_queued().await {}
        assert_eq!((outcome().await.as_str(), world.carrier_account.state().sends.len()), ("ACCEPTED", 2), "{case}");
    }
}

/// Whatever call a worker is stopped before: the message is sent once if its attempt had not begun, and is never sent
/// again if it had.
#[tokio::test]
async fn a_worker_that_is_stopped_anywhere_sends_once_at_most() {
    let world = World::new().await;
    let id = linked_number(&world, NUMBER).await;
    let body = json!({"from": id, "to": TO, "text": "Hello", "queue": true});
    let mut ends: BTreeMap<(String, usize), u32> = BTreeMap::new();
    for step in 0.. {
        let message = text(&world.send(send(&world, &body)).await.expect(202), "id");
        world.faults.set(Fault::StoppedAfter(step));
        let is_whole = tokio::select! {
            _ = world.send_queued() => true,
            () = world.faults.struck() => false,
        };
        world.faults.clear();
        // The sweep queues what it finds due, and gives up an attempt without an outcome.
        for _ in 0..2 {
            world.clock.advance(Duration::from_secs(121));
            world.sweep().await;
            while world.send_queued().await {}
        }
        let shown = world.admin(Call::get(format!("{LOG}/{message}"))).await.expect(200);
        let is_of_message = |sent: &&Sent| sent.input["Context"]["message"] == message.as_str();
        let sends = world.carrier_account.state().sends.iter().filter(is_of_message).count();
        let end = (text(&shown, "outcome"), sends);
        *ends.entry(end.clone()).or_default() += 1;
        if is_whole {
            assert_eq!(end, ("ACCEPTED".to_owned(), 1));
            break;
        }
    }
    let allowed = [("ACCEPTED", 1), ("UNKNOWN", 0), ("UNKNOWN", 1)];
    assert!(ends.keys().all(|(outcome, sends)| allowed.contains(&(outcome.as_str(), *sends))), "{ends:?}");
    assert!(ends[&("ACCEPTED".to_owned(), 1)] > 3 && ends[&("UNKNOWN".to_owned(), 1)] > 0, "{ends:?}");
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
    assert_eq!((log["data"].as_array().unwrap().len(), world.carrier_account.state().sends.len()), (2, 2));
    world.clock.advance(Duration::from_secs(24 * 3600));
    attempt("x").await.expect(201);
}

/// A function that stops around the call leaves an attempt, which the sweep gives up; nobody sends the message again.
#[tokio::test]
async fn an_attempt_without_an_outcome_becomes_unknown() {
    let world = World::new().await;
    let id = linked_number(&world, NUMBER).await;
    world.carrier_account.state().faults = vec![Misbehave::Slow(Duration::from_secs(5))];
    let call = send(&world, &json!({"from": id, "to": TO, "text": "Hello", "clientReference": "stopped"}));
    let stopped = tokio::time::timeout(Duration::from_secs(2), world.send(call)).await;
    assert!(stopped.is_err());
    world.clock.advance(Duration::from_secs(121));
    world.sweep().await;
    let found = world.admin(Call::get(format!("{LOG}?phoneNumberId={id}&outcome=UNKNOWN"))).await.expect(200);
    assert_eq!(found["data"][0]["clientReference"], "stopped");
    while world.send_queued().await {}
    assert_eq!(world.carrier_account.state().sends.len(), 1);
}

#[tokio::test]
async fn the_log_has_filters_and_hides_what_is_not_the_callers() {
    let world = World::new().await;
    let id = linked_number(&world, NUMBER).await;
    let first = world.send(send(&world, &hello(NUMBER))).await.expect(201);
    world.clock.advance(Duration::from_secs(1));
    world.carrier_account.state().faults = vec![refuse("ConflictException", "DESTINATION_PHONE_NUMBER_OPTED_OUT")];
    let body = json!({"from": NUMBER, "to": "+12025550199", "text": "Bye", "clientReference": "r1"});
    world.send(send(&world, &body)).await.refused(422, None, Some("message_undeliverable"));
    let list = async |query: &str| {
        let path = format!("{SEND}?phoneNumberId={id}{query}");
        let page = world.send(Call::get(path).key(&world.org.app_key)).await.expect(200);
        page["data"].as_array().unwrap().iter().map(|message| text(message, "to")).collect::<Vec<_>>()
    };
    assert_eq!(list("").await, ["+12025550199", TO]);
    assert_eq!(list("&outcome=REFUSED").await, ["+12025550199"]);
    assert_eq!(list("&clientReference=r1").await, ["+12025550199"]);
    assert_eq!(list("&contact=%2B12025550123").await, [TO]);
    assert_eq!(list("&contact=%2B12025550123&outcome=REFUSED").await, [""; 0]);
    assert_eq!(list("&direction=INBOUND").await, [""; 0]);
    // The only number of the app need not be named.
    let only = world.send(Call::get(SEND).key(&world.org.app_key)).await.expect(200);
    assert_eq!(only["data"].as_array().unwrap().len(), 2);
    // A session reads no texts, and no single message.
    let path = format!("{LOG}?phoneNumberId={id}");
    let session = world.send(Call::get(&path).key(&world.org.session)).await.expect(200);
    assert!(session["data"].as_array().unwrap().iter().all(|message| message["text"].is_null()));
    let admin = world.admin(Call::get(&path)).await.expect(200);
    assert_eq!(admin["data"][1]["text"], "Hello");
    let message = format!("{LOG}/{}", text(&first, "id"));
    assert_eq!(world.send(Call::get(&message).key(&world.org.session)).await.status.as_u16(), 401);
    assert_eq!(world.admin(Call::get(&message)).await.expect(200), first);
    // Another organization, another app, and a test key see nothing of it.
    let other = world.organization("Other").await;
    let own = format!("{SEND}/{}", text(&first, "id"));
    world.send(Call::get(&own).key(&other.app_key)).await.refused(404, Some("messageId"), None);
    world.send(Call::get(&own).key(&world.org.test_app_key)).await.refused(404, Some("messageId"), None);
    world.send(Call::get(&message).key(&other.admin)).await.refused(404, Some("messageId"), None);
    world.send(Call::get(&path).key(&other.admin)).await.refused(404, Some("phoneNumberId"), None);
    let named = format!("{SEND}?phoneNumberId={id}");
    world.send(Call::get(named).key(&other.app_key)).await.refused(404, Some("phoneNumberId"), None);
}
