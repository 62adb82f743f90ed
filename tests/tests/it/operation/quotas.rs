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

/// Small files are limited too, because each costs an item, an object and later their removal.
#[tokio::test]
async fn uploads_are_counted_as_their_bytes_are() {
    let world = World::new().await;
    for (app, key, most) in
        [(&world.org.app, &world.org.app_key, 3_000), (&world.org.test_app, &world.org.test_app_key, 10_000)]
    {
        spent(&world, app, ("uploads", most - 3), DAY).await;
        world.send(announce(key, 10)).await.expect(201);
        let (made, refused) = at_once(&world, 12, |_| Call::post("/v1/media").key(key).file("a.pdf", None, PDF)).await;
        assert_eq!(made, 2);
        for reply in refused {
            let message = text(&reply.clone().expect(429)["error"], "message");
            assert_eq!(message, format!("An app of this mode may upload at most {most} files per day (UTC)."));
            is_over(reply, DAY);
        }
        is_over(world.send(announce(key, 10)).await, DAY);
    }
    world.clock.advance(Duration::from_secs(DAY.unsigned_abs()));
    world.send(announce(&world.org.app_key, 10)).await.expect(201);
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
    let body = json!({"from": "+15550009999", "to": numbers["numbers"][0], "text": "Hello"});
    let call = |_| Call::post("/v1/playground/sms/inbound").key(key).json(&body);
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

/// The items except those that count the usage of quotas.
async fn uncounted(world: &World) -> Vec<std::collections::BTreeMap<String, String>> {
    let items = world.account.items().await.into_iter();
    items.filter(|item| !item["PK"].starts_with("RATE#")).collect()
}

/// A refused signup is as if it had never been sent: no record, nothing due, no token, no subscription.
#[tokio::test]
async fn a_refused_signup_leaves_nothing() {
    let world = World::new().await;
    let call = |body: &Value| Call::post(SIGNUP).json(body).header("idempotency-key", "once");
    spent(&world, "onboardings_test", ("onboardings", 20), HOUR).await;
    let before = world.account.items().await;
    is_over(world.admin(call(&signup("one"))).await, HOUR);
    assert_eq!(world.account.items().await, before);

    has(&world, "chatBusinessProfiles", 50).await;
    world.clock.advance(Duration::from_secs(HOUR.unsigned_abs()));
    world.platform.account("777", &[]);
    let before = uncounted(&world).await;
    let live = json!({"code": "code.777", "wabaId": "777"});
    for body in [signup("two"), live.clone()] {
        world.admin(call(&body)).await.refused(400, Some("chatBusinessProfiles"), None);
        assert_eq!(uncounted(&world).await, before, "{body}");
    }
    assert!(world.platform.seen("subscribed_apps").is_empty());
    let secrets = world.account.secrets.list_secrets().send().await.unwrap();
    let of_profiles = secrets.secret_list().iter().filter(|secret| secret.name().unwrap().starts_with("profiles/"));
    assert_eq!(of_profiles.count(), 0);
    // With room again, signups succeed.
    has(&world, "chatBusinessProfiles", 49).await;
    world.platform.account("778", &[]);
    world.admin(Call::post(SIGNUP).json(&json!({"code": "code.778", "wabaId": "778"}))).await.expect(201);
}

/// A refused sync changes no item and queues no job.
#[tokio::test]
async fn a_refused_sync_leaves_nothing() {
    let world = World::new().await;
    let id = text(&simulated_profile(&world, &fresh_account(), false).await, "id");
    spent(&world, &id, ("syncs", 60), HOUR).await;
    let before = world.account.items().await;
    let body = json!({"chatBusinessProfileId": id});
    is_over(world.admin(Call::post("/v1/organization/chat/templates/sync").json(&body)).await, HOUR);
    assert_eq!(world.account.items().await, before);
    assert!(world.messages(&world.account.queue).await.is_empty());
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

/// Sets the counters of the test organization for objects of this kind, in both modes.
async fn has(world: &World, counter: &str, value: usize) {
    let capital = counter[..1].to_uppercase() + &counter[1..];
    for name in [counter.to_owned(), format!("live{capital}"), format!("test{capital}")] {
        world.account.set_counter((format!("ORG#{}", world.org.id), "COUNT".to_owned()), &name, value).await;
    }
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
    has(&world, "playgroundUsers", 998).await;
    let call = |_| Call::post("/v1/playground/chat/phone-numbers/user").key(&world.org.test_app_key);
    let keyed = |key| call(0).header("idempotency-key", key);
    let made = world.send(keyed("first")).await.expect(201);
    one_more_is_left(&world, "playgroundUsers", call).await;
    // A repeated request gets its number all the same; a new key does not help.
    assert_eq!(world.send(keyed("first")).await.expect(201), made);
    world.send(keyed("second")).await.expect(400);
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
    let is_full = |reply: tests::Reply| {
        assert_eq!(reply.header("retry-after"), None);
        let body = reply.refused(400, Some("events"), None);
        assert!(body["error"]["message"].as_str().unwrap().contains("at most 40 webhooks"), "{body}");
    };
    refused.into_iter().for_each(is_full);

    // Neither a change nor another app circumvents the limit; webhooks for message events do not count.
    let other = world.send(make(&paths[0], &["messages.sms.received"])).await.expect(201);
    let path = format!("{}/{}", paths[0], text(&other, "id"));
    is_full(world.admin(Call::put(&path).json(&webhook(OF_ORGANIZATION))).await);

    // A webhook frees a place if its events change or if it is deleted.
    let page = world.admin(Call::get(&paths[1])).await.expect(200);
    let ids: Vec<String> = page["data"].as_array().unwrap().iter().map(|made| text(made, "id")).collect();
    world
        .admin(Call::put(format!("{}/{}", paths[1], ids[0])).json(&webhook(&["messages.sms.received"])))
        .await
        .expect(200);
    world.admin(Call::put(&path).json(&webhook(OF_ORGANIZATION))).await.expect(200);
    is_full(world.send(make(&paths[0], OF_ORGANIZATION)).await);
    world.admin(Call::delete(format!("{}/{}", paths[1], ids[1]))).await.expect(200);
    world.send(make(&paths[0], OF_ORGANIZATION)).await.expect(201);
    is_full(world.send(make(&paths[0], OF_ORGANIZATION)).await);

    // Deleting an app frees the places of all its webhooks.
    world.admin(Call::delete(paths[2].trim_end_matches("/webhooks"))).await.expect(200);
    world.sweep().await;
    assert!(!world.account.items().await.iter().any(|item| item["PK"].starts_with("GONE#")));
    for _ in 0..4 {
        world.send(make(&paths[1], OF_ORGANIZATION)).await.expect(201);
    }
}

#[tokio::test]
async fn an_organization_checks_its_platform_twenty_times_per_hour() {
    const CHECK: &str = "/v1/organization/chat/platform-check";
    let world = World::new().await;
    let stranger = world.organization("Stranger").await;
    let (made, refused) = at_once(&world, 30, |_| Call::get(CHECK).key(&world.org.admin)).await;
    assert_eq!((made, refused.len()), (20, 10));
    for reply in refused {
        assert!(reply.text.contains("at most 20 platform checks per hour"), "{reply:?}");
        is_over(reply, HOUR);
    }
    // The platform is not asked for a check that is refused.
    world.platform.state().seen.clear();
    is_over(world.admin(Call::get(CHECK)).await, HOUR);
    assert!(world.platform.state().seen.is_empty());
    // Test mode, another organization and another hour have their own quota.
    world.send(Call::get(CHECK).key(&world.org.test_admin)).await.expect(200);
    world.send(Call::get(CHECK).key(&stranger.admin)).await.expect(200);
    world.clock.advance(Duration::from_secs(HOUR.unsigned_abs()));
    world.admin(Call::get(CHECK)).await.expect(200);
}
