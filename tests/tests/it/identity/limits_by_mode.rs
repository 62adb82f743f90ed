//! Each limit of an organization is counted by mode: test objects never use up what live ones need.

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::{Value, json};
use tests::catalogue::SIGNUP;
use tests::request::text;
use tests::settings::TABLE;
use tests::{Call, Service as _, World};

const KEYS: &str = "/v1/organization/admin-keys";
const APPS: &str = "/v1/organization/apps";
const NUMBERS: &str = "/v1/organization/phone-numbers";
const LINKS: &str = "/v1/organization/chat/onboarding-links";

fn key(test: bool) -> Call {
    Call::post(KEYS).json(&json!({"name": "k", "test": test}))
}

fn counters(world: &World) -> (String, String) {
    (format!("ORG#{}", world.org.id), "COUNT".to_owned())
}

/// The counters of the organization that are numbers.
async fn counted(world: &World, name: &str) -> i64 {
    let items = world.account.items().await;
    let item = items.iter().find(|item| item["PK"] == counters(world).0 && item["SK"] == "COUNT").unwrap();
    item.get(name).map_or(0, |count| count.parse().unwrap())
}

/// Sets the counters as a version does that counts the objects of both modes together: `changes` of attributes, `None` to
/// remove one.
async fn count_together(world: &World, name: &str, total: usize) {
    let capital = name[..1].to_uppercase() + &name[1..];
    let (partition, sort) = counters(world);
    let call = world.account.dynamodb.update_item().table_name(TABLE);
    let call = call.key("PK", AttributeValue::S(partition)).key("SK", AttributeValue::S(sort));
    let call = call.update_expression("SET #total = :total REMOVE #live, #test");
    let call = call.expression_attribute_names("#total", name);
    let call = call.expression_attribute_names("#live", format!("live{capital}"));
    let call = call.expression_attribute_names("#test", format!("test{capital}"));
    call.expression_attribute_values(":total", AttributeValue::N(total.to_string())).send().await.unwrap();
}

async fn list(world: &World, path: &str) -> Vec<Value> {
    let path = format!("{path}{}limit=100", if path.contains('?') { '&' } else { '?' });
    world.admin(Call::get(path)).await.expect(200)["data"].as_array().unwrap().clone()
}

/// As a rotation needs a live key although there are as many test keys as there can be.
#[tokio::test]
async fn test_admin_keys_leave_room_for_live_ones() {
    let world = World::new().await;
    for _ in 1..50 {
        world.admin(key(true)).await.expect(201);
    }
    let refused = world.admin(key(true)).await.refused(400, Some("adminKeys"), None);
    let message = text(&refused["error"], "message");
    assert!(message.contains("50") && message.contains("test admin keys"), "{message}");
    for _ in 1..50 {
        world.admin(key(false)).await.expect(201);
    }
    let refused = world.admin(key(false)).await.refused(400, Some("adminKeys"), None);
    assert!(text(&refused["error"], "message").contains("live admin keys"), "{refused}");
    // A deleted key frees a place of its own mode.
    let keys = list(&world, KEYS).await;
    let test = keys.iter().find(|key| text(key, "id").starts_with("key_admin_test_")).unwrap();
    world.admin(Call::delete(format!("{KEYS}/{}", text(test, "id")))).await.expect(200);
    world.admin(key(false)).await.refused(400, Some("adminKeys"), None);
    world.admin(key(true)).await.expect(201);
}

#[tokio::test]
async fn test_apps_leave_room_for_live_ones() {
    let world = World::new().await;
    let app = |n: usize, test: bool| Call::post(APPS).json(&json!({"name": format!("App {test} {n}"), "test": test}));
    for n in 1..100 {
        world.admin(app(n, true)).await.expect(201);
    }
    world.admin(app(100, true)).await.refused(400, Some("apps"), None);
    for n in 1..100 {
        world.admin(app(n, false)).await.expect(201);
    }
    let refused = world.admin(app(100, false)).await.refused(400, Some("apps"), None);
    assert!(text(&refused["error"], "message").contains("live apps"), "{refused}");
}

#[tokio::test]
async fn test_links_leave_room_for_live_ones() {
    let world = World::new().await;
    let link = |test: bool| {
        let body =
            json!({"successUrl": "https://example.com/done", "failureUrl": "https://example.com/no", "test": test});
        Call::post(LINKS).json(&body)
    };
    let mut first = None;
    for _ in 0..100 {
        first = Some(text(&world.admin(link(true)).await.expect(201), "id"));
    }
    world.admin(link(true)).await.refused(400, Some("onboardingLinks"), None);
    let live = text(&world.admin(link(false)).await.expect(201), "id");
    world.admin(Call::delete(format!("{LINKS}/{live}"))).await.expect(200);
    world.admin(link(true)).await.refused(400, Some("onboardingLinks"), None);
    world.admin(Call::delete(format!("{LINKS}/{}", first.unwrap()))).await.expect(200);
    world.admin(link(true)).await.expect(201);
}

#[tokio::test]
async fn test_webhooks_leave_room_for_live_ones() {
    let world = World::new().await;
    let hook = json!({"url": "https://example.com/", "events": ["chat.account.connected"]});
    let make = async |app: &str| world.admin(Call::post(format!("{APPS}/{app}/webhooks")).json(&hook)).await;
    let second = world.app(&world.org.admin, &json!({"name": "Two", "test": true})).await.0;
    let third = world.app(&world.org.admin, &json!({"name": "Three", "test": true})).await.0;
    let mut made = Vec::new();
    for app in [&world.org.test_app, &second] {
        for _ in 0..20 {
            made.push((app.clone(), text(&make(app).await.expect(201), "id")));
        }
    }
    make(&third).await.refused(400, Some("events"), None);
    make(&world.org.app).await.expect(201);
    // A deleted one frees a place of its own mode.
    let (app, id) = &made[0];
    world.admin(Call::delete(format!("{APPS}/{app}/webhooks/{id}"))).await.expect(200);
    make(&third).await.expect(201);
    make(&third).await.refused(400, Some("events"), None);
    make(&world.org.app).await.expect(201);
}

