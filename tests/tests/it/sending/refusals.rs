//! Messages that are refused: before the call, when nothing is stored, and by the platform, with the errors of the table.

use std::collections::BTreeMap;

use api::status;
use domain::ErrorKind;
use domain::chat::platform_error::{Means, TRANSLATIONS};
use futures_util::future::join_all;
use serde_json::{Value, json};
use tests::chat::{Line, connect};
use tests::request::{altered, text};
use tests::samples::PNG;
use tests::standin::{Misbehave, error, template};
use tests::{Call, Service as _, World};

const SEND: &str = "/v1/chat/messages";
const TO: &str = "+16505551234";

fn text_to(line: &Line, to: &str) -> Value {
    json!({"from": line.number, "to": to, "type": "text", "text": {"body": "Hello"}})
}

fn of_type(line: &Line, kind: &str, object: &Value) -> Value {
    json!({"from": line.number, "to": TO, "type": kind, kind: object})
}

/// The items of the table, without the counts of quotas.
async fn stored(world: &World) -> Vec<BTreeMap<String, String>> {
    world.account.items().await.into_iter().filter(|item| !item["PK"].starts_with("RATE#")).collect()
}

async fn uploaded(world: &World, key: &str) -> String {
    let upload = Call::post("/v1/media").key(key).file("a.png", Some("image/png"), PNG);
    text(&world.send(upload).await.expect(201), "id")
}

async fn group(world: &World, line: &Line) -> String {
    let group = json!({"chatPhoneNumberId": line.number, "subject": "Friends"});
    text(&world.send(Call::post("/v1/chat/groups").key(&line.org.app_key).json(&group)).await.expect(201), "id")
}

/// Objects of other apps, numbers, organizations and modes are treated as if they did not exist.
#[tokio::test]
async fn objects_of_other_apps_do_not_exist() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "3001").await;
    let second = connect(&world, &world.org, "3002").await;
    let stranger = world.organization("Stranger").await;
    let foreign = connect(&world, &stranger, "3003").await;
    let (other, other_key) = world.app(&line.org.admin, &json!({"name": "Other"})).await;
    let unassigned = format!("/v1/organization/apps/{}/phone-numbers/{}", line.org.app, second.number);
    world.notify(&second.message(&json!({"id": "wamid.second", "type": "text", "text": {"body": "Hi"}}))).await;
    let message_of_second = text(&second.messages(&world).await[0], "id");
    let group_of_second = group(&world, &second).await;
    let test_number = {
        let numbers = world.admin(Call::get("/v1/organization/chat/phone-numbers?limit=100")).await.expect(200);
        let numbers = numbers["data"].as_array().unwrap().clone();
        text(numbers.iter().find(|number| text(number, "id").starts_with("wapn_test_")).unwrap(), "id")
    };
    world.admin(Call::delete(unassigned)).await.expect(200);
    let own = uploaded(&world, &line.org.app_key).await;
    let media = [
        uploaded(&world, &other_key).await,
        uploaded(&world, &stranger.app_key).await,
        uploaded(&world, &line.org.test_app_key).await,
        altered(&own),
    ];
    let before = stored(&world).await;
    let mut refused = Vec::new();
    let e164 = format!("+{}", foreign.display);
    let nobody = altered(&line.number);
    for from in [&second.number, &foreign.number, &e164, &nobody, &test_number, &"+12015550199".to_owned()] {
        let body = json!({"from": from, "to": TO, "type": "text", "text": {"body": "Hello"}});
        let reply = world.send(Call::post(SEND).key(&line.org.app_key).json(&body)).await;
        refused.push(reply.refused(403, Some("from"), Some("phone_number_not_assigned")));
    }
    assert!(refused.windows(2).all(|pair| pair[0] == pair[1]), "{refused:?}");
    let mut refused = Vec::new();
    for id in &media {
        let body = of_type(&line, "image", &json!({"mediaId": id}));
        let reply = world.send(Call::post(SEND).key(&line.org.app_key).json(&body)).await;
        refused.push(reply.refused(404, Some("image.mediaId"), None));
    }
    assert!(refused.windows(2).all(|pair| pair[0] == pair[1]), "{refused:?}");
    let mut reply_to = text_to(&line, TO);
    reply_to["replyTo"] = json!(message_of_second);
    let mut to_group = json!({"from": line.number, "type": "text", "text": {"body": "Hello"}});
    to_group["groupId"] = json!(group_of_second);
    let pin = json!({"from": line.number, "groupId": group_of_second, "type": "pin",
        "pin": {"messageId": message_of_second, "action": "pin", "expirationDays": 1}});
    let reaction = of_type(&line, "reaction", &json!({"messageId": message_of_second, "emoji": "👍"}));
    for (body, param) in
        [(reply_to, "replyTo"), (to_group, "groupId"), (pin, "groupId"), (reaction, "reaction.messageId")]
    {
        world.send(Call::post(SEND).key(&line.org.app_key).json(&body)).await.refused(404, Some(param), None);
    }
    // A key of another app, organization or mode.
    for key in [&other_key, &stranger.app_key, &line.org.test_app_key] {
        let reply = world.send(Call::post(SEND).key(key).json(&text_to(&line, TO))).await;
        reply.refused(403, Some("from"), Some("phone_number_not_assigned"));
    }
    assert_eq!(stored(&world).await, before);
    assert!(world.platform.seen("/messages").is_empty());
    drop(other);
}

