//! Receipts of a message: in any order, repeated, at the same time, and before the response to its request.

use std::time::Duration;

use domain::Timestamp;
use domain::message::Outcome;
use futures_util::future::{join, join_all};
use inbound::Reporter;
use runtime::Metric;
use serde_json::{Value, json};
use store::MessageKind as _;
use tests::standin::{Gate, Misbehave};
use tests::topics::Topic;
use tests::{Call, Service as _, World};

use super::{CARRIER_ID, FIRST, Line, OWN, RECIPIENT, apply, counted, events, hear_all, receipt, receipt_about};

/// All orders of these values.
fn permutations(of: &[Value]) -> Vec<Vec<Value>> {
    let Some((first, rest)) = of.split_first() else { return vec![Vec::new()] };
    let places = |shorter: Vec<Value>| {
        (0..=shorter.len()).map(move |place| {
            let mut longer = shorter.clone();
            longer.insert(place, first.clone());
            longer
        })
    };
    permutations(rest).into_iter().flat_map(places).collect()
}

#[tokio::test]
async fn receipts_come_in_any_order() {
    let world = World::new().await;
    let line = Line::linked(&world, &world.org, OWN).await;

    for (results, expected) in [
        (["QUEUED", "SENT", "DELIVERED", "DELIVERED"], json!(["DELIVERED", 0, 2, null, null])),
        (["PENDING", "SENT", "UNREACHABLE", "CARRIER_BLOCKED"], json!(["FAILED", 0, null, 2, "message_undeliverable"])),
        (["SENT", "SPAM", "SUCCESSFUL", "QUEUED"], json!(["DELIVERED", 0, 2, null, null])),
    ] {
        let mut shown = Vec::new();
        // The seconds of the results, by their first place.
        let seconds = |result: &str| match result {
            "PENDING" | "SENT" => 0,
            "QUEUED" => -1,
            _ => 2,
        };

        for order in permutations(&results.map(Value::from)) {
            let message = line.attempted(&world).await;
            let receipts: Vec<Value> = order
                .iter()
                .map(|result| receipt(&line, &message, result.as_str().unwrap(), seconds(result.as_str().unwrap())))
                .collect();

            apply(&world, &Reporter::Live, &receipts).await;
            let once = line.read(&world, &message).await;
            apply(&world, &Reporter::Live, &receipts).await;
            assert_eq!(line.read(&world, &message).await, once, "repetitions change nothing: {order:?}");

            let sent = once.record.message;
            let since = |time: Option<Timestamp>| time.map(|time| (time.millis() - FIRST) / 1000);
            let (sent_at, delivered_at, failed_at) =
                (since(sent.sent_at), since(sent.delivered_at), since(sent.failed_at));
            let status = serde_json::to_value(&sent.status).unwrap();
            shown.push(json!([status, sent_at, delivered_at, failed_at, sent.error_code]));

            assert_eq!(sent.outcome(), Some(Outcome::Accepted));
            assert_eq!(sent.parts, Some(2));
            assert_eq!(serde_json::to_value(&sent.price).unwrap(), json!({"amount": "0.01762", "currency": "USD"}));
        }
        assert!(shown.iter().all(|message| *message == expected), "{results:?}: {shown:?}");
    }
    assert_eq!(counted(&world, Metric::DroppedCarrierUpdates) + counted(&world, Metric::UnknownCarrierValues), 0);
}

/// Through the real path: each status emits its event once, and the customer sees the message.
#[tokio::test]
async fn receipts_come_through_topic_and_queue() {
    let world = World::new().await;
    let line = Line::linked(&world, &world.org, OWN).await;
    let topic = Topic::leading_to(&world.account.carrier).await;
    let message = line.attempted(&world).await;

    for result in ["DELIVERED", "SENT", "QUEUED", "SENT", "DELIVERED"] {
        topic.publish(&receipt(&line, &message, result, 1)).await;
    }
    hear_all(&world).await;

    let stored = line.read(&world, &message).await;
    assert_eq!(serde_json::to_value(&stored.message.status).unwrap(), "DELIVERED");
    assert_eq!(stored.carried.carrier_message_id.as_deref(), Some(CARRIER_ID));
    let expected = [("messages.sms.delivered".to_owned(), 1), ("messages.sms.sent".to_owned(), 1)];
    assert_eq!(events(&world, &line.org).await, expected.into());
    assert!(world.messages(&world.account.carrier_dead_letters).await.is_empty());
}

