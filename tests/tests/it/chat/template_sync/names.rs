//! The name and language under which a send finds a template.

use std::time::Duration;

use serde_json::{Value, json};
use tests::World;
use tests::chat::{connect, notification};
use tests::standin::template;

use super::{count, counts, many, named, set_templates, synced};
use crate::chat::merged;

#[tokio::test]
async fn a_template_is_found_by_its_name_and_language() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "915").await;
    let found =
        async |name: &str| named(&world, &line.profile, name, "en_US").await.map(|(id, status, _)| (id, status));
    let is = |id: &str, status: &str| Some((id.to_owned(), status.to_owned()));
    set_templates(&world, "915", many(3));
    synced(&world, &line.profile).await;

    let (_, _, components) = named(&world, &line.profile, "template_1", "en_US").await.unwrap();
    assert_eq!(components, many(3)[1]["components"]);
    assert_eq!(found("template_1").await, is("1000001", "APPROVED"));

    for (name, language) in [("template_1", "en"), ("template_9", "en_US"), ("", "en_US"), ("template_1", "")] {
        assert_eq!(named(&world, &line.profile, name, language).await, None, "{name} {language}");
    }
    let longest = "x".repeat(5000);
    assert_eq!(named(&world, &line.profile, &longest, &longest).await, None);

    // A sync changes one, removes one, and replaces one by a template of the same name.
    let mut changed = many(2);
    changed[1]["status"] = json!("PAUSED");
    changed[0] = template("2000000", "template_0");
    set_templates(&world, "915", changed);
    assert_eq!(synced(&world, &line.profile).await, counts(1, 1, 2, 2));
    assert_eq!(found("template_0").await, is("2000000", "APPROVED"));
    assert_eq!(found("template_1").await, is("1000001", "PAUSED"));
    assert_eq!(found("template_2").await, None);

    // Notifications about the predecessor leave the template of its name alone.
    let tell = async |seconds: i64, value: Value| {
        let told = notification("915", world.now().seconds() + seconds, "message_template_status_update", &value);
        world.notify(&told).await.expect(200);
    };
    let predecessor = json!({"message_template_id": 1_000_000, "message_template_name": "template_0",
        "message_template_language": "en_US"});
    tell(10, merged(predecessor.clone(), &json!({"event": "PENDING_DELETION"}))).await;
    tell(11, merged(predecessor, &json!({"event": "DELETED"}))).await;
    tell(12, json!({"event": "REINSTATED", "message_template_id": 1_000_001})).await;
    assert_eq!(found("template_1").await, is("1000001", "APPROVED"));
    tell(13, json!({"event": "DELETED", "message_template_id": 1_000_001})).await;
    assert_eq!(found("template_1").await, None);
}

/// On the platform, a template gets its successor's name only after it was deleted, but both can be in one list.
#[tokio::test]
async fn a_name_belongs_to_the_newest_of_its_templates() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "916").await;
    let found = async || named(&world, &line.profile, "welcome", "en_US").await.map(|(id, _, _)| id);
    let tell = async |id: u64, event: &str, seconds: i64| {
        let value = json!({"event": event, "message_template_id": id, "message_template_name": "welcome",
            "message_template_language": "en_US", "message_template_category": "UTILITY"});
        let at = world.now().seconds() + seconds;
        world.notify(&notification("916", at, "message_template_status_update", &value)).await.expect(200);
    };

    tell(20, "APPROVED", 1).await;
    world.clock.advance(Duration::from_secs(60));
    tell(10, "APPROVED", 1).await;
    assert_eq!(found().await.as_deref(), Some("10"));

    // Updates of the older one change only itself.
    tell(20, "PAUSED", 2).await;
    assert_eq!(found().await.as_deref(), Some("10"));

    tell(20, "DELETED", 3).await;
    assert_eq!(found().await.as_deref(), Some("10"));

    // A sync that finds two: the newer keeps the name, also when it goes in the same sync as it came.
    world.clock.advance(Duration::from_secs(60));
    set_templates(&world, "916", vec![template("10", "welcome"), template("30", "welcome")]);
    synced(&world, &line.profile).await;
    assert_eq!(found().await.as_deref(), Some("30"));

    set_templates(&world, "916", vec![template("10", "welcome")]);
    assert_eq!(synced(&world, &line.profile).await, counts(0, 0, 1, 1));
    assert_eq!(found().await.as_deref(), Some("10"));

    set_templates(&world, "916", Vec::new());
    synced(&world, &line.profile).await;
    assert_eq!(found().await, None);
}

/// Templates from before the item by name existed get theirs by the next sync, which reports no change.
#[tokio::test]
async fn the_next_sync_names_templates_from_before() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "917").await;
    set_templates(&world, "917", many(40));
    synced(&world, &line.profile).await;
    for mut item in world.account.stored_items().await {
        let partition = item["PK"].as_s().unwrap().clone();
        if partition.starts_with("TPLNAME#") {
            world.account.remove_item(&item).await;
        } else if partition.starts_with("TPL#") {
            item.remove("isNamed");
            world.account.store_item(item).await;
        }
    }
    assert_eq!(named(&world, &line.profile, "template_7", "en_US").await, None);

    assert_eq!(synced(&world, &line.profile).await, counts(0, 0, 0, 40));
    for n in 0..40 {
        let (id, ..) = named(&world, &line.profile, &format!("template_{n}"), "en_US").await.unwrap();
        assert_eq!(id, (1_000_000 + n).to_string());
    }
    assert_eq!((count(&world, "created").await, count(&world, "updated").await), (40, 0));
}
