//! What needs attention is listed exactly as long as it does.

use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::{Value, json};
use tests::chat::{connect, notification};
use tests::request::text;
use tests::settings::TABLE;
use tests::{Call, Service as _, World};

const ATTENTION: &str = "/v1/organization/attention";
const ADMIN_KEYS: &str = "/v1/organization/admin-keys";
const DAY: Duration = Duration::from_secs(86_400);

fn need(kind: &str, target: &str) -> (String, String) {
    (kind.to_owned(), target.to_owned())
}

#[tokio::test]
async fn paused_and_rejected_templates_and_flagged_numbers_are_listed() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "5301").await;
    let tell = async |time: i64, field: &str, value: Value| {
        world.notify(&notification("5301", 2_000_000_000 + time, field, &value)).await.expect(200);
    };
    let template = async |time: i64, event: &str| {
        let value = json!({"event": event, "message_template_id": 7, "message_template_name": "welcome",
            "message_template_language": "en", "reason": "INVALID_FORMAT"});
        tell(time, "message_template_status_update", value).await;
    };
    assert_eq!(world.needs().await, []);
    template(0, "PAUSED").await;
    assert_eq!(world.needs().await, [need("TEMPLATE_PAUSED", "7")]);
    template(10, "REJECTED").await;
    assert_eq!(world.needs().await, [need("TEMPLATE_REJECTED", "7")]);
    let listed = world.attention().await[0].clone();
    assert_eq!(listed["message"], "WhatsApp has rejected the template welcome: INVALID_FORMAT.");
    assert_eq!((&listed["severity"], &listed["mode"]), (&json!("WARNING"), &json!("live")));
    assert!(listed["remedy"].as_str().unwrap().contains("PATCH"), "{listed}");
    template(20, "APPROVED").await;
    assert_eq!(world.needs().await, []);

    let quality = async |time: i64, event: &str| {
        let value = json!({"display_phone_number": line.display, "event": event});
        tell(time, "phone_number_quality_update", value).await;
    };
    quality(0, "FLAGGED").await;
    let since = world.attention().await[0]["since"].clone();
    quality(5, "THROUGHPUT_UPGRADE").await;
    world.clock.advance(DAY);
    template(30, "PAUSED").await;
    let both = [need("NUMBER_QUALITY_LOW", &line.number), need("TEMPLATE_PAUSED", "7")];
    assert_eq!(world.needs().await, both);
    assert_eq!(world.attention().await[0]["since"], since, "other changes do not renew it");
    template(40, "DELETED").await;
    quality(10, "UNFLAGGED").await;
    assert_eq!(world.needs().await, []);

    // An account that was disconnected at WhatsApp needs attention until it is connected again, or given up here.
    tell(50, "account_update", json!({"event": "PARTNER_REMOVED"})).await;
    assert_eq!(world.needs().await, [need("PROFILE_FAILED", &line.profile)]);
    world.admin(Call::delete(format!("/v1/organization/chat/business-profiles/{}", line.profile))).await.expect(200);
    assert_eq!(world.needs().await, []);
}

/// Simulated numbers can be flagged too, and are gone with their app.
#[tokio::test]
async fn a_simulated_number_is_listed_until_its_app_is_deleted() {
    let world = World::new().await;
    let numbers = world.send(Call::get("/v1/phone-numbers").key(&world.org.test_app_key)).await.expect(200);
    let number = numbers["data"].as_array().unwrap().iter().find(|number| number["kind"] == "chat").unwrap();
    let id = text(number, "id");
    let digits = text(number, "displayPhoneNumber").trim_start_matches('+').to_owned();
    let quality = async |event: &str| {
        world.clock.advance(Duration::from_secs(10));
        let value = json!({"display_phone_number": digits, "event": event});
        let body = json!({"field": "phone_number_quality_update", "value": value, "target": id});
        let replay = Call::post("/v1/playground/notifications").key(&world.org.test_app_key).json(&body);
        assert_eq!(world.send(replay).await.expect(202)["applied"], 1);
    };
    for event in ["FLAGGED", "UNFLAGGED", "FLAGGED"] {
        quality(event).await;
        let expected = if event == "FLAGGED" { vec![need("NUMBER_QUALITY_LOW", &id)] } else { Vec::new() };
        assert_eq!(world.needs().await, expected, "{event}");
    }
    world.admin(Call::delete(format!("/v1/organization/apps/{}", world.org.test_app))).await.expect(200);
    world.sweep().await;
    assert_eq!(world.needs().await, []);
}

/// The time before the end of a key brings it into the list by itself.
#[tokio::test]
async fn keys_are_listed_from_two_weeks_before_their_end() {
    let world = World::new().await;
    let ending = async |path: &str, days: u32| {
        let body = json!({"name": "Ends", "expiresAt": world.now().plus_days(days)});
        text(&world.admin(Call::post(path).json(&body)).await.expect(201), "id")
    };
    let app_keys = format!("/v1/organization/apps/{}/keys", world.org.app);
    let (of_admin, of_app) = (ending(ADMIN_KEYS, 20).await, ending(&app_keys, 30).await);
    let short = ending(&app_keys, 10).await;
    assert_eq!(world.needs().await, [], "a key that is made for days ends as it should: {short}");

    world.clock.advance(7 * DAY);
    assert_eq!(world.needs().await, [need("KEY_ENDS", &of_admin)]);
    world.clock.advance(10 * DAY);
    let mut both = [need("KEY_ENDS", &of_admin), need("KEY_ENDS", &of_app)];
    both.sort();
    assert_eq!(world.needs().await, both);

    let later = json!({"expiresAt": world.now().plus_days(100)});
    world.admin(Call::patch(format!("{ADMIN_KEYS}/{of_admin}")).json(&later)).await.expect(200);
    assert_eq!(world.needs().await, [need("KEY_ENDS", &of_app)]);
    world.admin(Call::delete(format!("{app_keys}/{of_app}"))).await.expect(200);
    assert_eq!(world.needs().await, []);

    let of_admin = ending(ADMIN_KEYS, 20).await;
    world.admin(Call::delete(format!("{ADMIN_KEYS}/{of_admin}"))).await.expect(200);
    world.clock.advance(10 * DAY);
    assert_eq!(world.needs().await, []);
    let other = ending(&app_keys, 20).await;
    world.clock.advance(15 * DAY);
    assert_eq!(world.needs().await, [need("KEY_ENDS", &other)]);
    world.admin(Call::delete(format!("/v1/organization/apps/{}", world.org.app))).await.expect(200);
    world.sweep().await;
    assert_eq!(world.needs().await, [], "an app takes what its keys need with it");
}