/// A message from before the assignment of the number, and what has ended, is treated as if it did not exist.
#[tokio::test]
async fn an_app_cannot_name_objects_that_it_may_not_see() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "3005").await;
    world.notify(&line.message(&json!({"id": "wamid.in", "type": "text", "text": {"body": "Hi"}}))).await.expect(200);
    let message = text(&line.messages(&world).await[0], "id");
    let image = uploaded(&world, &line.org.app_key).await;
    world.clock.advance(std::time::Duration::from_secs(1));
    let (later, later_key) = world.app(&line.org.admin, &json!({"name": "Later"})).await;
    let assign = format!("/v1/organization/apps/{later}/phone-numbers/{}", line.number);
    world.admin(Call::put(assign)).await.expect(200);
    let reply = async |key: &str| {
        let mut body = text_to(&line, TO);
        body["replyTo"] = json!(message);
        world.send(Call::post(SEND).key(key).json(&body)).await
    };
    let signal = async |key: &str, what: &str| {
        let call = Call::post(format!("{SEND}/{what}")).key(key).json(&json!({"messageId": message}));
        world.send(call).await
    };
    let send_image = async || {
        let body = of_type(&line, "image", &json!({"mediaId": image}));
        world.send(Call::post(SEND).key(&line.org.app_key).json(&body)).await
    };
    reply(&later_key).await.refused(404, Some("replyTo"), None);
    reply(&line.org.app_key).await.expect(201);
    send_image().await.expect(201);
    for what in ["read", "typing"] {
        signal(&later_key, what).await.refused(404, Some("messageId"), None);
        signal(&line.org.app_key, what).await.expect(200);
    }
    // Media end after 30 days, messages after 365.
    world.clock.advance(std::time::Duration::from_secs(31 * 86_400));
    send_image().await.refused(404, Some("image.mediaId"), None);
    reply(&line.org.app_key).await.expect(201);
    world.clock.advance(std::time::Duration::from_secs(335 * 86_400));
    reply(&line.org.app_key).await.refused(404, Some("replyTo"), None);
    signal(&line.org.app_key, "read").await.refused(404, Some("messageId"), None);
}

