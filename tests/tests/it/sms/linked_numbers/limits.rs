//! What a linked number may send: to which countries, and how many parts a day.

use domain::{ErrorCode, ErrorKind, Mode};
use ring::rand::SystemRandom;
use serde_json::{Value, json};
use store::SendQuota;
use tests::{Call, Service as _, World};

use super::{ALL, PATH, link, linked, unlink};

/// A number sends only while it is linked, and only to the countries of its link.
#[tokio::test]
async fn a_number_sends_to_its_countries_while_it_is_linked() {
    let world = World::new().await;
    let own = world.account.store().of(&world.org.id.parse().unwrap());
    let made = world.admin(Call::post(PATH).json(&json!({"number": "+12015550107"}))).await.expect(201);
    let test = world.admin(Call::post(PATH).json(&json!({"number": "+12015550108", "test": true}))).await.expect(201);
    assert_eq!((&test["carrierStatus"], &test["capabilities"]), (&json!("ACTIVE"), &json!(["SMS", "MMS"])));

    let refusal = async |id: &Value, to: &str| {
        let number = own.phone_number(&id.as_str().unwrap().parse().unwrap()).await.unwrap().unwrap();
        let refused = number.expect_may_send_to(&to.parse().unwrap()).err();
        refused.map(|failure| (failure.kind(), failure.param().unwrap().to_owned(), failure.message().to_owned()))
    };
    let kind = async |id: &Value, to: &str| refusal(id, to).await.map(|(kind, param, _)| (kind, param));
    let unlinked = Some((ErrorKind::Conflict, "from".to_owned()));

    let elsewhere = Some((ErrorKind::Forbidden, "to".to_owned()));
    assert_eq!(kind(&made["id"], "+12025550143").await, unlinked);
    assert_eq!(kind(&test["id"], "+4930123456").await, None, "nothing leaves the simulation");

    world.carrier_account.buy("+12015550107", "US", ALL);
    linked(&world, "+12015550107").await;
    let of_own_country = [("+12025550143", &None), ("+14165550143", &elsewhere), ("+18765550143", &elsewhere)];
    for (to, expected) in of_own_country {
        assert_eq!(kind(&made["id"], to).await, *expected, "{to}");
    }

    let mut more = link(&world.org.id, "+12015550107");
    more["countries"] = json!(["US", "CA"]);
    world.operate(more).await.unwrap();
    for (to, expected) in [("+14165550143", &None), ("+18765550143", &elsewhere), ("+88213000000", &elsewhere)] {
        assert_eq!(kind(&made["id"], to).await, *expected, "{to}");
    }

    let (_, _, message) = refusal(&made["id"], "+4930123456").await.unwrap();
    assert!(message.starts_with("This number may send to CA, US only, not to DE."), "{message}");

    world.operate(unlink(&world.org.id, "+12015550107")).await.unwrap();
    assert_eq!(kind(&made["id"], "+12025550143").await, unlinked);
}

/// Parts are counted per organization and mode, and a message that does not fit any more uses nothing.
#[tokio::test]
async fn an_organization_may_send_so_many_parts_a_day() {
    let world = World::new().await;
    let other = world.organization("Other").await;
    let (store, random) = (world.account.store(), SystemRandom::new());
    let reads = |organization: &str| store.of(&organization.parse().unwrap());
    let (own, others) = (reads(&world.org.id), reads(&other.id));
    let now = world.now();
    let live = |parts| SendQuota::of_parts(Mode::Live, 10, parts);

    for _ in 0..3 {
        own.spend_send(&live(3), &random, now).await.unwrap();
    }
    let refused = own.spend_send(&live(2), &random, now).await.unwrap_err();
    assert_eq!((refused.kind(), refused.code()), (ErrorKind::TooManyRequests, Some(ErrorCode::RateLimitExceeded)));
    assert!(refused.retry_after().is_some_and(|seconds| (1..=86_400).contains(&seconds)));

    own.spend_send(&live(1), &random, now).await.unwrap();
    own.spend_send(&live(1), &random, now).await.unwrap_err();
    own.spend_send(&live(24), &random, now).await.unwrap_err();
    others.spend_send(&live(10), &random, now).await.unwrap();
    own.spend_send(&SendQuota::of_parts(Mode::Test, 10, 24), &random, now).await.unwrap();
    own.spend_send(&live(10), &random, now.plus_days(1)).await.unwrap();
}

/// A larger quota is spread over several items, and can still be used up.
#[tokio::test]
async fn a_spread_quota_of_parts_can_be_used_up() {
    let world = World::new().await;
    let own = world.account.store().of(&world.org.id.parse().unwrap());
    let (random, now) = (SystemRandom::new(), world.now());
    let spend = async |parts| own.spend_send(&SendQuota::of_parts(Mode::Live, 4_000, parts), &random, now).await;

    for _ in 0..8 {
        spend(500).await.unwrap();
    }
    spend(1).await.unwrap_err();
}
