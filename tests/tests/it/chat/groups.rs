//! Chat groups: requested through the API, created by a notification, and left by participants.

use serde_json::{Value, json};
use tests::chat::{Line, connect};
use tests::request::text;
use tests::standin::{Misbehave, error};
use tests::{Call, Service as _, World};

const PATH: &str = "/v1/chat/groups";

fn create(line: &Line) -> Call {
    Call::post(PATH)
        .key(&line.org.app_key)
        .json(&json!({"chatPhoneNumberId": line.number, "subject": "Friends", "description": "Of the shop"}))
}

async fn get(world: &World, line: &Line, id: &str) -> Value {
    world.send(Call::get(format!("{PATH}/{id}")).key(&line.org.app_key)).await.expect(200)
}

fn made(line: &Line, request: &str) -> Value {
    line.about("group_lifecycle_update", &json!({"groups": [{"type": "group_create", "timestamp": "2000000000", "request_id": request,
        "group_id": "Y2FwaV9ncm91cDox", "subject": "Friends", "invite_link": "https://chat.whatsapp.com/XYZ", "join_approval_mode": "auto_approve"}]}))
}

fn told(line: &Line, field: &str, at: i64, more: Value) -> Value {
    let mut group = json!({"group_id": "Y2FwaV9ncm91cDox", "timestamp": at});
    group.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    line.about(field, &json!({"groups": [group]}))
}

#[tokio::test]
async fn a_group_lives_by_its_notifications() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "301").await;
    let group = world.send(create(&line)).await.expect(201);
    let id = text(&group, "id");
    assert!(id.starts_with("grp_wa_"));
    assert_eq!((&group["status"], &group["joinApprovalMode"]), (&json!("PENDING"), &json!("auto_approve")));
    assert_eq!(
        world.platform.seen("groups")[0].json(),
        json!({"messaging_product": "whatsapp", "subject": "Friends",
        "description": "Of the shop", "join_approval_mode": "auto_approve"})
    );
    let removal = |participants: Value| {
        Call::delete(format!("{PATH}/{id}/participants"))
            .key(&line.org.app_key)
            .json(&json!({"participants": participants}))
    };
    world.send(removal(json!(["+16505551234"]))).await.refused(409, Some("groupId"), None);
    world.notify(&made(&line, "request-1")).await.expect(200);
    let group = get(&world, &line, &id).await;
    assert_eq!((&group["status"], &group["inviteLink"]), (&json!("ACTIVE"), &json!("https://chat.whatsapp.com/XYZ")));
    let joined = json!({"type": "group_participants_add", "reason": "invite_link", "added_participants": [{"wa_id": "16505551234"}, {"user_id": "US.1"}]});
    world.notify(&told(&line, "group_participants_update", 2_000_000_001, joined)).await.expect(200);
    assert_eq!(get(&world, &line, &id).await["participants"], json!(["+16505551234", "US.1"]));
    assert_eq!(world.send(removal(json!(["16505551234"]))).await.expect(200), json!({"success": true}));
    let seen = world.platform.seen("participants").pop().unwrap();
    assert_eq!((seen.method.as_str(), seen.path.as_str()), ("DELETE", "/Y2FwaV9ncm91cDox/participants"));
    assert_eq!(seen.json()["participants"], json!([{"user": "+16505551234"}]));
    assert_eq!(
        get(&world, &line, &id).await["participants"],
        json!(["+16505551234", "US.1"]),
        "until the platform says so"
    );
    let left = json!({"type": "group_participants_remove", "removed_participants": [{"input": "+1 650 555 1234"}]});
    world.notify(&told(&line, "group_participants_update", 2_000_000_002, left)).await.expect(200);
    assert_eq!(get(&world, &line, &id).await["participants"], json!(["US.1"]));
    let renamed = json!({"type": "group_settings_update", "group_subject": {"text": "Best friends", "update_successful": true},
        "group_description": {"text": "refused", "update_successful": false}});
    world.notify(&told(&line, "group_settings_update", 2_000_000_003, renamed)).await.expect(200);
    world
        .notify(&told(&line, "group_status_update", 2_000_000_009, json!({"type": "group_suspend"})))
        .await
        .expect(200);
    world
        .notify(&told(&line, "group_status_update", 2_000_000_004, json!({"type": "group_suspend_cleared"})))
        .await
        .expect(200);
    let group = get(&world, &line, &id).await;
    assert_eq!(
        (&group["subject"], &group["description"], &group["status"]),
        (&json!("Best friends"), &json!("Of the shop"), &json!("SUSPENDED"))
    );
    world
        .notify(&told(&line, "group_status_update", 2_000_000_010, json!({"type": "group_suspend_cleared"})))
        .await
        .expect(200);
    world
        .notify(&told(&line, "group_lifecycle_update", 2_000_000_011, json!({"type": "group_delete"})))
        .await
        .expect(200);
    assert_eq!(get(&world, &line, &id).await["status"], "DELETED");
    world.send(removal(json!(["+16505551234"]))).await.refused(409, Some("groupId"), None);
}