/// Numbers and profiles: the counters of one mode are not those of the other.
#[tokio::test]
async fn numbers_and_profiles_are_counted_by_mode() {
    let world = World::new().await;
    let number =
        |n: usize, test: bool| Call::post(NUMBERS).json(&json!({"number": format!("+120155501{n:02}"), "test": test}));
    let app_numbers = counted(&world, "phoneNumbers").await;
    for n in 0..3 {
        world.admin(number(n, true)).await.expect(201);
    }
    assert_eq!(counted(&world, "phoneNumbers").await, app_numbers, "test numbers take no place of live ones");
    let live = text(&world.admin(number(10, false)).await.expect(201), "id");
    assert_eq!(counted(&world, "phoneNumbers").await, app_numbers + 1);
    world.admin(Call::delete(format!("{NUMBERS}/{live}"))).await.expect(200);
    assert_eq!(counted(&world, "phoneNumbers").await, app_numbers);

    for n in 0..2 {
        let account = format!("88{n}");
        let body = json!({"code": account, "wabaId": account, "test": true});
        world.admin(Call::post(SIGNUP).json(&body)).await.expect(201);
    }
    assert_eq!(counted(&world, "chatBusinessProfiles").await, 0);
    assert_eq!(counted(&world, "chatPhoneNumbers").await, 0);
    world.platform.account("889", &[("8891", "+12015558891")]);
    let body = json!({"code": "code.889", "wabaId": "889"});
    world.admin(Call::post(SIGNUP).json(&body)).await.expect(201);
    assert_eq!((counted(&world, "chatBusinessProfiles").await, counted(&world, "chatPhoneNumbers").await), (1, 1));
}

/// An organization whose counters are from a version that counted both modes together: what they say of live objects
/// includes test ones. A creation that they refuse counts anew.
#[tokio::test]
async fn counters_of_both_modes_together_are_replaced_when_they_refuse() {
    let world = World::new().await;
    for _ in 0..30 {
        world.admin(key(true)).await.expect(201);
    }
    for _ in 0..10 {
        world.admin(Call::post(APPS).json(&json!({"name": "Some app"}))).await.expect(201);
    }
    count_together(&world, "adminKeys", 50).await;
    count_together(&world, "apps", 100).await;
    count_together(&world, "phoneNumbers", 1000).await;
    count_together(&world, "chatBusinessProfiles", 50).await;
    count_together(&world, "chatPhoneNumbers", 1000).await;
    world.admin(key(false)).await.expect(201);
    world.admin(Call::post(APPS).json(&json!({"name": "Another app"}))).await.expect(201);
    world.admin(Call::post(NUMBERS).json(&json!({"number": "+12015550100"}))).await.expect(201);
    world.platform.account("887", &[("8871", "+12015558871")]);
    let signup = world.admin(Call::post(SIGNUP).json(&json!({"code": "code.887", "wabaId": "887"}))).await.expect(201);
    assert_eq!(signup["phoneNumbers"].as_array().unwrap().len(), 1);
    let items = store::maintenance::Maintenance::new(world.account.dynamodb.clone(), TABLE);
    let items = items.scan(store::keys::KeyClass::ALL).await.unwrap();
    let wrong = store::maintenance::miscounts(&items).unwrap();
    assert!(wrong.is_empty(), "{wrong:?}");
    // The limits hold exactly from then on.
    for _ in 2..50 {
        world.admin(key(false)).await.expect(201);
    }
    world.admin(key(false)).await.refused(400, Some("adminKeys"), None);
    for _ in 31..50 {
        world.admin(key(true)).await.expect(201);
    }
    world.admin(key(true)).await.refused(400, Some("adminKeys"), None);
}

/// Also the list of webhooks that a version has kept for both modes together.
#[tokio::test]
async fn webhooks_listed_for_both_modes_together_are_sorted_when_they_refuse() {
    let world = World::new().await;
    let hook = json!({"url": "https://example.com/", "events": ["chat.account.connected"]});
    let make = async |app: &str| world.admin(Call::post(format!("{APPS}/{app}/webhooks")).json(&hook)).await;
    let second = world.app(&world.org.admin, &json!({"name": "Two", "test": true})).await.0;
    let mut ids = Vec::new();
    for app in [&world.org.test_app, &second] {
        for _ in 0..20 {
            ids.push(text(&make(app).await.expect(201), "id"));
        }
    }
    let (partition, sort) = counters(&world);
    let call = world.account.dynamodb.update_item().table_name(TABLE);
    let call = call.key("PK", AttributeValue::S(partition)).key("SK", AttributeValue::S(sort));
    let call = call.update_expression("SET organizationWebhooks = :ids REMOVE testOrganizationWebhooks");
    call.expression_attribute_values(":ids", AttributeValue::Ss(ids.clone())).send().await.unwrap();
    make(&world.org.app).await.expect(201);
    // A test webhook that is deleted frees its place.
    let third = world.app(&world.org.admin, &json!({"name": "Three", "test": true})).await.0;
    make(&third).await.refused(400, Some("events"), None);
    world.admin(Call::delete(format!("{APPS}/{second}/webhooks/{}", ids[39]))).await.expect(200);
    make(&third).await.expect(201);
}
