//! Edits and deletions of templates: at the platform, and in test mode.

use std::time::Duration;

use serde_json::{Value, json};
use tests::catalogue::{fresh_account, simulated_profile};
use tests::chat::{Line, connect, event_counts, notification};
use tests::request::text;
use tests::standin::{Misbehave, error, template};
use tests::{Call, Reply, Service as _, World};

const TEMPLATES: &str = "/v1/organization/chat/templates";
const FIELDS: &str = "id,name,language,category,status,components,parameter_format,message_send_ttl_seconds,quality_score,rejected_reason";
const DAY: Duration = Duration::from_secs(24 * 3600);

fn hello() -> Value {
    json!([{"type": "BODY", "text": "Hello {{1}} again.", "example": {"body_text": [["Ann"]]}}])
}

async fn synced(world: &World, account: &str, templates: Vec<Value>) -> Line {
    let line = connect(world, &world.org, account).await;
    world.platform.state().accounts.get_mut(account).unwrap().templates = templates;
    sync(world, &line.profile).await;
    line
}

async fn sync(world: &World, profile: &str) -> Value {
    let call = Call::post(format!("{TEMPLATES}/sync")).json(&json!({"chatBusinessProfileId": profile}));
    world.admin(call).await.expect(200)
}

async fn edit(world: &World, id: &str, body: &Value) -> Reply {
    world.admin(Call::patch(format!("{TEMPLATES}/{id}")).json(body)).await
}

async fn delete(world: &World, path: &str) -> Reply {
    world.admin(Call::delete(format!("{TEMPLATES}/{path}"))).await
}

async fn count(world: &World, name: &str) -> usize {
    event_counts(world, &world.org).await.get(&format!("templates.chat.{name}")).copied().unwrap_or(0)
}

fn set_status(world: &World, account: &str, id: &str, status: &str) {
    let mut state = world.platform.state();
    let templates = &mut state.accounts.get_mut(account).unwrap().templates;
    templates.iter_mut().find(|known| known["id"] == id).unwrap()["status"] = json!(status);
}

fn in_status(id: &str, name: &str, status: &str) -> Value {
    let mut made = template(id, name);
    made["status"] = json!(status);
    made
}

#[tokio::test]
async fn an_edit_is_made_at_the_platform_and_stored_as_the_platform_shows_it() {
    let world = World::new().await;
    synced(&world, "4301", vec![in_status("1001", "hello", "REJECTED")]).await;
    let edited =
        edit(&world, "1001", &json!({"category": "MARKETING", "components": hello(), "messageSendTtlSeconds": 43_200}))
            .await
            .expect(200);
    let seen = world.platform.seen("/1001");
    let sent = json!({"category": "MARKETING", "components": hello(), "message_send_ttl_seconds": 43_200});
    assert_eq!((seen[0].method.as_str(), seen[0].path.as_str(), seen[0].json()), ("POST", "/1001", sent));
    assert_eq!((seen[1].method.as_str(), seen[1].query["fields"].as_str()), ("GET", FIELDS));
    assert_eq!(seen.len(), 2);
    assert_eq!(
        (&edited["status"], &edited["category"], &edited["components"]),
        (&json!("PENDING"), &json!("MARKETING"), &hello())
    );
    assert_eq!(edited["messageSendTtlSeconds"], 43_200);
    assert_eq!(world.admin(Call::get(format!("{TEMPLATES}/1001"))).await.expect(200), edited);
    assert_eq!(count(&world, "updated").await, 1);
    // What is left out is not sent.
    set_status(&world, "4301", "1001", "PAUSED");
    let line_profile = edited["chatBusinessProfileId"].as_str().unwrap();
    sync(&world, line_profile).await;
    let edited = edit(&world, "1001", &json!({"messageSendTtlSeconds": 50_000})).await.expect(200);
    assert_eq!(edited["messageSendTtlSeconds"], 50_000);
    // A sync keeps it if the platform leaves it out, and follows the platform if it does not.
    for (listed, shown) in [(json!(null), 50_000), (json!("60000"), 60_000)] {
        world.platform.state().accounts.get_mut("4301").unwrap().templates[0]["message_send_ttl_seconds"] = listed;
        sync(&world, line_profile).await;
        let found = world.admin(Call::get(format!("{TEMPLATES}/1001"))).await.expect(200);
        assert_eq!(found["messageSendTtlSeconds"], shown);
    }
    let sent = &world.platform.seen("/1001")[2];
    assert_eq!(sent.json(), json!({"message_send_ttl_seconds": 50_000}));
}