#[tokio::test]
async fn several_participants_are_removed_by_one_call() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "307").await;
    let group = text(&world.send(create(&line)).await.expect(201), "id");
    world.notify(&made(&line, "request-1")).await.expect(200);
    let removal = json!({"participants": ["+16505551234", "16505559999"]});
    let path = format!("{PATH}/{group}/participants");
    world.send(Call::delete(path).key(&line.org.app_key).json(&removal)).await.expect(200);
    let seen = world.platform.seen("participants");
    assert_eq!(seen.len(), 1);
    assert_eq!(seen[0].json()["participants"], json!([{"user": "+16505551234"}, {"user": "+16505559999"}]));
}

/// The notification that a group was created may arrive before the platform's response is stored.
#[tokio::test]
async fn a_notification_that_comes_first_is_kept() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "302").await;
    world.notify(&made(&line, "request-1")).await.expect(200);
    let group = world.send(create(&line)).await.expect(201);
    assert_eq!((&group["status"], &group["inviteLink"]), (&json!("ACTIVE"), &json!("https://chat.whatsapp.com/XYZ")));
    let failed = line.about(
        "group_lifecycle_update",
        &json!({"groups": [{"type": "group_create", "timestamp": 2_000_000_000, "request_id": "request-2",
        "errors": [{"code": 131_211, "title": "Too many groups"}]}]}),
    );
    world.notify(&failed).await.expect(200);
    assert_eq!(world.send(create(&line)).await.expect(201)["status"], "FAILED");
}

/// The notification of a participant who joined may arrive before that of the group's creation; a participant who left stays
/// out, in whatever order the notifications arrive.
#[tokio::test]
async fn news_of_a_group_may_come_in_any_order() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "305").await;
    let id = text(&world.send(create(&line)).await.expect(201), "id");
    let member = |kind: &str, at: i64, who: Value| {
        let parts = json!({"type": format!("group_participants_{kind}"), (if kind == "add" { "added_participants" } else { "removed_participants" }): [who]});
        told(&line, "group_participants_update", at, parts)
    };
    let subject = |at: i64, text: &str| {
        told(&line, "group_settings_update", at, json!({"group_subject": {"text": text, "update_successful": true}}))
    };
    for news in [
        member("remove", 2_000_000_020, json!({"user_id": "US.1"})),
        member("add", 2_000_000_010, json!({"wa_id": "16505551234", "user_id": "US.1"})),
        member("add", 2_000_000_011, json!({"wa_id": "16505559999"})),
        subject(2_000_000_030, "Newest"),
        made(&line, "request-1"),
        subject(2_000_000_025, "Older"),
        member("add", 2_000_000_012, json!({"user_id": "US.1"})),
    ] {
        for _ in 0..2 {
            world.notify(&news).await.expect(200);
        }
    }
    let group = get(&world, &line, &id).await;
    assert_eq!((&group["status"], &group["subject"]), (&json!("ACTIVE"), &json!("Newest")));
    assert_eq!(group["participants"], json!(["+16505559999"]));
    // The same if all notifications arrive before the platform's response.
    let other = connect(&world, &world.org, "306").await;
    let early = json!({"type": "group_participants_add", "added_participants": [{"wa_id": "16505551234"}]});
    world.notify(&told(&other, "group_participants_update", 2_000_000_010, early)).await.expect(200);
    world.notify(&made(&other, "request-2")).await.expect(200);
    assert_eq!(world.send(create(&other)).await.expect(201)["participants"], json!(["+16505551234"]));
}

#[tokio::test]
async fn a_rejection_by_the_platform_is_shown() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "303").await;
    world.platform.misbehave("groups", Misbehave::Status(400, error(131_215, "not eligible").to_string()), 1);
    world.send(create(&line)).await.refused(422, None, Some("groups_not_eligible"));
    world.platform.misbehave("groups", Misbehave::Status(403, error(368, "restricted").to_string()), 1);
    let body = world.send(create(&line)).await.refused(422, None, Some("account_restricted"));
    assert_eq!(body["error"]["provider"]["health_status"]["can_send_message"], "BLOCKED");
    assert_eq!(body["error"]["additional_info"][0], "Add a payment method");
    world.platform.misbehave("groups", Misbehave::Status(400, error(190, "expired").to_string()), 1);
    let body = world.send(create(&line)).await.refused(422, None, Some("platform_api_error"));
    assert!(body["error"]["additional_info"][0].as_str().unwrap().contains("Connect the account again"));
    world.platform.misbehave("groups", Misbehave::Status(429, error(131_208, "slow down").to_string()), 1);
    let limited = world.send(create(&line)).await;
    assert!(limited.header("retry-after").is_some());
    limited.refused(429, None, Some("chat_rate_limited"));
    world.platform.misbehave("groups", Misbehave::CutOff, 1);
    let silent = world.send(create(&line)).await;
    assert!(silent.header("retry-after").is_some());
    silent.refused(503, None, Some("platform_api_unavailable"));
}

