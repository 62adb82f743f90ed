//! Statuses that come before, during or after the response, and statuses of other tenants.

use std::collections::BTreeSet;

use serde_json::json;
use tests::chat::{Line, connect, event_counts};
use tests::request::{altered, text};
use tests::standin::{Misbehave, error};
use tests::{Service as _, World};

use super::{path, send, status};

/// The statuses of a message come before, during or after the response, repeated and in any order: the message and its
/// events are the same.
#[tokio::test]
async fn statuses_come_in_any_order() {
    let world = World::new().await;
    let mut results = BTreeSet::new();
    let mut generator = fastrand::Rng::with_seed(18);

    for round in 0..12 {
        let line = connect(&world, &world.org, &format!("29{round:02}")).await;
        let mut kinds = vec!["sent", "delivered", "read", "sent", "delivered"];
        generator.shuffle(&mut kinds);
        let before = generator.usize(0..=kinds.len());
        let held = world.platform.hold(&path(&line));
        let platform_id = || format!("wamid.sent.{}", round + 1);

        let report = async |kind: &str| {
            let id = text(&line.only_message(&world).await, "id");
            world.notify(&status(&line, &id, &platform_id(), kind)).await.expect(200);
        };

        let (reply, ()) = tokio::join!(world.send(send(&line)), async {
            held.arrived().await;
            for kind in &kinds[..before] {
                report(kind).await;
            }
            held.end();
        });

        assert_eq!(reply.status.as_u16(), 201, "{kinds:?} {before}: {reply:?}");
        for kind in &kinds[before..] {
            report(kind).await;
        }

        let message = line.only_message(&world).await;
        let shown = ["outcome", "sentAt", "deliveredAt", "readAt", "errorCode"].map(|name| message[name].to_string());
        results.insert((shown, message["recipients"][0]["status"].to_string()));
        assert_eq!(message["providerMessageId"], platform_id());
    }

    assert_eq!(results.len(), 1, "{results:?}");
    let counts = event_counts(&world, &world.org).await;
    for kind in ["messages.chat.sent", "messages.chat.delivered", "messages.chat.read"] {
        assert_eq!(counts.get(kind), Some(&12), "{counts:?}");
    }
}

/// A failure is reported in the response, in a status, or in both, in either order.
#[tokio::test]
async fn a_refusal_and_a_status_agree_in_either_order() {
    let world = World::new().await;
    let mut results = BTreeSet::new();

    for (round, kind, is_first) in [(0, "failed", true), (1, "failed", false), (2, "sent", true), (3, "sent", false)] {
        let line = connect(&world, &world.org, &format!("277{round}")).await;
        let held = world.platform.hold_with(&path(&line), Some((400, error(131_026, "no").to_string())));

        let report = async || {
            let id = text(&line.only_message(&world).await, "id");
            let mut update = status(&line, &id, "wamid.x", kind);
            if kind == "failed" {
                update["entry"][0]["changes"][0]["value"]["statuses"][0]["errors"] =
                    json!([{"code": 131_026, "title": "no"}]);
            }
            world.notify(&update).await.expect(200);
        };

        let (reply, ()) = tokio::join!(world.send(send(&line)), async {
            held.arrived().await;
            if is_first {
                report().await;
            }
            held.end();
        });

        // A status that shows that the message was sent prevails over the refusal that follows.
        assert_eq!(reply.status.as_u16(), if kind == "sent" && is_first { 201 } else { 422 });
        if !is_first {
            report().await;
        }

        let message = line.only_message(&world).await;
        results.insert((
            kind,
            message["outcome"].to_string(),
            message["errorCode"].to_string(),
            message["recipients"][0]["status"].to_string(),
        ));
    }

    assert_eq!(results.len(), 2, "{results:?}");
    let counts = event_counts(&world, &world.org).await;
    assert_eq!((counts.get("messages.chat.failed"), counts.get("messages.chat.sent")), (Some(&2), Some(&2)));
}

/// Callback data can be read by others. What they name must agree with what was sent.
#[tokio::test]
async fn statuses_of_one_tenant_never_touch_the_messages_of_another() {
    let world = World::new().await;
    let stranger = world.organization("Stranger").await;
    let line = connect(&world, &world.org, "2780").await;
    let second = connect(&world, &world.org, "2781").await;
    let foreign = connect(&world, &stranger, "2782").await;

    let id = text(&world.send(send(&line)).await.expect(201), "id");
    world.platform.misbehave(&path(&line), Misbehave::HangUp, 1);
    let unknown = text(&world.send(send(&line)).await.expect(202), "id");

    let before = world.account.items().await;
    let of = |from: &Line, organization: &str, id: &str, platform_id: &str| {
        from.status(&json!({"id": platform_id, "status": "read", "timestamp": "2000000000",
            "biz_opaque_callback_data": format!("{organization}:{id}")}))
    };
    let nobody = altered(&id);

    for update in [
        of(&foreign, &line.org.id, &id, "wamid.sent.1"),
        of(&foreign, &foreign.org.id, &id, "wamid.sent.1"),
        of(&foreign, &line.org.id, &unknown, "wamid.y"),
        of(&second, &line.org.id, &id, "wamid.sent.1"),
        of(&second, &line.org.id, &unknown, "wamid.y"),
        of(&line, &foreign.org.id, &id, "wamid.sent.1"),
        of(&line, &line.org.id, &id, "wamid.other"),
        of(&line, &line.org.id, &nobody, "wamid.z"),
    ] {
        world.notify(&update).await.expect(200);
    }

    assert_eq!(world.account.items().await, before);
    let dropped = world.metrics.text().lines().filter(|line| line.contains("\"DroppedStatuses\":1")).count();
    assert_eq!(dropped, 8);

    // An echo of a message that was sent here changes nothing.
    let echo = json!({"message_echoes": [{"id": "wamid.sent.1", "from": line.display, "to": "16505551234",
        "timestamp": "2000000000", "type": "text", "text": {"body": "Hello"}}]});
    world.notify(&line.about("smb_message_echoes", &echo)).await.expect(200);
    assert_eq!(line.messages(&world).await.len(), 2);
}
