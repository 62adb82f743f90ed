//! Recipients that decide what the simulated carrier does with an SMS message (docs/test-mode.md).

use std::time::Duration;

use carrier::{SimulatedRecipient, Sms, simulated_receipts};
use runtime::Metric;
use serde_json::{Value, json};
use tests::chat::events;
use tests::request::text;
use tests::topics::Topic;
use tests::{Call, Reply, Service as _, World};

const SEND: &str = "/v1/sms";
const ORDINARY: &str = "+12025550123";

async fn own_number(world: &World) -> String {
    let call = Call::get("/v1/playground/phone-numbers/system").key(&world.org.test_app_key);
    world.send(call).await.expect(200)["numbers"][0].as_str().unwrap().to_owned()
}

async fn send(world: &World, from: &str, to: &str) -> Reply {
    let body = json!({"from": from, "to": to, "text": "Hello"});
    world.send(Call::post(SEND).key(&world.org.test_app_key).json(&body)).await
}

async fn details(world: &World, id: &str) -> Value {
    world.admin(Call::get(format!("/v1/organization/sms/messages/{id}"))).await.expect(200)
}

/// Lets the worker report everything: the last receipt comes a second after the message.
async fn all_receipts(world: &World) {
    for _ in 0..25 {
        world.work_off().await;
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(world.dead_letters().await, Vec::<String>::new());
}

/// What is known of a message: its outcome, its status, its times and its error.
fn state(message: &Value) -> Value {
    let times = ["sentAt", "deliveredAt", "failedAt"];
    let reached: Vec<&str> = times.into_iter().filter(|name| message[name].is_string()).collect();
    json!([message["outcome"], message["status"], reached, message["errorCode"]])
}

/// The events that were emitted for a message.
async fn told(world: &World, id: &str) -> Vec<&'static str> {
    let mut kinds = Vec::new();
    for kind in ["sent", "delivered", "failed"] {
        let all = events(world, &world.org, &format!("messages.sms.{kind}")).await;
        kinds.extend(all.iter().filter(|data| data["id"] == id).map(|_| kind));
    }
    kinds
}

#[tokio::test]
async fn each_recipient_has_its_own_course() {
    let world = World::new().await;
    let from = own_number(&world).await;
    let undeliverable = "message_undeliverable";
    let delivered = || json!(["ACCEPTED", "DELIVERED", ["sentAt", "deliveredAt"], null]);
    let after_sent = || json!(["ACCEPTED", "FAILED", ["sentAt", "failedAt"], undeliverable]);
    let unsent = |code: &str| json!(["ACCEPTED", "FAILED", ["failedAt"], code]);
    let refused = |code: &str| json!(["REFUSED", "FAILED", ["failedAt"], code]);
    let mut sent = Vec::new();
    for (to, status, expected) in [
        (ORDINARY, 201, delivered()),
        ("+12025550000", 201, delivered()),
        ("+99940001", 422, refused(undeliverable)),
        ("+99940002", 201, after_sent()),
        ("+99940003", 201, unsent(undeliverable)),
        ("+99940004", 422, refused("carrier_api_error")),
        ("+99940005", 429, refused("rate_limit_exceeded")),
        ("+99940006", 201, after_sent()),
        ("+99940007", 201, unsent(undeliverable)),
        ("+99940008", 201, after_sent()),
        ("+99940009", 201, json!(["ACCEPTED", "SENT", ["sentAt"], null])),
        ("+99940010", 201, after_sent()),
        ("+99940011", 201, unsent(undeliverable)),
        ("+99940012", 201, unsent("carrier_api_error")),
        ("+99940013", 201, unsent("carrier_api_error")),
        ("+99940014", 422, refused("carrier_api_error")),
        ("+99940015", 422, refused("carrier_api_error")),
        ("+99940016", 202, delivered()),
        ("+99940017", 503, refused("carrier_api_unavailable")),
        ("+99940018", 201, delivered()),
    ] {
        let reply = send(&world, &from, to).await;
        assert_eq!(reply.header("retry-after").is_some(), [429, 503].contains(&status), "{to}: {reply:?}");
        let id = reply.header("x-message-id").map(str::to_owned);
        let body = reply.expect(status);
        if let SimulatedRecipient::Refused { exception, reason } = SimulatedRecipient::of(&to.parse().unwrap()) {
            let provider = &body["error"]["provider"];
            assert_eq!(provider["code"], json!(format!("{exception}: {reason}")), "{to}");
            assert_eq!(provider["source"], "carrier", "{to}");
        }
        if status >= 400 {
            assert_eq!(body["error"]["code"], expected[3], "{to}: {body}");
        } else {
            assert_eq!(body["outcome"], if status == 202 { "UNKNOWN" } else { "ACCEPTED" }, "{to}");
        }
        sent.push((to, id.unwrap_or_else(|| text(&body, "id")), expected));
    }
    all_receipts(&world).await;
    for (to, id, expected) in &sent {
        let message = details(&world, id).await;
        assert_eq!(state(&message), *expected, "{to}");
        // The caller knows of a refusal already.
        let is_refused = expected[0] == "REFUSED";
        let reached = expected[2].as_array().unwrap().iter().filter(|_| !is_refused);
        let reached: Vec<&str> = reached.map(|name| name.as_str().unwrap().strip_suffix("At").unwrap()).collect();
        assert_eq!(told(&world, id).await, reached, "{to}");
        let price = json!({"amount": "0", "currency": "USD"});
        assert_eq!(message.get("price"), Some(&price).filter(|_| !is_refused), "{to}");
    }
    // Simulated refusals are no matter for the operator.
    let metrics = world.metrics.json();
    for metric in [Metric::SpendLimitRefusals, Metric::OptOutRefusals] {
        assert!(metrics.iter().all(|line| line.get(metric.name()).is_none()), "{metrics:?}");
    }
    assert!(world.carrier_account.state().sends.is_empty());
}

