//! What is sent on request: redeliveries and tests; and pages of the deliveries.

use std::time::Duration;

use messaging_client::types::WebhookDeliveryStatus;
use serde_json::json;
use standardwebhooks::Webhook;
use tests::receiver::{Receiver, status};
use tests::request::text;
use tests::{Call, Service as _, World};

use super::{subscribed, webhook, write};
use crate::events::log_of;

/// Deliveries can be redelivered for thirty days, whatever their status.
#[tokio::test]
async fn a_delivered_event_can_be_redelivered() {
    const DAY: i64 = 86_400;

    let (world, receiver, path) = subscribed(status(200)).await;
    write(&world).await;
    world.send_events().await;

    let delivery = &log_of(&world, &path).await[0];
    assert_eq!(delivery.status, WebhookDeliveryStatus::Delivered);

    let items = world.account.items().await;
    for class in ["EVT#", "DLV#"] {
        let ends = items.iter().find(|item| item["PK"].starts_with(class)).unwrap()["ttl"].parse::<i64>();
        assert_eq!(ends, Ok(world.now().seconds() + 30 * DAY), "{class}");
    }

    world.clock.advance(Duration::from_secs(29 * DAY.unsigned_abs()));
    let again = format!("{path}/deliveries/{}/redeliver", delivery.id);
    world.admin(Call::post(again)).await.expect(202);
    while world.deliver().await {}

    let got = receiver.got();
    assert_eq!((got.len(), receiver.ids().len()), (2, 1));
    assert_eq!(got[0].body, got[1].body);
}

#[tokio::test]
async fn a_page_of_one_status_leads_to_no_other() {
    let (world, _receiver, path) = subscribed(status(200)).await;
    write(&world).await;
    write(&world).await;
    world.send_events().await;

    let list = async |query: &str| world.admin(Call::get(format!("{path}/deliveries?{query}"))).await;

    let first = list("limit=1&status=DELIVERED").await.expect(200);
    let next = format!("cursor={}", text(&first, "nextCursor"));
    for other in ["&status=FAILED", ""] {
        list(&format!("{next}{other}")).await.refused(400, Some("cursor"), None);
    }

    let second = list(&format!("{next}&status=DELIVERED")).await.expect(200);
    assert_ne!(second["data"][0]["id"], first["data"][0]["id"]);
}

#[tokio::test]
async fn tests_send_a_sample_of_any_event_sixty_times_an_hour() {
    let world = World::with_local_webhooks().await;
    let receiver = Receiver::start(status(200));
    let (path, secret) = webhook(&world, &receiver.url, &["messages.sms.sent"]).await;

    for event in domain::events::event::EventName::ALL {
        world.admin(Call::post(format!("{path}/test")).json(&json!({"event": event.as_str()}))).await.expect(202);
    }
    while world.deliver().await {}

    let got = receiver.got();
    assert_eq!(got.len(), 18);
    for got in &got {
        Webhook::new(&secret).unwrap().verify(&got.body, &got.headers).unwrap();
        assert!(got.json()["data"]["id"].is_string());
    }

    world.admin(Call::post(format!("{path}/test")).json(&json!({"event": "x"}))).await.refused(
        400,
        Some("event"),
        None,
    );

    for _ in 18..60 {
        world.admin(Call::post(format!("{path}/test"))).await.expect(202);
    }
    let limited = world.admin(Call::post(format!("{path}/test"))).await;
    assert!(limited.header("retry-after").is_some());
    limited.refused(429, None, Some("rate_limit_exceeded"));

    world.clock.advance(Duration::from_secs(3600));
    world.admin(Call::post(format!("{path}/test"))).await.expect(202);
}
