//! Events in the deployed stack: the table's stream, both queues and the schedule.

use std::time::{Duration, Instant};

use serde_json::json;
use standardwebhooks::Webhook;
use tests::deployed::Deployed;
use tests::receiver::{Receiver, status};
use tests::request::text;
use tests::{Call, Service as _};

#[tokio::test]
async fn end_to_end_events_reach_their_receiver() {
    let stack = Deployed::from_env();
    let receiver = Receiver::start(status(200));
    let hook = json!({"url": receiver.url, "events": ["messages.sms.received"]});
    let path = format!("/v1/organization/apps/{}/webhooks", stack.org().test_app);
    let secret = text(&stack.admin(Call::post(&path).json(&hook)).await.expect(201), "secret");
    let key = stack.org().test_app_key.clone();
    let system = stack.send(Call::get("/v1/playground/phone-numbers/system").key(&key)).await.expect(200);
    let sms = json!({"from": "+442079460111", "to": system["numbers"][0], "text": "Hello"});
    let started = Instant::now();
    for _ in 0..20 {
        stack.send(Call::post("/v1/playground/sms/messages").key(&key).json(&sms)).await.expect(201);
    }
    while receiver.ids().len() < 20 && started.elapsed() < Duration::from_secs(240) {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(receiver.ids().len(), 20, "after {:?}", started.elapsed());
    for got in receiver.got() {
        Webhook::new(&secret).unwrap().verify(&got.body, &got.headers).unwrap();
    }
}
