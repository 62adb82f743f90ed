//! Pages, groups, bounds, and who sees what.

use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use futures_util::{StreamExt as _, stream};
use serde_json::json;
use tests::chat::connect;
use tests::request::text;
use tests::{Call, Service as _, World};

use super::{USAGE, rows, send, system_number, usage};

/// Rows come in the order of periods and groups, each once, however small the pages are.
#[tokio::test]
async fn small_pages_have_the_same_rows() {
    let world = World::with_stream().await;
    let line = connect(&world, &world.org, "5231").await;
    for _ in 0..3 {
        for to in ["+16505551234", "+4915112345678", "+33612345678"] {
            world.send(send(&line, to)).await.expect(201);
        }
        world.clock.advance(Duration::from_secs(24 * 3600));
    }
    world.count().await;

    let whole = usage(&world, "groupBy=country").await;
    assert_eq!(rows(&whole).len(), 9, "{whole}");
    assert!(whole["nextCursor"].is_null());
    for limit in [1, 2, 4] {
        let (mut found, mut cursor) = (Vec::new(), String::new());
        loop {
            let page = usage(&world, &format!("groupBy=country&limit={limit}{cursor}")).await;
            assert!(rows(&page).len() <= limit);
            found.extend(rows(&page).clone());
            let Some(next) = page["nextCursor"].as_str() else { break };
            cursor = format!("&cursor={next}");
        }
        assert_eq!(&found, rows(&whole), "{limit}");
    }
    // A cursor belongs to its parameters.
    let page = usage(&world, "groupBy=country&limit=1").await;
    let other = format!("{USAGE}?groupBy=number&cursor={}", text(&page, "nextCursor"));
    world.admin(Call::get(other)).await.refused(400, Some("cursor"), None);

    let since = text(&rows(&whole)[3], "period");
    let until = text(&rows(&whole)[6], "period");
    let middle = usage(&world, &format!("groupBy=country&since={since}&until={until}")).await;
    assert_eq!(rows(&middle)[..], rows(&whole)[3..6]);
}

#[tokio::test]
async fn what_cannot_be_asked_is_refused() {
    let world = World::new().await;
    for (query, param) in [
        ("kind=calls", "kind"),
        ("period=week", "period"),
        ("groupBy=app,number,channel", "groupBy"),
        ("groupBy=app,app", "groupBy"),
        ("groupBy=webhook", "groupBy"),
        ("kind=deliveries&groupBy=country", "groupBy"),
        ("groupBy=", "groupBy"),
        ("since=yesterday", "since"),
        ("since=2026-01-02T00:00:00Z&until=2026-01-01T00:00:00Z", "until"),
        ("period=hour&since=2026-01-01T00:00:00Z&until=2026-02-02T00:00:00Z", "since"),
        ("since=2025-01-01T00:00:00Z&until=2026-02-07T00:00:00Z", "since"),
        ("mode=both", "mode"),
        ("limit=401", "limit"),
    ] {
        world.admin(Call::get(format!("{USAGE}?{query}"))).await.refused(400, Some(param), None);
    }
    usage(&world, "period=hour&since=2026-01-01T00:00:00Z&until=2026-02-01T00:00:00Z").await;
    let test_admin = Call::get(format!("{USAGE}?mode=live")).key(&world.org.test_admin);
    world.send(test_admin).await.refused(400, Some("mode"), None);
    let of_app = Call::get("/v1/usage?mode=live").key(&world.org.test_app_key);
    world.send(of_app).await.refused(400, Some("mode"), None);
}

/// What other apps have, however much, hides nothing of an app.
#[tokio::test]
async fn an_app_finds_its_rows_behind_those_of_others() {
    let world = World::with_stream().await;
    let line = connect(&world, &world.org, "5233").await;
    let day = world.now().to_string()[..10].to_owned();
    let store = |n: usize| {
        let group = format!("app_{n:027}#ph_{n:027}#sms#OUTBOUND####");
        let item = [
            ("PK", AttributeValue::S(format!("USAGE#{}#live#messages#day", world.org.id))),
            ("SK", AttributeValue::S(format!("{day}#{group}"))),
            ("messages", AttributeValue::N("1".to_owned())),
        ];
        world.account.store_item(item.map(|(name, value)| (name.to_owned(), value)).into())
    };
    stream::iter(0..2100).map(store).buffer_unordered(16).for_each(async |()| {}).await;
    world.clock.advance(Duration::from_secs(24 * 3600));
    world.send(send(&line, "+16505551234")).await.expect(201);
    world.count().await;

    let (mut found, mut cursor, mut pages) = (0, String::new(), 0);
    loop {
        let call = Call::get(format!("/v1/usage?{cursor}")).key(&line.org.app_key);
        let page = world.send(call).await.expect(200);
        found += rows(&page).len();
        pages += 1;
        let Some(next) = page["nextCursor"].as_str() else { break };
        cursor = format!("cursor={next}");
    }
    assert_eq!(found, 1);
    assert!(pages < 5, "{pages}");
    assert_eq!(rows(&usage(&world, "").await)[0]["messages"], 2100);
}

/// Live and test mode are counted apart, an app sees its own messages, and an organization its own.
#[tokio::test]
async fn everybody_sees_their_own() {
    let world = World::with_stream().await;
    let line = connect(&world, &world.org, "5232").await;
    world.send(send(&line, "+16505551234")).await.expect(201);
    let from = system_number(&world).await;
    for _ in 0..2 {
        let sms = json!({"from": from, "to": "+12025550123", "text": "Hello"});
        world.send(Call::post("/v1/sms").key(&world.org.test_app_key).json(&sms)).await.expect(201);
    }
    world.count().await;

    let messages =
        |page: &serde_json::Value| rows(page).iter().map(|row| row["messages"].as_i64().unwrap()).sum::<i64>();
    assert_eq!(messages(&usage(&world, "").await), 1);
    let tested = usage(&world, "mode=test&groupBy=channel").await;
    assert_eq!(
        (messages(&tested), &rows(&tested)[0]["channel"], &rows(&tested)[0]["parts"]),
        (2, &json!("sms"), &json!(2))
    );
    let by_test_key = world.send(Call::get(USAGE).key(&world.org.test_admin)).await.expect(200);
    assert_eq!(messages(&by_test_key), 2);
    let own = world.send(Call::get("/v1/usage").key(&world.org.test_app_key)).await.expect(200);
    assert_eq!(messages(&own), 2);
    let own = world.send(Call::get("/v1/usage").key(&line.org.app_key)).await.expect(200);
    assert_eq!(messages(&own), 1);
    let other = world.organization("Other").await;
    let none = world.send(Call::get(USAGE).key(&other.admin)).await.expect(200);
    assert_eq!(rows(&none).len(), 0);
}
