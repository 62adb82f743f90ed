//! How long a position is valid, and what switching a feed on and off does to it.

use std::time::Duration;

use serde_json::{Value, json};
use tests::request::text;
use tests::{Call, Reply, Service as _, World};

use super::{emit_and_dispatch, emit_live, page, refused, remove, sequences};

const DAY: Duration = Duration::from_secs(24 * 3600);

/// Switches the feed of an app on or off. Returns the app.
async fn switch(world: &World, app: &str, on: bool) -> Value {
    let path = format!("/v1/organization/apps/{app}");
    world.admin(Call::patch(path).json(&json!({"eventFeed": on}))).await.expect(200)
}

/// Returns the oldest position that can be read, which the error 410 names.
fn oldest(reply: &Reply) -> String {
    reply.json()["error"]["additional_info"][0].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn positions_from_before_a_feed_was_switched_on_are_gone() {
    let world = World::new().await;
    let app = &world.org.test_app;
    emit_and_dispatch(&world, 2).await;
    let end = text(&page(&world, "after=oldest").await, "nextAfter");

    // Nothing changes if the feed is already on.
    assert_eq!(switch(&world, app, true).await["eventFeed"], true);
    assert_eq!(sequences(&page(&world, &format!("after={end}")).await), Vec::<u64>::new());

    assert_eq!(switch(&world, app, false).await["eventFeed"], false);
    refused(&world, &format!("after={end}"), 409).await;

    emit_and_dispatch(&world, 1).await;
    switch(&world, app, true).await;
    emit_and_dispatch(&world, 1).await;

    let gone = refused(&world, &format!("after={end}"), 410).await;
    gone.clone().refused(410, Some("after"), None);
    assert_eq!(sequences(&page(&world, &format!("after={}", oldest(&gone))).await), [3]);
    assert_eq!(sequences(&page(&world, "after=oldest").await), [3]);
}

#[tokio::test]
async fn a_live_app_has_a_feed_once_it_is_switched_on() {
    let world = World::new().await;
    let shown = world.admin(Call::get(format!("/v1/organization/apps/{}", world.org.app))).await.expect(200);
    assert_eq!(shown["eventFeed"], false);

    let (two, one) = tokio::join!(switch(&world, &world.org.app, true), switch(&world, &world.org.app, true));
    assert_eq!((&one["eventFeed"], &two["eventFeed"]), (&json!(true), &json!(true)));

    emit_live(&world).await;
    world.dispatch().await;
    let read = world.send(Call::get("/v1/events?after=oldest").key(&world.org.app_key)).await.expect(200);
    assert_eq!(sequences(&read), [1]);

    // A deleted app leaves no head behind, and gets no events any more.
    world.admin(Call::delete(format!("/v1/organization/apps/{}", world.org.app))).await.expect(200);
    emit_live(&world).await;
    world.dispatch().await;

    let items = world.account.items().await;
    let left = items.iter().filter(|item| item["PK"].starts_with("FEED#") && item["PK"].contains(&world.org.app));
    assert_eq!(left.map(|item| item["SK"].as_str()).collect::<Vec<_>>(), ["00000000000000000001"]);
    assert!(world.waiting_events().await.is_empty());
}

#[tokio::test]
async fn a_position_is_valid_for_thirty_days() {
    let world = World::new().await;
    let begin = text(&page(&world, "").await, "nextAfter");
    emit_and_dispatch(&world, 2).await;

    world.clock.advance(10 * DAY);
    emit_and_dispatch(&world, 1).await;
    world.clock.advance(20 * DAY - Duration::from_secs(1));
    assert_eq!(sequences(&page(&world, &format!("after={begin}")).await), [1, 2, 3]);

    world.clock.advance(Duration::from_secs(1));
    let third = oldest(&refused(&world, &format!("after={begin}"), 410).await);
    assert_eq!(sequences(&page(&world, &format!("after={third}")).await), [3]);
    assert_eq!(sequences(&page(&world, "after=oldest").await), [3]);

    // The same once the table has removed the entries, in any order.
    let feed = format!("FEED#{}#{}", world.org.id, world.org.test_app);
    for sequence in [2, 1] {
        remove(&world, &feed, &format!("{sequence:020}")).await;
        assert_eq!(oldest(&refused(&world, &format!("after={begin}"), 410).await), third);
        assert_eq!(sequences(&page(&world, "after=oldest").await), [3]);
    }

    // Who has read everything misses nothing, however late the next event comes.
    let end = text(&page(&world, &format!("after={third}")).await, "nextAfter");
    world.clock.advance(40 * DAY);
    assert_eq!(sequences(&page(&world, &format!("after={end}")).await), Vec::<u64>::new());
    remove(&world, &feed, &format!("{:020}", 3)).await;
    assert_eq!(oldest(&refused(&world, &format!("after={third}"), 410).await), end);
    emit_and_dispatch(&world, 1).await;
    assert_eq!(sequences(&page(&world, &format!("after={end}")).await), [4]);
}
