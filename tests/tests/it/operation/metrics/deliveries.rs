//! Metrics of deliveries.

use std::sync::Arc;
use std::time::Duration;

use runtime::Metric;
use serde_json::json;
use tests::receiver::{Receiver, plain, status};
use tests::request::text;
use tests::{Call, Service as _, World};

use super::{published, told};

#[tokio::test]
async fn a_webhook_that_is_disabled_counts_once() {
    let world = World::with_local_webhooks().await;
    // The delay ensures that both attempts begin before either ends.
    let receiver = Receiver::start(Arc::new(|_, _| (Duration::from_millis(500), plain(410, ""))));
    let hook = json!({"url": receiver.url, "events": ["messages.sms.received"]});
    let path = format!("/v1/organization/apps/{}/webhooks", world.org.test_app);
    let hook = text(&world.admin(Call::post(&path).json(&hook)).await.expect(201), "id");

    let test = || world.admin(Call::post(format!("{path}/{hook}/test")));
    for _ in 0..2 {
        test().await.expect(202);
    }
    world.deliver().await;
    assert_eq!(receiver.got().len(), 2, "both attempts ended together");
    assert_eq!(published(&world), [told(Metric::DisabledWebhooks, 1)]);

    let failing = Receiver::start(status(500));
    let mended = json!({"url": failing.url});
    world.admin(Call::put(format!("{path}/{hook}")).json(&mended)).await.expect(200);
    test().await.expect(202);
    world.deliver().await;
    assert_eq!((failing.got().len(), published(&world)), (1, vec![]));
}
