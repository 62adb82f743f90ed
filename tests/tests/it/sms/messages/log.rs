//! The log of SMS messages: its filters, and who sees what of it.

use std::time::Duration;

use serde_json::json;
use tests::request::text;
use tests::sms::linked_number;
use tests::{Call, Service as _, World};

use super::{LOG, NUMBER, SEND, TO, hello, refuse, send};

#[tokio::test]
async fn the_log_has_filters_and_hides_what_is_not_the_callers() {
    let world = World::new().await;
    let id = linked_number(&world, NUMBER).await;
    let first = world.send(send(&world, &hello(NUMBER))).await.expect(201);
    world.clock.advance(Duration::from_secs(1));
    world.carrier_account.state().faults = vec![refuse("ConflictException", "DESTINATION_PHONE_NUMBER_OPTED_OUT")];
    let body = json!({"from": NUMBER, "to": "+12025550199", "text": "Bye", "clientReference": "r1"});
    world.send(send(&world, &body)).await.refused(422, None, Some("message_undeliverable"));

    let list = async |query: &str| {
        let path = format!("{SEND}?phoneNumberId={id}{query}");
        let page = world.send(Call::get(path).key(&world.org.app_key)).await.expect(200);
        page["data"].as_array().unwrap().iter().map(|message| text(message, "to")).collect::<Vec<_>>()
    };

    assert_eq!(list("").await, ["+12025550199", TO]);
    assert_eq!(list("&outcome=REFUSED").await, ["+12025550199"]);
    assert_eq!(list("&clientReference=r1").await, ["+12025550199"]);
    assert_eq!(list("&contact=%2B12025550123").await, [TO]);
    assert_eq!(list("&contact=%2B12025550123&outcome=REFUSED").await, [""; 0]);
    assert_eq!(list("&direction=INBOUND").await, [""; 0]);

    // The only number of the app need not be named.
    let only = world.send(Call::get(SEND).key(&world.org.app_key)).await.expect(200);
    assert_eq!(only["data"].as_array().unwrap().len(), 2);

    // A session reads no texts, and no single message.
    let path = format!("{LOG}?phoneNumberId={id}");
    let session = world.send(Call::get(&path).key(&world.org.session)).await.expect(200);
    assert!(session["data"].as_array().unwrap().iter().all(|message| message["text"].is_null()));
    let admin = world.admin(Call::get(&path)).await.expect(200);
    assert_eq!(admin["data"][1]["text"], "Hello");
    let message = format!("{LOG}/{}", text(&first, "id"));
    assert_eq!(world.send(Call::get(&message).key(&world.org.session)).await.status.as_u16(), 401);
    assert_eq!(world.admin(Call::get(&message)).await.expect(200), first);

    // Another organization, another app, and a test key see nothing of it.
    let other = world.organization("Other").await;
    let own = format!("{SEND}/{}", text(&first, "id"));
    world.send(Call::get(&own).key(&other.app_key)).await.refused(404, Some("messageId"), None);
    world.send(Call::get(&own).key(&world.org.test_app_key)).await.refused(404, Some("messageId"), None);
    world.send(Call::get(&message).key(&other.admin)).await.refused(404, Some("messageId"), None);
    world.send(Call::get(&path).key(&other.admin)).await.refused(404, Some("phoneNumberId"), None);
    let named = format!("{SEND}?phoneNumberId={id}");
    world.send(Call::get(named).key(&other.app_key)).await.refused(404, Some("phoneNumberId"), None);
}
