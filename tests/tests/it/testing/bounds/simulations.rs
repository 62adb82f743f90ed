//! How much a request for a simulation reads.

use std::time::Duration;

use serde_json::{Value, json};
use tests::chat::event_counts;
use tests::request::text;
use tests::{Call, Service as _, World};

use super::own_number;

/// A simulation's deliveries are read by at most 100 keys, however many webhooks have heard of it.
#[tokio::test]
async fn a_simulation_reads_at_most_100_keys() {
    let world = World::new().await;
    let number = own_number(&world).await;
    let names = ["messages.chat.sent", "messages.chat.delivered", "messages.chat.read"];
    let hooks = async |app: &str, count: usize, events: &[&str]| {
        let path = format!("/v1/organization/apps/{app}/webhooks");
        for _ in 0..count {
            let body = json!({"url": "https://example.com/a", "events": events});
            world.admin(Call::post(&path).json(&body)).await.expect(201);
        }
    };

    hooks(&world.org.test_app, 20, &names).await;
    for name in ["T2", "T3"] {
        let (app, _) = world.app(&world.org.admin, &json!({"name": name, "test": true})).await;
        world.admin(Call::put(format!("/v1/organization/apps/{app}/phone-numbers/{number}"))).await.expect(200);
        hooks(&app, 20, if name == "T2" { &names } else { &["messages.sms.sent"] }).await;
    }

    world.clock.advance(Duration::from_secs(1));
    let begun = Call::post("/v1/playground/simulations").key(&world.org.test_app_key);
    let begun = world.send(begun.json(&json!({"scenario": "message_read", "target": number}))).await.expect(201);
    let id = text(&begun, "id");
    for _ in 0..3 {
        world.clock.advance(Duration::from_secs(1));
        let (org, id) = (world.org.id.parse().unwrap(), id.parse().unwrap());
        Box::pin(world.worker.inbox.simulate(&org, &id)).await.unwrap();
    }
    world.dispatch().await;

    let read = async |key: &str| {
        let call = Call::get(format!("/v1/playground/simulations/{id}")).key(key);
        let (reply, cost) = world.faults.meter.of(world.send(call)).await;
        let keys = cost.calls.iter().filter_map(|call| call.strip_prefix("BatchGetItem ")?.parse::<usize>().ok());
        let simulation = reply.expect(200);
        let steps = simulation["steps"].as_array().unwrap();
        let deliveries = steps.iter().map(|step| step["deliveries"].as_array().unwrap().len()).sum::<usize>();
        (keys.sum::<usize>(), deliveries, simulation["isTruncated"].clone())
    };

    assert_eq!(event_counts(&world, &world.org).await["messages.chat.read"], 1);
    assert_eq!(read(&world.org.test_app_key).await, (60, 60, Value::Null));

    let (keys, deliveries, is_truncated) = read(&world.org.test_admin).await;
    assert!(keys <= 100, "{keys}");
    assert_eq!((deliveries, is_truncated), (100, json!(true)));
}
