//! Messages of one number, half of them received and half of them sent, with their events and the deliveries of these.

use std::collections::BTreeSet;

use delivery::Waiting;
use domain::Mode;
use domain::id::{ChatMessageId, EventId, OrganizationId};
use serde_json::{Value, json};
use tests::chat::Line;
use tests::{Call, World};

use super::models::{Model, Own, counted, string};
use super::results::Growth;
use super::run::{List, Run};
use super::seeding::{added, of_classes};
use super::{CALLS, CHAT, FRESH};

const RECEIVED: &str = "wamid.in.0000000";
const SENT: &str = "w.0000000";

/// A notification about a received message.
fn received(line: &Line, id: &str) -> Value {
    line.message(&json!({"id": id, "type": "text", "text": {"body": "Is it on its way?"}}))
}

/// A notification about the status of a sent message.
fn status(line: &Line, id: &str, status: &str) -> Value {
    line.status(&json!({"id": id, "status": status, "timestamp": "2000000000", "recipient_id": "16505551234"}))
}

/// Alternates between received and sent messages, with their events; they share the contact that the first one creates.
/// Also returns the id of the first message.
pub(super) async fn models(world: &World, line: &Line, size: usize) -> (String, Vec<Model>) {
    let notifications = [(RECEIVED, received(line, RECEIVED)), (SENT, status(line, SENT, "sent"))];
    let (mut models, mut first) = (Vec::new(), String::new());
    for (platform_id, notification) in notifications.into_iter().take(size) {
        let (reply, items) = added(world, world.notify(&notification)).await;
        reply.expect(200);

        let items = of_classes(items, &["MSG#", "MSGLIST#", "WAMID#", "EVT#"]);
        let ids_of = |class: &str| -> BTreeSet<String> {
            items.iter().map(|item| string(item, "PK")).filter(|key| key.starts_with(class)).collect()
        };
        let (message, events) = (ids_of("MSG#"), ids_of("EVT#"));
        if first.is_empty() {
            first = message.iter().filter_map(|key| key.rsplit('#').next()).collect();
        }
        let own = message.iter().chain(&events).map(|id| Own::ksuid_of(id));
        let own = own.chain([Own::counted(platform_id)]).collect();
        models.push(Model { items, own });
    }
    (first, models)
}

pub(super) async fn measure(run: &mut Run<'_>) {
    let scene = run.scene;
    let (line, number) = (&scene.line, &scene.line.number);
    run.pages(List {
        kind: "messages",
        path: format!("{CHAT}/messages?chatPhoneNumberId={number}"),
        name: format!("chat-messages/{number}"),
        id: &|n| scene.ids.ksuid(n),
        most: usize::MAX,
    })
    .await;

    let id = |n| ChatMessageId::from_ksuid(Mode::Live, &scene.ids.ksuid(n)).unwrap().to_string();
    let seeded = |middle: Vec<usize>| middle.into_iter().map(id).collect();
    let ids = scene.middle().map_or(vec![scene.message.clone(); CALLS], seeded);
    run.calls("messages: get", ids.into_iter().map(|id| Call::get(format!("{CHAT}/messages/{id}")))).await;

    let fresh: Vec<usize> = (FRESH..FRESH + CALLS).collect();
    let before = scene.waiting().await;
    let create = fresh.iter().map(|n| received(line, &counted(RECEIVED, *n)));
    run.notifications("messages: receive", create).await;
    measure_dispatch(run, &before).await;
    measure_delivery(run).await;

    let create = fresh.iter().map(|n| status(line, &counted(SENT, *n), "sent"));
    run.notifications("messages: status of an unknown one", create).await;
    let sent = scene.middle().map_or(fresh, |middle| middle.into_iter().map(|n| n + 1).collect());
    let update = sent.into_iter().map(|n| status(line, &counted(SENT, n), "delivered"));
    run.notifications("messages: status of a known one", update).await;
}

/// Measures the dispatch of the events since `before`, each to one webhook.
async fn measure_dispatch(run: &mut Run<'_>, before: &BTreeSet<EventId>) {
    let scene = run.scene;
    let organization: OrganizationId = scene.world.org.id.parse().unwrap();
    let events: Vec<EventId> = scene.waiting().await.difference(before).cloned().collect();
    let works = events.iter().map(|event| async {
        let waiting = Waiting { organization: organization.clone(), event: event.clone() };
        scene.world.dispatcher.dispatch(&[waiting]).await.remove(0).unwrap();
    });
    run.add("messages: dispatch of the event of one", Growth::None, works).await;
}

/// Measures the delivery of the dispatched events, each in an invocation of its own.
async fn measure_delivery(run: &mut Run<'_>) {
    let world = &run.scene.world;
    let works = world.messages(&world.account.deliveries).await.into_iter().map(|job| async move {
        let record = json!({"messageId": "1", "receiptHandle": "1", "body": job, "attributes": {}});
        let event = serde_json::from_value(json!({"Records": [record]})).unwrap();
        serde_json::to_value(world.deliverer.work(event).await).unwrap()
    });
    let done = run.add("messages: delivery of the event of one", Growth::None, works).await;
    assert_eq!(done[0], json!({"batchItemFailures": []}));
}
