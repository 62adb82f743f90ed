//! Messages that the carrier received.

use std::collections::BTreeMap;

use domain::Mode;
use domain::id::SmsMessageId;
use inbound::Reporter;
use runtime::Metric;
use serde_json::json;
use tests::World;
use tests::topics::{Topic, inbound};

use super::{Line, OWN, RECIPIENT, apply, counted, events, hear_all};

#[tokio::test]
async fn a_received_message_is_stored_once() {
    let world = World::new().await;
    let other = world.organization("Other").await;
    let (line, foreign) =
        (Line::linked(&world, &world.org, OWN).await, Line::linked(&world, &other, "+12065550152").await);
    let topic = Topic::leading_to(&world.account.carrier).await;
    let before = world.account.items().await;

    for (from, to, text, id) in [
        (RECIPIENT, &line, "Hello", "in-1"),
        (RECIPIENT, &line, "STOP", "in-2"),
        // The carrier's ids are unique; if they were not, each number would have its own.
        (RECIPIENT, &foreign, "Hello", "in-1"),
    ] {
        for _ in 0..3 {
            topic.publish(&inbound(from, &to.own, text, id)).await;
        }
    }
    hear_all(&world).await;

    // SNS repeats a message with another time, after the queue has forgotten it.
    topic.publish(&inbound(RECIPIENT, &line.own, "Hello", "in-1")).await;
    hear_all(&world).await;

    for (line, texts) in [(&line, &["Hello", "STOP"] as &[&str]), (&foreign, &["Hello"])] {
        let items = world.account.items().await;
        let stored: Vec<_> =
            items.iter().filter(|item| item["PK"].starts_with(&format!("SMS#{}#", line.org.id))).collect();
        let mut found: Vec<&str> = stored.iter().map(|item| item["text"].as_str()).collect();
        found.sort_unstable();
        assert_eq!(found, texts);

        for item in stored {
            let id: SmsMessageId = item["id"].parse().unwrap();
            let store = world.account.store().of(&line.organization);
            let message = store.message(&id).await.unwrap().unwrap().record.message;
            let shown = serde_json::to_value(&message).unwrap();
            let expected = json!({
                "id": id, "appId": line.org.app, "phoneNumberId": line.number, "direction": "INBOUND", "type": "sms",
                "from": RECIPIENT, "to": line.own, "text": message.text, "status": "RECEIVED",
                "receivedAt": shown["receivedAt"], "createdAt": world.now(), "updatedAt": world.now(),
            });
            assert_eq!(shown, expected);
            // The emulator's clock, not that of the test.
            assert_ne!(shown["receivedAt"], shown["createdAt"]);
        }

        let counts = events(&world, &line.org).await;
        assert_eq!(counts, [("messages.sms.received".to_owned(), texts.len())].into());
    }

    // No contact is made: a message, its lists, the mark that it was applied, its event, and nothing else.
    let classes = |items: &[BTreeMap<String, String>]| {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        items.iter().for_each(|item| *counts.entry(item["PK"].split('#').next().unwrap().to_owned()).or_default() += 1);
        counts
    };

    let (before, after) = (classes(&before), classes(&world.account.items().await));
    let added: BTreeMap<&str, usize> = after
        .iter()
        .map(|(class, count)| (class.as_str(), count - before.get(class).unwrap_or(&0)))
        .filter(|(_, count)| *count > 0)
        .collect();
    assert_eq!(added, [("CONV", 3), ("EVT", 3), ("MSGLIST", 3), ("SEEN", 3), ("SMS", 3)].into());
}

#[tokio::test]
async fn messages_to_numbers_that_are_not_linked_are_dropped() {
    let world = World::new().await;
    let unlinked = Line::new(&world, &world.org, OWN, Mode::Live).await;
    let simulated = Line::new(&world, &world.org, "+12065550153", Mode::Test).await;
    let topic = Topic::leading_to(&world.account.carrier).await;
    let before = world.account.items().await;

    for (at, to) in [&unlinked.own[..], &simulated.own, "+12065550199"].into_iter().enumerate() {
        topic.publish(&inbound(RECIPIENT, to, "Hello", "in-1")).await;
        hear_all(&world).await;
        assert_eq!(counted(&world, Metric::DroppedCarrierUpdates), at as u64 + 1);
    }

    // The simulated carrier knows test numbers only, and those of its own organization.
    let other = world.organization("Other").await.id.parse().unwrap();
    for (reporter, to) in [
        (Reporter::Simulated(unlinked.organization.clone()), &unlinked.own),
        (Reporter::Simulated(other), &simulated.own),
    ] {
        apply(&world, &reporter, &[inbound(RECIPIENT, to, "Hello", "in-1")]).await;
    }

    assert_eq!(counted(&world, Metric::DroppedCarrierUpdates), 3);
    let stored = world.account.items().await.iter().filter(|item| item["PK"].starts_with("SMS#")).count();
    assert_eq!(stored, before.iter().filter(|item| item["PK"].starts_with("SMS#")).count());

    let own = Reporter::Simulated(simulated.organization.clone());
    apply(&world, &own, &[inbound(RECIPIENT, &simulated.own, "Hello", "in-1")]).await;
    assert_eq!(events(&world, &world.org).await["messages.sms.received"], 1);
}
