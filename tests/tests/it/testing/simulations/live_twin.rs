//! A live number to which everything happens that is simulated for a test number.

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use messaging_client::types::PlaygroundScenarioTarget;
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};
use tests::chat::{Line, connect, notification};
use tests::request::text;
use tests::{Call, Service as _, World};

use super::{new_events, own_number, play, scenarios};

/// The update of a step, as the platform would post it for a live number.
fn for_live(line: &Line, update: &Value) -> Value {
    let part = text(update, "part");
    let mut body = update["body"].clone();
    let lists = [("message", "messages"), ("status", "statuses"), ("contact", "state_sync"), ("group", "groups")];
    let value = match lists.iter().find(|(name, _)| *name == part) {
        None => {
            if body.get("display_phone_number").is_some() {
                body["display_phone_number"] = json!(line.display);
            }
            body
        }
        Some((_, list)) => {
            let metadata = json!({"display_phone_number": line.display, "phone_number_id": line.platform_number});
            let mut value = json!({"messaging_product": "whatsapp", "metadata": metadata});
            value[*list] = json!([body]);
            if !update["contact"].is_null() {
                value["contacts"] = json!([update["contact"]]);
            }
            value
        }
    };
    notification(&line.account, update["time"].as_i64().unwrap(), &text(update, "field"), &value)
}

/// Any sequence of scenarios, each step of which is also posted to the live route, signed, for a live number: it is taken,
/// and the live number gets the same messages, statuses and events.
#[tokio::test]
async fn a_live_twin_gets_the_same_from_the_live_route() {
    let world = World::new().await;
    // The twins belong to different organizations, so that the events of each are its own.
    let twin = world.organization("Twin").await;
    let line = connect(&world, &twin, "997").await;
    let key = world.org.test_app_key.as_str();
    let store = world.worker.inbox.context.store.of(&world.org.id.parse().unwrap());
    let mut all = scenarios(&world, key).await;
    all.retain(|scenario| scenario.target != PlaygroundScenarioTarget::Group);
    let picks = prop::collection::vec((0..all.len(), any::<bool>(), 0..5_u64), 40..=40);
    let picks = picks.new_tree(&mut TestRunner::deterministic()).unwrap().current();

    let mut targets: BTreeMap<String, String> = BTreeMap::new();
    let (mut seen, mut seen_live) = (HashSet::new(), HashSet::new());
    new_events(&world, &world.org, &mut seen).await;
    new_events(&world, &twin, &mut seen_live).await;
    let mut compared = 0;

    for (index, is_known, pause) in picks.into_iter().chain((0..all.len()).map(|index| (index, false, 1))) {
        let (name, kind) = (all[index].name.to_string(), all[index].target.to_string());
        world.clock.advance(Duration::from_secs(pause + 1));
        let mut body = json!({"scenario": name});
        let known = targets.get(&kind).filter(|_| is_known && ["template", "contact"].contains(&kind.as_str()));
        if let Some(known) = known {
            body["target"] = json!(known);
        }

        let over = play(&world, &world.org, key, &body).await;
        let played = store.simulation(&over.id.parse().unwrap()).await.unwrap().unwrap();
        for step in &played.steps {
            let routed: Value = serde_json::from_str(&step.update).unwrap();
            let taken = world.notify(&for_live(&line, &routed["update"])).await.expect(200);
            assert_eq!(taken, json!({"accepted": 1, "ignored": 0}), "{name}");
        }

        let (simulated, live) =
            (new_events(&world, &world.org, &mut seen).await, new_events(&world, &twin, &mut seen_live).await);
        compared += simulated.len();
        let without_mode = |events: Vec<(String, String)>| -> Vec<(String, String)> {
            let account = |(kind, data): (String, String)| match kind.starts_with("chat.account.") {
                // The accounts themselves differ: name, owner and numbers.
                true => (kind, String::new()),
                false => (kind, data),
            };
            events.into_iter().map(account).collect()
        };
        assert_eq!(without_mode(simulated), without_mode(live), "{name} {over:?}");

        if name.ends_with("deleted") || name.ends_with("removed") || name.ends_with("number_changed") {
            targets.remove(&kind);
        } else {
            targets.insert(kind, over.target);
        }
    }
    assert!(compared > 40, "{compared}");

    let test = own_number(&world, &world.org).await;
    let live = Call::get(format!("/v1/organization/chat/phone-numbers/{}", line.number)).key(&twin.admin);
    let live = world.send(live).await.expect(200);
    for field in ["qualityEvent", "nameStatus", "requestedVerifiedName"] {
        assert!(!test[field].is_null() && test[field] == live[field], "{field}: {test} {live}");
    }
}
