//! The messages that an account and a contact have exchanged.

use std::time::Duration;

use serde_json::{Value, json};
use tests::World;
use tests::chat::connect;

use super::found;

/// Messages of notifications: both directions of one conversation, and one that only a status has announced.
#[tokio::test]
async fn a_conversation_holds_what_both_sides_sent() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "958").await;

    let received = json!({"id": "wamid.1", "type": "text", "text": {"body": "Hello"}});
    world.notify(&line.message(&received)).await.expect(200);

    world.clock.advance(Duration::from_secs(1));
    let status = json!({"id": "wamid.2", "status": "sent", "timestamp": "2000000000", "recipient_id": "16505551234"});
    world.notify(&line.status(&status)).await.expect(200);

    world.clock.advance(Duration::from_secs(1));
    let echo = json!({"from": line.display, "to": "16505559999", "id": "wamid.3", "timestamp": "2000000000", "type": "text", "text": {"body": "Hi"}});
    world.notify(&line.about("smb_message_echoes", &json!({"message_echoes": [echo]}))).await.expect(200);

    let all = found(&world, &line, "").await;
    assert_eq!(all.len(), 3);
    assert_eq!(found(&world, &line, "&contact=16505551234").await, all[1..]);
    assert_eq!(found(&world, &line, "&contact=16505551234&direction=OUTBOUND").await, all[1..2]);
    assert_eq!(found(&world, &line, "&contact=16505559999").await, all[..1]);
}

/// Contacts are known by a number, by a user id, or by both.
#[tokio::test]
async fn a_contact_is_found_by_number_and_by_user_id() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "966").await;

    let tell = async |id: &str, seconds: u64, sender: Value| {
        world.clock.advance(Duration::from_secs(seconds));
        let mut message = json!({"id": id, "timestamp": "2000000000", "type": "text", "text": {"body": "Hello"}});
        message.as_object_mut().unwrap().extend(sender.as_object().unwrap().clone());
        world.notify(&line.about("messages", &json!({"messages": [message]}))).await.expect(200);
    };

    tell("wamid.1", 1, json!({"from": "16505551234"})).await;
    tell("wamid.2", 1, json!({"from": "16505551234", "from_user_id": "US.134"})).await;
    tell("wamid.3", 1, json!({"from_user_id": "US.134"})).await;
    tell("wamid.4", 1, json!({"from": "16505551234", "from_user_id": "US.134", "group_id": "group-1"})).await;

    let all = found(&world, &line, "").await;
    assert_eq!(all.len(), 4);

    let (by_user, by_both, by_number) = (all[1].clone(), all[2].clone(), all[3].clone());
    assert_eq!(found(&world, &line, "&contact=%2B16505551234").await, [by_both.clone(), by_number]);
    assert_eq!(found(&world, &line, "&contact=US.134").await, [by_user, by_both]);

    // A status that names the user of a message joins it to the conversation with the user.
    let status = |more: Value| {
        let mut status =
            json!({"id": "wamid.9", "status": "sent", "timestamp": "2000000000", "recipient_id": "16505559999"});
        status.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        line.status(&status)
    };

    world.notify(&status(json!({}))).await.expect(200);
    assert_eq!(found(&world, &line, "&contact=US.999").await, Vec::<String>::new());

    world.notify(&status(json!({"status": "delivered", "recipient_user_id": "US.999"}))).await.expect(200);
    let joined = found(&world, &line, "&contact=US.999").await;
    assert_eq!((joined.len(), &joined), (1, &found(&world, &line, "&contact=16505559999").await));
}
