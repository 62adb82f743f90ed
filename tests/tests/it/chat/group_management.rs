//! Groups after their creation: lists, changes, invite links and requests to join, at the platform and in test mode.

use std::time::Duration;

use serde_json::{Value, json};
use tests::chat::{Line, connect};
use tests::request::text;
use tests::standin::{Misbehave, error};
use tests::{Call, Service as _, World};

pub(super) const PATH: &str = "/v1/chat/groups";
const PLATFORM_GROUP: &str = "Y2FwaV9ncm91cDox";

pub(super) async fn create(world: &World, key: &str, number: &str, more: &Value) -> Value {
    let mut body = json!({"chatPhoneNumberId": number, "subject": "Friends", "description": "Of the shop"});
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    world.send(Call::post(PATH).key(key).json(&body)).await.expect(201)
}

/// A live group that the platform has created.
pub(super) async fn active(world: &World, line: &Line) -> String {
    let id = text(&create(world, &line.org.app_key, &line.number, &json!({})).await, "id");
    let made = json!({"type": "group_create", "timestamp": 2_000_000_000, "request_id": "request-1", "group_id": PLATFORM_GROUP,
        "invite_link": "https://chat.whatsapp.com/XYZ"});
    world.notify(&line.about("group_lifecycle_update", &json!({"groups": [made]}))).await.expect(200);
    id
}

pub(super) fn news(line: &Line, field: &str, more: &Value) -> Value {
    let mut group = json!({"group_id": PLATFORM_GROUP, "timestamp": 2_000_000_010});
    group.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    line.about(field, &json!({"groups": [group]}))
}

pub(super) async fn test_number(world: &World) -> String {
    let numbers = world.admin(Call::get("/v1/organization/chat/phone-numbers?limit=100")).await.expect(200);
    let is_own = |number: &&Value| number["apps"][0]["appId"] == world.org.test_app.as_str();
    text(numbers["data"].as_array().unwrap().iter().find(is_own).unwrap(), "id")
}

#[tokio::test]
async fn the_platform_is_asked_and_its_notification_makes_the_change() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "4201").await;
    let key = &line.org.app_key;
    let group = active(&world, &line).await;
    let path = format!("{PATH}/{group}");
    let get = || async { world.send(Call::get(&path).key(key)).await.expect(200) };
    let success = json!({"success": true});
    let change = json!({"subject": "Best friends", "description": ""});
    assert_eq!(world.send(Call::patch(&path).key(key).json(&change)).await.expect(200), success);
    let seen = world.platform.seen(PLATFORM_GROUP).pop().unwrap();
    let body = json!({"messaging_product": "whatsapp", "subject": "Best friends", "description": ""});
    assert_eq!((seen.method.as_str(), seen.path.as_str(), seen.json()), ("POST", "/Y2FwaV9ncm91cDox", body));
    assert_eq!(get().await["subject"], "Friends", "until the platform says so");
    let renamed =
        json!({"type": "group_settings_update", "group_subject": {"text": "Best friends", "update_successful": true}});
    world.notify(&news(&line, "group_settings_update", &renamed)).await.expect(200);
    assert_eq!(get().await["subject"], "Best friends");
    let linked = world.send(Call::post(format!("{path}/invite-link")).key(key)).await.expect(200);
    assert_eq!(linked["inviteLink"], "https://chat.whatsapp.com/1");
    let seen = world.platform.seen("invite_link").pop().unwrap();
    assert_eq!((seen.method.as_str(), seen.json()), ("POST", json!({"messaging_product": "whatsapp"})));
    assert_eq!(get().await["inviteLink"], "https://chat.whatsapp.com/1");
    let once = || Call::post(format!("{path}/invite-link")).key(key).header("Idempotency-Key", "once");
    let second = world.send(once()).await.expect(200);
    assert_eq!(world.send(once()).await.expect(200), second);
    assert_eq!(
        (world.platform.seen("invite_link").len(), &second["inviteLink"]),
        (2, &json!("https://chat.whatsapp.com/2"))
    );
    assert_eq!(world.send(Call::delete(&path).key(key)).await.expect(200), success);
    let seen = world.platform.seen(PLATFORM_GROUP).pop().unwrap();
    assert_eq!((seen.method.as_str(), seen.path.as_str(), seen.body.len()), ("DELETE", "/Y2FwaV9ncm91cDox", 0));
    assert_eq!(get().await["status"], "ACTIVE", "until the platform says so");
    world.notify(&news(&line, "group_lifecycle_update", &json!({"type": "group_delete"}))).await.expect(200);
    assert_eq!(get().await["status"], "DELETED");
    let before = world.platform.state().seen.len();
    for call in [
        Call::patch(&path).json(&json!({"subject": "x"})),
        Call::delete(&path),
        Call::post(format!("{path}/invite-link")),
        Call::get(format!("{path}/join-requests")),
        Call::post(format!("{path}/join-requests/approve")).json(&json!({"joinRequestIds": ["a"]})),
        Call::post(format!("{path}/join-requests/reject")).json(&json!({"joinRequestIds": ["a"]})),
        Call::post(format!("{path}/participants")).json(&json!({"participants": ["+16505551234"]})),
    ] {
        world.send(call.key(key)).await.refused(409, Some("groupId"), None);
    }
    assert_eq!(world.platform.state().seen.len(), before);
}

