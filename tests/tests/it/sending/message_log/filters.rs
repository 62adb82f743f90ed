//! Filters find their messages and no others, alone and together.

use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use domain::Timestamp;
use domain::chat::{ChatMessage, Direction, Outcome};
use serde_json::json;
use store::{Change, StoredChat};
use tests::chat::{Line, connect};
use tests::request::text;
use tests::{Call, Service as _, World};

use super::{CONTACT, OWN_PATH, PATH, RECEIVED, Sample, encoded, found, id_of, stored};

const REFERENCE: &str = "order 7 & more ü";

/// Writes another outcome, as an attempt or a status does.
async fn settle(world: &World, line: &Line, before: &StoredChat, outcome: Outcome) -> StoredChat {
    let mut after = before.clone();
    after.tracked.message.outcome = Some(outcome.into());
    after.kept.revision += 1;
    let mut change = Change::new(&line.org.id.parse().unwrap());
    change.update_message(before, &after).unwrap();
    world.account.store().commit(&change).await.unwrap();
    after
}

/// Items from before lists had filters say nothing but the message's id.
async fn forget_what_lists_know(world: &World, message: &StoredChat) {
    for mut item in world.account.stored_items().await {
        let partition = item["PK"].as_s().unwrap().clone();
        let is_of_message = item.get("messageId") == Some(&AttributeValue::S(id_of(message)));
        if is_of_message && partition.starts_with("MSGLIST#") {
            item.retain(|name, _| ["PK", "SK", "v", "messageId"].contains(&name.as_str()));
            world.account.store_item(item).await;
        }
    }
}

/// A filter as a part of a query, and the messages that it finds.
type Filter = (String, Box<dyn Fn(&ChatMessage) -> bool>);

fn filter(query: impl Into<String>, finds: impl Fn(&ChatMessage) -> bool + 'static) -> Filter {
    (query.into(), Box::new(finds))
}

/// The filters that can be combined: one of each list.
fn filters(early: Timestamp, late: Timestamp) -> [Vec<Filter>; 5] {
    let all = || filter("", |_| true);
    let is_of_contact = |message: &ChatMessage| {
        let numbers = [&message.from_phone_number, &message.to_phone_number];
        numbers.into_iter().flatten().any(|number| number.as_str() == CONTACT)
    };
    [
        vec![all(), filter(format!("&contact={}", encoded(CONTACT)), is_of_contact)],
        vec![
            all(),
            filter("&direction=INBOUND", |message| message.direction == Direction::Inbound),
            filter("&direction=OUTBOUND", |message| message.direction == Direction::Outbound),
        ],
        vec![
            all(),
            filter("&outcome=UNKNOWN", |message| message.outcome == Some(Outcome::Unknown.into())),
            filter("&outcome=EXPIRED", |message| message.outcome == Some(Outcome::Expired.into())),
        ],
        vec![
            all(),
            filter(format!("&clientReference={}", encoded(REFERENCE)), |message| {
                message.client_reference.as_deref() == Some(REFERENCE)
            }),
        ],
        vec![
            all(),
            filter(format!("&since={early}&until={late}"), move |message| {
                message.created_at >= early && message.created_at < late
            }),
            filter(format!("&until={early}"), move |message| message.created_at < early),
        ],
    ]
}

/// All combinations of one filter of each list.
fn combinations(lists: &[Vec<Filter>]) -> Vec<Vec<&Filter>> {
    let mut all: Vec<Vec<&Filter>> = vec![Vec::new()];
    for list in lists {
        let mut longer = Vec::new();
        for chosen in &all {
            for filter in list {
                longer.push([chosen.as_slice(), &[filter]].concat());
            }
        }
        all = longer;
    }
    all
}

#[tokio::test]
async fn every_filter_finds_its_messages_and_no_others() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "951").await;
    let other = connect(&world, &world.org, "952").await;
    let contacts = [CONTACT, "+16505550002"];
    let outcomes =
        [None, Some(Outcome::Pending), Some(Outcome::Accepted), Some(Outcome::Unknown), Some(Outcome::Refused)];
    let references = [None, Some(REFERENCE), Some("order 8")];

    let mut all: Vec<StoredChat> = Vec::new();
    for n in 0..30 {
        world.clock.advance(Duration::from_millis(700));
        let outcome = outcomes[n % 5];
        let reference = references[n % 3].filter(|_| outcome.is_some());
        let sample = Sample { contact: contacts[n % 2], outcome, reference };
        all.push(stored(&world, &line, sample).await);
        stored(&world, &other, sample).await;
    }

    forget_what_lists_know(&world, &all[10]).await;
    all.reverse();

    let times: Vec<Timestamp> = all.iter().map(|stored| stored.message().created_at).collect();
    let filters = filters(times[20], times[5]);
    let combinations = combinations(&filters);
    assert_eq!(combinations.len(), 108);
    for (n, chosen) in combinations.into_iter().enumerate() {
        let is_found = |stored: &&StoredChat| chosen.iter().all(|(_, finds)| finds(stored.message()));
        let expected: Vec<String> = all.iter().filter(is_found).map(id_of).collect();
        let query: String = chosen.iter().map(|(query, _)| query.as_str()).collect();
        let query = format!("{query}&limit={}", [7, 100, 1][n % 3]);
        assert_eq!(found(&world, &line, &query).await, expected, "{query}");
    }
}