#[tokio::test]
async fn a_group_belongs_to_the_apps_of_its_number() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "304").await;
    let group = text(&world.send(create(&line)).await.expect(201), "id");
    let (_, other_key) = world.app(&world.org.admin, &json!({"name": "Other"})).await;
    let call = |key: &str| Call::get(format!("{PATH}/{group}")).key(key);
    world.send(call(&other_key)).await.refused(404, Some("groupId"), None);
    world.send(call(&world.org.test_app_key)).await.refused(404, Some("groupId"), None);
    let body = json!({"chatPhoneNumberId": line.number, "subject": "x"});
    world.send(Call::post(PATH).key(&other_key).json(&body)).await.refused(404, Some("chatPhoneNumberId"), None);
    for (path, status) in [("grp_wa_unknown", 404), ("nope", 400)] {
        world.send(Call::get(format!("{PATH}/{path}")).key(&world.org.app_key)).await.refused(
            status,
            Some("groupId"),
            None,
        );
    }
    let removal = |participants: Value| {
        Call::delete(format!("{PATH}/{group}/participants"))
            .key(&world.org.app_key)
            .json(&json!({"participants": participants}))
    };
    for (participants, param, code) in [
        (json!([]), "participants", None),
        (json!(["+1"]), "participants[0]", Some("invalid_phone_number")),
        (json!(["+16505551234", "nope"]), "participants[1]", Some("invalid_phone_number")),
        (json!(["+16505551234", "16505551234"]), "participants[1]", None),
        (json!(["+16505551234-131212"]), "participants[0]", Some("invalid_phone_number")),
        (json!([1]), "participants[0]", None),
        (json!((0..9).map(|n| format!("+1650555123{n}")).collect::<Vec<_>>()), "participants", None),
    ] {
        world.send(removal(participants)).await.refused(400, Some(param), code);
    }
    assert!(world.platform.seen("participants").is_empty());
    for (body, param) in [
        (json!({"subject": "x"}), "chatPhoneNumberId"),
        (json!({"chatPhoneNumberId": line.number}), "subject"),
        (json!({"chatPhoneNumberId": line.number, "subject": "x".repeat(129)}), "subject"),
        (json!({"chatPhoneNumberId": line.number, "subject": "x", "description": "x".repeat(2049)}), "description"),
        (json!({"chatPhoneNumberId": line.number, "subject": "x", "joinApprovalMode": "never"}), "joinApprovalMode"),
        (json!({"chatPhoneNumberId": "x", "subject": "x"}), "chatPhoneNumberId"),
    ] {
        world.send(Call::post(PATH).key(&world.org.app_key).json(&body)).await.refused(400, Some(param), None);
    }
}

#[tokio::test]
async fn simulated_groups_are_active_at_once_and_fail_on_demand() {
    let world = World::new().await;
    let numbers = world.admin(Call::get("/v1/organization/chat/phone-numbers")).await.expect(200);
    let number = text(&numbers["data"][0], "id");
    let ask = |subject: &str| {
        Call::post(PATH).key(&world.org.test_app_key).json(&json!({"chatPhoneNumberId": number, "subject": subject}))
    };
    let group = world.send(ask("Friends")).await.expect(201);
    assert_eq!(group["status"], "ACTIVE");
    assert!(group["inviteLink"].is_string());
    world.send(ask("Friends-131215")).await.refused(422, None, Some("groups_not_eligible"));
    world.send(ask("Friends-131000")).await.refused(502, None, Some("platform_api_error"));
    let path = format!("{PATH}/{}/participants", text(&group, "id"));
    let remove = |who: &str| Call::delete(&path).key(&world.org.test_app_key).json(&json!({"participants": [who]}));
    world.send(remove("+16505551234")).await.expect(200);
    world.send(remove("+16505551234-131212")).await.refused(422, None, Some("platform_api_error"));
    world.send(remove("+16505551234-131000")).await.refused(502, None, Some("platform_api_error"));
    for malformed in ["+16505551234-x", "+16505551234-", "+16505551234-12345678"] {
        world.send(remove(malformed)).await.refused(400, Some("participants[0]"), Some("invalid_phone_number"));
    }
    assert!(world.platform.state().seen.is_empty());
}

/// What arrives before a group is known is bounded, whatever the platform sends, and none of it is refused.
#[tokio::test]
async fn early_news_of_a_group_fit_into_an_item() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "1590").await;
    for n in 0..30 {
        let people: Vec<Value> =
            (0..200).map(|m| json!({"wa_id": format!("1650{n:03}{m:04}"), "username": "x".repeat(700)})).collect();
        let parts = json!({"type": "group_participants_add", "added_participants": people});
        world.notify(&told(&line, "group_participants_update", 2_000_000_000 + n, parts)).await.expect(200);
    }
    let items = world.account.items().await;
    let early: Vec<usize> = items.iter().filter_map(|item| item.get("news")).map(String::len).collect();
    assert!(early.len() == 1 && early[0] > 100_000, "{early:?}");
    assert!(world.dead_letters().await.is_empty());
    while world.work().await {}
    assert!(world.dead_letters().await.is_empty());
}
