//! Concurrent writers: one succeeds, the others get 404, 409 or 400, and the table stays consistent.

use std::collections::BTreeSet;

use futures_util::future::{join, join_all};
use serde_json::json;
use tests::request::text;
use tests::{Call, Reply, Service as _, World};

const NUMBERS: &str = "/v1/organization/phone-numbers";

fn count(replies: &[Reply], status: u16) -> usize {
    replies.iter().filter(|reply| reply.status == status).count()
}

/// Checks that counters match the objects, and that numbers and apps refer to each other consistently.
async fn assert_consistent(world: &World) {
    let items = world.account.items().await;
    let of = |class: &str| items.iter().filter(|item| item["PK"].starts_with(class)).collect::<Vec<_>>();
    for counters in items.iter().filter(|item| item["SK"] == "COUNT") {
        let organization = counters["PK"].strip_prefix("ORG#").unwrap();
        for (attribute, class) in [("adminKeys", "AKEY#"), ("apps", "APP#"), ("phoneNumbers", "NUM#")] {
            let of_test = format!("test{}{}", attribute[..1].to_uppercase(), &attribute[1..]);
            let count = |name: &str| counters.get(name).map_or(0, |count| count.parse::<usize>().unwrap());
            let counted = count(attribute) + count(&of_test);
            let there = of(&format!("{class}{organization}")).len();
            assert_eq!(counted, there, "{attribute} of {organization}");
        }
    }
    for app in of("APP#") {
        for (attribute, class) in [("keys", "APPKEY#"), ("webhooks", "HOOK#")] {
            let counted: usize = app.get(attribute).map_or(0, |count| count.parse().unwrap());
            let there = of(class).iter().filter(|item| item["appId"] == app["id"]).count();
            assert_eq!(counted, there, "{attribute} of {}", app["id"]);
        }
    }
    assert_eq!(of("APP#").len(), of("APPSLUG#").len());
    assert_eq!(of("NUM#").len(), of("NUMCLAIM#").len());
    assert_eq!(of("HOOK#").len(), of("SEC#").len());
    let pairs = |class: &str, attribute: &str, swap: bool| -> BTreeSet<(String, String)> {
        let all = of(class);
        let pairs = all.iter().flat_map(|item| {
            let members = item.get(attribute).cloned().unwrap_or_default();
            let members: Vec<String> = members.split('"').skip(1).step_by(2).map(str::to_owned).collect();
            members.into_iter().map(|member| (item["id"].clone(), member))
        });
        pairs.map(|(a, b)| if swap { (b, a) } else { (a, b) }).collect()
    };
    let from_numbers: BTreeSet<_> =
        pairs("NUM#", "apps", false).union(&pairs("WAPN#", "apps", false)).cloned().collect();
    assert_eq!(from_numbers, pairs("APP#", "numbers", true));
    assert!(of("GONE#").is_empty());
}

#[tokio::test]
async fn one_of_twenty_gets_the_number_and_the_slug() {
    let world = World::new().await;
    let numbers =
        join_all((0..20).map(|_| world.admin(Call::post(NUMBERS).json(&json!({"number": "+12015550100"}))))).await;
    assert_eq!((count(&numbers, 201), count(&numbers, 409)), (1, 19), "{numbers:?}");
    let apps = join_all(
        (0..20).map(|_| world.admin(Call::post("/v1/organization/apps").json(&json!({"name": "x", "slug": "mine"})))),
    )
    .await;
    assert_eq!((count(&apps, 201), count(&apps, 409)), (1, 19), "{apps:?}");
    let varied =
        join_all((0..10).map(|_| world.admin(Call::post("/v1/organization/apps").json(&json!({"name": "Same"})))))
            .await;
    assert_eq!(count(&varied, 201), 10, "{varied:?}");
    assert_consistent(&world).await;
}

#[tokio::test]
async fn limits_hold_against_a_crowd() {
    let world = World::new().await;
    let app = format!("/v1/organization/apps/{}", world.org.app);
    let hook = json!({"url": "https://example.com", "events": ["messages.sms.sent"]});
    for _ in 0..15 {
        world.admin(Call::post(format!("{app}/webhooks")).json(&hook)).await.expect(201);
    }
    let hooks = join_all((0..10).map(|_| world.admin(Call::post(format!("{app}/webhooks")).json(&hook)))).await;
    assert_eq!((count(&hooks, 201), count(&hooks, 400)), (5, 5), "{hooks:?}");
    for _ in 0..14 {
        world.admin(Call::post(format!("{app}/keys"))).await.expect(201);
    }
    let keys = join_all((0..10).map(|_| world.admin(Call::post(format!("{app}/keys"))))).await;
    assert_eq!((count(&keys, 201), count(&keys, 400)), (5, 5), "{keys:?}");
    assert_consistent(&world).await;
}

