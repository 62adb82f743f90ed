//! In test mode, the simulated platform sends two contacts and a short history after the signup.

use serde_json::json;
use tests::catalogue::SIGNUP;
use tests::chat::{event_counts, events};
use tests::request::text;
use tests::{Call, Service as _, World};

use super::import;

#[tokio::test]
async fn a_simulated_business_shares_contacts_and_a_history() {
    let world = World::new().await;
    let body = json!({"code": "any", "wabaId": "7601", "isCoexistence": true, "test": true});
    let profile = world.admin(Call::post(SIGNUP).json(&body)).await.expect(201);
    let before = world.platform.state().seen.len();
    import(&world).await;

    for number in profile["phoneNumbers"].as_array().unwrap() {
        let id = text(number, "id");
        let number = world.admin(Call::get(format!("/v1/organization/chat/phone-numbers/{id}"))).await.expect(200);
        let app = &number["businessApp"];
        assert_eq!((&app["contacts"]["status"], &app["history"]["status"]), (&json!("REQUESTED"), &json!("COMPLETE")));
        assert_eq!(number["cloudApiRegistered"], false);
        let path = format!("/v1/organization/chat/messages?chatPhoneNumberId={id}");
        let messages = world.admin(Call::get(path)).await.expect(200)["data"].as_array().unwrap().clone();
        assert_eq!(messages.len(), 6);
        assert!(messages.iter().all(|message| message["isHistory"] == true));
        assert_eq!(messages.iter().filter(|message| message["direction"] == "OUTBOUND").count(), 2);
    }
    let names: Vec<String> =
        events(&world, &world.org, "contacts.chat.created").await.iter().map(|contact| text(contact, "name")).collect();
    assert!(names.iter().any(|name| name == "Ada Lovelace"), "{names:?}");
    assert!(!event_counts(&world, &world.org).await.keys().any(|kind| kind.starts_with("messages.")));
    assert_eq!(world.platform.state().seen.len(), before);
}
