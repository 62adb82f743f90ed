//! Contacts of test mode, which are simulated.

use serde_json::json;
use tests::request::text;
use tests::{Call, Service as _, World};

use super::{DIGITS, NUMBER, erased, naming};

/// The messages of deleted numbers are still readable, so they are erased, too. In test mode, only the fictional number itself
/// stays allocated, and a block stays.
#[tokio::test]
async fn contacts_of_test_mode_and_of_deleted_numbers_are_erased() {
    let world = World::new().await;
    let (org, key) = (&world.org, &world.org.test_app_key);
    let user = "+16505551234";
    let chat = json!({"from": user, "type": "text", "profileName": "Ann", "text": {"body": "Hello"}});
    world.send(Call::post("/v1/playground/chat/inbound").key(key).json(&chat)).await.expect(201);
    let system = world.send(Call::get("/v1/playground/phone-numbers/system").key(key)).await.expect(200);
    let sms = json!({"from": user, "to": system["numbers"][0], "text": "Hello"});
    world.send(Call::post("/v1/playground/sms/inbound").key(key).json(&sms)).await.expect(201);
    world.work_off().await;

    let delete = Call::delete(format!("/v1/organization/apps/{}", org.test_app));
    world.admin(delete).await.expect(200);

    let receipt = erased(&world, user).await;
    assert_eq!(receipt["erased"]["messages"], 2);
    let left = naming(&world, &org.id, &[DIGITS]).await;
    assert!(left.iter().all(|key| key.starts_with("PGNUM#") || key.starts_with("PGCONV#")), "{left:?}");
}

#[tokio::test]
async fn a_block_of_a_simulated_contact_stays() {
    let world = World::new().await;
    let key = &world.org.test_app_key;
    let chat = json!({"from": NUMBER, "type": "text", "profileName": "Ann", "text": {"body": "Hello"}});
    world.send(Call::post("/v1/playground/chat/inbound").key(key).json(&chat)).await.expect(201);

    let numbers =
        world.send(Call::get("/v1/organization/chat/phone-numbers").key(&world.org.test_admin)).await.expect(200);
    let number = text(&numbers["data"][0], "id");
    let block = Call::post(format!("/v1/chat/phone-numbers/{number}/blocked-users")).key(key);
    world.send(block.json(&json!({"users": [NUMBER]}))).await.expect(200);

    assert_eq!(erased(&world, NUMBER).await["erased"]["messages"], 1);
    let left = naming(&world, &world.org.id, &[DIGITS]).await;
    assert!(left.iter().all(|key| key.starts_with("PGNUM#") || key.starts_with("PGCONV#")), "{left:?}");

    let listed =
        world.send(Call::get(format!("/v1/chat/phone-numbers/{number}/blocked-users")).key(key)).await.expect(200);
    assert!(listed.to_string().contains(DIGITS), "{listed}");
    let users =
        world.send(Call::get("/v1/organization/playground/chat/phone-numbers/user").key(&world.org.test_admin)).await;
    assert!(users.status == 200 && !users.text.contains(DIGITS), "{}", users.text);
}