/// What must hold for the number and its account, and for media and templates.
#[tokio::test]
async fn an_unsendable_message_is_rejected_before_the_call() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "3010").await;
    let templates = vec![template("1", "hello"), {
        let mut paused = template("2", "paused");
        paused["status"] = json!("PAUSED");
        paused
    }];
    world.platform.state().accounts.get_mut("3010").unwrap().templates = templates;
    let sync = json!({"chatBusinessProfileId": line.profile});
    world.admin(Call::post("/v1/organization/chat/templates/sync").json(&sync)).await.expect(200);
    let image = uploaded(&world, &line.org.app_key).await;
    let before = stored(&world).await;
    let named = |name: &str, body: Value| json!({"name": name, "language": "en_US", "body": body});
    for (body, status, param, code) in [
        (of_type(&line, "video", &json!({"mediaId": image})), 400, "video.mediaId", None),
        (
            of_type(&line, "template", &named("paused", json!({"1": "Ann"}))),
            404,
            "template.name",
            Some("template_not_found"),
        ),
        (json!({"from": line.number, "to": TO, "type": "hologram"}), 400, "type", Some("unsupported_message_type")),
    ] {
        let reply = world.send(Call::post(SEND).key(&line.org.app_key).json(&body)).await;
        reply.refused(status, Some(param), code);
    }
    let mismatch = of_type(&line, "template", &named("hello", json!({"1": "Ann", "2": "Bob"})));
    let reply = world.send(Call::post(SEND).key(&line.org.app_key).json(&mismatch)).await;
    let refused = reply.expect(422);
    assert_eq!(refused["error"]["code"], "template_parameter_mismatch");
    assert!(refused["error"]["param"].as_str().unwrap().starts_with("template.body"), "{refused}");
    assert_eq!(stored(&world).await, before);
    // A template that is known and fits, and one that is not known: the platform decides.
    for name in ["hello", "unknown"] {
        let body = of_type(&line, "template", &named(name, json!({"1": "Ann"})));
        world.send(Call::post(SEND).key(&line.org.app_key).json(&body)).await.expect(201);
    }

    // An account that is disconnected, although the function knows the sender and the token.
    let update = json!({"event": "PARTNER_REMOVED", "waba_info": {"waba_id": line.account}});
    world.notify(&tests::chat::notification(&line.account, 2_000_000_000, "account_update", &update)).await.expect(200);
    let before = stored(&world).await;
    let reply = world.send(Call::post(SEND).key(&line.org.app_key).json(&text_to(&line, TO))).await;
    reply.refused(404, None, Some("chat_not_configured"));
    assert_eq!(stored(&world).await, before);
    assert_eq!(world.platform.seen("/messages").len(), 2);
}

/// Each row of the table: the response, and the error that the log shows.
#[tokio::test]
async fn each_code_of_the_platform_has_its_error() {
    let world = World::new().await;
    let mut rows = Vec::new();
    for (codes, code, means) in TRANSLATIONS.iter().filter(|(_, _, means)| *means != Means::Failed) {
        rows.extend(codes.iter().map(|platform| (*platform, *code, *means)));
    }
    let line = connect(&world, &world.org, "3020").await;
    world.send(Call::post(SEND).key(&line.org.app_key).json(&text_to(&line, TO))).await.expect(201);
    for (platform, code, means) in rows {
        let body = error(platform, "refused").to_string();
        world.platform.misbehave("/30201/messages", Misbehave::Status(400, body), 1);
        let reply = world.send(Call::post(SEND).key(&line.org.app_key).json(&text_to(&line, TO))).await;
        let entry = code.entry();
        assert_eq!(reply.status, status::of(entry.kind), "{platform}");
        let has_wait = matches!(entry.kind, ErrorKind::TooManyRequests | ErrorKind::Unavailable);
        assert_eq!(reply.header("retry-after").is_some(), has_wait, "{platform}");
        let id = reply.header("x-message-id").unwrap().to_owned();
        let failed = reply.json()["error"].clone();
        assert_eq!((&failed["code"], &failed["type"]), (&json!(entry.code), &json!("provider_error")), "{platform}");
        assert_eq!(failed["provider"]["code"], platform);
        let is_blocked = [368, 130_497, 131_031, 131_037, 131_042, 131_048, 131_064].contains(&platform);
        assert_eq!(failed["provider"]["health_status"].is_object(), is_blocked, "{platform}");
        let message = line.details(&world, &id).await;
        assert_eq!((&message["outcome"], &message["errorCode"]), (&json!("REFUSED"), &json!(entry.code)), "{platform}");
        assert_eq!(message["errorMessage"], domain::chat::platform_words::explanation(platform), "{platform}");
        assert!(means == Means::Rejected || entry.kind == ErrorKind::Unavailable);
    }
}

