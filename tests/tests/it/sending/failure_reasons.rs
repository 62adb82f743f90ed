//! Why a message failed, in the same form everywhere: in the response, the log and the event, for chat and SMS.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use domain::ErrorCode;
use serde_json::{Value, json};
use tests::chat::{connect, events};
use tests::request::text;
use tests::sms::linked_number;
use tests::standin::Misbehave;
use tests::topics::Topic;
use tests::{Call, Reply, Service as _, World};

const SMS: &str = "/v1/sms";
const CHAT: &str = "/v1/chat/messages";
const TO: &str = "+16505551234";
/// Words of the other channel.
const OF_CHAT: [&str; 4] = ["platform", "WhatsApp", "template", "24 hours"];
const OF_SMS: [&str; 3] = ["carrier", "SMS", "phone is switched off"];

/// Asserts that the reason is complete and of its own channel, and returns the provider's part.
fn reason(message: &Value, source: &str) -> Value {
    let provider = &message["provider"];
    let shown = text(message, "errorMessage");
    let foreign: &[&str] = if source == "carrier" { &OF_CHAT } else { &OF_SMS };
    assert!(!foreign.iter().any(|word| shown.contains(word)), "{message}");
    assert!(shown.ends_with('.') && message["errorCode"].is_string(), "{message}");
    assert_eq!(provider["source"], source, "{message}");
    assert!(
        !provider["code"].is_null() && provider["message"].as_str().is_some_and(|text| !text.is_empty()),
        "{message}"
    );
    provider.clone()
}

async fn sms(world: &World, from: &str, to: &str) -> Reply {
    let key = if from.contains("55501") { &world.org.test_app_key } else { &world.org.app_key };
    world.send(Call::post(SMS).key(key).json(&json!({"from": from, "to": to, "text": "Hello"}))).await
}

async fn system_number(world: &World) -> String {
    let call = Call::get("/v1/playground/phone-numbers/system").key(&world.org.test_app_key);
    text(&json!({"number": world.send(call).await.expect(200)["numbers"][0]}), "number")
}

