//! Creating a template: what the platform is asked, what it answers, and what is adopted if the response was lost.

use serde_json::{Value, json};
use tests::chat::{Line, connect, events, notification};
use tests::request::text;
use tests::standin::{Misbehave, error, template};
use tests::{Call, Service as _, World};

use super::{TEMPLATES, components, count, create, get, wanted};
use crate::chat::{assert_fields, merged};

/// The fields that a lookup of a template asks for.
const FIELDS: &str = "id,name,language,category,status,components,parameter_format,message_send_ttl_seconds,\
    quality_score,rejected_reason";

/// The bodies of the requests to create a template of the line's account.
fn creations(world: &World, line: &Line) -> Vec<Value> {
    let seen = world.platform.seen(&format!("{}/message_templates", line.account));
    seen.iter().filter(|seen| seen.method == "POST").map(|seen| seen.json()).collect()
}

/// An approval of a template, as the platform reports it.
fn approved(account: &str, id: u64, name: &str) -> Value {
    let told = json!({"event": "APPROVED", "message_template_id": id, "message_template_name": name,
        "message_template_language": "en-US", "reason": "NONE"});
    notification(account, 2_000_000_000, "message_template_status_update", &told)
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
    let example = json!({"body_text_named_params": [{"param_name": "name", "example": "Ann"}]});
    let named = json!({"name": "hello_named", "category": "MARKETING", "parameterFormat": "NAMED",
        "messageSendTtlSeconds": 43_200,
        "components": [{"type": "body", "text": "Hi {{name}}!", "example": example}]});
    let made = create(&world, &merged(wanted(&line.profile, ""), &named)).await.expect(201);
    assert_eq!(made["messageSendTtlSeconds"], 43_200);
    let sent = creations(&world, &line).pop().unwrap();
    assert_fields(&sent, &json!({"parameter_format": "NAMED", "message_send_ttl_seconds": 43_200}));
    assert_eq!(sent["components"][0]["type"], "BODY");

    // The notification of the review finds it.
    world.notify(&approved("4201", id.parse().unwrap(), "order_shipped")).await.expect(200);
    assert_eq!(get(&world, &id).await.expect(200)["status"], "APPROVED");
    assert_eq!(count(&world, "connected").await, 1);
}

#[tokio::test]
async fn mistakes_are_found_before_the_platform_is_called() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "4202").await;
    let good = wanted(&line.profile, "order_shipped");
    let body = json!({"type": "BODY", "text": "x"});
    let image = json!([{"type": "HEADER", "format": "IMAGE", "example": {"header_handle": ["4::a"]}}, body]);
    let reply = |text: &str| json!({"type": "QUICK_REPLY", "text": text});
    let long = json!([body, {"type": "BUTTONS", "buttons": [reply("a"), reply("b"), reply(&"x".repeat(26))]}]);

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
            let body = merged(merged(good.clone(), &dry_run), &fields);
            create(&world, &body).await.refused(400, Some(param), None);
        }
    }

    for name in ["name", "components"] {
        let mut body = good.clone();
        body.as_object_mut().unwrap().remove(name);
        create(&world, &body).await.refused(400, Some(name), None);
    }
    assert!(world.platform.seen("message_templates").is_empty());
}

#[tokio::test]
async fn a_dry_run_makes_no_call_and_stores_nothing() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "4203").await;
    let before = world.account.items().await.len();

    let body = merged(wanted(&line.profile, "order_shipped"), &json!({"dryRun": true, "messageSendTtlSeconds": -1}));
    let call = Call::post(TEMPLATES).json(&body).header("idempotency-key", "dry");
    let valid = world.admin(call).await.expect(200);
    let expected = json!({"chatBusinessProfileId": line.profile, "name": "order_shipped", "language": "en_US",
        "category": "UTILITY", "components": components(), "messageSendTtlSeconds": -1});
    assert_eq!(valid, expected);
    assert_eq!(world.account.items().await.len(), before);
    assert!(world.platform.seen("message_templates").is_empty());

    let unknown = merged(body, &json!({"chatBusinessProfileId": "wabp_0ujtsYcgvSTl8PAuAdqWYSMnLOv"}));
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
    assert_fields(&adopted, &json!({"id": "77001", "status": "PENDING"}));
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
    create(&world, &merged(body, &json!({"language": "de"}))).await.expect(201);
}

/// The notification of the review overtakes the response.
#[tokio::test]
async fn a_notification_may_come_before_the_response() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "4206").await;
    let body = wanted(&line.profile, "order_shipped");
    let response = json!({"id": "99001", "status": "PENDING", "category": "UTILITY"}).to_string();
    let hold = world.platform.hold_with("message_templates", Some((200, response)));

    let (made, ()) = tokio::join!(create(&world, &body), async {
        hold.arrived().await;
        world.notify(&approved("4206", 99_001, "order_shipped")).await.expect(200);
        hold.end();
    });

    let made = made.expect(201);
    assert_fields(&made, &json!({"status": "APPROVED", "components": components()}));
    assert_eq!(get(&world, "99001").await.expect(200), made);
    assert_eq!((count(&world, "created").await, count(&world, "updated").await), (1, 1));
}

#[tokio::test]
async fn the_platforms_refusals_are_passed_on_with_what_it_says_to_people() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "4207").await;
    let body = wanted(&line.profile, "order_shipped");

    let mut odd = error(100, "Invalid parameter");
    odd["error"]["error_user_msg"] = json!("The message has too many variables for its length.");
    world.platform.misbehave("message_templates", Misbehave::Status(400, odd.to_string()), 1);
    let refused = create(&world, &body).await.refused(422, None, Some("platform_api_error"));
    let message = refused["error"]["provider"]["message"].as_str().unwrap();
    assert_eq!(message, "Invalid parameter: The message has too many variables for its length.");

    for (code, status, ours) in
        [(80_007, 429, "chat_rate_limited"), (131_000, 502, "platform_api_error"), (190, 422, "platform_api_error")]
    {
        world.platform.misbehave("message_templates", Misbehave::Status(400, error(code, "no").to_string()), 1);
        create(&world, &body).await.refused(status, None, Some(ours));
    }
    assert_eq!(count(&world, "created").await, 0);
}
