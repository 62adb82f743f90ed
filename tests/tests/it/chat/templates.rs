//! Templates through the API: created at the platform, adopted after a lost response, found, listed with filters, and in test
//! mode.

use std::time::Duration;

use serde_json::{Value, json};
use tests::catalogue::{fresh_account, simulated_profile};
use tests::chat::{Line, connect, event_counts, events, notification};
use tests::request::text;
use tests::standin::{Misbehave, error, template};
use tests::{Call, Reply, Service as _, World};

const TEMPLATES: &str = "/v1/organization/chat/templates";
const FIELDS: &str = "id,name,language,category,status,components,parameter_format,message_send_ttl_seconds,quality_score,rejected_reason";

fn components() -> Value {
    json!([
        {"type": "HEADER", "format": "TEXT", "text": "Order {{1}}", "example": {"header_text": ["12"]}},
        {"type": "BODY", "text": "Hello {{1}}, your order is on its way.", "example": {"body_text": [["Ann"]]}},
        {"type": "FOOTER", "text": "Acme"},
        {"type": "BUTTONS", "buttons": [{"type": "QUICK_REPLY", "text": "Stop"}]},
    ])
}

fn wanted(profile: &str, name: &str) -> Value {
    json!({"chatBusinessProfileId": profile, "name": name, "language": "en_US", "category": "UTILITY", "components": components()})
}

fn with(mut body: Value, fields: &Value) -> Value {
    body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    body
}

async fn create(world: &World, body: &Value) -> Reply {
    world.admin(Call::post(TEMPLATES).json(body)).await
}

async fn get(world: &World, id: &str) -> Reply {
    world.admin(Call::get(format!("{TEMPLATES}/{id}"))).await
}

async fn count(world: &World, name: &str) -> usize {
    event_counts(world, &world.org).await.get(&format!("templates.chat.{name}")).copied().unwrap_or(0)
}

fn is_creation(seen: &tests::standin::Seen) -> bool {
    seen.method == "POST"
}

fn creations(world: &World, line: &Line) -> Vec<Value> {
    let seen = world.platform.seen(&format!("{}/message_templates", line.account));
    seen.iter().filter(|seen| is_creation(seen)).map(tests::standin::Seen::json).collect()
}

#[tokio::test]
async fn a_template_is_created_at_the_platform_and_stored() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "4201").await;
    let made = create(&world, &wanted(&line.profile, "order_shipped")).await.expect(201);
    let seen = world.platform.seen("message_templates").pop().unwrap();
    assert_eq!((seen.method.as_str(), seen.path.as_str()), ("POST", "/4201/message_templates"));
    let sent = json!({"name": "order_shipped", "language": "en_US", "category": "UTILITY", "components": components()});
    assert_eq!(seen.json(), sent);
    let expected = json!({
        "id": made["id"], "chatBusinessProfileId": line.profile, "name": "order_shipped", "language": "en_US",
        "category": "UTILITY", "status": "PENDING", "components": components(), "parameterFormat": "POSITIONAL",
        "createdAt": made["createdAt"], "updatedAt": made["updatedAt"],
    });
    assert_eq!(made, expected);
    let id = text(&made, "id");
    assert_eq!(get(&world, &id).await.expect(200), made);
    assert_eq!(events(&world, &world.org, "templates.chat.created").await, std::slice::from_ref(&made));
    // What is optional is passed on, and letter case is that of the platform.
    let named = json!({"name": "hello_named", "category": "MARKETING", "parameterFormat": "NAMED", "messageSendTtlSeconds": 43_200, "components": [
        {"type": "body", "text": "Hi {{name}}!", "example": {"body_text_named_params": [{"param_name": "name", "example": "Ann"}]}}]});
    let made = create(&world, &with(wanted(&line.profile, ""), &named)).await.expect(201);
    assert_eq!(made["messageSendTtlSeconds"], 43_200);
    let sent = creations(&world, &line).pop().unwrap();
    assert_eq!((&sent["parameter_format"], &sent["message_send_ttl_seconds"]), (&json!("NAMED"), &json!(43_200)));
    assert_eq!(sent["components"][0]["type"], "BODY");
    // The notification of the review finds it.
    let approved = json!({"event": "APPROVED", "message_template_id": id.parse::<u64>().unwrap(), "message_template_name": "order_shipped",
        "message_template_language": "en-US", "reason": "NONE"});
    world.notify(&notification("4201", 2_000_000_000, "message_template_status_update", &approved)).await.expect(200);
    assert_eq!(get(&world, &id).await.expect(200)["status"], "APPROVED");
    assert_eq!(count(&world, "connected").await, 1);
}

