//! Quotas of apps, profiles and organizations hold exactly, even with twenty concurrent requests.

use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use futures_util::future::join_all;
use serde_json::{Value, json};
use tests::catalogue::{SIGNUP, fresh_account, number_that_came_later, put_bytes, simulated_profile};
use tests::request::text;
use tests::samples::PDF;
use tests::settings::TABLE;
use tests::{Call, Reply, Service as _, World};

const HOUR: i64 = 3600;
const DAY: i64 = 24 * HOUR;

/// Sets the usage in the current period.
async fn spent(world: &World, scope: &str, (attribute, amount): (&str, u64), period: i64) {
    let table = &world.account.dynamodb;
    let key = |text: String| AttributeValue::S(text);
    let call = table.put_item().table_name(TABLE).item("PK", key(format!("RATE#{}#{scope}", world.org.id)));
    let call = call.item("SK", key(format!("{:010}", world.now().seconds() / period)));
    call.item(attribute, AttributeValue::N(amount.to_string())).send().await.unwrap();
}

/// Checks for 429 and the start of the next period.
fn is_over(reply: Reply, at_most: i64) {
    let after: i64 = reply.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=at_most).contains(&after), "{after}");
    let refused = reply.expect(429);
    assert_eq!(refused["error"]["code"], "rate_limit_exceeded");
}

async fn at_once(world: &World, count: usize, call: impl Fn(usize) -> Call) -> (usize, Vec<Reply>) {
    let replies = join_all((0..count).map(|index| world.send(call(index)))).await;
    let (made, refused): (Vec<_>, Vec<_>) = replies.into_iter().partition(|reply| reply.status.is_success());
    (made.len(), refused)
}

fn announce(key: &str, size: u64) -> Call {
    let body = json!({"fileName": "a.pdf", "mimeType": "application/pdf", "fileSize": size});
    Call::post("/v1/media/uploads").key(key).json(&body)
}

#[tokio::test]
async fn a_test_app_uploads_a_gigabyte_a_day() {
    let world = World::new().await;
    let key = &world.org.test_app_key;
    for _ in 0..9 {
        world.send(announce(key, 100_000_000)).await.expect(201);
    }
    let (made, refused) = at_once(&world, 20, |_| announce(key, 50_000_000)).await;
    assert_eq!(made, 2);
    refused.into_iter().for_each(|reply| is_over(reply, DAY));
    is_over(world.send(Call::post("/v1/media").key(key).file("a.pdf", None, PDF)).await, DAY);
    // Another app and another day have their own quota.
    world.send(announce(&world.org.app_key, 100_000_000)).await.expect(201);
    world.clock.advance(Duration::from_secs(DAY.unsigned_abs()));
    world.send(Call::post("/v1/media").key(key).file("a.pdf", None, PDF)).await.expect(201);
}

#[tokio::test]
async fn what_a_live_app_uploads_in_a_day_is_for_the_operator_to_say() {
    let world = World::new().await;
    let scope = world.org.app.clone();
    spent(&world, &scope, ("uploadedBytes", 2_000_000_000 - PDF.len() as u64), DAY).await;
    world.send(Call::post("/v1/media").key(&world.org.app_key).file("a.pdf", None, PDF)).await.expect(201);
    is_over(world.send(Call::post("/v1/media").key(&world.org.app_key).file("a.pdf", None, PDF)).await, DAY);
}

#[tokio::test]
async fn a_hundred_uploads_may_be_pending() {
    let world = World::new().await;
    let key = &world.org.app_key;
    let size = PDF.len() as u64;
    let first = world.send(announce(key, size)).await.expect(201);
    for _ in 0..89 {
        world.send(announce(key, size)).await.expect(201);
    }
    let (made, refused) = at_once(&world, 20, |_| announce(key, size)).await;
    assert_eq!(made, 10);
    refused.into_iter().for_each(|reply| is_over(reply, 60));

    // A completed upload frees one place, however often it is completed.
    put_bytes(&first, PDF.to_vec()).await.unwrap();
    let complete = format!("/v1/media/{}/complete", text(&first, "id"));
    for _ in 0..3 {
        world.send(Call::post(&complete).key(key)).await.expect(200);
    }
    let (made, _) = at_once(&world, 20, |_| announce(key, size)).await;
    assert_eq!(made, 1);

    // Each abandoned upload frees one place.
    world.clock.advance(Duration::from_secs(21 * 60));
    world.sweep().await;
    let (made, _) = at_once(&world, 110, |_| announce(key, size)).await;
    assert_eq!(made, 100);
}

