//! Requests for an erasure, and its receipt.

use std::time::Duration;

use serde_json::json;
use tests::World;

use super::{NUMBER, erase, receipt, run_jobs};

#[tokio::test]
async fn a_request_is_repeated_or_refused() {
    let world = World::new().await;
    let begun = world.operate(erase(&world.org.id, NUMBER)).await.unwrap();
    world.clock.advance(Duration::from_secs(30));
    assert_eq!(world.operate(erase(&world.org.id, NUMBER)).await.unwrap(), begun, "it still runs");
    assert!(begun.get("finishedAt").is_none() && begun["remaining"][0].get("until").is_none());

    run_jobs(&world).await;
    let nothing = json!({"messages": 0, "media": 0, "contacts": 0, "groupMentions": 0});
    assert_eq!(receipt(&world, NUMBER).await["erased"], nothing);
    let item = world.account.items().await.into_iter().find(|item| item["PK"].starts_with("ERASE#")).unwrap();
    assert!(item.values().all(|value| !value.contains("5551234")) && !item.contains_key("dueAt"), "{item:?}");

    let unknown = format!("org_{}", "0".repeat(27));
    for (organization, contact, expected) in [
        (world.org.id.as_str(), "16505551234", "contact: contact must be a phone number in E.164 format"),
        (world.org.id.as_str(), "a b", "contact: contact must be a phone number in E.164 format"),
        (unknown.as_str(), NUMBER, "organizationId: "),
    ] {
        let refused = world.operate(erase(organization, contact)).await.unwrap_err();
        assert!(refused.starts_with(expected), "{refused}");
    }

    let show = json!({"operation": "showErasure", "organizationId": world.org.id, "contact": "US.1"});
    assert!(world.operate(show).await.unwrap_err().starts_with("contact: "));
}