#[tokio::test]
async fn mistakes_are_found_before_the_platform_is_called() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "4202").await;
    let good = wanted(&line.profile, "order_shipped");
    let image = json!([{"type": "HEADER", "format": "IMAGE", "example": {"header_handle": ["4::a"]}}, {"type": "BODY", "text": "x"}]);
    let long = json!([{"type": "BODY", "text": "x"}, {"type": "BUTTONS", "buttons": [
        {"type": "QUICK_REPLY", "text": "a"}, {"type": "QUICK_REPLY", "text": "b"}, {"type": "QUICK_REPLY", "text": "x".repeat(26)}]}]);
    for (fields, param) in [
        (json!({"chatBusinessProfileId": "nope"}), "chatBusinessProfileId"),
        (json!({"name": "Order"}), "name"),
        (json!({"name": "x".repeat(513)}), "name"),
        (json!({"language": "en-US"}), "language"),
        (json!({"category": "OTP"}), "category"),
        (json!({"parameterFormat": "named"}), "parameterFormat"),
        (json!({"components": {}}), "components"),
        (json!({"components": []}), "components"),
        (json!({"components": image}), "components[0].example.header_handle"),
        (json!({"components": long}), "components[1].buttons[2].text"),
        (json!({"components": [{"type": "BODY", "text": "x".repeat(1025)}]}), "components[0].text"),
        (json!({"messageSendTtlSeconds": 20}), "messageSendTtlSeconds"),
        (json!({"messageSendTtlSeconds": "60"}), "messageSendTtlSeconds"),
        (json!({"dryRun": "yes"}), "dryRun"),
        (json!({"status": "APPROVED"}), "status"),
    ] {
        for dry_run in [json!({}), json!({"dryRun": true})] {
            let body = with(with(good.clone(), &dry_run), &fields);
            create(&world, &body).await.refused(400, Some(param), None);
        }
    }
    for (name, fields) in [("name", good.clone()), ("components", good.clone())] {
        let mut body = fields;
        body.as_object_mut().unwrap().remove(name);
        create(&world, &body).await.refused(400, Some(name), None);
    }
    assert!(world.platform.seen("message_templates").is_empty());
}

#[tokio::test]
async fn a_dry_run_calls_nobody_and_stores_nothing() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "4203").await;
    let before = world.account.items().await.len();
    let body = with(wanted(&line.profile, "order_shipped"), &json!({"dryRun": true, "messageSendTtlSeconds": -1}));
    let call = Call::post(TEMPLATES).json(&body).header("idempotency-key", "dry");
    let valid = world.admin(call).await.expect(200);
    let expected = json!({"chatBusinessProfileId": line.profile, "name": "order_shipped", "language": "en_US",
        "category": "UTILITY", "components": components(), "messageSendTtlSeconds": -1});
    assert_eq!(valid, expected);
    assert_eq!(world.account.items().await.len(), before);
    assert!(world.platform.seen("message_templates").is_empty());
    let unknown = with(body, &json!({"chatBusinessProfileId": "wabp_0ujtsYcgvSTl8PAuAdqWYSMnLOv"}));
    create(&world, &unknown).await.refused(404, Some("chatBusinessProfileId"), None);
}

/// The platform creates the template, and its response is lost. The repeated request adopts it: nothing is created twice.
#[tokio::test]
async fn a_repeated_request_adopts_what_the_platform_has_created() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "4204").await;
    let body = wanted(&line.profile, "order_shipped");
    let call = || Call::post(TEMPLATES).json(&body).header("idempotency-key", "once");
    // The response is an error, although the template was created.
    let hold = world.platform.hold_with("message_templates", Some((500, error(2, "Service down").to_string())));
    let (lost, ()) = tokio::join!(world.admin(call()), async {
        hold.arrived().await;
        let mut made = body.clone();
        made["id"] = json!("77001");
        made["status"] = json!("PENDING");
        // The platform adds fields of its own.
        made["components"][1]["added"] = json!(true);
        world.platform.state().accounts.get_mut("4204").unwrap().templates.push(made);
        hold.end();
    });
    assert!(lost.status == 503 && lost.header("retry-after").is_some(), "{lost:?}");
    let adopted = world.admin(call()).await.expect(201);
    assert_eq!((&adopted["id"], &adopted["status"]), (&json!("77001"), &json!("PENDING")));
    assert_eq!(world.platform.state().accounts["4204"].templates.len(), 1);
    let lookup = world.platform.seen("message_templates").pop().unwrap();
    assert_eq!(
        (lookup.method.as_str(), lookup.query["name"].as_str(), lookup.query["fields"].as_str()),
        ("GET", "order_shipped", FIELDS)
    );
    // The same key returns the same response; without it, the template exists.
    let again = world.admin(call()).await;
    assert_eq!(again.header("idempotency-replayed"), Some("true"));
    assert_eq!(again.expect(201), adopted);
    create(&world, &body).await.refused(409, Some("name"), Some("resource_already_exists"));
    assert_eq!(count(&world, "created").await, 1);
}