#[tokio::test]
async fn concurrent_receipts_are_all_recorded() {
    let world = World::new().await;
    let line = Line::linked(&world, &world.org, OWN).await;
    let message = line.attempted(&world).await;
    let results = ["SENT", "DELIVERED", "QUEUED", "PENDING", "UNREACHABLE", "SENT", "SUCCESSFUL", "SPAM"];
    let receipts: Vec<[Value; 1]> = results.map(|result| [receipt(&line, &message, result, 1)]).into();

    join_all(receipts.iter().map(|receipt| apply(&world, &Reporter::Live, receipt))).await;

    let stored = line.read(&world, &message).await.record.message;
    assert!(stored.sent_at.is_some() && stored.delivered_at.is_some() && stored.failed_at.is_none());
    let events = events(&world, &line.org).await;
    assert_eq!((events["messages.sms.sent"], events["messages.sms.delivered"]), (1, 1));
}

/// The response is recorded over what the receipt has changed.
#[tokio::test]
async fn a_receipt_that_comes_before_the_response_is_kept() {
    let world = World::new().await;
    let line = Line::linked(&world, &world.org, OWN).await;
    let gate = Gate::default();
    world.carrier_account.state().faults.push(Misbehave::Held(gate.clone(), None));

    let body = json!({"from": line.own, "to": RECIPIENT, "text": "Hello"});
    let sending = world.send(Call::post("/v1/sms").key(&world.org.app_key).json(&body));
    let reporting = async {
        let posted = loop {
            let posted = world.carrier_account.state().sends.first().cloned();
            match posted {
                Some(posted) => break posted,
                None => tokio::time::sleep(Duration::from_millis(10)).await,
            }
        };
        let receipt = receipt_about(&posted.input["Context"], &line, "DELIVERED", 1);
        apply(&world, &Reporter::Live, &[receipt]).await;
        gate.open();
    };

    let (sent, ()) = join(sending, reporting).await;
    let sent = sent.expect(201);
    assert_eq!((&sent["outcome"], &sent["status"]), (&json!("ACCEPTED"), &json!("DELIVERED")));
}

#[tokio::test]
async fn a_receipt_resolves_an_attempt_before_and_after_its_outcome() {
    let world = World::new().await;
    let line = Line::linked(&world, &world.org, OWN).await;

    for result in ["QUEUED", "SENT", "DELIVERED", "UNREACHABLE", "LATER"] {
        // Before the response.
        let message = line.attempted(&world).await;
        apply(&world, &Reporter::Live, &[receipt(&line, &message, result, 0)]).await;
        let early = line.read(&world, &message).await;
        assert_eq!(early.outcome(), Some(Outcome::Accepted), "{result}");
        assert_eq!(early.due(), None, "the sweep has nothing to resolve");
        line.respond(&world, &message, |message| message.accept(CARRIER_ID, world.now())).await;
        assert_eq!(line.read(&world, &message).await.message, early.message, "{result}");

        // Instead of the response.
        let message = line.attempted(&world).await;
        line.respond(&world, &message, |message| message.mark_unknown(world.now())).await;
        assert_eq!(line.read(&world, &message).await.outcome(), Some(Outcome::Unknown));
        apply(&world, &Reporter::Live, &[receipt(&line, &message, result, 0)]).await;
        let late = line.read(&world, &message).await;
        assert_eq!(
            (late.outcome(), late.message.status.clone()),
            (Some(Outcome::Accepted), early.message.status.clone()),
            "{result}"
        );
    }

    assert_eq!(counted(&world, Metric::UnknownCarrierValues), 2, "of the unknown type, which is no failure");
}
