//! Edits and revocations, which point at the message that they change, and mark it.

use std::time::Duration;

use serde_json::{Value, json};
use tests::chat::connect;
use tests::{Call, Service as _, World};

use super::harness::{notification, post, stored};

/// An edit and a revocation point at the original, and the original shows them, in every order.
#[tokio::test]
async fn edits_and_revocations_mark_their_original() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "2223").await;
    let part = |id: &str, at: u32, content: &str| {
        format!(r#""messages": [{{"id": "{id}", "from": "16505550001", "timestamp": "{at}", {content}}}]"#)
    };
    for (n, order) in [[0, 1, 2, 3], [3, 2, 1, 0], [1, 0, 3, 2], [2, 3, 0, 1]].into_iter().enumerate() {
        let original = format!("wamid.{n}.original");
        let edit = |text: &str| {
            format!(
                r#""type": "edit", "edit": {{"original_message_id": "{original}", "message": {{"type": "text", "text": {{"body": "{text}"}}}}}}"#
            )
        };
        let updates = [
            part(&original, 2_000_000_000, r#""type": "text", "text": {"body": "First"}"#),
            part(&format!("wamid.{n}.a"), 2_000_000_001, &edit("Second")),
            part(&format!("wamid.{n}.b"), 2_000_000_002, &edit("Third")),
            part(
                &format!("wamid.{n}.c"),
                2_000_000_003,
                &format!(r#""type": "revoke", "revoke": {{"original_message_id": "{original}"}}"#),
            ),
        ];
        for at in order.into_iter().chain([0, 1, 2, 3]) {
            post(&world, notification(&line, "messages", &[updates[at].clone()])).await;
        }
        let messages = stored(&world, &line).await;
        let shown = &messages[&original].0;
        assert_eq!(
            (&shown["textBody"], &shown["editedAt"], &shown["revokedAt"]),
            (&json!("First"), &json!("2033-05-18T03:33:22.000Z"), &json!("2033-05-18T03:33:23.000Z")),
            "{order:?}"
        );
        for (name, text) in [("a", Some("Second")), ("b", Some("Third")), ("c", None)] {
            let revision = &messages[&format!("wamid.{n}.{name}")].0;
            assert_eq!(revision["textBody"].as_str(), text);
            let place = |at: usize| order.iter().position(|one| *one == at);
            let is_linked = place(0) < place(name.as_bytes()[0] as usize - 96);
            assert_eq!(
                revision["replyToMessageId"],
                if is_linked { shown["id"].clone() } else { json!(original) },
                "{order:?} {name}"
            );
        }
    }
    assert!(world.dead_letters().await.is_empty());
}

/// What the business edits and revokes on its phone comes as echoes, and marks its own messages; what a contact reports
/// marks theirs. A status may come before either, and does not tell whose message it is about.
#[tokio::test]
async fn a_revision_counts_for_messages_of_its_sender() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "2225").await;
    let part = |list: &str, sender: &str, id: &str, at: u32, content: &str| {
        let field = if list == "messages" { "messages" } else { "smb_message_echoes" };
        (field, format!(r#""{list}": [{{"id": "{id}", {sender}, "timestamp": "{at}", {content}}}]"#))
    };
    let theirs = |id: &str, at: u32, content: &str| part("messages", r#""from": "16505550001""#, id, at, content);
    let ours = |id: &str, at: u32, content: &str| part("message_echoes", r#""to": "16505550001""#, id, at, content);
    let text = r#""type": "text", "text": {"body": "Hi"}"#;
    let orders = [[0, 1, 2, 3, 4], [4, 3, 2, 1, 0], [1, 2, 0, 3, 4], [3, 0, 1, 4, 2], [3, 1, 2, 4, 0], [2, 3, 4, 0, 1]];
    for (n, order) in orders.into_iter().enumerate() {
        for (whose, is_ours) in [("ours", true), ("theirs", false)] {
            let id = format!("wamid.{n}.{whose}");
            let edit = format!(
                r#""type": "edit", "edit": {{"original_message_id": "{id}", "message": {{"type": "text", "text": {{"body": "New"}}}}}}"#
            );
            let revoke = format!(r#""type": "revoke", "revoke": {{"original_message_id": "{id}"}}"#);
            let original = if is_ours { ours(&id, 2_000_000_000, text) } else { theirs(&id, 2_000_000_000, text) };
            let sent = r#""status": "sent", "recipient_id": "16505550001", "timestamp": "2000000000""#;
            let updates = [
                original,
                ours(&format!("{id}.edit"), 2_000_000_001, &edit),
                theirs(&format!("{id}.edited"), 2_000_000_002, &edit),
                ("messages", format!(r#""statuses": [{{"id": "{id}", {sent}}}]"#)),
                ours(&format!("{id}.revoke"), 2_000_000_003, &revoke),
            ];
            for at in order.into_iter().chain([0, 1, 2, 3, 4]) {
                let (field, value) = &updates[at];
                post(&world, notification(&line, field, std::slice::from_ref(value))).await;
            }
            let messages = stored(&world, &line).await;
            let shown = &messages[&id].0;
            let (edited, revoked) = match is_ours {
                true => (json!("2033-05-18T03:33:21.000Z"), json!("2033-05-18T03:33:23.000Z")),
                false => (json!("2033-05-18T03:33:22.000Z"), Value::Null),
            };
            let direction = if is_ours { "OUTBOUND" } else { "INBOUND" };
            assert_eq!(
                (&shown["direction"], &shown["editedAt"], &shown["revokedAt"], &shown["textBody"]),
                (&json!(direction), &edited, &revoked, &json!("Hi")),
                "{order:?} {whose}"
            );
            if order[0] == 0 {
                assert_eq!(messages[&format!("{id}.revoke")].0["replyToMessageId"], shown["id"], "{order:?} {whose}");
            }
        }
    }
    assert!(world.dead_letters().await.is_empty());
}

/// An original that has ended, or that was erased, is not stored: the revision keeps the platform's id of it.
#[tokio::test]
async fn a_revision_of_a_message_that_is_gone_keeps_the_platforms_id() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "2227").await;
    let settings = Call::patch("/v1/organization/settings").json(&json!({"messageRetentionDays": 30}));
    world.admin(settings).await.expect(200);
    let part = |id: &str, content: &str| {
        format!(r#""messages": [{{"id": "{id}", "from": "16505550001", "timestamp": "2000000000", {content}}}]"#)
    };
    let post_one = async |id: &str, content: &str| {
        post(&world, notification(&line, "messages", &[part(id, content)])).await;
    };
    let edit = |original: &str| {
        format!(
            r#""type": "edit", "edit": {{"original_message_id": "{original}", "message": {{"type": "text", "text": {{"body": "New"}}}}}}"#
        )
    };
    let revoke = |original: &str| format!(r#""type": "revoke", "revoke": {{"original_message_id": "{original}"}}"#);
    for original in ["wamid.ended", "wamid.erased"] {
        post_one(original, r#""type": "text", "text": {"body": "Hi"}"#).await;
        if original == "wamid.ended" {
            // The table has not removed it yet.
            world.clock.advance(Duration::from_secs(31 * 86_400));
        } else {
            let erase = json!({"operation": "eraseContact", "organizationId": world.org.id, "contact": "+16505550001"});
            world.operate(erase).await.unwrap();
            world.sweep().await;
            world.work_off().await;
        }
        post_one(&format!("{original}.edit"), &edit(original)).await;
        post_one(&format!("{original}.revoke"), &revoke(original)).await;
        let messages = line.messages(&world).await;
        let find = |id: &str| messages.iter().find(|message| message["providerMessageId"] == id);
        assert!(find(original).is_none(), "{original}");
        for revision in ["edit", "revoke"] {
            let revision = find(&format!("{original}.{revision}")).expect("a message");
            assert_eq!(revision["replyToMessageId"], original);
        }
    }
}