/// An MMS is refused for the limit on media, and its receipts are those of media.
#[tokio::test]
async fn a_medium_has_the_same_course() {
    let world = World::new().await;
    let from = own_number(&world).await;
    let key = &world.org.test_app_key;
    let upload = Call::post("/v1/media").key(key).file("a.png", Some("image/png"), tests::samples::PNG);
    let medium = text(&world.send(upload).await.expect(201), "id");
    let mms = |to: &str| Call::post(SEND).key(key).json(&json!({"from": from, "to": to, "mediaId": medium}));
    let refused = world.send(mms("+99940004")).await.expect(422);
    let code = "ServiceQuotaExceededException: MONTHLY_SPEND_LIMIT_REACHED_FOR_MEDIA";
    assert_eq!(refused["error"]["provider"]["code"], code);
    let sent = text(&world.send(mms("+99940006")).await.expect(201), "id");
    all_receipts(&world).await;
    let expected = json!(["ACCEPTED", "FAILED", ["sentAt", "failedAt"], "message_undeliverable"]);
    assert_eq!(state(&details(&world, &sent).await), expected);
}

/// The carrier refuses three messages to the recipient and takes the fourth; then it begins again.
#[tokio::test]
async fn a_throttled_recipient_gets_the_fourth_message() {
    let world = World::new().await;
    let from = own_number(&world).await;
    for _ in 0..2 {
        for _ in 0..3 {
            let limited = send(&world, &from, "+99940005").await.expect(429);
            let error = &limited["error"];
            assert_eq!(
                (&error["code"], &error["provider"]["code"]),
                (&json!("rate_limit_exceeded"), &json!("ThrottlingException"))
            );
        }
        send(&world, &from, "+99940005").await.expect(201);
    }
    // A queued message waits out the three refusals.
    let body = json!({"from": from, "to": "+99940005", "queue": true, "text": "Hello"});
    let queued = world.send(Call::post(SEND).key(&world.org.test_app_key).json(&body)).await.expect(202);
    for _ in 0..8 {
        while world.send_queued().await {}
        world.clock.advance(Duration::from_secs(120));
        Box::pin(world.sweep()).await;
    }
    while world.send_queued().await {}
    assert_eq!(details(&world, &text(&queued, "id")).await["outcome"], "ACCEPTED");
}

/// What the simulated carrier reports of a message is what the live route takes for a live message.
#[tokio::test]
async fn a_live_message_gets_the_same_from_the_simulated_receipts() {
    let world = World::new().await;
    let from = own_number(&world).await;
    let live = "+12015550100";
    world.carrier_account.buy(live, "US", &["SMS"]);
    let link = json!({"operation": "linkPhoneNumber", "organizationId": world.org.id, "number": live});
    let number = text(&world.operate(link).await.unwrap(), "phoneNumberId");
    let assign = format!("/v1/organization/apps/{}/phone-numbers/{number}", world.org.app);
    world.admin(Call::put(assign)).await.expect(200);
    let store = world.account.store().of(&world.org.id.parse().unwrap());
    let topic = Topic::leading_to(&world.account.carrier).await;
    let mut pairs = Vec::new();
    let numbers = (1..=17).map(|n| format!("+999400{n:02}")).chain([ORDINARY.to_owned()]);
    for to in numbers {
        let recipient = SimulatedRecipient::of(&to.parse().unwrap());
        if !matches!(recipient, SimulatedRecipient::Reported { .. } | SimulatedRecipient::Ordinary) {
            continue;
        }
        let simulated = text(&send(&world, &from, &to).await.expect(201), "id");
        let body = json!({"from": live, "to": ORDINARY, "text": "Hello"});
        let sent = text(&world.send(Call::post(SEND).key(&world.org.app_key).json(&body)).await.expect(201), "id");
        let stored = store.message(&sent.parse::<domain::id::SmsMessageId>().unwrap()).await.unwrap().unwrap();
        let sms = Sms {
            organization: world.org.id.parse().unwrap(),
            message: sent.parse().unwrap(),
            from: live.parse().unwrap(),
            to: to.parse().unwrap(),
            text: Some("Hello".to_owned()),
            media_url: None,
        };
        for (receipt, _) in simulated_receipts(&sms, world.now()).unwrap() {
            let mut receipt: Value = serde_json::from_str(&receipt).unwrap();
            // Live messages cannot be sent to these recipients, and have an id of the real carrier.
            receipt["destinationPhoneNumber"] = json!(ORDINARY);
            receipt["messageId"] = json!(stored.carried.carrier_message_id);
            topic.publish(&receipt).await;
        }
        pairs.push((to, simulated, sent));
    }
    assert_eq!(pairs.len(), 11);
    while world.hear_carrier().await {}
    all_receipts(&world).await;
    for (to, simulated, live) in pairs {
        assert_eq!(state(&details(&world, &simulated).await), state(&details(&world, &live).await), "{to}");
        assert_eq!(told(&world, &simulated).await, told(&world, &live).await, "{to}");
    }
    let dropped = Metric::DroppedCarrierUpdates.name();
    assert!(world.metrics.json().iter().all(|line| line.get(dropped).is_none()));
}
