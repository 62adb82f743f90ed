//! Timelines of messages whose statuses, responses and deliveries meet in any order.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tests::chat::{Line, connect};
use tests::receiver::{Got, Receiver, plain};
use tests::request::text;
use tests::{Call, Service as _, World};

use super::timeline::{hello, timeline, webhook};

/// Statuses in any order, repeated, before the response and after it: the timeline has each of them once, with the earliest time
/// that was reported, its event, and every attempt that the receiver has seen.
#[tokio::test]
async fn every_interleaving_is_told_completely() {
    let world = World::with_local_webhooks().await;
    // Every third attempt fails.
    let answer =
        |count: usize, _: &Got| (Duration::ZERO, plain(if count.is_multiple_of(3) { 500 } else { 200 }, "said"));
    let receiver = Receiver::start(Arc::new(answer));
    let line = connect(&world, &world.org, "5006").await;
    webhook(&world, &receiver, &world.org.app).await;
    let mut dice = 7_u64;
    let mut roll = |sides: u64| {
        dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (dice >> 33) % sides
    };

    for round in 0..24 {
        let names = ["sent", "delivered", "read", "failed"];
        let reports: Vec<(&str, u64)> =
            (0..roll(7)).map(|_| (names[usize::try_from(roll(4)).unwrap()], 2_000_000_000 + roll(50))).collect();
        let is_early = roll(2) == 0;
        let id = told_about(&world, &line, &reports, is_early).await;
        for _ in 0..roll(4) {
            world.send_events().await;
            world.clock.advance(Duration::from_secs(600));
            world.sweep().await;
        }
        world.send_events().await;

        let shown = timeline(&world, &format!("/v1/chat/messages/{id}"), &line.org.app_key).await;
        let entries = shown["data"].as_array().unwrap();
        let of = |kind: &str| entries.iter().filter(|entry| entry["kind"] == kind).collect::<Vec<_>>();
        assert_eq!([of("REQUESTED").len(), of("ATTEMPTED").len(), of("ACCEPTED").len()], [1, 1, 1], "{shown}");
        let mut reported = 0;
        for name in names {
            let earliest = reports.iter().filter(|(own, _)| *own == name).map(|(_, at)| *at).min();
            let told = of(&name.to_uppercase());
            assert_eq!(told.len(), usize::from(earliest.is_some()), "{round}: {reports:?} {shown}");
            if let Some(at) = earliest {
                reported += 1;
                let at = domain::Timestamp::from_millis(i64::try_from(at).unwrap() * 1000).to_string();
                assert_eq!(told[0]["at"], json!(at), "{round}: {reports:?} {shown}");
            }
        }
        assert_eq!(of("EVENT").len(), reported, "{shown}");
        let got = receiver.got_undocumented();
        let posted = got.iter().filter(|got| got.json()["data"]["id"] == json!(id)).count();
        assert_eq!(of("DELIVERY").len(), posted, "{round}: {shown}");
        let times: Vec<&str> = entries.iter().map(|entry| entry["recordedAt"].as_str().unwrap()).collect();
        assert!(times.is_sorted(), "{shown}");
    }
}

/// Sends a message of which the platform reports these statuses, some before its response if `is_early`. Returns its id.
async fn told_about(world: &World, line: &Line, reports: &[(&str, u64)], is_early: bool) -> String {
    let send = || world.send(Call::post("/v1/chat/messages").key(&line.org.app_key).json(&hello(line)));
    let about = |id: &str, data: &str, (name, at): (&str, u64)| {
        let status = json!({
            "id": id, "status": name, "timestamp": at.to_string(), "recipient_id": "16505551234",
            "biz_opaque_callback_data": data,
        });
        line.status(&status)
    };
    let early = if is_early { reports.len() / 2 } else { 0 };
    let held = world.platform.hold("/messages");
    let meanwhile = async {
        held.arrived().await;
        let seen = world.platform.seen("/messages");
        let data = text(&seen.last().unwrap().json(), "biz_opaque_callback_data");
        // The stand-in counts the messages that it accepts.
        let platform_id = format!("wamid.sent.{}", seen.len());
        for report in &reports[..early] {
            world.notify(&about(&platform_id, &data, *report)).await.expect(200);
        }
        held.end();
        data
    };
    let (sent, data) = tokio::join!(send(), meanwhile);
    let sent = sent.expect(201);
    let platform_id = text(&sent, "providerMessageId");
    for report in &reports[early..] {
        world.notify(&about(&platform_id, &data, *report)).await.expect(200);
    }
    text(&sent, "id")
}