#[tokio::test]
async fn another_template_with_the_name_is_not_adopted() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "4205").await;
    world.platform.state().accounts.get_mut("4205").unwrap().templates = vec![template("88001", "order_shipped")];
    let body = wanted(&line.profile, "order_shipped");
    create(&world, &body).await.refused(409, Some("name"), Some("resource_already_exists"));
    get(&world, "88001").await.refused(404, Some("templateId"), None);
    // A longer name is another one, and so is another language.
    create(&world, &wanted(&line.profile, "order")).await.expect(201);
    create(&world, &with(body, &json!({"language": "de"}))).await.expect(201);
}

/// The notification of the review overtakes the response.
#[tokio::test]
async fn a_notification_may_come_before_the_response() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "4206").await;
    let hold = world.platform.hold_with(
        "message_templates",
        Some((200, json!({"id": "99001", "status": "PENDING", "category": "UTILITY"}).to_string())),
    );
    let body = wanted(&line.profile, "order_shipped");
    let (made, ()) = tokio::join!(create(&world, &body), async {
        hold.arrived().await;
        let approved = json!({"event": "APPROVED", "message_template_id": 99_001, "message_template_name": "order_shipped", "message_template_language": "en_US"});
        world
            .notify(&notification("4206", 2_000_000_000, "message_template_status_update", &approved))
            .await
            .expect(200);
        hold.end();
    });
    let made = made.expect(201);
    assert_eq!((&made["status"], &made["components"]), (&json!("APPROVED"), &components()));
    assert_eq!(get(&world, "99001").await.expect(200), made);
    assert_eq!((count(&world, "created").await, count(&world, "updated").await), (1, 1));
}

#[tokio::test]
async fn the_platforms_refusals_are_passed_on_with_what_it_says_to_people() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "4207").await;
    let mut odd = error(100, "Invalid parameter");
    odd["error"]["error_user_msg"] = json!("The message has too many variables for its length.");
    world.platform.misbehave("message_templates", Misbehave::Status(400, odd.to_string()), 1);
    let refused =
        create(&world, &wanted(&line.profile, "order_shipped")).await.refused(422, None, Some("platform_api_error"));
    let message = refused["error"]["provider"]["message"].as_str().unwrap();
    assert_eq!(message, "Invalid parameter: The message has too many variables for its length.");
    for (code, status, ours) in
        [(80_007, 429, "chat_rate_limited"), (131_000, 502, "platform_api_error"), (190, 422, "platform_api_error")]
    {
        world.platform.misbehave("message_templates", Misbehave::Status(400, error(code, "no").to_string()), 1);
        create(&world, &wanted(&line.profile, "order_shipped")).await.refused(status, None, Some(ours));
    }
    assert_eq!(count(&world, "created").await, 0);
}

#[tokio::test]
async fn lists_are_filtered() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "4208").await;
    let mut all = Vec::new();
    for number in 0..12_u32 {
        let mut each = template(&format!("{}", 500_100 + number), &format!("name_{}", number / 3));
        each["language"] = json!(["de", "en_US", "fr"][(number % 3) as usize]);
        each["category"] = json!(if number < 6 { "UTILITY" } else { "MARKETING" });
        each["status"] = json!(if number % 2 == 0 { "APPROVED" } else { "REJECTED" });
        all.push(each);
    }
    world.platform.state().accounts.get_mut("4208").unwrap().templates = all;
    let sync = json!({"chatBusinessProfileId": line.profile});
    world.admin(Call::post(format!("{TEMPLATES}/sync")).json(&sync)).await.expect(200);
    let profile = &line.profile;
    let walk = async |filters: &str, limit: usize| {
        let (mut ids, mut cursor) = (Vec::new(), String::new());
        loop {
            let path = format!("{TEMPLATES}?chatBusinessProfileId={profile}&limit={limit}{filters}{cursor}");
            let page = world.admin(Call::get(path)).await.expect(200);
            ids.extend(page["data"].as_array().unwrap().iter().map(|each| text(each, "id")));
            let Some(next) = page["nextCursor"].as_str() else { return ids };
            cursor = format!("&cursor={next}");
        }
    };
    let ids = |numbers: &[u32]| numbers.iter().map(|number| format!("{}", 500_100 + number)).collect::<Vec<_>>();
    for limit in [1, 2, 100] {
        assert_eq!(walk("", limit).await.len(), 12);
        assert_eq!(walk("&name=name_1", limit).await, ids(&[5, 4, 3]));
        assert_eq!(walk("&name=name_1&language=en_US", limit).await, ids(&[4]));
        assert_eq!(walk("&language=fr", limit).await, ids(&[11, 8, 5, 2]));
        assert_eq!(walk("&category=MARKETING&status=REJECTED", limit).await, ids(&[11, 9, 7]));
        assert_eq!(walk("&name=none", limit).await, ids(&[]));
    }
    let of = |query: &str| world.admin(Call::get(format!("{TEMPLATES}?chatBusinessProfileId={profile}{query}")));
    for (query, param) in [
        ("&name=Name", "name"),
        ("&language=", "language"),
        ("&status=", "status"),
        ("&category=", "category"),
        ("&state=x", "state"),
    ] {
        of(query).await.refused(400, Some(param), None);
    }
    // A cursor belongs to its filters.
    let first = of("&limit=1&language=fr").await.expect(200);
    let other = format!("&limit=1&language=de&cursor={}", text(&first, "nextCursor"));
    of(&other).await.refused(400, Some("cursor"), None);
}