#[tokio::test]
async fn an_approved_template_is_edited_once_a_day_and_ten_times_in_thirty_days() {
    let world = World::new().await;
    let line = synced(&world, "4302", vec![template("1001", "hello")]).await;
    let body = json!({"components": hello()});
    let again = || edit(&world, "1001", &body);
    let category = json!({"category": "MARKETING"});
    edit(&world, "1001", &category).await.refused(409, Some("category"), None);
    for number in 1..=10 {
        again().await.expect(200);
        // The status is PENDING now.
        let pending = again().await;
        assert!(pending.header("retry-after").is_none() && pending.text.contains("PENDING"), "{pending:?}");
        pending.refused(409, Some("templateId"), None);
        set_status(&world, "4302", "1001", "APPROVED");
        // A sync keeps the times of the edits.
        sync(&world, &line.profile).await;
        if number < 10 {
            let early = again().await;
            assert_eq!(early.header("retry-after"), Some("86400"), "{early:?}");
            early.refused(409, Some("templateId"), None);
            world.clock.advance(DAY);
        }
    }
    world.clock.advance(DAY);
    let eleventh = again().await;
    // The first edit was ten days ago.
    assert_eq!(eleventh.header("retry-after"), Some((20 * 86_400).to_string().as_str()), "{eleventh:?}");
    eleventh.refused(409, Some("templateId"), None);
    world.clock.advance(DAY * 20);
    again().await.expect(200);
    let edits = world.platform.seen("/1001").iter().filter(|seen| seen.method == "POST").count();
    assert_eq!(edits, 11);
}

#[tokio::test]
async fn edits_beyond_the_limits_of_the_platform_are_rejected() {
    let world = World::new().await;
    let templates = vec![
        template("1001", "hello"),
        in_status("1002", "disabled", "DISABLED"),
        in_status("1003", "rejected", "REJECTED"),
    ];
    synced(&world, "4303", templates).await;
    for (id, body, status, param) in [
        ("1001", json!({}), 400, "body"),
        ("1001", json!({"name": "other"}), 400, "name"),
        ("1001", json!({"components": [{"type": "BODY", "text": "{{1}}"}]}), 400, "components[0].text"),
        ("1001", json!({"messageSendTtlSeconds": 50_000}), 400, "messageSendTtlSeconds"),
        ("1003", json!({"category": "AUTHENTICATION"}), 400, "components"),
        ("1003", json!({"category": "other"}), 400, "category"),
        ("1002", json!({"components": hello()}), 409, "templateId"),
        ("9999", json!({"components": hello()}), 404, "templateId"),
    ] {
        edit(&world, id, &body).await.refused(status, Some(param), None);
    }
    // A template of which only a notification is known.
    let approved = json!({"event": "REJECTED", "message_template_id": 1004});
    world.notify(&notification("4303", 2_000_000_000, "message_template_status_update", &approved)).await.expect(200);
    edit(&world, "1004", &json!({"components": hello()})).await.refused(409, Some("templateId"), None);
    delete(&world, "1004").await.refused(409, Some("templateId"), None);
    assert!(world.platform.state().seen.iter().all(|seen| seen.method == "GET" || !seen.path.contains("/100")));
    for (code, status, ours) in
        [(100, 422, "platform_api_error"), (80_007, 429, "chat_rate_limited"), (131_000, 502, "platform_api_error")]
    {
        world.platform.misbehave("/1003", Misbehave::Status(400, error(code, "no").to_string()), 1);
        edit(&world, "1003", &json!({"components": hello()})).await.refused(status, None, Some(ours));
    }
    assert_eq!(count(&world, "updated").await, 0);
}

/// The platform makes the edit, and does not show the template.
#[tokio::test]
async fn an_edit_that_the_platform_does_not_show_is_stored_as_it_was_sent() {
    let world = World::new().await;
    let line = synced(&world, "4304", vec![template("1001", "hello")]).await;
    let hold = world.platform.hold("/1001");
    let body = json!({"components": hello()});
    let (edited, ()) = tokio::join!(edit(&world, "1001", &body), async {
        hold.arrived().await;
        world.platform.misbehave("/1001", Misbehave::Status(500, error(2, "down").to_string()), 2);
        hold.end();
    });
    let edited = edited.expect(200);
    assert_eq!((&edited["status"], &edited["components"]), (&json!("PENDING"), &hello()));
    assert_eq!(sync(&world, &line.profile).await["updated"], 0);
}