#[tokio::test]
async fn requests_to_join_are_listed_approved_and_rejected_at_the_platform() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "4202").await;
    let key = &line.org.app_key;
    let path = format!("{PATH}/{}/join-requests", active(&world, &line).await);
    let open = [
        json!({"join_request_id": "A1", "wa_id": "16505551234", "creation_timestamp": "2000000000"}),
        json!({"join_request_id": "B2", "user_id": "US.1", "creation_timestamp": 2_000_000_001}),
    ];
    world.platform.state().join_requests.insert(PLATFORM_GROUP.to_owned(), open.to_vec());
    let first = world.send(Call::get(format!("{path}?limit=1")).key(key)).await.expect(200);
    assert_eq!(
        first["data"],
        json!([{"id": "A1", "phoneNumber": "+16505551234", "createdAt": "2033-05-18T03:33:20.000Z"}])
    );
    let rest = format!("{path}?limit=1&cursor={}", text(&first, "nextCursor"));
    let rest = world.send(Call::get(rest).key(key)).await.expect(200);
    let second = json!({"id": "B2", "userId": "US.1", "createdAt": "2033-05-18T03:33:21.000Z"});
    assert_eq!(rest["data"], json!([second]));
    let seen = world.platform.seen("join_requests").pop().unwrap();
    assert_eq!((seen.path.as_str(), seen.query["after"].as_str()), ("/Y2FwaV9ncm91cDox/join_requests", "1"));
    // The platform may leave out that more follow, so the list ends with a page that is not full.
    let end = format!("{path}?limit=1&cursor={}", text(&rest, "nextCursor"));
    let end = world.send(Call::get(end).key(key)).await.expect(200);
    assert_eq!(end, json!({"data": [], "nextCursor": null}));
    let decide = |decision: &str, ids: Value| {
        world.send(Call::post(format!("{path}/{decision}")).key(key).json(&json!({"joinRequestIds": ids})))
    };
    let approved = decide("approve", json!(["A1", "C3"])).await.expect(200);
    assert_eq!((&approved["approved"], &approved["failed"][0]["joinRequestId"]), (&json!(["A1"]), &json!("C3")));
    let failed = &approved["failed"][0]["error"];
    assert_eq!((&failed["code"], &failed["provider"]["code"]), (&json!("platform_api_error"), &json!(131_213)));
    let seen = world.platform.seen("join_requests").pop().unwrap();
    let body = json!({"messaging_product": "whatsapp", "join_requests": ["A1", "C3"]});
    assert_eq!((seen.method.as_str(), seen.json()), ("POST", body));
    assert_eq!(decide("reject", json!(["B2"])).await.expect(200), json!({"rejected": ["B2"], "failed": []}));
    let seen = world.platform.seen("join_requests").pop().unwrap();
    assert_eq!((seen.method.as_str(), seen.json()["join_requests"].clone()), ("DELETE", json!(["B2"])));
    for (code, status, ours) in [
        (131_208, 429, "chat_rate_limited"),
        (131_207, 422, "platform_api_error"),
        (131_215, 422, "groups_not_eligible"),
    ] {
        let body = error(code, "no").to_string();
        world.platform.misbehave("join_requests", Misbehave::Status(400, body), 1);
        decide("approve", json!(["A1"])).await.refused(status, None, Some(ours));
    }
    // The platform may also list errors, and lists of both decisions.
    let listed = json!({"errors": [{"code": 131_208, "message": "no"}]}).to_string();
    world.platform.misbehave("join_requests", Misbehave::Status(400, listed), 1);
    decide("approve", json!(["A1"])).await.refused(429, None, Some("chat_rate_limited"));
    let both = json!({"approved_join_requests": ["A1"], "rejected_join_requests": [], "failed_join_requests": [], "errors": []});
    world.platform.misbehave("join_requests", Misbehave::Status(200, both.to_string()), 1);
    assert_eq!(decide("approve", json!(["A1"])).await.expect(200), json!({"approved": ["A1"], "failed": []}));
    let many: Vec<String> = (0..101).map(|n| n.to_string()).collect();
    for (ids, param) in [
        (json!([]), "joinRequestIds"),
        (json!(many), "joinRequestIds"),
        (json!(["A", ""]), "joinRequestIds[1]"),
        (json!(["a b"]), "joinRequestIds[0]"),
        (json!(["A", "A"]), "joinRequestIds[1]"),
    ] {
        decide("approve", ids.clone()).await.refused(400, Some(param), None);
        decide("reject", ids).await.refused(400, Some(param), None);
    }
}