/// Each outcome of the simulated carrier has its own code and words, which are in the message, in the list and in the event.
#[tokio::test]
async fn each_simulated_failure_of_an_sms_has_its_own_reason() {
    let world = World::new().await;
    let from = system_number(&world).await;
    let key = world.org.test_app_key.clone();
    let mut failing = BTreeMap::new();
    for (n, expected) in [
        (1, "ConflictException: DESTINATION_PHONE_NUMBER_OPTED_OUT"),
        (2, "UNREACHABLE"),
        (3, "BLOCKED"),
        (4, "ServiceQuotaExceededException: MONTHLY_SPEND_LIMIT_REACHED_FOR_TEXT"),
        (5, "ThrottlingException"),
        (6, "TTL_EXPIRED"),
        (7, "INVALID"),
        (8, "CARRIER_UNREACHABLE"),
        (10, "CARRIER_BLOCKED"),
        (11, "SPAM"),
        (12, "INVALID_MESSAGE"),
        (13, "PROTECT_BLOCKED"),
        (14, "AccessDeniedException: ACCOUNT_DISABLED"),
        (15, "ValidationException: PRICE_OVER_THRESHOLD"),
    ] {
        let body = json!({"from": from, "to": format!("+999400{n:02}"), "text": "Hello"});
        let reply = world.send(Call::post(SMS).key(&key).json(&body)).await;
        let id = match reply.header("x-message-id").map(str::to_owned) {
            Some(id) => {
                let error = reply.json()["error"].clone();
                assert_eq!(error["provider"]["code"], expected);
                assert_ne!(error["provider"]["message"], "simulated");
                id
            }
            None => text(&reply.expect(201), "id"),
        };
        failing.insert(id, expected);
    }
    for _ in 0..25 {
        world.work_off().await;
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let listed = world.admin(Call::get("/v1/organization/phone-numbers?limit=100")).await.expect(200);
    let number = listed["data"].as_array().unwrap().iter().find(|number| number["number"] == from.as_str()).unwrap();
    let path = format!("/v1/organization/sms/messages?limit=100&phoneNumberId={}", text(number, "id"));
    let listed = world.admin(Call::get(path)).await.expect(200);
    let told = events(&world, &world.org, "messages.sms.failed").await;
    let (mut words, mut texts) = (BTreeSet::new(), BTreeSet::new());
    for (id, expected) in &failing {
        let shown = world.send(Call::get(format!("{SMS}/{id}")).key(&key)).await.expect(200);
        let provider = reason(&shown, "carrier");
        assert_eq!((&provider["code"], &shown["status"]), (&json!(expected), &json!("FAILED")), "{shown}");
        assert_ne!(provider["message"], "simulated");
        assert!(words.insert(provider["message"].to_string()), "{shown}");
        assert!(texts.insert(text(&shown, "errorMessage")), "{shown}");
        assert!(listed["data"].as_array().unwrap().contains(&shown));
        let told: Vec<&Value> = told.iter().filter(|data| data["id"] == id.as_str()).collect();
        if shown["outcome"] == "ACCEPTED" {
            assert_eq!(
                (told.len(), &told[0]["provider"], &told[0]["errorMessage"]),
                (1, &provider, &shown["errorMessage"])
            );
        }
    }

    // A carrier that cannot be reached has said nothing.
    let silent = sms(&world, &from, "+99940017").await;
    let id = silent.header("x-message-id").unwrap().to_owned();
    silent.expect(503);
    let shown = world.send(Call::get(format!("{SMS}/{id}")).key(&key)).await.expect(200);
    assert_eq!((&shown["provider"], &shown["errorCode"]), (&Value::Null, &json!("carrier_api_unavailable")));
    assert!(!text(&shown, "errorMessage").contains("platform"));
}

/// The real carrier's words are passed on as they are.
#[tokio::test]
async fn a_live_sms_has_the_words_of_the_carrier() {
    let world = World::new().await;
    let from = "+12015559900";
    linked_number(&world, from).await;
    let refusal = json!({"__type": "ConflictException", "Message": "The number has opted out.",
        "Reason": "DESTINATION_PHONE_NUMBER_OPTED_OUT"});
    world.carrier_account.state().faults = vec![Misbehave::Status(400, refusal.to_string())];
    let refused = sms(&world, from, "+12025550123").await;
    let id = refused.header("x-message-id").unwrap().to_owned();
    let error = refused.expect(422)["error"].clone();
    let shown = world.send(Call::get(format!("{SMS}/{id}")).key(&world.org.app_key)).await.expect(200);
    let expected = json!({"source": "carrier", "code": "ConflictException: DESTINATION_PHONE_NUMBER_OPTED_OUT",
        "message": "The number has opted out."});
    assert_eq!((&reason(&shown, "carrier"), &error["provider"]), (&expected, &expected));

    let sent = world
        .send(
            Call::post(SMS).key(&world.org.app_key).json(&json!({"from": from, "to": "+12025550123", "text": "Hello"})),
        )
        .await
        .expect(201);
    let topic = Topic::leading_to(&world.account.carrier).await;
    let receipt = json!({"eventType": "TEXT_CARRIER_BLOCKED", "eventTimestamp": 2_000_000_001_000_i64, "isFinal": true,
        "originationPhoneNumber": from, "destinationPhoneNumber": "+12025550123", "messageStatus": "CARRIER_BLOCKED",
        "messageStatusDescription": "The words of the network", "context": {"organization": world.org.id, "message": sent["id"]}});
    topic.publish(&receipt).await;
    while world.hear_carrier().await {}
    let shown = world.send(Call::get(format!("{SMS}/{}", text(&sent, "id"))).key(&world.org.app_key)).await.expect(200);
    let expected = json!({"source": "carrier", "code": "CARRIER_BLOCKED", "message": "The words of the network"});
    assert_eq!(reason(&shown, "carrier"), expected);
    // A delivery takes the failure back, with its reason.
    let mut delivered = receipt;
    delivered["eventType"] = json!("TEXT_DELIVERED");
    topic.publish(&delivered).await;
    while world.hear_carrier().await {}
    let shown = world.send(Call::get(format!("{SMS}/{}", text(&sent, "id"))).key(&world.org.app_key)).await.expect(200);
    assert_eq!(
        (&shown["provider"], &shown["errorMessage"], &shown["status"]),
        (&Value::Null, &Value::Null, &json!("DELIVERED"))
    );
}

/// The platform's own code, words and trace id, whether the failure is reported in the response or by a status.
#[tokio::test]
async fn a_failed_chat_message_has_the_code_and_words_of_the_platform() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "3201").await;
    let body = json!({"from": line.number, "to": TO, "type": "text", "text": {"body": "Hello"}});
    let send = || world.send(Call::post(CHAT).key(&line.org.app_key).json(&body));
    let error = json!({"error": {"code": 131_026, "message": "(#131026) Message undeliverable", "type": "OAuthException",
        "error_data": {"details": "The details"}, "fbtrace_id": "Atrace"}});
    world.platform.misbehave(
        &format!("{}/messages", line.platform_number),
        Misbehave::Status(400, error.to_string()),
        1,
    );
    let refused = send().await;
    let id = refused.header("x-message-id").unwrap().to_owned();
    let error = refused.expect(422)["error"].clone();
    let shown = line.details(&world, &id).await;
    let expected = json!({"source": "platform", "code": 131_026, "message": "(#131026) Message undeliverable",
        "platform_trace_id": "Atrace"});
    assert_eq!((&reason(&shown, "platform"), &error["provider"]), (&expected, &expected));
    assert_eq!(shown["recipients"][0]["provider"], expected);
    assert_eq!(line.messages(&world).await[0]["provider"], expected);

    world.clock.advance(Duration::from_secs(1));
    let id = text(&send().await.expect(201), "id");
    let status = json!({"id": "wamid.sent.1", "status": "failed", "timestamp": "2000000005", "recipient_id": &TO[1..],
        "biz_opaque_callback_data": format!("{}:{id}", line.org.id), "errors": [{"code": 131_049, "title": "The title",
            "message": "The words", "error_data": {"details": "The details"}}]});
    world.notify(&line.status(&status)).await.expect(200);
    let shown = line.details(&world, &id).await;
    let expected = json!({"source": "platform", "code": 131_049, "message": "The words"});
    assert_eq!(reason(&shown, "platform"), expected);
    assert_eq!((&shown["errorTitle"], &shown["errorDetails"]), (&json!("The title"), &json!("The details")));
    assert_eq!(reason(&shown["recipients"][0], "platform"), expected);
    let told = events(&world, &world.org, "messages.chat.failed").await;
    assert_eq!((told.len(), &told[0]["provider"], &told[0]["recipients"]), (1, &expected, &shown["recipients"]));
}