#[tokio::test]
async fn deletion_and_change_do_not_leave_halves() {
    let world = World::new().await;
    for round in 0..6 {
        let (app, _) = world.app(&world.org.admin, &json!({"name": format!("App {round}")})).await;
        let app_path = format!("/v1/organization/apps/{app}");
        let hook = json!({"url": "https://example.com", "events": ["messages.sms.sent"]});
        let made = world
            .admin(Call::post(NUMBERS).json(&json!({"number": format!("+1201555010{round}"), "appIds": [app]})))
            .await;
        let number = text(&made.expect(201), "id");
        let hook_id =
            text(&world.admin(Call::post(format!("{app_path}/webhooks")).json(&hook)).await.expect(201), "id");
        let (deleted, others) = join(
            world.admin(Call::delete(&app_path)),
            join_all([
                world.admin(Call::post(format!("{app_path}/keys"))),
                world.admin(Call::post(format!("{app_path}/webhooks")).json(&hook)),
                world.admin(Call::put(format!("{app_path}/webhooks/{hook_id}")).json(&json!({"headers": {"X": "y"}}))),
                world.admin(Call::put(format!("{app_path}/phone-numbers/{number}"))),
                world.admin(Call::patch(&app_path).json(&json!({"slug": format!("moved-{round}")}))),
            ]),
        )
        .await;
        assert_eq!(deleted.status, 200, "{deleted:?}");
        for reply in others {
            assert!(matches!(reply.status.as_u16(), 200 | 201 | 404), "{reply:?}");
        }
        let (gone, assigned) = join(
            world.admin(Call::delete(format!("{NUMBERS}/{number}"))),
            world.admin(Call::put(format!("/v1/organization/apps/{}/phone-numbers/{number}", world.org.app))),
        )
        .await;
        assert_eq!(gone.status, 200, "{gone:?}");
        assert!(matches!(assigned.status.as_u16(), 200 | 404), "{assigned:?}");
        assert_consistent(&world).await;
    }
}

#[tokio::test]
async fn updates_of_one_webhook_are_all_or_nothing() {
    let world = World::new().await;
    let path = format!("/v1/organization/apps/{}/webhooks", world.org.app);
    let body = json!({"url": "https://example.com/0", "events": ["messages.sms.sent"], "headers": {"X": "0"}});
    let one = format!("{path}/{}", text(&world.admin(Call::post(&path).json(&body)).await.expect(201), "id"));
    let update = |n: u32| {
        world.admin(
            Call::put(&one).json(&json!({"url": format!("https://example.com/{n}"), "headers": {"X": n.to_string()}})),
        )
    };
    let replies = join_all((1..6).map(update)).await;
    assert!(replies.iter().all(|reply| matches!(reply.status.as_u16(), 200 | 409)), "{replies:?}");
    let kept = world.admin(Call::get(&one)).await.expect(200);
    assert!(text(&kept, "url").ends_with(&text(&kept["headers"], "X")), "{kept}");
    assert_consistent(&world).await;
}

#[tokio::test]
async fn the_first_message_of_a_user_is_its_first_once() {
    let world = World::new().await;
    let user =
        world.send(Call::post("/v1/playground/chat/phone-numbers/user").key(&world.org.test_app_key)).await.expect(201);
    let body = json!({"from": user["number"], "type": "text", "text": {"body": "x"}});
    let send = |_| world.send(Call::post("/v1/playground/chat/inbound").key(&world.org.test_app_key).json(&body));
    let replies = join_all((0..10).map(send)).await;
    assert_eq!(count(&replies, 201), 10, "{replies:?}");
    let items = world.account.items().await;
    assert_eq!(items.iter().filter(|item| item["PK"].starts_with("PGUSED#")).count(), 1);
    assert_eq!(items.iter().filter(|item| item["PK"].starts_with("MSG#")).count(), 10);
}

#[tokio::test]
async fn a_number_that_many_write_to_at_once_becomes_one_system_number() {
    let world = World::new().await;
    let send = async |to: &str| {
        let body = json!({"from": "+442079460123", "to": to, "text": "Hello"});
        world.send(Call::post("/v1/playground/sms/inbound").key(&world.org.test_app_key).json(&body)).await
    };
    let numbers = world.send(Call::get("/v1/playground/phone-numbers/system").key(&world.org.test_app_key)).await;
    let own: Vec<String> = serde_json::from_value(numbers.expect(200)["numbers"].take()).unwrap();
    send(&own[0]).await.expect(201);
    let free = (0..5).map(|n| format!("+120255501{n:02}")).filter(|number| !own.contains(number));
    for number in free.take(3) {
        let replies = join_all((0..6).map(|_| send(&number))).await;
        assert_eq!(count(&replies, 201), 6, "{replies:?}");
    }
    assert_consistent(&world).await;
    let items = world.account.items().await;
    assert_eq!(items.iter().filter(|item| item["PK"].starts_with("NUM#")).count(), 5);
}