/// Whoever may not use the number sees none of its groups.
#[tokio::test]
async fn groups_are_listed_by_number_and_belong_to_its_apps() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "4203").await;
    let other = connect(&world, &world.org, "4204").await;
    let stranger = world.organization("Stranger").await;
    let (_, other_key) = world.app(&world.org.admin, &json!({"name": "Other"})).await;
    let key = &line.org.app_key;
    let mut made = Vec::new();
    for n in 0..3 {
        world.clock.advance(Duration::from_millis(1));
        let group = create(&world, key, &line.number, &json!({"subject": format!("Group {n}")})).await;
        made.insert(0, text(&group, "id"));
    }
    let foreign = text(&create(&world, key, &other.number, &json!({})).await, "id");
    let list = |number: &str, more: &str| Call::get(format!("{PATH}?chatPhoneNumberId={number}{more}"));
    let ids = |page: &Value| -> Vec<String> {
        page["data"].as_array().unwrap().iter().map(|group| text(group, "id")).collect()
    };
    let first = world.send(list(&line.number, "&limit=2").key(key)).await.expect(200);
    assert_eq!(ids(&first), made[..2]);
    assert_eq!(first["data"][0]["status"], "PENDING");
    let cursor = format!("&limit=2&cursor={}", text(&first, "nextCursor"));
    let rest = world.send(list(&line.number, &cursor).key(key)).await.expect(200);
    assert_eq!((ids(&rest), &rest["nextCursor"]), (made[2..].to_vec(), &Value::Null));
    assert_eq!(ids(&world.send(list(&other.number, "").key(key)).await.expect(200)), [foreign]);
    world.send(list(&other.number, &cursor).key(key)).await.refused(400, Some("cursor"), None);
    world.send(Call::get(PATH).key(key)).await.refused(400, Some("chatPhoneNumberId"), None);
    let group = format!("{PATH}/{}", made[0]);
    for stranger in [&other_key, &stranger.app_key, &world.org.test_app_key] {
        world.send(list(&line.number, "").key(stranger)).await.refused(404, Some("chatPhoneNumberId"), None);
        for call in [
            Call::patch(&group).json(&json!({"subject": "Mine"})),
            Call::delete(&group),
            Call::post(format!("{group}/invite-link")),
            Call::get(format!("{group}/join-requests")),
            Call::post(format!("{group}/join-requests/approve")).json(&json!({"joinRequestIds": ["a"]})),
            Call::post(format!("{group}/join-requests/reject")).json(&json!({"joinRequestIds": ["a"]})),
            Call::post(format!("{group}/participants")).json(&json!({"participants": ["+16505551234"]})),
        ] {
            world.send(call.key(stranger)).await.refused(404, Some("groupId"), None);
        }
    }
    for (body, param) in [
        (json!({}), "body"),
        (json!({"subject": ""}), "subject"),
        (json!({"subject": "x".repeat(129)}), "subject"),
        (json!({"description": "x".repeat(2049)}), "description"),
        (json!({"joinApprovalMode": "auto_approve"}), "joinApprovalMode"),
    ] {
        world.send(Call::patch(&group).key(key).json(&body)).await.refused(400, Some(param), None);
    }
}