#[tokio::test]
async fn a_deletion_is_of_one_language_or_of_all() {
    let world = World::new().await;
    let in_language = |id: &str, language: &str| {
        let mut made = template(id, "hello");
        made["language"] = json!(language);
        made
    };
    let all = vec![
        in_language("1001", "en_US"),
        in_language("1002", "de"),
        in_language("1003", "fr"),
        template("1004", "hello_2"),
    ];
    let line = synced(&world, "4305", all).await;
    assert_eq!(delete(&world, "1001").await.expect(200), json!({"deleted": ["1001"]}));
    let seen = world.platform.seen("message_templates").pop().unwrap();
    assert_eq!((seen.method.as_str(), seen.path.as_str()), ("DELETE", "/4305/message_templates"));
    assert_eq!((seen.query["name"].as_str(), seen.query["hsm_id"].as_str()), ("hello", "1001"));
    delete(&world, "1001").await.refused(404, Some("templateId"), None);
    for query in ["allLanguages=yes", "allLanguages", "allLanguages=true&allLanguages=true"] {
        delete(&world, &format!("1002?{query}")).await.refused(400, Some("allLanguages"), None);
    }
    delete(&world, "1002?limit=1").await.refused(400, Some("limit"), None);
    delete(&world, "1002?all=true").await.refused(400, Some("all"), None);
    assert_eq!(delete(&world, "1002?allLanguages=true").await.expect(200), json!({"deleted": ["1003", "1002"]}));
    let seen = world.platform.seen("message_templates").pop().unwrap();
    assert_eq!(
        (seen.method.as_str(), seen.query.get("hsm_id"), seen.query["name"].as_str()),
        ("DELETE", None, "hello")
    );
    assert_eq!(count(&world, "deleted").await, 3);
    // The platform's own notification comes later, and changes nothing.
    let deleted = json!({"event": "DELETED", "message_template_id": 1002, "message_template_name": "hello", "message_template_language": "de"});
    world.notify(&notification("4305", 2_000_000_000, "message_template_status_update", &deleted)).await.expect(200);
    assert_eq!(count(&world, "deleted").await, 3);
    let left = world.admin(Call::get(format!("{TEMPLATES}?chatBusinessProfileId={}", line.profile))).await.expect(200);
    assert_eq!(left["data"].as_array().unwrap().len(), 1);
    assert_eq!(sync(&world, &line.profile).await, json!({"added": 0, "updated": 0, "removed": 0, "total": 1}));
    // The item by name is gone too.
    let items = world.account.items().await;
    assert!(!items.iter().any(|item| item["PK"].starts_with("TPLNAME#") && item["PK"].ends_with("#hello")));
}

/// The platform has deleted the template, and its response was lost: the repeated request finds that it is gone.
#[tokio::test]
async fn a_repeated_deletion_succeeds() {
    let world = World::new().await;
    synced(&world, "4306", vec![template("1001", "hello"), template("1002", "hello_2")]).await;
    world.platform.misbehave("message_templates", Misbehave::Status(500, error(2, "down").to_string()), 1);
    let lost = delete(&world, "1001").await;
    assert_eq!(lost.status, 503, "{lost:?}");
    world.platform.state().accounts.get_mut("4306").unwrap().templates.retain(|known| known["id"] != "1001");
    assert_eq!(delete(&world, "1001").await.expect(200), json!({"deleted": ["1001"]}));
    // A rejection of a template that the platform still has is an error.
    world.platform.misbehave("message_templates", Misbehave::Status(400, error(100, "no").to_string()), 1);
    delete(&world, "1002").await.refused(422, None, Some("platform_api_error"));
    world.admin(Call::get(format!("{TEMPLATES}/1002"))).await.expect(200);
    world.platform.misbehave("message_templates", Misbehave::Status(400, error(131_000, "no").to_string()), 1);
    delete(&world, "1002").await.refused(502, None, Some("platform_api_error"));
}

#[tokio::test]
async fn simulated_templates_are_edited_and_deleted_as_real_ones() {
    let world = World::new().await;
    let account = fresh_account();
    let profile = text(&simulated_profile(&world, &account, false).await, "id");
    sync(&world, &profile).await;
    let welcome = format!("{account}00001");
    let edited = edit(&world, &welcome, &json!({"components": hello()})).await.expect(200);
    assert_eq!((&edited["status"], &edited["components"]), (&json!("PENDING"), &hello()));
    world.clock.advance(Duration::from_secs(1));
    tokio::time::sleep(Duration::from_millis(1500)).await;
    world.work_off().await;
    let reviewed = world.admin(Call::get(format!("{TEMPLATES}/{welcome}"))).await.expect(200);
    assert_eq!(reviewed["status"], "APPROVED");
    edit(&world, &welcome, &json!({"components": hello()})).await.refused(409, Some("templateId"), None);
    let order = format!("{account}00003");
    delete(&world, &order).await.expect(200);
    let made = json!({"chatBusinessProfileId": profile, "name": "order_update", "language": "de", "category": "UTILITY", "components": hello()});
    let made = world.admin(Call::post(TEMPLATES).json(&made)).await.expect(201);
    // The sync brings back neither the deleted template nor the first text; sale_1 makes way for sale_2.
    assert_eq!(sync(&world, &profile).await, json!({"added": 1, "updated": 0, "removed": 1, "total": 4}));
    let path = format!("{}?allLanguages=true", text(&made, "id"));
    assert_eq!(delete(&world, &path).await.expect(200), json!({"deleted": [made["id"]]}));
    assert!(world.platform.state().seen.is_empty());
}