#[tokio::test]
async fn a_template_belongs_to_the_organization_and_its_mode() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "4209").await;
    let made = create(&world, &wanted(&line.profile, "order_shipped")).await.expect(201);
    let path = format!("{TEMPLATES}/{}", text(&made, "id"));
    let stranger = world.organization("Stranger").await;
    let before = world.platform.state().seen.len();
    for key in [&stranger.admin, &world.org.test_admin] {
        let body = wanted(&line.profile, "another");
        world.send(Call::post(TEMPLATES).json(&body).key(key)).await.refused(404, Some("chatBusinessProfileId"), None);
        world.send(Call::get(&path).key(key)).await.refused(404, Some("templateId"), None);
        let change = Call::patch(&path).json(&json!({"category": "MARKETING"}));
        world.send(change.key(key)).await.refused(404, Some("templateId"), None);
        world.send(Call::delete(&path).key(key)).await.refused(404, Some("templateId"), None);
    }
    world.send(Call::get(&path).key(&world.org.session)).await.expect(200);
    get(&world, "abc").await.refused(400, Some("templateId"), None);
    assert_eq!(world.platform.state().seen.len(), before);
}

#[tokio::test]
async fn the_simulated_platform_reviews_templates_a_second_later() {
    let world = World::new().await;
    let profile = text(&simulated_profile(&world, &fresh_account(), false).await, "id");
    let test = |call: Call| world.send(call.key(&world.org.test_admin));
    let mut made = Vec::new();
    for name in ["order_shipped", "order_rejected", "order_pending"] {
        let template = test(Call::post(TEMPLATES).json(&wanted(&profile, name))).await.expect(201);
        assert_eq!(template["status"], "PENDING");
        made.push(text(&template, "id"));
    }
    test(Call::post(TEMPLATES).json(&wanted(&profile, "order_shipped"))).await.refused(
        409,
        Some("name"),
        Some("resource_already_exists"),
    );
    world.clock.advance(Duration::from_secs(1));
    tokio::time::sleep(Duration::from_millis(1500)).await;
    world.work_off().await;
    let mut reviewed = Vec::new();
    for id in &made {
        let template = test(Call::get(format!("{TEMPLATES}/{id}"))).await.expect(200);
        reviewed.push((text(&template, "status"), template["rejectedReason"].clone()));
    }
    let expected = [("APPROVED", Value::Null), ("REJECTED", json!("INVALID_FORMAT")), ("PENDING", Value::Null)];
    assert_eq!(reviewed, expected.map(|(status, reason)| (status.to_owned(), reason)));
    assert_eq!((count(&world, "created").await, count(&world, "connected").await), (3, 1));
    // A sync finds the same templates beside those that every account has.
    let sync = Call::post(format!("{TEMPLATES}/sync")).json(&json!({"chatBusinessProfileId": profile}));
    let counts = test(sync).await.expect(200);
    assert_eq!(counts, json!({"added": 4, "updated": 0, "removed": 0, "total": 7}));
    let odd = with(wanted(&profile, "odd"), &json!({"components": [{"type": "BODY", "text": "Hello-2388293"}]}));
    let refused = test(Call::post(TEMPLATES).json(&odd)).await.refused(422, None, Some("platform_api_error"));
    assert_eq!(refused["error"]["provider"]["code"], 2_388_293);
    assert!(world.platform.state().seen.is_empty());
    assert!(world.dead_letters().await.is_empty());
}