#[tokio::test]
async fn simulated_groups_change_at_once() {
    let world = World::new().await;
    let (number, key) = (test_number(&world).await, world.org.test_app_key.clone());
    let group = create(&world, &key, &number, &json!({"joinApprovalMode": "approval_required"})).await;
    let path = format!("{PATH}/{}", text(&group, "id"));
    let get = || async { world.send(Call::get(&path).key(&key)).await.expect(200) };
    let change = |body: Value| world.send(Call::patch(&path).key(&key).json(&body));
    change(json!({"subject": "Best friends"})).await.expect(200);
    assert_eq!((&get().await["subject"], &get().await["description"]), (&json!("Best friends"), &json!("Of the shop")));
    change(json!({"description": ""})).await.expect(200);
    assert_eq!((&get().await["subject"], &get().await["description"]), (&json!("Best friends"), &Value::Null));
    change(json!({"subject": "Foes-131207"})).await.refused(422, None, Some("platform_api_error"));
    let linked = world.send(Call::post(format!("{path}/invite-link")).key(&key)).await.expect(200);
    assert_ne!(linked["inviteLink"], group["inviteLink"]);
    assert_eq!(get().await["inviteLink"], linked["inviteLink"]);
    let requests = || async { world.send(Call::get(format!("{path}/join-requests")).key(&key)).await.expect(200) };
    let open = requests().await["data"].clone();
    let numbers: Vec<&Value> = open.as_array().unwrap().iter().map(|request| &request["phoneNumber"]).collect();
    assert_eq!(numbers, ["+12015550191", "+12015550192"]);
    let first = world.send(Call::get(format!("{path}/join-requests?limit=1")).key(&key)).await.expect(200);
    let rest = format!("{path}/join-requests?limit=1&cursor={}", text(&first, "nextCursor"));
    assert_eq!(world.send(Call::get(rest).key(&key)).await.expect(200)["data"], json!([open[1]]));
    let decide = |decision: &str, ids: Value| {
        world.send(
            Call::post(format!("{path}/join-requests/{decision}")).key(&key).json(&json!({"joinRequestIds": ids})),
        )
    };
    let approved = decide("approve", json!([open[0]["id"], "nobody", "nobody-131208"])).await.expect(200);
    assert_eq!(approved["approved"], json!([open[0]["id"]]));
    let codes: Vec<&Value> =
        approved["failed"].as_array().unwrap().iter().map(|failed| &failed["error"]["provider"]["code"]).collect();
    assert_eq!(codes, [131_213, 131_208]);
    assert_eq!(get().await["participants"], json!(["+12015550191"]));
    assert_eq!(requests().await["data"], json!([open[1]]));
    assert_eq!(decide("reject", json!([open[1]["id"]])).await.expect(200)["rejected"], json!([open[1]["id"]]));
    assert_eq!(decide("approve", json!([open[1]["id"]])).await.expect(200)["approved"], json!([]), "decided before");
    assert_eq!((&requests().await["data"], &get().await["participants"]), (&json!([]), &json!(["+12015550191"])));
    // A group without approval has no requests.
    let free = text(&create(&world, &key, &number, &json!({})).await, "id");
    let free = world.send(Call::get(format!("{PATH}/{free}/join-requests")).key(&key)).await.expect(200);
    assert_eq!(free, json!({"data": [], "nextCursor": null}));
    world.send(Call::delete(&path).key(&key)).await.expect(200);
    assert_eq!(get().await["status"], "DELETED");
    world.send(Call::delete(&path).key(&key)).await.refused(409, Some("groupId"), None);
    assert!(world.platform.state().seen.is_empty());
}

/// Every operation tells a refusal of the platform, and a failure of the platform, in the same way.
#[tokio::test]
async fn refusals_and_failures_of_the_platform_are_reported() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "4205").await;
    let key = &line.org.app_key;
    let group = format!("{PATH}/{}", active(&world, &line).await);
    let (requests, ids) = (format!("{group}/join-requests"), json!({"joinRequestIds": ["a"]}));
    let people = json!({"participants": ["+16505551234"]});
    let blocked = format!("/v1/chat/phone-numbers/{}/blocked-users", line.number);
    let users = json!({"users": ["+16505551234"]});
    let profile = format!("/v1/organization/chat/phone-numbers/{}/business-profile", line.number);
    for (node, call) in [
        (PLATFORM_GROUP, Call::patch(&group).json(&json!({"subject": "x"})).key(key)),
        (PLATFORM_GROUP, Call::delete(&group).key(key)),
        ("invite_link", Call::post(format!("{group}/invite-link")).key(key)),
        ("join_requests", Call::get(&requests).key(key)),
        ("join_requests", Call::post(format!("{requests}/approve")).json(&ids).key(key)),
        ("join_requests", Call::post(format!("{requests}/reject")).json(&ids).key(key)),
        ("participants", Call::post(format!("{group}/participants")).json(&people).key(key)),
        ("participants", Call::delete(format!("{group}/participants")).json(&people).key(key)),
        ("block_users", Call::get(&blocked).key(key)),
        ("block_users", Call::post(&blocked).json(&users).key(key)),
        ("block_users", Call::delete(&blocked).json(&users).key(key)),
        ("whatsapp_business_profile", Call::get(&profile).key(&line.org.admin)),
        ("whatsapp_business_profile", Call::patch(&profile).json(&json!({"about": "x"})).key(&line.org.admin)),
    ] {
        for (status, code, ours) in [(400, 100, 422), (500, 131_000, 502)] {
            world.platform.misbehave(node, Misbehave::Status(status, error(code, "no").to_string()), 3);
            world.send(call.clone()).await.refused(ours, None, Some("platform_api_error"));
            world.platform.state().misbehave.clear();
        }
    }
}
