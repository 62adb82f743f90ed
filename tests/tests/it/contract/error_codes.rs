//! The codes that the document calls in use are returned. `tests::contract` fails a test that gets a reserved one.

use std::collections::BTreeSet;

use domain::ErrorCode;
use domain::chat::platform_error::TRANSLATIONS;
use serde_json::json;
use tests::faults::Fault;
use tests::request::text;
use tests::sms::linked_number;
use tests::standin::Misbehave;
use tests::{Call, Service as _, World};

#[tokio::test]
async fn each_code_in_use_is_returned_by_some_operation() {
    let world = World::new().await;
    let org = &world.org;
    let mut seen = BTreeSet::new();
    let mut see = |reply: tests::Reply| seen.insert(reply.json()["error"]["code"].as_str().unwrap().to_owned());

    let app = json!({"name": "Shop", "slug": "shop"});
    let app = || Call::post("/v1/organization/apps").json(&app);
    world.admin(app()).await.expect(201);
    see(world.admin(app()).await);
    see(world.admin(Call::get(format!("/v1/organization/apps/{}/calling", org.app))).await);
    see(world.admin(Call::post("/v1/organization/phone-numbers").json(&json!({"number": "020 7946 0000"}))).await);
    see(world.send(Call::get("/v1/playground/phone-numbers/system").key(&org.app_key)).await);
    let picture = json!({"fileName": "a.png", "mimeType": "image/png", "fileSize": 6_000_000});
    see(world.send(Call::post("/v1/media/uploads").key(&org.app_key).json(&picture)).await);

    // The simulated platform returns the error whose code follows a participant's number.
    let numbers = world.admin(Call::get("/v1/organization/chat/phone-numbers")).await.expect(200);
    let group = json!({"chatPhoneNumberId": numbers["data"][0]["id"], "subject": "Friends"});
    let group = world.send(Call::post("/v1/chat/groups").key(&org.test_app_key).json(&group)).await.expect(201);
    let participants = format!("/v1/chat/groups/{}/participants", text(&group, "id"));
    for platform in TRANSLATIONS.iter().flat_map(|(codes, ..)| *codes) {
        let participant = json!({"participants": [format!("+12015550100-{platform}")]});
        see(world.send(Call::delete(&participants).key(&org.test_app_key).json(&participant)).await);
    }

    let message = json!({"from": "+12015550199", "to": "+12015550100", "type": "text", "text": {"body": "Hello"}});
    see(world.send(Call::post("/v1/chat/messages").key(&org.test_app_key).json(&message)).await);

    let number = "+12015550100";
    linked_number(&world, number).await;
    let sms = json!({"from": number, "to": "+12025550123", "text": "Hello"});
    for exception in ["ConflictException", "UnrecognizedClientException"] {
        let refusal = json!({"__type": exception, "Message": "no"}).to_string();
        world.carrier_account.state().faults = vec![Misbehave::Status(400, refusal)];
        see(world.send(Call::post("/v1/sms").key(&org.app_key).json(&sms)).await);
    }

    world.faults.set(Fault::Throttled);
    see(world.admin(Call::get("/v1/organization/settings")).await);

    let in_use = ErrorCode::ALL.iter().filter(|code| !code.is_reserved());
    assert_eq!(seen, in_use.map(|code| code.as_str().to_owned()).collect());
}