/// The simulated carrier refuses messages to this number because of the spend limit.
#[tokio::test]
async fn the_spend_limit_is_listed_for_a_day() {
    let world = World::new().await;
    let system = world.send(Call::get("/v1/playground/phone-numbers/system").key(&world.org.test_app_key)).await;
    let from = system.expect(200)["numbers"][0].clone();
    let sms = json!({"from": from, "to": "+99940004", "text": "Hello"});
    for _ in 0..2 {
        world.send(Call::post("/v1/sms").key(&world.org.test_app_key).json(&sms)).await;
    }
    let listed = world.attention().await;
    let first = listed.first().unwrap();
    assert_eq!([&first["kind"], &first["severity"], &first["mode"]], ["SPEND_LIMIT_REACHED", "CRITICAL", "test"]);
    assert_eq!(listed.len(), 1, "{listed:?}");
    world.clock.advance(DAY);
    assert_eq!(world.attention().await, [json!(null); 0]);
}

/// The counters of an organization tell which of its limits are nearly used.
#[tokio::test]
async fn limits_that_are_nearly_used_are_listed() {
    let world = World::new().await;
    let count = async |name: &str, count: u32| {
        let update = world.account.dynamodb.update_item().table_name(TABLE);
        let update = update.key("PK", AttributeValue::S(format!("ORG#{}", world.org.id)));
        let update = update.key("SK", AttributeValue::S("COUNT".to_owned())).update_expression("SET #name = :count");
        let update = update.expression_attribute_names("#name", name);
        update.expression_attribute_values(":count", AttributeValue::N(count.to_string())).send().await.unwrap();
    };
    let limit = domain::identity::app::APPS_PER_ORGANIZATION;
    count("liveApps", limit * 8 / 10).await;
    assert_eq!(world.needs().await, []);
    count("liveApps", limit * 8 / 10 + 1).await;
    count("testApps", limit).await;
    assert_eq!(world.needs().await, vec![need("QUOTA_NEARLY_USED", &world.org.id); 2]);
    let found = world.attention().await;
    assert_eq!(found[1]["message"], format!("{limit} of at most {limit} apps in test mode exist."));
    assert_eq!((&found[0]["since"], &found[0]["mode"]), (&json!(null), &json!("live")));

    // Each page has its part of them.
    let mut seen = Vec::new();
    let mut cursor = String::new();
    while seen.len() < 3 {
        let page = world.admin(Call::get(format!("{ATTENTION}?limit=1{cursor}"))).await.expect(200);
        seen.extend(page["data"].as_array().unwrap().clone());
        let Some(next) = page["nextCursor"].as_str() else { break };
        cursor = format!("&cursor={next}");
    }
    assert_eq!(seen, found);
}

/// Everybody sees what their organization, mode and scopes allow.
#[tokio::test]
async fn everybody_sees_their_own_attention() {
    let world = World::new().await;
    let other = world.organization("Other").await;
    let line = connect(&world, &world.org, "5302").await;
    let flagged = json!({"display_phone_number": line.display, "event": "FLAGGED"});
    world.notify(&notification("5302", 2_000_000_000, "phone_number_quality_update", &flagged)).await.expect(200);
    let ends = json!({"name": "Ends", "test": true, "expiresAt": world.now().plus_days(20)});
    let ending = text(&world.admin(Call::post(ADMIN_KEYS).json(&ends)).await.expect(201), "id");
    world.clock.advance(7 * DAY);
    let all = [need("KEY_ENDS", &ending), need("NUMBER_QUALITY_LOW", &line.number)];
    assert_eq!(world.needs().await, all);

    let seen = async |key: &str| {
        let list = world.send(Call::get(ATTENTION).key(key)).await.expect(200);
        let data = list["data"].as_array().unwrap().clone();
        data.iter().map(|need| (text(need, "kind"), text(&need["target"], "id"))).collect::<Vec<_>>()
    };
    assert_eq!(seen(&other.admin).await, []);
    assert_eq!(seen(&world.org.test_admin).await, all[..1]);
    let scoped = async |scopes: &[&str]| {
        let body = json!({"name": "Scoped", "scopes": scopes});
        text(&world.admin(Call::post(ADMIN_KEYS).json(&body)).await.expect(201), "key")
    };
    assert_eq!(seen(&scoped(&["settings:read", "numbers:read"]).await).await, all[1..]);
    assert_eq!(seen(&scoped(&["settings:read", "keys:write"]).await).await, all[..1]);
    assert_eq!(seen(&scoped(&["settings:read"]).await).await, []);
    world.send(Call::get(ATTENTION).key(&scoped(&["numbers:read"]).await)).await.refused(403, None, None);
    assert_eq!(world.send(Call::get(ATTENTION).key(&world.org.app_key)).await.status, 401);
}
