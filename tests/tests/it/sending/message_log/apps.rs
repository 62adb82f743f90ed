//! What an app sees of the log.

use std::time::Duration;

use serde_json::{Value, json};
use tests::chat::connect;
use tests::request::text;
use tests::{Call, Service as _, World};

use super::{DAY, OWN_PATH, RECEIVED, id_of, stored, walk};

#[tokio::test]
async fn an_app_sees_its_numbers_from_their_assignment_on() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "962").await;
    let (second, second_key) = world.app(&world.org.admin, &json!({"name": "Second"})).await;
    let own = async |key: &str, query: &str| world.send(Call::get(format!("{OWN_PATH}{query}")).key(key)).await;
    let one = format!("?chatPhoneNumberId={}", line.number);
    let ids = |page: Value| -> Vec<String> {
        page["data"].as_array().unwrap().iter().map(|message| text(message, "id")).collect()
    };

    let before = id_of(&stored(&world, &line, RECEIVED).await);
    let first_key = world.org.app_key.clone();
    assert_eq!(ids(own(&first_key, &one).await.expect(200)), std::slice::from_ref(&before));
    own(&second_key, &one).await.refused(404, Some("chatPhoneNumberId"), None);
    own(&second_key, &format!("/{before}")).await.refused(404, Some("messageId"), None);

    world.clock.advance(Duration::from_millis(5));
    let assignment = format!("/v1/organization/apps/{second}/phone-numbers/{}", line.number);
    world.admin(Call::put(&assignment)).await.expect(200);
    let after = id_of(&stored(&world, &line, RECEIVED).await);

    assert_eq!(ids(own(&first_key, &one).await.expect(200)), [after.clone(), before.clone()]);
    for query in [one.as_str(), "?limit=100", "?contact=16505550001", "?since=2020-01-01T00:00:00Z"] {
        assert_eq!(ids(own(&second_key, query).await.expect(200)), std::slice::from_ref(&after), "{query}");
    }
    assert_eq!(own(&second_key, &format!("/{after}")).await.expect(200), line.details(&world, &after).await);
    own(&second_key, &format!("/{before}")).await.refused(404, Some("messageId"), None);

    // Assigning again changes nothing; a later assignment begins anew.
    world.clock.advance(Duration::from_millis(5));
    world.admin(Call::put(&assignment)).await.expect(200);
    assert_eq!(ids(own(&second_key, &one).await.expect(200)), std::slice::from_ref(&after));

    world.admin(Call::delete(&assignment)).await.expect(200);
    own(&second_key, &one).await.refused(404, Some("chatPhoneNumberId"), None);
    own(&second_key, &format!("/{after}")).await.refused(404, Some("messageId"), None);

    world.admin(Call::put(&assignment)).await.expect(200);
    assert_eq!(ids(own(&second_key, &one).await.expect(200)), Vec::<String>::new());
    assert_eq!(ids(own(&first_key, &one).await.expect(200)), [after, before]);
}

#[tokio::test]
async fn the_number_may_be_left_out_if_there_is_only_one() {
    let world = World::new().await;
    let (_, bare) = world.app(&world.org.admin, &json!({"name": "Bare"})).await;
    let own = async |key: &str| world.send(Call::get(OWN_PATH).key(key)).await;

    let none = own(&bare).await.refused(400, Some("chatPhoneNumberId"), None);
    assert!(none["error"]["message"].as_str().unwrap().contains("POST /v1/phone-numbers"), "{none}");

    connect(&world, &world.org, "963").await;
    let number = Call::post("/v1/organization/phone-numbers")
        .json(&json!({"number": "+12015559100", "appIds": [world.org.app]}));
    world.admin(number).await.expect(201);
    own(&world.org.app_key).await.expect(200);

    connect(&world, &world.org, "964").await;
    let several = own(&world.org.app_key).await.refused(400, Some("chatPhoneNumberId"), None);
    assert!(several["error"]["message"].as_str().unwrap().contains("GET /v1/phone-numbers"), "{several}");

    // The simulated number that a test app is created with.
    own(&world.org.test_app_key).await.expect(200);
}

/// An assignment from before the times of assignments were stored counts from the creation of the number.
#[tokio::test]
async fn an_assignment_of_unknown_time_shows_all_messages_of_the_number() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "965").await;
    let message = stored(&world, &line, RECEIVED).await;

    for mut item in world.account.stored_items().await {
        if item["PK"].as_s().unwrap().starts_with("WAPN#") && item.remove("assignedAt").is_some() {
            world.account.store_item(item).await;
        }
    }

    world.clock.advance(DAY);
    let (second, _) = world.app(&world.org.admin, &json!({"name": "Second"})).await;
    let assignment = format!("/v1/organization/apps/{second}/phone-numbers/{}", line.number);
    world.admin(Call::put(&assignment)).await.expect(200);

    let (ids, _) = walk(&world, &world.org.app_key, &format!("{OWN_PATH}?limit=25")).await;
    assert_eq!(ids, [id_of(&message)]);
}
