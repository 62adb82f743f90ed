//! Deliveries and events that are handled late.

use std::sync::Arc;
use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::json;
use tests::chat::{connect, notification};
use tests::receiver::{Receiver, plain};
use tests::request::text;
use tests::settings::TABLE;
use tests::{Call, Service as _, World};

use super::APPS;

#[tokio::test]
async fn the_sweep_dispatches_events_for_all_apps_too() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "1906").await;
    let hooks = format!("{APPS}/{}/webhooks", world.org.app);
    let hook = json!({"url": "https://example.com", "events": ["chat.account.disconnected"]});
    let hook = text(&world.admin(Call::post(&hooks).json(&hook)).await.expect(201), "id");

    let gone = json!({"event": "PARTNER_REMOVED"});
    world.notify(&notification(&line.account, 2_100_000_000, "account_update", &gone)).await.expect(200);

    world.clock.advance(Duration::from_secs(301));
    assert_eq!(world.sweep().await.failed, 0);
    let told = world.admin(Call::get(format!("{hooks}/{hook}/deliveries"))).await.expect(200);
    assert_eq!(told["data"].as_array().unwrap().len(), 1);
}

/// After an internal failure, a delivery to a slow receiver is retried and stays in the patient queue.
#[tokio::test]
async fn a_fault_of_ours_beside_a_slow_receiver_is_made_good() {
    let world = World::with_patience(delivery::DEADLINE).await;
    let receiver = Receiver::start(Arc::new(|_, _| (Duration::from_millis(2500), plain(200, ""))));
    let hook = json!({"url": receiver.url, "events": ["messages.sms.received"]});
    world.admin(Call::post(format!("{APPS}/{}/webhooks", world.org.test_app)).json(&hook)).await.expect(201);

    let key = &world.org.test_app_key;
    let system = world.send(Call::get("/v1/playground/phone-numbers/system").key(key)).await.expect(200);
    let sms = json!({"from": "+442079460111", "to": system["numbers"][0], "text": "Hello"});
    world.send(Call::post("/v1/playground/sms/inbound").key(key).json(&sms)).await.expect(201);

    let event = world.waiting_events().await.remove(0);
    world.dispatch().await;
    world.deliver_from(&world.account.deliveries).await;

    let rename = async |from: &str, to: &str| {
        let update = world.account.dynamodb.update_item().table_name(TABLE);
        let update = update.key("PK", AttributeValue::S(event.clone())).key("SK", AttributeValue::S("EVT".to_owned()));
        let update = update.update_expression("SET #to = #from REMOVE #from");
        let update = update.expression_attribute_names("#to", to).expression_attribute_names("#from", from);
        update.send().await.unwrap();
    };

    let patient = &world.account.patient_deliveries;
    rename("data", "lost").await;
    assert!(world.deliver_from(patient).await);
    assert_eq!(receiver.got().len(), 1, "no further attempt");
    rename("lost", "data").await;
    assert!(world.deliver_from(patient).await);
    assert_eq!((receiver.got().len(), receiver.ids().len()), (2, 1));
}