/// The simulated platform has the real one's words for each code, and our text says what happened.
#[tokio::test]
async fn each_simulated_failure_of_a_chat_message_has_its_own_reason() {
    let world = World::new().await;
    let numbers = world.admin(Call::get("/v1/organization/chat/phone-numbers?limit=100")).await.expect(200);
    let is_own = |number: &&Value| number["apps"][0]["appId"] == world.org.test_app.as_str();
    let from = text(numbers["data"].as_array().unwrap().iter().find(is_own).unwrap(), "id");
    let key = world.org.test_app_key.clone();
    let send = async |to: String| {
        let body = json!({"from": from, "to": to, "type": "text", "text": {"body": "Hello"}});
        world.send(Call::post(CHAT).key(&key).json(&body)).await
    };
    let mut failing = Vec::new();
    for code in [131_026_i64, 131_047, 131_049, 130_472, 131_051, 132_001, 368, 131_056, 133_010, 100, 987_654] {
        let refused = send(format!("+9991{code:07}")).await;
        let id = refused.header("x-message-id").unwrap().to_owned();
        failing.push((code, id));
        failing.push((code, text(&send(format!("+9992{code:07}")).await.expect(201), "id")));
    }
    for _ in 0..25 {
        world.work_off().await;
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let mut texts = BTreeMap::new();
    for (code, id) in failing {
        let shown = world.send(Call::get(format!("{CHAT}/{id}")).key(&key)).await.expect(200);
        let provider = reason(&shown, "platform");
        assert_eq!((&provider["code"], &shown["recipients"][0]["status"]), (&json!(code), &json!("FAILED")));
        assert_ne!(provider["message"], "Simulated error");
        assert_eq!(reason(&shown["recipients"][0], "platform"), provider);
        // The response and a status of the same code are explained by the same text.
        let shown = text(&shown, "errorMessage");
        assert_eq!(*texts.entry(code).or_insert(shown.clone()), shown);
    }
    assert_eq!(texts.values().collect::<BTreeSet<_>>().len(), texts.len(), "{texts:?}");
}

/// The page of error codes says for each code what to do, and which codes of providers become it.
#[tokio::test]
async fn the_error_page_says_what_to_do() {
    let world = World::new().await;
    let page = world.send(Call::get("/api_reference/error-codes")).await;
    assert_eq!(page.status.as_u16(), 200);
    let sections: Vec<&str> = page.text.split("<section ").skip(1).collect();
    assert_eq!(sections.len(), ErrorCode::ALL.len());
    let mut remedies = BTreeSet::new();
    let (reserved, in_use): (Vec<ErrorCode>, Vec<ErrorCode>) =
        ErrorCode::ALL.iter().partition(|code| code.is_reserved());
    for (code, section) in in_use.iter().chain(&reserved).zip(&sections) {
        assert!(section.starts_with(&format!("id=\"{code}\"")), "{section}");
        assert_ne!(section.contains("api_reference#tag/"), code.is_reserved(), "{code}");
        let (_, remedy) = section.split_once("What to do: </strong>").unwrap();
        let remedy = remedy.split("</p>").next().unwrap();
        assert!(remedy.ends_with('.'), "{code}: {remedy}");
        remedies.insert(remedy);
    }
    // Only those of the real-time media, which nobody here can do anything about, are the same.
    assert_eq!(remedies.len(), ErrorCode::ALL.len() - 2);
    let of = |code: &str| sections.iter().find(|section| section.starts_with(&format!("id=\"{code}\""))).unwrap();
    assert!(of("message_undeliverable").contains("<code>131026</code> Message undeliverable"));
    assert!(of("message_undeliverable").contains("<code>CARRIER_UNREACHABLE</code>"));
    assert!(of("carrier_api_error").contains("<code>PRICE_OVER_THRESHOLD</code>"));
}
