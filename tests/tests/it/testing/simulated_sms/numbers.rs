//! The system numbers of test apps, which receive the messages.

use serde_json::json;
use tests::request::text;
use tests::{Call, Service as _, World};

use super::{USER, receive, receive_as, system_numbers};

/// A fictional number that nobody has becomes a system number of the app, and goes with it.
#[tokio::test]
async fn an_unknown_fictional_number_becomes_a_system_number() {
    let world = World::new().await;
    let (app, key) = world.app(&world.org.admin, &json!({"name": "T2", "test": true})).await;
    let key = key.as_str();
    let made = system_numbers(&world, key).await;
    let free: Vec<String> =
        (0..8).map(|n| format!("+120255501{n:02}")).filter(|number| !made.contains(number)).collect();

    // Both find it unknown: one of them makes it, and both arrive.
    let both = tokio::join!(receive_as(&world, key, USER, &free[0]), receive_as(&world, key, "+16505550001", &free[0]));
    let (one, other) = (both.0.expect(201), both.1.expect(201));
    assert_eq!(one["phoneNumberId"], other["phoneNumberId"]);
    assert_eq!((&one["appId"], &one["to"]), (&json!(app), &json!(free[0])));

    for number in &free[1..4] {
        receive_as(&world, key, USER, number).await.expect(201);
    }

    assert_eq!(system_numbers(&world, key).await, [&made[..], &free[..4]].concat());
    let refused = receive_as(&world, key, USER, &free[4]).await.refused(400, Some("to"), None);
    assert!(text(&refused["error"], "message").contains("at most 6 system numbers"), "{refused}");

    // The app sends from it.
    let reply = json!({"from": free[0], "to": USER, "text": "Hi"});
    world.send(Call::post("/v1/sms").key(key).json(&reply)).await.expect(201);

    // It is no number of another app, and one of the organization's list.
    receive(&world, USER, &free[0]).await.refused(404, Some("to"), None);
    let listed = world.admin(Call::get("/v1/organization/phone-numbers?limit=100")).await.expect(200);
    assert_eq!(listed["data"].as_array().unwrap().len(), 2 + 6);

    world.admin(Call::delete(format!("/v1/organization/apps/{app}"))).await.expect(200);
    world.sweep().await;
    let items = world.account.items().await;
    let is_of_number = |class: &str| items.iter().any(|item| item["PK"].starts_with(class) && item["SK"] == free[0]);
    assert_eq!((is_of_number("NUMCLAIM#"), is_of_number("PGNUM#")), (false, true));

    // Nor is it given out again.
    receive(&world, USER, &free[0]).await.refused(404, Some("to"), None);
}

/// The numbers that a test app was created with are ordinary test numbers: listed, read, moved, deleted and counted.
#[tokio::test]
async fn system_numbers_are_ordinary_test_numbers() {
    const NUMBERS: &str = "/v1/organization/phone-numbers";

    let world = World::new().await;
    let (org, key) = (&world.org, world.org.test_app_key.as_str());
    let own = system_numbers(&world, key).await;

    let listed = world.send(Call::get(NUMBERS).key(&org.test_admin)).await.expect(200);
    let listed = listed["data"].as_array().unwrap();
    let of = |digits: &str| listed.iter().find(|number| number["number"] == digits).unwrap();
    assert_eq!((listed.len(), own.len()), (2, 2));
    assert!(own.iter().all(|digits| of(digits)["apps"][0]["appId"] == org.test_app.as_str()));

    let counted = async || {
        let items = world.account.items().await;
        let counters = items.iter().find(|item| item["SK"] == "COUNT" && item["PK"].ends_with(&org.id)).unwrap();
        let of_numbers = counters.iter().filter(|(name, _)| *name == "testPhoneNumbers");
        of_numbers.map(|(_, count)| count.parse::<i64>().unwrap()).sum::<i64>()
    };
    assert_eq!(counted().await, 2);

    // One moves to another app, which sends from it and lists it.
    let (other, other_key) = world.app(&org.admin, &json!({"name": "T2", "test": true})).await;
    let moved = format!("phone-numbers/{}", text(of(&own[0]), "id"));
    world.admin(Call::put(format!("/v1/organization/apps/{other}/{moved}"))).await.expect(200);
    world.admin(Call::delete(format!("/v1/organization/apps/{}/{moved}", org.test_app))).await.expect(200);

    assert_eq!(system_numbers(&world, key).await, own[1..]);
    assert!(system_numbers(&world, &other_key).await.contains(&own[0]));
    receive(&world, USER, &own[0]).await.refused(404, Some("to"), None);
    receive_as(&world, &other_key, USER, &own[0]).await.expect(201);
    let listed_again = world.admin(Call::get(NUMBERS)).await.expect(200);
    assert_eq!(listed_again["data"].as_array().unwrap().len(), 4);

    // The other is deleted, for good: it is not given out again.
    let path = format!("{NUMBERS}/{}", text(of(&own[1]), "id"));
    world.send(Call::get(&path).key(&org.session)).await.expect(200);
    let deleted = world.admin(Call::delete(&path)).await.expect(200);
    assert_eq!(deleted["affectedApps"][0]["appId"], org.test_app.as_str());
    world.admin(Call::get(&path)).await.refused(404, Some("phoneNumberId"), None);
    assert_eq!(system_numbers(&world, key).await, Vec::<String>::new());

    receive(&world, USER, &own[1]).await.refused(404, Some("to"), None);
    assert_eq!(counted().await, 3);

    // An app goes with the numbers that are its own. What it was given by another app stays with nobody.
    world.admin(Call::delete(format!("/v1/organization/apps/{}", org.test_app))).await.expect(200);
    assert_eq!(counted().await, 3);

    let (third, _) = world.app(&org.admin, &json!({"name": "T3", "test": true})).await;
    world.admin(Call::put(format!("/v1/organization/apps/{third}/{moved}"))).await.expect(200);
    world.admin(Call::delete(format!("/v1/organization/apps/{other}"))).await.expect(200);
    world.sweep().await;

    let left = world.admin(Call::get(NUMBERS)).await.expect(200);
    let left = left["data"].as_array().unwrap();
    assert_eq!((left.len(), counted().await), (3, 3));
    let stayed = left.iter().find(|number| number["number"] == own[0].as_str()).unwrap();
    assert_eq!((stayed["apps"].as_array().unwrap().len(), &stayed["apps"][0]["appId"]), (1, &json!(third)));
}

