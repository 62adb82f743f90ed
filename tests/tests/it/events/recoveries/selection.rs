//! Which deliveries a recovery includes, and requests that are rejected.

use std::time::Duration;

use domain::events::delivery::DeliveryStatus;
use domain::events::event::EventName;
use serde_json::json;
use tests::receiver::{Receiver, status};
use tests::{Call, Service as _, World};

use super::{SINCE, counts, recover, recovered, store, webhook};

#[tokio::test]
async fn a_dry_run_counts_what_would_be_sent() {
    let world = World::with_local_webhooks().await;
    let receiver = Receiver::start(status(200));
    let hook = webhook(&world, &world.org, &receiver.url).await;
    let start = world.now();
    let (sms, read) = (EventName::MessagesSmsReceived, EventName::MessagesChatRead);
    store(&world, &world.org, &hook, 40, |nth| match nth % 4 {
        0 => (sms, DeliveryStatus::Failed),
        1 => (read, DeliveryStatus::Failed),
        2 => (sms, DeliveryStatus::Skipped),
        _ => (sms, DeliveryStatus::Delivered),
    })
    .await;

    let at = |millis: u64| start.plus(Duration::from_millis(millis)).to_string();
    for (mut body, expected) in [
        (json!({}), 30),
        (json!({"statuses": ["FAILED"]}), 20),
        (json!({"statuses": ["DELIVERED", "SKIPPED"]}), 20),
        (json!({"eventTypes": ["messages.chat.read"]}), 10),
        (json!({"since": at(21)}), 15),
        (json!({"until": at(21)}), 15),
        (json!({"since": at(9), "until": at(13), "statuses": ["FAILED"], "eventTypes": ["messages.sms.received"]}), 1),
    ] {
        // At most three dry runs per hour.
        world.clock.advance(Duration::from_secs(1200));
        let fields = body.as_object_mut().unwrap();
        fields.entry("since").or_insert_with(|| json!(SINCE));
        fields.insert("dryRun".to_owned(), json!(true));

        let recovery = recovered(&world, &hook, &body).await;
        assert_eq!((counts(&recovery), recovery.dry_run), (("COMPLETED", expected, 0, 0), true), "{body}");
    }
    assert_eq!(receiver.count(), 0);

    // Delivered ones are sent again on request, each once.
    assert_eq!(
        counts(&recovered(&world, &hook, &json!({"since": SINCE, "statuses": ["DELIVERED"]})).await),
        ("COMPLETED", 10, 10, 0)
    );
    assert_eq!((receiver.ids().len(), receiver.count()), (10, 10));
}

#[tokio::test]
async fn bad_input_names_its_parameter() {
    let world = World::new().await;
    let hook = webhook(&world, &world.org, "https://example.com").await;

    for (body, param) in [
        (json!({}), "since"),
        (json!({"since": "yesterday"}), "since"),
        (json!({"since": SINCE, "until": SINCE}), "until"),
        (json!({"since": SINCE, "statuses": []}), "statuses"),
        (json!({"since": SINCE, "statuses": ["FAILED", "PENDING"]}), "statuses[1]"),
        (json!({"since": SINCE, "statuses": ["FAILED", "FAILED"]}), "statuses[1]"),
        (json!({"since": SINCE, "eventTypes": ["read"]}), "eventTypes[0]"),
        (json!({"since": SINCE, "dryRun": null}), "dryRun"),
    ] {
        world.send(recover(&world, &hook, &body)).await.refused(400, Some(param), None);
    }

    let missing = format!("{hook}/recoveries/rcv_0ujtsYcgvSTl8PAuAdqWYSMnLOv");
    world.admin(Call::get(missing)).await.refused(404, Some("recoveryId"), None);
}
