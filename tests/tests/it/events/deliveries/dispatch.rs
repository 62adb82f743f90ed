//! Which webhooks an event is delivered to, and what that costs.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};
use tests::catalogue::{fresh_account, simulated_profile};
use tests::chat::{connect, notification};
use tests::receiver::{Got, Receiver, status};
use tests::request::text;
use tests::{Call, Service as _, World};

use super::{SMS, webhook, write};
use crate::events::log_of;

/// The AWS calls match docs/events.md, "What it costs".
#[tokio::test]
async fn an_event_costs_what_the_documentation_says() {
    let world = World::with_local_webhooks().await;
    let receiver = Receiver::start(status(200));
    webhook(&world, &receiver.url, &SMS).await;
    write(&world).await;

    world.faults.calls();
    world.dispatch().await;
    let of_the_feed = ["GetItem", "TransactWriteItems"];
    let expected =
        [&["GetItem", "GetItem", "Query", "PutItem", "SendMessageBatch"][..], &of_the_feed, &["UpdateItem"]].concat();
    assert_eq!(world.faults.calls(), expected);

    world.deliver().await;
    assert_eq!(world.faults.calls(), ["BatchGetItem", "UpdateItem"]);
    assert_eq!(receiver.got().len(), 1);
}

/// Dispatching the same stream batch five times creates one delivery per subscribed webhook.
#[tokio::test]
async fn a_repeated_batch_makes_nothing_new() {
    let world = World::with_local_webhooks().await;
    let receiver = Receiver::start(status(200));
    let (first, _) = webhook(&world, &receiver.url, &SMS).await;
    let (second, _) = webhook(&world, &receiver.url, &["messages.sms.received"]).await;
    let (deaf, _) = webhook(&world, &receiver.url, &["contacts.chat.created"]).await;
    write(&world).await;
    let partitions = world.waiting_events().await;

    for _ in 0..5 {
        world.clock.advance(Duration::from_millis(1));
        let record =
            json!({"eventName": "INSERT", "dynamodb": {"Keys": {"PK": {"S": partitions[0]}, "SK": {"S": "EVT"}}}});
        let event = serde_json::from_value(json!({"Records": [record]})).unwrap();
        world.dispatcher.work(event).await;
    }
    while world.deliver().await {}

    assert_eq!(receiver.ids().into_values().collect::<Vec<_>>(), [2], "one id for the app's two webhooks");
    for (path, count) in [(&first, 1), (&second, 1), (&deaf, 0)] {
        assert_eq!(log_of(&world, path).await.len(), count);
    }
}

/// Live apps never receive simulated events.
#[tokio::test]
async fn test_apps_receive_events_of_simulated_messages() {
    let world = World::with_local_webhooks().await;
    let receivers: Vec<Receiver> = (0..2).map(|_| Receiver::start(status(200))).collect();
    for (app, receiver) in [&world.org.test_app, &world.org.app].into_iter().zip(&receivers) {
        let body = json!({"url": receiver.url, "events": ["chat.account.connected", "templates.chat.created"]});
        world.admin(Call::post(format!("/v1/organization/apps/{app}/webhooks")).json(&body)).await.expect(201);
    }

    let profile = simulated_profile(&world, &fresh_account(), false).await;
    let sync = json!({"chatBusinessProfileId": profile["id"]});
    world.admin(Call::post("/v1/organization/chat/templates/sync").json(&sync)).await.expect(200);
    world.send_events().await;

    let bodies: Vec<Value> = receivers[0].got().iter().map(Got::json).collect();
    assert!(bodies.iter().all(|body| body["mode"] == "test"));
    let connected: Vec<&Value> = bodies.iter().filter(|body| body["type"] == "chat.account.connected").collect();
    assert_eq!((connected.len(), &connected[0]["data"]), (1, &profile));
    assert_eq!(bodies.len(), 5, "four templates");
    assert!(receivers[1].got().is_empty());
}

/// The apps that receive each kind of event.
#[tokio::test]
async fn events_go_to_the_apps_that_they_concern() {
    let world = World::with_local_webhooks().await;
    let line = connect(&world, &world.org, "1201").await;
    let (other, _) = world.app(&world.org.admin, &json!({"name": "Other"})).await;
    let all =
        ["messages.chat.received", "contacts.chat.created", "templates.chat.created", "chat.account.disconnected"];
    let receivers: Vec<Receiver> = (0..3).map(|_| Receiver::start(status(200))).collect();
    for (app, receiver) in [&world.org.app, &other, &world.org.test_app].into_iter().zip(&receivers) {
        let body = json!({"url": receiver.url, "events": all});
        world.admin(Call::post(format!("/v1/organization/apps/{app}/webhooks")).json(&body)).await.expect(201);
    }

    world.notify(&line.message(&json!({"id": "wamid.1", "type": "text", "text": {"body": "Hi"}}))).await.expect(200);
    for (field, value) in [
        (
            "message_template_status_update",
            json!({"event": "APPROVED", "message_template_id": 7, "message_template_name": "t", "message_template_language": "en"}),
        ),
        ("account_update", json!({"event": "PARTNER_REMOVED"})),
    ] {
        world.notify(&notification("1201", 2_100_000_000, field, &value)).await.expect(200);
    }
    world.send_events().await;

    let heard =
        |receiver: &Receiver| receiver.got().iter().map(|got| text(&got.json(), "type")).collect::<BTreeSet<_>>();
    assert_eq!(heard(&receivers[0]), all.map(str::to_owned).into());
    assert_eq!(heard(&receivers[1]), all[2..].iter().map(|name| (*name).to_owned()).collect());
    assert!(heard(&receivers[2]).is_empty(), "a test app hears of nothing live");

    // Every app has its own delivery ids.
    let ids: BTreeSet<String> = receivers.iter().flat_map(|receiver| receiver.ids().into_keys()).collect();
    assert_eq!(ids.len(), 6);

    // After the deletion of an app, nothing of it is left for the sweep.
    world.admin(Call::delete(format!("/v1/organization/apps/{other}"))).await.expect(200);
    assert!(!format!("{:?}", world.account.items().await).contains("GONE#"));
}
