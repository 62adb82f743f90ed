//! Nothing names an erased contact, and all else stays.

use std::time::Duration;

use serde_json::json;
use tests::chat::connect;
use tests::request::text;
use tests::{Call, Service as _, World};

use super::{
    DIGITS, NUMBER, OTHER, USER_ID, erased, everything, items_of, line_and_sms, naming, receive, report, said,
};

#[tokio::test]
async fn nothing_names_an_erased_contact_and_all_else_stays() {
    let world = World::new().await;
    let other = world.organization("Other").await;
    let others = connect(&world, &other, "4202").await;
    everything(&world, &others).await;

    let line = line_and_sms(&world, "4201").await;
    assert!(naming(&world, &world.org.id, &[DIGITS, USER_ID]).await.len() > 15);
    let untouched = items_of(&world, &other.id).await;
    let of_bob = naming(&world, &world.org.id, &[OTHER, "US.2"]).await;
    let files = world.account.objects().await.len();

    let receipt = erased(&world, NUMBER).await;
    assert_eq!(naming(&world, &world.org.id, &[DIGITS, USER_ID]).await, Vec::<String>::new());
    // Three of the conversation sent and received here, one sent elsewhere, one in the group, one SMS.
    assert_eq!(receipt["erased"], json!({"messages": 6, "media": 1, "contacts": 1, "groupMentions": 2}));
    assert_eq!((&receipt["contactEndsWith"], &receipt["runs"]), (&json!("1234"), &json!(1)));
    let until = |at: usize| text(&receipt["remaining"][at], "until");
    let in_days = |days: u64| serde_json::to_value(world.now().plus(Duration::from_secs(days * 86_400))).unwrap();
    assert_eq!((json!(until(0)), json!(until(3))), (in_days(32), in_days(35)));
    assert!(receipt["kept"][0].as_str().unwrap().contains("opt-out list"));
    assert!(!receipt.to_string().contains("5551234"));

    assert_eq!(items_of(&world, &other.id).await, untouched, "another organization's items");
    assert_eq!(naming(&world, &world.org.id, &[OTHER, "US.2"]).await, of_bob, "another contact's items");
    assert_eq!(world.account.objects().await.len(), files - 1);
    let statuses: Vec<_> =
        line.messages(&world).await.iter().map(|message| text(message, "providerMessageId")).collect();
    assert_eq!(statuses.len(), 3, "{statuses:?}");

    // What the platform still reports about erased messages brings nothing back.
    for status in ["delivered", "read"] {
        report(&world, &line, json!({"id": "wamid.elsewhere", "status": status, "recipient_id": DIGITS})).await;
    }
    assert_eq!(naming(&world, &world.org.id, &[DIGITS, USER_ID]).await, Vec::<String>::new());

    // Who writes again is a new contact.
    receive(&world, &line, (DIGITS, USER_ID), said("wamid.again")).await;
    assert_eq!(line.messages(&world).await.len(), 4);
    let again = erased(&world, NUMBER).await;
    assert_eq!((&again["runs"], &again["erased"]["messages"]), (&json!(2), &json!(7)));
    assert_eq!(line.messages(&world).await.len(), 3);
}

#[tokio::test]
async fn a_user_id_leads_to_the_same_person() {
    let world = World::new().await;
    line_and_sms(&world, "4203").await;

    let receipt = erased(&world, USER_ID).await;
    assert_eq!((&receipt["contactEndsWith"], &receipt["erased"]["messages"]), (&json!("34"), &json!(6)));
    assert_eq!(naming(&world, &world.org.id, &[DIGITS, USER_ID]).await, Vec::<String>::new());
}

/// A number that a contact had, and that another person has now, keeps the messages of that person.
#[tokio::test]
async fn a_number_that_changed_hands_keeps_the_messages_of_its_new_user() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "4204").await;
    receive(&world, &line, (DIGITS, USER_ID), said("wamid.1")).await;
    receive(&world, &line, (DIGITS, "US.9"), said("wamid.2")).await;

    let receipt = erased(&world, USER_ID).await;
    assert_eq!(receipt["erased"]["messages"], 1);
    assert_eq!(line.messages(&world).await.len(), 1);
    assert_eq!(naming(&world, &world.org.id, &[USER_ID]).await, Vec::<String>::new());

    // By the number, all of its messages go.
    assert_eq!(erased(&world, NUMBER).await["erased"]["messages"], 1);
    assert_eq!(line.messages(&world).await.len(), 0);
}

/// More messages than a page has, between others.
#[tokio::test]
async fn a_long_conversation_is_erased_page_by_page() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "4207").await;
    for n in 0..130 {
        let from = if n % 5 == 0 { (OTHER, "US.2") } else { (DIGITS, USER_ID) };
        receive(&world, &line, from, said(&format!("wamid.{n}"))).await;
    }

    let receipt = erased(&world, NUMBER).await;
    assert_eq!(receipt["erased"]["messages"], 104);
    assert_eq!(line.messages(&world).await.len(), 26);
    assert_eq!(naming(&world, &world.org.id, &[DIGITS, USER_ID]).await, Vec::<String>::new());
}

#[tokio::test]
async fn a_message_that_waits_is_not_sent_after_its_erasure() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "4208").await;
    let body = json!({"from": line.number, "to": NUMBER, "type": "text", "text": {"body": "Hello"}, "queue": true});
    world.send(Call::post("/v1/chat/messages").key(&line.org.app_key).json(&body)).await;

    erased(&world, NUMBER).await;
    while world.send_queued().await {}
    assert!(world.platform.seen("/messages").is_empty());
    assert_eq!(naming(&world, &world.org.id, &[DIGITS]).await, Vec::<String>::new());
}
