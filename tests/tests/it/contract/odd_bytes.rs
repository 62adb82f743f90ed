//! Bytes and characters that a part of the system does not take: bytes that are not UTF-8, and characters that SQS rejects.

use api::gateway::GatewayEvent;
use domain::Timestamp;
use domain::job::{Job, Queued as _, QueuedJob};
use serde_json::{Value, json};
use tests::chat::connect;
use tests::samples::PNG;
use tests::{Call, Reply, Service as _, World};

const APPS: &str = "/v1/organization/apps";

/// Every kind of character that JSON allows and SQS does not.
const ODD: &str = "a\u{FFFE}b\u{FFFF}c\u{1}\u{B}\u{1F}\u{7F}\u{FFFD}\u{1F600}";

/// Updates that are not applied at once go through the queue. One odd character must not keep the others from it.
#[tokio::test]
async fn characters_that_sqs_rejects_reach_the_log_through_the_queue() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "2671").await;
    let message = |n: usize| {
        let body = if n == 28 { ODD.to_owned() } else { format!("text {n}") };
        json!({"id": format!("wamid.odd.{n}"), "from": "16505551234", "timestamp": "2000000000", "type": "text", "text": {"body": body}})
    };
    let messages: Vec<Value> = (0..30).map(message).collect();
    let contacts = json!([{"profile": {"name": ODD}, "wa_id": "16505551234"}]);
    let sent = line.about("messages", &json!({"contacts": contacts, "messages": messages}));
    assert_eq!(world.notify(&sent).await.expect(200)["accepted"], 30);
    world.work_off().await;
    let stored = line.messages(&world).await;
    let odd = stored.iter().find(|message| message["providerMessageId"] == "wamid.odd.28").expect("the odd message");
    assert_eq!((stored.len(), &odd["textBody"]), (30, &json!(ODD)));
    assert!(world.dead_letters().await.is_empty());
}

/// The receipts of the simulated carrier, and what a simulated user writes, go through the same queue.
#[tokio::test]
async fn jobs_of_any_kind_carry_any_character() {
    let world = World::new().await;
    let update = json!({"messageBody": ODD}).to_string();
    let organization_id = Some(world.org.id.parse().unwrap());
    let at = Timestamp::from_millis(2_000_000_000_000);
    let job = Job::CarrierUpdate { v: 1, organization_id, at, update };
    world.worker.inbox.queue.send(std::slice::from_ref(&job)).await.unwrap();
    let bodies = world.take(&world.account.queue).await;
    assert_eq!(bodies.len(), 1);
    assert_ne!(bodies[0], job.body(None).unwrap(), "the odd characters are escaped");
    assert_eq!(serde_json::from_str::<QueuedJob>(&bodies[0]).unwrap().job, job);
}

/// A request as the gateway hands it to a function.
async fn through_gateway(world: &World, call: &Call, body: &str, is_base64: bool) -> Reply {
    let headers: serde_json::Map<String, Value> =
        call.headers.iter().map(|(name, value)| (name.to_string(), json!(value.to_str().unwrap()))).collect();
    let event = json!({
        "version": "2.0", "rawPath": call.path, "rawQueryString": "", "headers": headers, "body": body,
        "isBase64Encoded": is_base64,
        "requestContext": {"stage": "$default", "requestId": "id", "http": {"method": call.method.as_str(), "path": call.path}},
    });
    let event: GatewayEvent = serde_json::from_value(event).unwrap();
    Reply::of(world.api_of(&call.method, &call.path).respond(event.into_request()).await).await
}

async fn expect_not_utf8(reply: Reply) {
    let error = reply.json();
    assert_eq!((reply.status.as_u16(), &error["error"]["param"]), (400, &json!("body")), "{error}");
    assert!(error["error"]["message"].as_str().unwrap().contains("UTF-8"), "{error}");
}

async fn app_names(world: &World) -> Vec<String> {
    let list = world.admin(Call::get(APPS)).await.expect(200);
    list["data"].as_array().unwrap().iter().map(|app| app["name"].as_str().unwrap().to_owned()).collect()
}

/// The gateway decodes a body of type `application/json` and replaces bytes that are not UTF-8. The length that the client
/// announced tells that the body was another one.
#[tokio::test]
async fn bytes_that_are_not_utf8_are_rejected() {
    let world = World::new().await;
    let before = app_names(&world).await;
    for sent in [
        &b"{\"name\": \"a\xff\"}"[..],
        b"{\"name\": \"\xe9t\xe9\"}",
        b"{\"na\xffme\": \"a\"}",
        b"{\"name\": \"a\"}\xff",
    ] {
        let call = Call::post(APPS).key(&world.org.admin).header("content-type", "application/json");
        expect_not_utf8(world.send_undocumented(call.clone().bytes(sent)).await).await;
        let announced = call.header("content-length", &sent.len().to_string());
        expect_not_utf8(through_gateway(&world, &announced, &String::from_utf8_lossy(sent), false).await).await;
        let untyped = Call::post(APPS).key(&world.org.admin).header("content-length", &sent.len().to_string());
        expect_not_utf8(through_gateway(&world, &untyped, &aws_smithy_types::base64::encode(sent), true).await).await;
    }
    assert_eq!(app_names(&world).await, before);
}

/// U+FFFD is a character like any other if the client has sent it.
#[tokio::test]
async fn the_replacement_character_itself_is_accepted() {
    let world = World::new().await;
    let sent = "{\"name\": \"a\u{FFFD}\"}";
    let call = Call::post(APPS).key(&world.org.admin).header("content-type", "application/json");
    let announced = call.clone().header("content-length", &sent.len().to_string());
    let created = through_gateway(&world, &announced, sent, false).await.expect(201);
    assert_eq!(created["name"], "a\u{FFFD}");
    // A client that streams announces no length.
    through_gateway(&world, &call, sent, false).await.expect(201);
}

#[tokio::test]
async fn names_of_parts_and_files_are_utf8() {
    let world = World::new().await;
    let upload = |disposition: &[u8]| {
        let mut body = b"--edge\r\nContent-Disposition: form-data; ".to_vec();
        body.extend_from_slice(disposition);
        body.extend_from_slice(b"\r\nContent-Type: image/png\r\n\r\n");
        body.extend_from_slice(PNG);
        body.extend_from_slice(b"\r\n--edge--\r\n");
        let call = Call::post("/v1/media").key(&world.org.app_key);
        call.header("content-type", "multipart/form-data; boundary=edge").bytes(body)
    };
    for odd in
        [&b"name=\"file\"; filename=\"caf\xe9.png\""[..], b"name=\"fil\xe9\"; filename=\"a.png\"", b"name=\"\xff\""]
    {
        expect_not_utf8(world.send_undocumented(upload(odd)).await).await;
    }
    let named = world.send(upload("name=\"file\"; filename=\"café.png\"".as_bytes())).await.expect(201);
    assert_eq!(named["fileName"], "café.png");
}
