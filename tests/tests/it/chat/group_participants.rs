//! People who are added to a group, and participants who are removed: at the platform, and in test mode.

use std::time::Duration;

use serde_json::{Value, json};
use tests::chat::connect;
use tests::request::text;
use tests::standin::{Misbehave, error};
use tests::{Call, Service as _, World};

use super::group_management::{PATH, active, create, news, test_number};

/// People are added by one request. The platform confirms them later, and they are participants from then on.
#[tokio::test]
async fn participants_are_added_at_the_platform() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "4206").await;
    let key = &line.org.app_key;
    let group = format!("{PATH}/{}", active(&world, &line).await);
    let path = format!("{group}/participants");
    let add = |people: &Value| Call::post(&path).key(key).json(&json!({"participants": people}));
    let participants = || async { world.send(Call::get(&group).key(key)).await.expect(200)["participants"].clone() };
    let success = json!({"success": true});

    let people = json!(["+16505551234", "16505559999", "US.1"]);
    assert_eq!(world.send(add(&people)).await.expect(200), success);
    let seen = world.platform.seen("participants").pop().unwrap();
    let named = json!([{"user": "+16505551234"}, {"user": "+16505559999"}, {"user_id": "US.1"}]);
    assert_eq!((seen.method.as_str(), seen.path.as_str()), ("POST", "/Y2FwaV9ncm91cDox/participants"));
    assert_eq!(seen.json(), json!({"messaging_product": "whatsapp", "participants": named}));
    assert_eq!(participants().await, json!([]), "until the platform says so");
    let joined = json!({"type": "group_participants_add", "added_participants": [{"wa_id": "16505551234"}]});
    world.notify(&news(&line, "group_participants_update", &joined)).await.expect(200);
    assert_eq!(participants().await, json!(["+16505551234"]));

    // A person without a known number is removed by user id.
    let removal = Call::delete(&path).key(key).json(&json!({"participants": ["US.1"]}));
    assert_eq!(world.send(removal).await.expect(200), success);
    let seen = world.platform.seen("participants").pop().unwrap();
    assert_eq!((seen.method.as_str(), &seen.json()["participants"]), ("DELETE", &json!([{"user_id": "US.1"}])));

    // A repeated request does not reach the platform again.
    let before = world.platform.seen("participants").len();
    let once = || add(&json!(["+16505551234"])).header("Idempotency-Key", "once");
    assert_eq!(world.send(once()).await.expect(200), world.send(once()).await.expect(200));
    assert_eq!(world.platform.seen("participants").len(), before + 1);

    for (people, param, code) in [
        (json!([]), "participants", None),
        (json!((0..9).map(|n| format!("+1650555123{n}")).collect::<Vec<_>>()), "participants", None),
        (json!(["+16505551234", "nope"]), "participants[1]", Some("invalid_phone_number")),
        (json!(["us.1"]), "participants[0]", Some("invalid_phone_number")),
        (json!(["+16505551234-131212"]), "participants[0]", Some("invalid_phone_number")),
        (json!(["US.1-131212"]), "participants[0]", Some("invalid_phone_number")),
        (json!(["+16505551234", "16505551234"]), "participants[1]", None),
        (json!(["US.1", "US.1"]), "participants[1]", None),
    ] {
        world.send(add(&people)).await.refused(400, Some(param), code);
    }
    assert_eq!(world.platform.seen("participants").len(), before + 1);
}

/// If the platform does not let a business add people, the error says how they join.
#[tokio::test]
async fn a_refusal_to_add_people_names_the_invite_link() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "4207").await;
    let path = format!("{PATH}/{}/participants", active(&world, &line).await);
    let people = json!({"participants": ["+16505551234"]});
    let call = |call: Call| world.send(call.key(&line.org.app_key).json(&people));
    let hints = |body: &Value| body["error"]["additional_info"].to_string();

    for code in [3, 10, 100, 131_212] {
        world.platform.misbehave("participants", Misbehave::Status(400, error(code, "no").to_string()), 1);
        let body = call(Call::post(&path)).await.refused(422, None, Some("platform_api_error"));
        assert!(hints(&body).contains("inviteLink"), "{code}: {body}");
        assert_eq!(body["error"]["provider"]["code"], code);
    }
    // Neither a rate limit nor a failure says that people cannot be added.
    for (code, status, ours) in [(131_208, 429, "chat_rate_limited"), (131_000, 502, "platform_api_error")] {
        world.platform.misbehave("participants", Misbehave::Status(400, error(code, "no").to_string()), 1);
        let body = call(Call::post(&path)).await.refused(status, None, Some(ours));
        assert!(!hints(&body).contains("inviteLink"), "{code}: {body}");
    }
    world.platform.misbehave("participants", Misbehave::Status(400, error(131_212, "no").to_string()), 1);
    let body = call(Call::delete(&path)).await.refused(422, None, Some("platform_api_error"));
    assert!(!hints(&body).contains("inviteLink"), "{body}");
}

#[tokio::test]
async fn simulated_people_join_and_leave_at_once() {
    let world = World::new().await;
    let (number, key) = (test_number(&world).await, world.org.test_app_key.clone());
    let group = format!("{PATH}/{}", text(&create(&world, &key, &number, &json!({})).await, "id"));
    let path = format!("{group}/participants");
    let change = |call: Call, people: Value| world.send(call.key(&key).json(&json!({"participants": people})));
    let participants = || async { world.send(Call::get(&group).key(&key)).await.expect(200)["participants"].clone() };

    change(Call::post(&path), json!(["+16505551234", "16505559999", "US.1"])).await.expect(200);
    assert_eq!(participants().await, json!(["+16505551234", "+16505559999", "US.1"]));
    change(Call::post(&path), json!(["+16505551234"])).await.expect(200);
    assert_eq!(participants().await, json!(["+16505551234", "+16505559999", "US.1"]));

    world.clock.advance(Duration::from_secs(1));
    change(Call::delete(&path), json!(["+16505559999", "US.1", "+16505550000"])).await.expect(200);
    assert_eq!(participants().await, json!(["+16505551234"]));
    world.clock.advance(Duration::from_secs(1));
    change(Call::post(&path), json!(["US.1"])).await.expect(200);
    assert_eq!(participants().await, json!(["+16505551234", "US.1"]));

    // Of several people none is added if the simulated platform refuses one.
    let refused = change(Call::post(&path), json!(["+16505550001", "+16505550002-131212"])).await;
    let body = refused.refused(422, None, Some("platform_api_error"));
    assert!(body["error"]["additional_info"].to_string().contains("inviteLink"));
    change(Call::post(&path), json!(["US.2-131208"])).await.refused(429, None, Some("chat_rate_limited"));
    assert_eq!(participants().await, json!(["+16505551234", "US.1"]));
    assert!(world.platform.state().seen.is_empty());
}
