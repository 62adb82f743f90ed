use serde_json::json;
use tests::{Call, Service as _, World};

const PATH: &str = "/v1/organization/settings";

#[tokio::test]
async fn settings_are_read_and_changed() {
    let world = World::new().await;
    let settings = world.admin(Call::get(PATH)).await.expect(200);
    assert_eq!(
        settings,
        json!({"id": world.org.id, "name": "Acme", "slug": "acme", "mediaRetentionDays": 30, "messageRetentionDays": 365,
            "createdAt": settings["createdAt"], "updatedAt": settings["updatedAt"]})
    );
    let changed = world.admin(Call::patch(PATH).json(&json!({"name": " Acme GmbH ", "mediaRetentionDays": 365}))).await;
    let changed = changed.expect(200);
    assert_eq!(
        (&changed["name"], &changed["mediaRetentionDays"], &changed["slug"]),
        (&json!("Acme GmbH"), &json!(365), &json!("acme"))
    );
    assert_eq!(world.send(Call::get(PATH).key(&world.org.test_admin)).await.expect(200), changed);
    for days in [30, 3650] {
        let changed = world.admin(Call::patch(PATH).json(&json!({"messageRetentionDays": days}))).await.expect(200);
        assert_eq!((&changed["messageRetentionDays"], &changed["mediaRetentionDays"]), (&json!(days), &json!(365)));
    }
}

#[tokio::test]
async fn wrong_settings_are_refused_and_change_nothing() {
    let world = World::new().await;
    let before = world.account.items().await;
    for (body, param) in [
        (json!({}), "body"),
        (json!([]), "body"),
        (json!({"mediaRetentionDays": 0}), "mediaRetentionDays"),
        (json!({"mediaRetentionDays": 366}), "mediaRetentionDays"),
        (json!({"mediaRetentionDays": 1.5}), "mediaRetentionDays"),
        (json!({"mediaRetentionDays": "30"}), "mediaRetentionDays"),
        (json!({"mediaRetentionDays": null}), "mediaRetentionDays"),
        (json!({"mediaRetentionDays": 1e300}), "mediaRetentionDays"),
        (json!({"messageRetentionDays": 29}), "messageRetentionDays"),
        (json!({"messageRetentionDays": 3651}), "messageRetentionDays"),
        (json!({"messageRetentionDays": "365"}), "messageRetentionDays"),
        (json!({"name": ""}), "name"),
        (json!({"name": "x".repeat(256)}), "name"),
        (json!({"name": "x", "slug": "y"}), "slug"),
        (json!({"slug": "y"}), "slug"),
        (json!({"": "y"}), "body"),
    ] {
        world.admin(Call::patch(PATH).json(&body)).await.refused(400, Some(param), None);
    }
    world.send(Call::patch(PATH).key(&world.org.test_admin).json(&json!({"name": "x"}))).await.refused(403, None, None);
    assert_eq!(world.account.items().await, before);
}