/// A medium can be larger than its kind allows if the limit was lowered since its upload.
#[tokio::test]
async fn a_medium_that_is_too_large_for_its_kind_is_refused() {
    use aws_sdk_dynamodb::types::AttributeValue::{N, S};
    let world = World::new().await;
    let line = connect(&world, &world.org, "3031").await;
    let media = uploaded(&world, &line.org.app_key).await;
    let mut items = world.account.stored_items().await.into_iter();
    let mut item = items.find(|item| item.get("id") == Some(&S(media.clone()))).unwrap();
    item.insert("fileSize".to_owned(), N((5 * 1024 * 1024 + 1).to_string()));
    world.account.store_item(item).await;
    let before = stored(&world).await;
    let sent = of_type(&line, "image", &json!({"mediaId": media}));
    let refused = world.send(Call::post(SEND).key(&line.org.app_key).json(&sent)).await.refused(
        413,
        Some("image.mediaId"),
        Some("media_too_large"),
    );
    assert!(text(&refused["error"], "message").contains("5242880 bytes"), "{refused}");
    assert_eq!((stored(&world).await, world.platform.seen("/messages").len()), (before, 0));
}

/// A platform that hangs for one number holds up neither other operations nor the messages of other numbers, sent
/// directly or from the queue.
#[tokio::test]
async fn nothing_else_waits_for_a_platform_that_hangs() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "3030").await;
    let other = connect(&world, &world.org, "3032").await;
    world.platform.misbehave("/30301/messages", Misbehave::Silent, 10);
    let send = |line: &Line, queue: bool| {
        let mut body = text_to(line, TO);
        body["queue"] = json!(queue);
        world.send(Call::post(SEND).key(&line.org.app_key).json(&body))
    };
    for _ in 0..5 {
        send(&line, true).await.expect(202);
    }
    let started = std::time::Instant::now();
    let hanging = join_all((0..5).map(|_| send(&line, false)));
    let hanging_worker = async {
        world.send_queued().await;
        started.elapsed()
    };
    let (replies, hung, slowest) = tokio::join!(hanging, hanging_worker, async {
        // The queued messages of the number that hangs occupy a worker by now.
        tokio::time::sleep(std::time::Duration::from_millis(500)).await;
        let mut slowest = std::time::Duration::ZERO;
        for round in 0..10 {
            let started = std::time::Instant::now();
            world.admin(Call::get("/v1/organization/settings")).await.expect(200);
            send(&other, false).await.expect(201);
            if round < 3 {
                let queued = text(&send(&other, true).await.expect(202), "id");
                while other.details(&world, &queued).await["outcome"] != "ACCEPTED" {
                    world.send_queued().await;
                }
            }
            slowest = slowest.max(started.elapsed());
        }
        slowest
    });
    assert!(replies.iter().all(|reply| reply.status.as_u16() == 202), "{replies:?}");
    assert!(hung >= std::time::Duration::from_secs(8), "the worker of that number waited: {hung:?}");
    assert!(slowest < std::time::Duration::from_secs(4), "{slowest:?}");
    assert_eq!(world.platform.seen("/30321/messages").len(), 13);
}
