//! Messages of errors.

use serde_json::{Value, json};
use tests::{Call, Service as _, World};

/// A new user's mistakes, and what is said about each: what is wrong, what is allowed, and what to do.
#[tokio::test]
async fn messages_say_what_is_allowed() {
    let world = World::new().await;
    let (apps, ksuid) = ("/v1/organization/apps", "0ujtsYcgvSTl8PAuAdqWYSMnLOv");
    let hooks = format!("{apps}/{}/webhooks", world.org.app);
    let hook = |body: Value| Call::post(&hooks).json(&body);

    for (call, status, message) in [
        (
            hook(json!({"url": "https://example.com", "events": ["message.received"]})),
            400,
            "events[0]: \"message.received\" is not an event name. Allowed: messages.sms.received, ",
        ),
        (hook(json!({"url": "https://example.com", "events": "messages.sms.sent"})), 400, "events must be an array."),
        (hook(json!({"url": "https://example.com", "events": [1]})), 400, "events[0] must be a string."),
        (Call::post(apps).json(&json!({"name": 5})), 400, "name must be a string."),
        (Call::post(apps).json(&json!({"name": "x", "test": "yes"})), 400, "test must be a boolean."),
        (
            Call::post(apps).json(&json!({"name": "x", "colour": 1})),
            400,
            "\"colour\" is not a field of this operation. Allowed: name, slug, test, eventFeed, rateLimit.",
        ),
        (
            Call::get(format!("{apps}?page=2")),
            400,
            "\"page\" is not a query parameter of this list. Allowed: limit, cursor.",
        ),
        (
            Call::get(format!("{apps}/whk_{ksuid}")),
            400,
            "appId must be the id of an app, such as app_0ujtsYcgvSTl8PAuAdqWYSMnLOv, and match ^app_(?:test_)?[a-zA-Z0-9]{27}$. \
             This is the id of a webhook.",
        ),
        (
            Call::get(format!("/v1/organization/chat/messages?chatPhoneNumberId=ph_{ksuid}")),
            400,
            "chatPhoneNumberId must be the id of a chat phone number, such as wapn_0ujtsYcgvSTl8PAuAdqWYSMnLOv, and match \
             ^wapn_(?:test_)?[a-zA-Z0-9]{27}$. This is the id of a phone number.",
        ),
        (
            Call::post("/v1/organization/phone-numbers")
                .json(&json!({"number": "+4917123456", "appIds": [format!("ph_{ksuid}")]})),
            400,
            "appIds[0] must be the id of an app, such as app_0ujtsYcgvSTl8PAuAdqWYSMnLOv, and match ^app_(?:test_)?[a-zA-Z0-9]{27}$. \
             This is the id of a phone number.",
        ),
        (Call::get(format!("{apps}/app_{ksuid}")), 404, "No such app. Check appId; a test key sees test objects only."),
        (
            Call::get("/v1/organization/app"),
            404,
            "No operation has this path. Did you mean GET /v1/organization/apps? GET /v1/openapi.json describes all operations.",
        ),
    ] {
        let told = world.admin(call).await.expect(status);
        let told = told["error"]["message"].as_str().unwrap();
        assert!(told.starts_with(message), "{told}");
    }

    let groups = Call::post("/v1/chat/groups").key(&world.org.test_app_key);
    let never = groups.json(&json!({"chatPhoneNumberId": "x", "subject": "x", "joinApprovalMode": "never"}));
    let told = world.send(never).await.refused(400, Some("joinApprovalMode"), None);
    assert_eq!(told["error"]["message"], "joinApprovalMode must be auto_approve or approval_required.");
}
