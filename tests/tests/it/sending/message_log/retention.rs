//! The end of messages.

use std::collections::BTreeSet;
use std::time::Duration;

use domain::identity::organization::MessageRetention;
use serde_json::json;
use tests::chat::connect;
use tests::{Call, Service as _, World};

use super::{DAY, OWN_PATH, PATH, RECEIVED, found, id_of, stored};

async fn set_retention(world: &World, days: i64) {
    let body = json!({"messageRetentionDays": days});
    world.admin(Call::patch("/v1/organization/settings").json(&body)).await.expect(200);
}

#[tokio::test]
async fn a_message_ends_to_the_second_with_all_that_belongs_to_it() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "959").await;
    set_retention(&world, 30).await;

    let received = json!({"id": "wamid.1", "type": "text", "text": {"body": "Hello"}, "referral": {"source_id": "1"}});
    world.notify(&line.message(&received)).await.expect(200);
    let status = json!({"id": "wamid.2", "status": "sent", "timestamp": "2000000000", "recipient_id": "16505551234",
        "conversation": {"id": "c1", "origin": {"type": "service"}}});
    world.notify(&line.status(&status)).await.expect(200);
    let later =
        json!({"id": "wamid.2", "status": "delivered", "timestamp": "2000000001", "recipient_id": "16505551234"});
    world.notify(&line.status(&later)).await.expect(200);

    let end = world.now().plus_days(30).seconds();
    let mut kinds = BTreeSet::new();
    for item in world.account.items().await {
        let class = item["PK"].split('#').next().unwrap().to_owned();
        if ["MSG", "MSGLIST", "CONV", "WAMID"].contains(&class.as_str()) {
            assert_eq!(item.get("ttl"), Some(&end.to_string()), "{item:?}");
            let kind = if class == "MSG" { item["SK"].split('#').next().unwrap().to_owned() } else { class };
            kinds.insert(kind);
        }
    }

    for kind in ["MSG", "RCPT", "REFERRAL", "WINDOW", "MSGLIST", "CONV", "WAMID"] {
        assert!(kinds.contains(kind), "{kind}: {kinds:?}");
    }

    // What is stored under another retention keeps its own end.
    set_retention(&world, 3650).await;
    let kept = stored(&world, &line, RECEIVED).await;
    let ids = found(&world, &line, "").await;
    assert_eq!(ids.len(), 3);

    let to_end = u64::try_from(end * 1000 - world.now().millis()).unwrap();
    world.clock.advance(Duration::from_millis(to_end - 1));
    assert_eq!(found(&world, &line, "").await, ids);
    let visible: Vec<_> = ids.iter().filter(|id| **id != id_of(&kept)).collect();
    for id in &visible {
        line.details(&world, id).await;
    }

    world.clock.advance(Duration::from_millis(1));
    assert_eq!(found(&world, &line, "").await, [id_of(&kept)]);
    assert_eq!(found(&world, &line, "&contact=16505551234").await, Vec::<String>::new());
    for id in visible {
        world.admin(Call::get(format!("{PATH}/{id}"))).await.refused(404, Some("messageId"), None);
        let own = Call::get(format!("{OWN_PATH}/{id}")).key(&world.org.app_key);
        world.send(own).await.refused(404, Some("messageId"), None);
    }

    // A late status changes nothing that can be seen.
    let late = json!({"id": "wamid.2", "status": "read", "timestamp": "2000000002", "recipient_id": "16505551234"});
    world.notify(&line.status(&late)).await.expect(200);
    assert_eq!(found(&world, &line, "").await, [id_of(&kept)]);

    world.clock.advance(3620 * DAY);
    assert_eq!(found(&world, &line, "").await, Vec::<String>::new());
}

#[tokio::test]
async fn messages_from_before_there_was_a_retention_stay() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "960").await;
    let message = stored(&world, &line, RECEIVED).await;

    for mut item in world.account.stored_items().await {
        if item["PK"].as_s().unwrap().starts_with("MSG") && item.remove("ttl").is_some() {
            world.account.store_item(item).await;
        }
    }

    world.clock.advance(4000 * DAY);
    assert_eq!(found(&world, &line, "").await, [id_of(&message)]);
    line.details(&world, &id_of(&message)).await;
    assert_eq!(MessageRetention::default().days(), 365);
}

/// The table removes the items of a message that has ended one by one.
#[tokio::test]
async fn a_message_that_is_half_removed_comes_back_in_no_part() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "961").await;
    let received = json!({"id": "wamid.1", "type": "text", "text": {"body": "Hello"}});
    world.notify(&line.message(&received)).await.expect(200);

    world.clock.advance(366 * DAY);
    for item in world.account.stored_items().await {
        if item["PK"].as_s().unwrap().starts_with("MSG#") {
            world.account.remove_item(&item).await;
        }
    }

    // The reference is still there: a message that comes with its id is a new one.
    world.notify(&line.message(&received)).await.expect(200);
    let messages = line.messages(&world).await;
    assert_eq!(messages.len(), 1);
    assert_eq!(messages[0]["createdAt"], json!(world.now()));
}
