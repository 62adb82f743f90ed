//! Quotas of apps, profiles and organizations hold exactly, even with twenty concurrent requests.

mod objects;
mod per_hour;
mod simulated_messages;
mod uploads;

use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use futures_util::future::join_all;
use tests::settings::TABLE;
use tests::{Call, Reply, Service as _, World};

const HOUR: i64 = 3600;
const DAY: i64 = 24 * HOUR;

/// Sets the usage in the current period.
async fn spent(world: &World, scope: &str, attribute: &str, amount: u64, period: i64) {
    let table = &world.account.dynamodb;
    let key = |text: String| AttributeValue::S(text);
    let call = table.put_item().table_name(TABLE).item("PK", key(format!("RATE#{}#{scope}", world.org.id)));
    let call = call.item("SK", key(format!("{:010}", world.now().seconds() / period)));
    call.item(attribute, AttributeValue::N(amount.to_string())).send().await.unwrap();
}

/// Lets a period pass.
fn pass(world: &World, period: i64) {
    world.clock.advance(Duration::from_secs(period.unsigned_abs()));
}

/// Checks for 429 and the start of the next period.
fn is_over(reply: Reply, at_most: i64) {
    let after: i64 = reply.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=at_most).contains(&after), "{after}");
    let refused = reply.expect(429);
    assert_eq!(refused["error"]["code"], "rate_limit_exceeded");
}

/// Sends requests at once. Returns how many succeed, and the responses of the others.
async fn at_once(world: &World, count: usize, call: impl Fn(usize) -> Call) -> (usize, Vec<Reply>) {
    let replies = join_all((0..count).map(|index| world.send(call(index)))).await;
    let (made, refused): (Vec<_>, Vec<_>) = replies.into_iter().partition(|reply| reply.status.is_success());
    (made.len(), refused)
}

/// Sets the counters of the test organization for objects of this kind, in both modes.
async fn has(world: &World, counter: &str, value: usize) {
    let capital = counter[..1].to_uppercase() + &counter[1..];
    for name in [counter.to_owned(), format!("live{capital}"), format!("test{capital}")] {
        world.account.set_counter((format!("ORG#{}", world.org.id), "COUNT".to_owned()), &name, value).await;
    }
}