/// A system number that is shared stays when the app is deleted that was created with it.
#[tokio::test]
async fn a_shared_system_number_outlives_its_app() {
    let world = World::new().await;
    let org = &world.org;
    let own = system_numbers(&world, &org.test_app_key).await;
    let listed = world.admin(Call::get("/v1/organization/phone-numbers")).await.expect(200);
    let shared = listed["data"].as_array().unwrap().iter().find(|number| number["number"] == own[0].as_str()).unwrap();

    let (other, other_key) = world.app(&org.admin, &json!({"name": "T2", "test": true})).await;
    let assign = format!("/v1/organization/apps/{other}/phone-numbers/{}", text(shared, "id"));
    world.admin(Call::put(assign)).await.expect(200);
    world.admin(Call::delete(format!("/v1/organization/apps/{}", org.test_app))).await.expect(200);
    world.sweep().await;

    receive_as(&world, &other_key, USER, &own[0]).await.expect(201);
    let path = format!("/v1/organization/phone-numbers/{}", text(shared, "id"));
    let left = world.admin(Call::get(path)).await.expect(200);
    assert_eq!((left["apps"].as_array().unwrap().len(), &left["apps"][0]["appId"]), (1, &json!(other)));

    let items = world.account.items().await;
    assert!(!items.iter().any(|item| item["PK"].starts_with("GONE#")));
}

/// System numbers of an earlier release, which did not count them, work and can be deleted.
#[tokio::test]
async fn system_numbers_of_an_earlier_release_are_ordinary_too() {
    let world = World::new().await;
    let org = &world.org;
    let own = system_numbers(&world, &org.test_app_key).await;
    let counters = (format!("ORG#{}", org.id), "COUNT".to_owned());
    world.account.set_counter(counters, "testPhoneNumbers", 0).await;
    receive(&world, USER, &own[0]).await.expect(201);

    let listed = world.admin(Call::get("/v1/organization/phone-numbers")).await.expect(200);
    let listed = listed["data"].as_array().unwrap().clone();
    assert_eq!(listed.len(), 2);

    world.admin(Call::delete(format!("/v1/organization/phone-numbers/{}", text(&listed[0], "id")))).await.expect(200);
    world.admin(Call::delete(format!("/v1/organization/apps/{}", org.test_app))).await.expect(200);

    let items = world.account.items().await;
    assert!(!items.iter().any(|item| item["PK"].starts_with("NUM#")));

    // Another test app can be created.
    let (_, key) = world.app(&org.admin, &json!({"name": "T2", "test": true})).await;
    assert_eq!(system_numbers(&world, &key).await.len(), 2);
}

/// The transaction that deletes an app has room for everything that the app can have, and for one item more: DynamoDB takes
/// 100.
#[tokio::test]
async fn an_app_with_all_its_numbers_keys_and_webhooks_is_deleted() {
    let world = World::new().await;
    let (app, key) = world.app(&world.org.admin, &json!({"name": "T2", "test": true})).await;
    let path = format!("/v1/organization/apps/{app}");

    let made = system_numbers(&world, &key).await;
    let taken = [made, system_numbers(&world, &world.org.test_app_key).await].concat();
    let free = (0..8).map(|n| format!("+120255501{n:02}")).filter(|number| !taken.contains(number));
    for number in free.take(4) {
        receive_as(&world, &key, USER, &number).await.expect(201);
    }
    assert_eq!(system_numbers(&world, &key).await.len(), 6);

    for _ in 1..20 {
        world.admin(Call::post(format!("{path}/keys"))).await.expect(201);
    }
    let webhook = json!({"url": "https://example.com/a", "events": ["messages.sms.sent"]});
    for _ in 0..20 {
        world.admin(Call::post(format!("{path}/webhooks")).json(&webhook)).await.expect(201);
    }

    let (reply, cost) = world.faults.meter.of(world.admin(Call::delete(&path))).await;
    reply.expect(200);
    let items = cost.calls.iter().filter_map(|call| call.strip_prefix("TransactWriteItems ")?.parse::<usize>().ok());
    assert_eq!(items.max(), Some(98), "{:?}", cost.calls);
}
