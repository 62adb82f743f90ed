//! Work that a request leaves behind: jobs, events, deliveries and the sweep.

use std::time::Duration;

use aws::queue::QueueEvent;
use domain::id::EventId;
use ring::rand::SystemRandom;
use runtime::invoked;
use serde_json::{Value, json};
use tests::catalogue::SIGNUP;
use tests::chat::connect;
use tests::faults::Fault;
use tests::logs::Captured;
use tests::receiver::{Receiver, status};
use tests::request::text;
use tests::standin::{APP_SECRET, Misbehave, error, signature};
use tests::{Call, Service as _, World};

use super::{BODY, HEADER, invocation, message, only_line, says_nothing_of, through_gateway};

/// What a request leaves behind is logged with its id: the job of the worker, the dispatch of its event, and each attempt.
#[tokio::test]
async fn later_work_carries_the_request_that_caused_it() {
    let captured = Captured::start();
    let world = World::with_local_webhooks().await;
    let org = &world.org;
    let receiver = Receiver::start(status(200));
    let hook = json!({"url": receiver.url, "events": ["messages.sms.received", "messages.chat.received"]});
    let hooks = format!("/v1/organization/apps/{}/webhooks", org.test_app);
    world.admin(Call::post(&hooks).json(&hook)).await.expect(201);

    let system = world.send(Call::get("/v1/playground/phone-numbers/system").key(&org.test_app_key)).await.expect(200);
    let path = "/v1/playground/sms/inbound";
    let sms = json!({"from": "+442079460111", "to": system["numbers"][0], "text": BODY});
    let origin = format!("{}-sms", org.id);
    let call = Call::post(path).json(&sms).key(&org.test_app_key);
    let response = world.api(path).respond(through_gateway(call, &origin, None)).await;
    assert_eq!(response.status(), 201);

    world.dispatch().await;
    world.deliver().await;

    let steps = |origin: &str| -> Vec<String> {
        captured.lines_with("origin", origin).iter().map(|line| text(line, "message")).collect()
    };
    assert_eq!(steps(&origin), ["event dispatched", "delivery attempted"]);
    let attempted = &captured.lines_with("origin", &origin)[1];
    assert_eq!((&attempted["organization"], &attempted["app"]), (&json!(org.id), &json!(org.test_app)));
    assert_eq!(attempted["status"], 200);
    assert!(text(attempted, "delivery").starts_with("dlv_"), "{attempted}");
    assert!(receiver.got()[0].json().get("requestId").is_none(), "receivers do not see it");

    // A notification whose updates are queued, and whose events the worker therefore emits.
    let line = connect(&world, org, "1503").await;
    let body = line.message(&json!({"id": "wamid.1", "type": "text", "text": {"body": BODY}})).to_string();
    let path = "/v1/platform/notifications";
    let origin = format!("{}-notification", org.id);
    let signed = signature(APP_SECRET, body.as_bytes());
    let call = Call::post(path).header("x-hub-signature-256", &signed).bytes(body);
    let response = world.notifications(Duration::ZERO).respond(through_gateway(call, &origin, None)).await;
    assert_eq!(response.status(), 200);
    world.work_off().await;
    world.dispatch().await;
    // The message's event, and that of its new contact.
    assert_eq!(steps(&origin), ["job done", "event dispatched", "event dispatched"]);
    says_nothing_of(&captured, &[BODY]);
}

#[tokio::test]
async fn events_and_deliveries_are_logged_by_whose_they_are() {
    let captured = Captured::start();
    let world = World::with_local_webhooks().await;
    let org = &world.org;
    let receiver = Receiver::start(status(410));
    let hook = json!({"url": receiver.url, "events": ["messages.sms.received"], "headers": {"X-Team": HEADER}});
    let hooks = format!("/v1/organization/apps/{}/webhooks", org.test_app);
    let hook = world.admin(Call::post(&hooks).json(&hook)).await.expect(201);
    let (id, secret) = (text(&hook, "id"), text(&hook, "secret"));
    world.admin(Call::post(format!("{hooks}/{id}/test"))).await.expect(202);

    world.faults.set(Fault::TimedOut);
    let partition = format!("EVT#{}#{}", org.id, EventId::mint(world.now(), &SystemRandom::new()));
    let event = json!({"Records": [{"dynamodb": {"Keys": {"PK": {"S": partition}}}}]});
    let event = serde_json::from_value(event).unwrap();
    invoked(invocation("stream", event), async |event| world.dispatcher.work(event).await).await;
    let lines = captured.lines_of("stream");
    assert!(!lines.is_empty() && lines.iter().all(|line| line["organization"] == org.id), "{lines:?}");

    let queued = world.messages(&world.account.deliveries).await;
    let work = async |event: QueueEvent| world.deliverer.work(event).await;
    invoked(invocation("failing", message(&queued[0])), work).await;
    world.faults.clear();
    let lines = captured.lines_of("failing");
    let failed = lines.iter().find(|line| text(line, "message").starts_with("a delivery failed: ")).unwrap();
    assert_eq!(failed["queueMessage"], "message-1");

    invoked(invocation("disabling", message(&queued[0])), work).await;
    let disabled = only_line(&captured, "disabling");
    assert_eq!(
        (&disabled["message"], &disabled["webhook"]),
        (&json!("The receiver responded with 410 Gone."), &json!(id))
    );
    for line in lines.iter().chain([&disabled]) {
        assert_eq!((&line["organization"], &line["app"]), (&json!(org.id), &json!(org.test_app)), "{line}");
    }
    says_nothing_of(&captured, &[HEADER, &secret, &receiver.url]);
}

#[tokio::test]
async fn a_sweep_is_logged_by_whose_the_things_are() {
    let captured = Captured::start();
    let world = World::new().await;

    world.platform.account("1502", &[]);
    world.platform.misbehave("/1502", Misbehave::Status(400, error(100, "no access").to_string()), 4);
    let signup = Call::post(SIGNUP).json(&json!({"code": "code.1502"}));
    world.admin(signup).await.refused(422, Some("wabaId"), Some("platform_api_error"));

    world.clock.advance(Duration::from_secs(86_460));
    world.faults.set(Fault::BucketSilent);
    invoked(invocation("sweep", json!({})), async |_: Value| world.sweep_once().await).await;

    let line = only_line(&captured, "sweep");
    assert_eq!(line["organization"], world.org.id);
    assert!(text(&line, "message").starts_with("a due item could not be processed: Secrets Manager"), "{line}");
}