/// The status is read from the messages themselves, so that a page can be short although more follow.
#[tokio::test]
async fn the_status_filter_finds_its_messages() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "954").await;
    let send = json!({"from": line.number, "to": "+16505551234", "type": "text", "text": {"body": "Hello"}});
    let mut of_status: [Vec<String>; 3] = Default::default();
    for n in 0..9 {
        world.clock.advance(Duration::from_millis(700));
        let sent = world.send(Call::post("/v1/chat/messages").key(&line.org.app_key).json(&send)).await.expect(201);
        for name in &["sent", "delivered", "read"][..=n % 3] {
            let status = json!({"id": sent["providerMessageId"], "status": name, "timestamp": "2000000000", "recipient_id": "16505551234"});
            world.notify(&line.status(&status)).await.expect(200);
        }
        of_status[n % 3].insert(0, text(&sent, "id"));
    }
    for (status, expected) in ["SENT", "DELIVERED", "READ"].iter().zip(&of_status) {
        for limit in [1, 2, 100] {
            assert_eq!(
                found(&world, &line, &format!("&status={status}&limit={limit}")).await,
                *expected,
                "{status} {limit}"
            );
        }
        let both = format!("&status={status}&direction=INBOUND");
        assert_eq!(found(&world, &line, &both).await, [""; 0]);
    }
    let wrong = Call::get(format!("{OWN_PATH}?chatPhoneNumberId={}&status=LOST", line.number)).key(&line.org.app_key);
    world.send(wrong).await.refused(400, Some("status"), None);
}

#[tokio::test]
async fn a_filter_follows_the_outcome() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "953").await;
    let message = stored(&world, &line, Sample { outcome: Some(Outcome::Pending), ..RECEIVED }).await;

    let lists = async |outcome: &str| {
        let alone = found(&world, &line, &format!("&outcome={outcome}")).await;
        let of_contact = found(&world, &line, &format!("&outcome={outcome}&contact=%2B16505550001")).await;
        assert_eq!(alone, of_contact, "{outcome}");
        alone
    };

    let only = vec![id_of(&message)];
    assert_eq!((lists("PENDING").await, lists("UNKNOWN").await), (only.clone(), Vec::new()));

    let unknown = settle(&world, &line, &message, Outcome::Unknown).await;
    assert_eq!((lists("PENDING").await, lists("UNKNOWN").await), (Vec::new(), only.clone()));

    settle(&world, &line, &unknown, Outcome::Accepted).await;
    assert_eq!((lists("UNKNOWN").await, lists("ACCEPTED").await), (Vec::new(), only));
}

#[tokio::test]
async fn wrong_filters_are_refused() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "956").await;

    for (filter, param, code) in [
        ("contact=", "contact", None),
        ("contact=%2B0123", "contact", Some("invalid_phone_number")),
        ("contact=12", "contact", Some("invalid_phone_number")),
        ("direction=inbound", "direction", None),
        ("outcome=SENT", "outcome", None),
        ("clientReference=", "clientReference", None),
        ("since=yesterday", "since", None),
        ("until=2026-13-01T00:00:00Z", "until", None),
        ("since=2026-01-02T00:00:00Z&until=2026-01-01T00:00:00Z", "until", None),
        ("outcome=UNKNOWN&outcome=PENDING", "outcome", None),
        ("recipient=%2B16505550001", "recipient", None),
    ] {
        let path = format!("{PATH}?chatPhoneNumberId={}&{filter}", line.number);
        world.admin(Call::get(path)).await.refused(400, Some(param), code);
        let path = format!("{OWN_PATH}?chatPhoneNumberId={}&{filter}", line.number);
        world.send(Call::get(path).key(&world.org.app_key)).await.refused(400, Some(param), code);
    }

    let long = format!("{PATH}?chatPhoneNumberId={}&clientReference={}", line.number, "x".repeat(256));
    world.admin(Call::get(long)).await.refused(400, Some("clientReference"), None);

    // A cursor belongs to the filters that it was made with.
    for _ in 0..2 {
        stored(&world, &line, RECEIVED).await;
    }
    let first = format!("{PATH}?chatPhoneNumberId={}&limit=1&direction=INBOUND", line.number);
    let cursor = text(&world.admin(Call::get(&first)).await.expect(200), "nextCursor");
    world.admin(Call::get(format!("{first}&cursor={cursor}"))).await.expect(200);

    for other in ["", "&direction=OUTBOUND", "&direction=INBOUND&contact=%2B16505550001"] {
        let path = format!("{PATH}?chatPhoneNumberId={}&cursor={cursor}{other}", line.number);
        world.admin(Call::get(path)).await.refused(400, Some("cursor"), None);
    }
}

/// A `+` that is not encoded, a number without one, and times with an offset.
#[tokio::test]
async fn filters_are_found_as_users_write_them() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "957").await;
    let message = stored(&world, &line, RECEIVED).await;
    let only = vec![id_of(&message)];

    for filter in [
        "&contact=+16505550001",
        "&contact=%2B16505550001",
        "&contact=16505550001",
        "&since=2020-01-01T00:00:00+02:00",
        "&since=2020-01-01T00:00:00Z&until=2999-01-01T00:00:00%2B02:00",
    ] {
        assert_eq!(found(&world, &line, filter).await, only, "{filter}");
    }

    for filter in [
        "&contact=16505550002",
        "&contact=US.16505550001",
        "&until=2020-01-01T00:00:00Z",
        "&since=2999-01-01T00:00:00Z",
    ] {
        assert_eq!(found(&world, &line, filter).await, Vec::<String>::new(), "{filter}");
    }
}