#[tokio::test]
async fn an_app_simulates_ten_thousand_messages_a_day() {
    let world = World::new().await;
    let key = &world.org.test_app_key;
    let numbers = world.send(Call::get("/v1/playground/phone-numbers/system").key(key)).await.expect(200);
    let scope = world.org.test_app.clone();
    spent(&world, &scope, ("playgroundMessages", 9_990), DAY).await;
    let body = json!({"from": numbers["numbers"][0], "to": "+15550009999", "text": "Hello"});
    let call = |_| Call::post("/v1/playground/sms/messages").key(key).json(&body);
    let (made, refused) = at_once(&world, 20, call).await;
    assert_eq!(made, 10);
    refused.into_iter().for_each(|reply| is_over(reply, DAY));
    world.clock.advance(Duration::from_secs(DAY.unsigned_abs()));
    world.send(call(0)).await.expect(201);
}

fn signup(code: &str) -> Value {
    json!({"code": code, "wabaId": "4917000001", "test": true})
}

#[tokio::test]
async fn an_organization_tries_twenty_signups_an_hour() {
    let world = World::new().await;
    let call = |body: &Value| Call::post("/v1/organization/chat/business-profiles/callback").json(body);
    spent(&world, "onboardings_test", ("onboardings", 19), HOUR).await;
    world.admin(call(&signup("one"))).await.expect(201);
    is_over(world.admin(call(&signup("two"))).await, HOUR);
    // Rejected requests are rejected again, and completed ones return their result again.
    is_over(world.admin(call(&signup("two"))).await, HOUR);
    world.admin(call(&signup("one"))).await.expect(200);
    world.clock.advance(Duration::from_secs(HOUR.unsigned_abs()));
    assert!(world.admin(call(&signup("two"))).await.status.is_success());
}

#[tokio::test]
async fn a_profile_is_synced_sixty_times_an_hour() {
    let world = World::new().await;
    let callback = "/v1/organization/chat/business-profiles/callback";
    let profile = world.admin(Call::post(callback).json(&signup("one"))).await.expect(201);
    let id = text(&profile, "id");
    spent(&world, &id, ("syncs", 59), HOUR).await;
    let body = json!({"chatBusinessProfileId": id});
    let sync = || world.admin(Call::post("/v1/organization/chat/templates/sync").json(&body));
    world.with_worker(sync()).await.expect(200);
    is_over(world.with_worker(sync()).await, HOUR);
    is_over(world.with_worker(sync()).await, HOUR);
    world.clock.advance(Duration::from_secs(HOUR.unsigned_abs()));
    world.with_worker(sync()).await.expect(200);
}

/// Sets a counter of the test organization.
async fn has(world: &World, counter: &str, value: usize) {
    world.account.set_counter((format!("ORG#{}", world.org.id), "COUNT".to_owned()), counter, value).await;
}

/// The last object within a limit is created, and the next one is rejected.
async fn one_more_is_left(world: &World, counter: &str, call: impl Fn(usize) -> Call) {
    world.send(call(0)).await.expect(201);
    world.send(call(1)).await.refused(400, Some(counter), None);
}

#[tokio::test]
async fn an_organization_has_a_thousand_phone_numbers() {
    let world = World::new().await;
    has(&world, "phoneNumbers", 999).await;
    let body = |n: usize| json!({"number": format!("+1201555010{n}"), "appIds": [world.org.app]});
    let call = |n| Call::post("/v1/organization/phone-numbers").key(&world.org.admin).json(&body(n));
    one_more_is_left(&world, "phoneNumbers", call).await;
}

#[tokio::test]
async fn an_organization_has_a_thousand_playground_users() {
    let world = World::new().await;
    has(&world, "playgroundUsers", 999).await;
    let call = |_| Call::post("/v1/playground/chat/phone-numbers/user").key(&world.org.test_app_key);
    one_more_is_left(&world, "playgroundUsers", call).await;
}

#[tokio::test]
async fn an_organization_has_fifty_business_profiles() {
    let world = World::new().await;
    has(&world, "chatBusinessProfiles", 49).await;
    let accounts = [fresh_account(), fresh_account()];
    let body = |n: usize| json!({"code": accounts[n], "wabaId": accounts[n], "test": true});
    let call = |n| Call::post(SIGNUP).key(&world.org.admin).json(&body(n));
    one_more_is_left(&world, "chatBusinessProfiles", call).await;
    // Existing accounts can be connected again.
    let again = json!({"code": "another", "wabaId": accounts[0], "test": true});
    world.admin(Call::post(SIGNUP).json(&again)).await.expect(200);
}

