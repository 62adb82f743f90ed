//! Updates of templates: status, quality and category, each with a time of its own.

use serde_json::{Value, json};
use tests::chat::{Line, connect, notification};
use tests::{Call, Service as _, World};

use super::{SENT, events_named};
use crate::chat::{assert_fields, merged};

const STATUS: &str = "message_template_status_update";
const QUALITY: &str = "message_template_quality_update";
const CATEGORY: &str = "template_category_update";

async fn listed(world: &World, line: &Line) -> Vec<Value> {
    let path = format!("/v1/organization/chat/templates?chatBusinessProfileId={}", line.profile);
    world.admin(Call::get(path)).await.expect(200)["data"].as_array().unwrap().clone()
}

#[tokio::test]
async fn templates_come_back_and_are_warned_of() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "741").await;
    let template = json!({"message_template_id": 7, "message_template_name": "t",
        "message_template_language": "en_US", "message_template_category": "UTILITY"});

    for (seconds, event, status) in [
        (10, "APPROVED", "APPROVED"),
        (20, "DISABLED", "DISABLED"),
        (30, "REINSTATED", "APPROVED"),
        (40, "ARCHIVED", "ARCHIVED"),
        (50, "UNARCHIVED", "APPROVED"),
        (60, "FLAGGED", "APPROVED"),
    ] {
        let told = merged(template.clone(), &json!({"event": event}));
        world.notify(&notification("741", SENT + seconds, STATUS, &told)).await.expect(200);
        assert_eq!(listed(&world, &line).await[0]["status"], status, "{event}");
    }

    let numbers = events_named(&world, "templates.chat", ["created", "connected", "updated"]).await;
    assert_eq!(numbers, [1, 2, 2], "a warning changes nothing");
}

#[tokio::test]
async fn templates_follow_their_notifications() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "714").await;
    let tell = async |seconds: i64, field: &str, value: Value| {
        let told = merged(value, &json!({"message_template_id": 12_345_678_901_234_567_u64}));
        world.notify(&notification("714", SENT + seconds, field, &told)).await.expect(200)
    };

    let named = json!({"event": "PENDING", "message_template_name": "welcome", "message_template_language": "en-US",
        "message_template_category": "UTILITY", "reason": null});
    tell(0, STATUS, named).await;
    assert_fields(&listed(&world, &line).await[0], &json!({"id": "12345678901234567", "language": "en_US"}));

    for (seconds, field, value) in [
        (10, STATUS, json!({"event": "APPROVED", "reason": "NONE"})),
        (5, STATUS, json!({"event": "REJECTED", "reason": "SCAM"})),
        // An update of one property does not make updates of other properties outdated.
        (20, QUALITY, json!({"new_quality_score": "YELLOW"})),
        (19, CATEGORY, json!({"new_category": "UTILITY", "previous_category": "MARKETING"})),
        (18, STATUS, json!({"event": "PAUSED"})),
        // Repeated and overtaken updates: the newest status is approved.
        (25, STATUS, json!({"event": "APPROVED"})),
        (24, STATUS, json!({"event": "PAUSED", "reason": "late"})),
        (30, CATEGORY, json!({"new_category": "MARKETING", "previous_category": "UTILITY"})),
    ] {
        tell(seconds, field, value).await;
    }
    let expected = json!({"status": "APPROVED", "qualityScore": "YELLOW", "category": "MARKETING"});
    assert_fields(&listed(&world, &line).await[0], &expected);

    tell(40, STATUS, json!({"event": "REJECTED", "reason": "SCAM"})).await;
    assert_eq!(listed(&world, &line).await[0]["rejectedReason"], "SCAM");

    tell(50, STATUS, json!({"event": "DELETED"})).await;
    assert!(listed(&world, &line).await.is_empty());

    // A late update does not restore the template.
    tell(45, STATUS, json!({"event": "PENDING_DELETION", "message_template_name": "welcome"})).await;
    assert!(listed(&world, &line).await.is_empty());

    let numbers = events_named(&world, "templates.chat", ["created", "connected", "updated", "deleted"]).await;
    assert_eq!(numbers, [1, 2, 4, 1]);
}
