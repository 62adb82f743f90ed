//! Templates in test mode, which the simulated platform reviews.

use std::time::Duration;

use serde_json::{Value, json};
use tests::catalogue::{fresh_account, simulated_profile};
use tests::request::text;
use tests::{Call, Service as _, World};

use super::{TEMPLATES, count, wanted};
use crate::chat::merged;

#[tokio::test]
async fn the_simulated_platform_reviews_templates_a_second_later() {
    let world = World::new().await;
    let profile = text(&simulated_profile(&world, &fresh_account(), false).await, "id");
    let test = |call: Call| world.send(call.key(&world.org.test_admin));

    let mut made = Vec::new();
    for name in ["order_shipped", "order_rejected", "order_pending"] {
        let template = test(Call::post(TEMPLATES).json(&wanted(&profile, name))).await.expect(201);
        assert_eq!(template["status"], "PENDING");
        made.push(text(&template, "id"));
    }
    let again = test(Call::post(TEMPLATES).json(&wanted(&profile, "order_shipped"))).await;
    again.refused(409, Some("name"), Some("resource_already_exists"));

    world.clock.advance(Duration::from_secs(1));
    tokio::time::sleep(Duration::from_millis(1500)).await;
    world.work_off().await;
    let mut reviewed = Vec::new();
    for id in &made {
        let template = test(Call::get(format!("{TEMPLATES}/{id}"))).await.expect(200);
        reviewed.push((text(&template, "status"), template["rejectedReason"].clone()));
    }
    let expected = [("APPROVED", Value::Null), ("REJECTED", json!("INVALID_FORMAT")), ("PENDING", Value::Null)];
    assert_eq!(reviewed, expected.map(|(status, reason)| (status.to_owned(), reason)));
    assert_eq!((count(&world, "created").await, count(&world, "connected").await), (3, 1));

    // A sync finds the same templates beside those that every account has.
    let sync = Call::post(format!("{TEMPLATES}/sync")).json(&json!({"chatBusinessProfileId": profile}));
    let counts = test(sync).await.expect(200);
    assert_eq!(counts, json!({"added": 4, "updated": 0, "removed": 0, "total": 7}));

    // The text chooses the error of the simulated platform.
    let odd = merged(wanted(&profile, "odd"), &json!({"components": [{"type": "BODY", "text": "Hello-2388293"}]}));
    let refused = test(Call::post(TEMPLATES).json(&odd)).await.refused(422, None, Some("platform_api_error"));
    assert_eq!(refused["error"]["provider"]["code"], 2_388_293);
    assert!(world.platform.state().seen.is_empty());
    assert!(world.dead_letters().await.is_empty());
}
