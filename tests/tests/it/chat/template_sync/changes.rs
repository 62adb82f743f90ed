//! What a sync changes, and how it gets on with notifications.

use serde_json::json;
use tests::catalogue::{fresh_account, simulated_profile};
use tests::chat::{connect, notification};
use tests::request::text;
use tests::standin::template;
use tests::{Call, Service as _, World};

use super::{SYNC, count, counts, listed, many, named, set_templates, sync, synced};
use crate::chat::assert_fields;

#[tokio::test]
async fn a_sync_adds_updates_and_removes() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "901").await;
    set_templates(&world, "901", many(30));

    assert_eq!(synced(&world, &line.profile).await, counts(30, 0, 0, 30));
    assert_eq!(synced(&world, &line.profile).await, counts(0, 0, 0, 30));

    // One template is new, one is gone, and two have changed.
    let mut changed = many(31);
    changed.remove(0);
    changed[3]["status"] = json!("PAUSED");
    changed[4]["components"] = json!([{"type": "BODY", "text": "Other", "deep": [1.50, {"x": null}]}]);
    set_templates(&world, "901", changed);
    let dry = Call::post(SYNC).json(&json!({"chatBusinessProfileId": line.profile, "dryRun": true}));
    let before = world.account.items().await.len();
    assert_eq!(world.admin(dry).await.expect(200), counts(1, 2, 1, 30));
    assert_eq!(world.account.items().await.len(), before + 1, "nothing but the run itself is written");
    assert_eq!(synced(&world, &line.profile).await, counts(1, 2, 1, 30));

    let templates = listed(&world, &line.profile).await;
    assert_eq!(templates.len(), 30);
    let paused = templates.iter().find(|template| template["status"] == "PAUSED").unwrap();
    assert_fields(paused, &json!({"qualityScore": "GREEN", "language": "en_US"}));
    assert!(paused.get("rejectedReason").is_none(), "NONE is no reason");
    let other = templates.iter().find(|template| template["components"][0]["text"] == "Other").unwrap();
    assert_eq!(other["components"][0]["deep"], json!([1.5, {"x": null}]));
    for (name, expected) in [("created", 31), ("updated", 2), ("deleted", 1)] {
        assert_eq!(count(&world, name).await, expected, "{name}");
    }

    let foreign = sync("wabp_0ujtsYcgvSTl8PAuAdqWYSMnLOv");
    world.admin(foreign).await.refused(404, Some("chatBusinessProfileId"), None);
    world.admin(sync("nope")).await.refused(400, Some("chatBusinessProfileId"), None);
    world.admin(Call::get("/v1/organization/chat/templates")).await.refused(400, Some("chatBusinessProfileId"), None);
}

/// Two profiles of one organization, whose templates share names but no ids.
#[tokio::test]
async fn a_list_holds_the_templates_of_one_profile() {
    let world = World::new().await;
    let lines = [connect(&world, &world.org, "912").await, connect(&world, &world.org, "913").await];
    let sent: [Vec<String>; 2] = [0..3, 3..8].map(|ids| ids.map(|n| format!("{}", 1_000_000 + n)).collect());
    for (line, ids) in lines.iter().zip(&sent) {
        set_templates(&world, &line.account, ids.iter().map(|id| template(id, "welcome")).collect());
    }

    for line in &lines {
        synced(&world, &line.profile).await;
    }

    for (line, ids) in lines.iter().zip(&sent) {
        let found = listed(&world, &line.profile).await;
        assert_eq!(found.len(), ids.len());
        for (template, id) in found.iter().zip(ids.iter().rev()) {
            assert_eq!(template["chatBusinessProfileId"], line.profile.as_str());
            assert_eq!(template["id"], id.as_str());
        }
    }
}

/// A notification that arrives while the pages are read is newer than the pages.
#[tokio::test]
async fn a_notification_in_between_is_not_overwritten() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "906").await;
    set_templates(&world, "906", many(3));
    synced(&world, &line.profile).await;
    let mut changed = many(3);
    for template in &mut changed {
        template["category"] = json!("MARKETING");
    }
    set_templates(&world, "906", changed);
    let held = world.platform.hold("906/message_templates");
    let time = world.now().seconds() + 5;
    let paused = json!({"event": "PAUSED", "message_template_id": 1_000_001});
    let paused = notification("906", time, "message_template_status_update", &paused);

    let (outcome, ()) = tokio::join!(world.admin(sync(&line.profile)), async {
        held.arrived().await;
        world.notify(&paused).await.expect(200);
        held.end();
    });
    assert_eq!(outcome.expect(200), counts(0, 2, 0, 3));
    let templates = listed(&world, &line.profile).await;
    let kept = templates.iter().find(|template| template["id"] == "1000001").unwrap();
    assert_fields(kept, &json!({"status": "PAUSED", "category": "UTILITY"}));

    world.platform.state().accounts.get_mut("906").unwrap().templates[1]["status"] = json!("PAUSED");
    assert_eq!(synced(&world, &line.profile).await, counts(0, 1, 0, 3));
}

/// The simulated platform's templates change with each sync.
#[tokio::test]
async fn a_second_simulated_sync_shows_all_kinds_of_changes() {
    let world = World::new().await;
    let profile = text(&simulated_profile(&world, &fresh_account(), false).await, "id");
    let dry = Call::post(SYNC).json(&json!({"chatBusinessProfileId": profile, "dryRun": true}));

    assert_eq!(synced(&world, &profile).await, counts(4, 0, 0, 4));
    for _ in 0..2 {
        assert_eq!(world.admin(dry.clone()).await.expect(200), counts(1, 1, 1, 4));
    }
    assert_eq!(synced(&world, &profile).await, counts(1, 1, 1, 4));
    assert!(world.platform.state().seen.is_empty());
}

#[tokio::test]
async fn an_update_of_the_components_reaches_lists_and_sends() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "918").await;
    let mut sent = many(1);
    sent[0]["components"] = json!([{"type": "HEADER", "format": "IMAGE"}, {"type": "BODY", "text": "Hello {{1}}"}]);
    set_templates(&world, "918", sent);
    synced(&world, &line.profile).await;
    let tell = async |seconds: i64, body: &str| {
        let value = json!({"message_template_id": 1_000_000, "message_template_name": "template_0",
            "message_template_language": "en_US", "message_template_element": body});
        let at = world.now().seconds() + seconds;
        world.notify(&notification("918", at, "message_template_components_update", &value)).await.expect(200);
    };

    tell(20, "Hello {{1}} and {{2}}").await;
    tell(10, "An older text").await;

    let expected = json!([{"type": "HEADER", "format": "IMAGE"}, {"type": "BODY", "text": "Hello {{1}} and {{2}}"}]);
    assert_eq!(listed(&world, &line.profile).await[0]["components"], expected);
    assert_eq!(named(&world, &line.profile, "template_0", "en_US").await.unwrap().2, expected);
    assert_eq!(count(&world, "updated").await, 1);
}