/// A signup leaves out numbers over the limit, and a request to register one is rejected.
#[tokio::test]
async fn an_organization_has_a_thousand_chat_numbers() {
    let world = World::new().await;
    let (account, display) = number_that_came_later(&world).await;
    let wanted = json!({"displayPhoneNumber": display, "providerPhoneNumberId": format!("{account}03"),
        "providerBusinessAccountId": account});
    let take_in = async || world.admin(Call::post("/v1/organization/chat/phone-numbers").json(&wanted)).await;
    has(&world, "chatPhoneNumbers", 1000).await;
    take_in().await.refused(400, Some("chatPhoneNumbers"), None);
    has(&world, "chatPhoneNumbers", 999).await;
    take_in().await.expect(201);
    has(&world, "chatPhoneNumbers", 999).await;
    let profile = simulated_profile(&world, &fresh_account(), false).await;
    assert_eq!(profile["phoneNumbers"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn forty_apps_share_a_phone_number() {
    let world = World::new().await;
    let mut apps = vec![world.org.app.clone()];
    for n in 0..40 {
        let made = world.admin(Call::post("/v1/organization/apps").json(&json!({"name": format!("App {n}")}))).await;
        apps.push(text(&made.expect(201), "id"));
    }
    let body = json!({"number": "+12015550100", "appIds": apps[..39]});
    let number = world.admin(Call::post("/v1/organization/phone-numbers").json(&body)).await.expect(201);
    let assign = async |app: &str| {
        let path = format!("/v1/organization/apps/{app}/phone-numbers/{}", text(&number, "id"));
        world.admin(Call::put(path)).await
    };
    assign(&apps[39]).await.expect(200);
    assign(&apps[40]).await.refused(400, Some("phoneNumberId"), None);
    assign(&apps[39]).await.expect(200);
}

fn webhook(events: &[&str]) -> Value {
    json!({"url": "https://example.com/hooks", "events": events})
}

#[tokio::test]
async fn forty_webhooks_listen_to_templates_or_accounts() {
    const OF_ORGANIZATION: &[&str] = &["chat.account.connected"];
    let world = World::new().await;
    let mut paths = Vec::new();
    for name in ["One", "Two", "Three"] {
        let (app, _) = world.app(&world.org.admin, &json!({"name": name})).await;
        paths.push(format!("/v1/organization/apps/{app}/webhooks"));
    }
    let make = |path: &String, events: &[&str]| Call::post(path).key(&world.org.admin).json(&webhook(events));
    for _ in 0..15 {
        world.send(make(&paths[0], OF_ORGANIZATION)).await.expect(201);
        world.send(make(&paths[1], OF_ORGANIZATION)).await.expect(201);
    }
    let (made, refused) = at_once(&world, 20, |_| make(&paths[2], OF_ORGANIZATION)).await;
    assert_eq!(made, 10);
    refused.into_iter().for_each(|reply| is_over(reply, HOUR));

    // Neither a change nor another app circumvents the limit; webhooks for message events do not count.
    let other = world.send(make(&paths[0], &["messages.sms.received"])).await.expect(201);
    let path = format!("{}/{}", paths[0], text(&other, "id"));
    is_over(world.admin(Call::put(&path).json(&webhook(OF_ORGANIZATION))).await, HOUR);

    // A webhook frees a place if its events change or if it is deleted.
    let page = world.admin(Call::get(&paths[1])).await.expect(200);
    let ids: Vec<String> = page["data"].as_array().unwrap().iter().map(|made| text(made, "id")).collect();
    world
        .admin(Call::put(format!("{}/{}", paths[1], ids[0])).json(&webhook(&["messages.sms.received"])))
        .await
        .expect(200);
    world.admin(Call::put(&path).json(&webhook(OF_ORGANIZATION))).await.expect(200);
    is_over(world.send(make(&paths[0], OF_ORGANIZATION)).await, HOUR);
    world.admin(Call::delete(format!("{}/{}", paths[1], ids[1]))).await.expect(200);
    world.send(make(&paths[0], OF_ORGANIZATION)).await.expect(201);
    is_over(world.send(make(&paths[0], OF_ORGANIZATION)).await, HOUR);

    // Deleting an app frees the places of all its webhooks.
    world.admin(Call::delete(paths[2].trim_end_matches("/webhooks"))).await.expect(200);
    world.sweep().await;
    assert!(!world.account.items().await.iter().any(|item| item["PK"].starts_with("GONE#")));
    for _ in 0..4 {
        world.send(make(&paths[1], OF_ORGANIZATION)).await.expect(201);
    }
}
