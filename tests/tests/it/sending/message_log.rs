//! The message log: filters, conversations, the end of messages, and what an app sees of it.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use domain::chat::{ChatMessage, ChatMessageType, Direction, Outcome};
use domain::id::{ChatMessageId, ChatPhoneNumberId};
use domain::organization::MessageRetention;
use domain::{E164, Open, Timestamp};
use ring::rand::SystemRandom;
use serde_json::{Value, json};
use store::{Change, ChatRecord, Stored, StoredChat};
use tests::chat::{Line, connect};
use tests::request::text;
use tests::{Call, Service as _, World};

const PATH: &str = "/v1/organization/chat/messages";
const OWN_PATH: &str = "/v1/chat/messages";
const DAY: Duration = Duration::from_secs(24 * 3600);

/// A message to store, as a send or a notification stores one.
#[derive(Clone, Copy)]
struct Sample<'a> {
    contact: &'a str,
    outcome: Option<Outcome>,
    reference: Option<&'a str>,
}

async fn stored(world: &World, line: &Line, sample: Sample<'_>) -> StoredChat {
    let number: ChatPhoneNumberId = line.number.parse().unwrap();
    let id = ChatMessageId::mint(number.mode(), world.now(), &SystemRandom::new());
    let display: E164 = format!("+{}", line.display).parse().unwrap();
    let direction = if sample.outcome.is_some() { Direction::Outbound } else { Direction::Inbound };
    let mut message = ChatMessage::blank(id, &number, &display, direction, ChatMessageType::Text, world.now());
    let contact = Some(sample.contact.parse().unwrap());
    match direction {
        Direction::Inbound => message.from_phone_number = contact,
        Direction::Outbound => message.to_phone_number = contact,
    }
    message.outcome = sample.outcome.map(Open::from);
    message.client_reference = sample.reference.map(str::to_owned);
    let organization = line.org.id.parse().unwrap();
    let store = world.account.store();
    let retention = store.of(&organization).message_retention().await.unwrap();
    let stored = Stored::new(ChatRecord::new(message), retention);
    let mut change = Change::new(&organization);
    change.create_message(&stored).unwrap();
    store.commit(&change).await.unwrap();
    stored
}

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

/// Reads all pages and returns the ids, and the number of pages.
async fn walk(world: &World, key: &str, path: &str) -> (Vec<String>, usize) {
    let (mut ids, mut pages, mut cursor) = (Vec::new(), 0, String::new());
    loop {
        let page = world.send(Call::get(format!("{path}{cursor}")).key(key)).await.expect(200);
        ids.extend(page["data"].as_array().unwrap().iter().map(|message| text(message, "id")));
        pages += 1;
        let Some(next) = page["nextCursor"].as_str() else { return (ids, pages) };
        cursor = format!("&cursor={next}");
    }
}

async fn found(world: &World, line: &Line, filters: &str) -> Vec<String> {
    walk(world, &line.org.admin, &format!("{PATH}?chatPhoneNumberId={}{filters}", line.number)).await.0
}

fn id_of(stored: &StoredChat) -> String {
    stored.message().id.to_string()
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

#[tokio::test]
async fn every_filter_finds_its_messages_and_no_others() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "951").await;
    let other = connect(&world, &world.org, "952").await;
    let contacts = ["+16505550001", "+16505550002"];
    let outcomes =
        [None, Some(Outcome::Pending), Some(Outcome::Accepted), Some(Outcome::Unknown), Some(Outcome::Refused)];
    let references = [None, Some("order 7 & more ü"), Some("order 8")];
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
    let encode = |text: &str| url::form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
    let times: Vec<Timestamp> = all.iter().map(|stored| stored.message().created_at).collect();
    let (early, late) = (times[20], times[5]);
    type Test<'a> = Box<dyn Fn(&ChatMessage) -> bool + 'a>;
    let parts: Vec<Vec<(String, Test)>> = vec![
        vec![
            (String::new(), Box::new(|_| true)),
            (
                format!("&contact={}", encode(contacts[0])),
                Box::new(|message| {
                    [&message.from_phone_number, &message.to_phone_number]
                        .into_iter()
                        .flatten()
                        .any(|number| number.as_str() == contacts[0])
                }),
            ),
        ],
        vec![
            (String::new(), Box::new(|_| true)),
            ("&direction=INBOUND".to_owned(), Box::new(|message| message.direction == Direction::Inbound)),
            ("&direction=OUTBOUND".to_owned(), Box::new(|message| message.direction == Direction::Outbound)),
        ],
        vec![
            (String::new(), Box::new(|_| true)),
            ("&outcome=UNKNOWN".to_owned(), Box::new(|message| message.outcome == Some(Outcome::Unknown.into()))),
            ("&outcome=EXPIRED".to_owned(), Box::new(|message| message.outcome == Some(Outcome::Expired.into()))),
        ],
        vec![
            (String::new(), Box::new(|_| true)),
            (
                format!("&clientReference={}", encode("order 7 & more ü")),
                Box::new(|message| message.client_reference.as_deref() == Some("order 7 & more ü")),
            ),
        ],
        vec![
            (String::new(), Box::new(|_| true)),
            (
                format!("&since={early}&until={late}"),
                Box::new(move |message| message.created_at >= early && message.created_at < late),
            ),
            (format!("&until={early}"), Box::new(move |message| message.created_at < early)),
        ],
    ];
    let mut combinations = 0;
    for a in &parts[0] {
        for b in &parts[1] {
            for c in &parts[2] {
                for d in &parts[3] {
                    for e in &parts[4] {
                        combinations += 1;
                        let chosen = [a, b, c, d, e];
                        let expected: Vec<String> = all
                            .iter()
                            .filter(|stored| chosen.iter().all(|(_, test)| test(stored.message())))
                            .map(id_of)
                            .collect();
                        let query: String = chosen.iter().map(|(text, _)| text.as_str()).collect();
                        let limit = [1, 7, 100][combinations % 3];
                        let query = format!("{query}&limit={limit}");
                        assert_eq!(found(&world, &line, &query).await, expected, "{query}");
                    }
                }
            }
        }
    }
    assert_eq!(combinations, 108);
}

#[tokio::test]
async fn a_filter_follows_the_outcome() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "953").await;
    let contact = "+16505550001";
    let message = stored(&world, &line, Sample { contact, outcome: Some(Outcome::Pending), reference: None }).await;
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

/// A page reads 200 list items and no messages that it does not show.
#[tokio::test]
async fn a_filtered_page_looks_at_two_hundred_items() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "954").await;
    let sample = Sample { contact: "+16505550001", outcome: None, reference: None };
    let rare = stored(&world, &line, Sample { outcome: Some(Outcome::Refused), ..sample }).await;
    let common = stored(&world, &line, sample).await;
    let items: Vec<_> = world.account.stored_items().await;
    let listed = |class: &str| {
        let is_listed = |item: &&HashMap<String, AttributeValue>| {
            item["PK"].as_s().unwrap().starts_with(class)
                && item.get("messageId") == Some(&AttributeValue::S(id_of(&common)))
        };
        items.iter().find(is_listed).unwrap().clone()
    };
    let models = [listed("MSGLIST#"), listed("CONV#")];
    for n in 0..449_i64 {
        let at = Timestamp::from_millis(world.now().millis() + 1000 + n);
        let ksuid = domain::id::mint_ksuid(at, &SystemRandom::new());
        for model in &models {
            let mut item = model.clone();
            item.insert("SK".to_owned(), AttributeValue::S(ksuid.clone()));
            item.insert("messageId".to_owned(), AttributeValue::S(format!("msg_wa_{ksuid}")));
            world.account.store_item(item).await;
        }
    }
    for filters in ["&outcome=REFUSED", "&direction=OUTBOUND", "&outcome=REFUSED&contact=%2B16505550001"] {
        let path = format!("{PATH}?chatPhoneNumberId={}&limit=100{filters}", line.number);
        let (ids, pages) = walk(&world, &line.org.admin, &path).await;
        assert_eq!((ids, pages), (vec![id_of(&rare)], 3), "{filters}: 451 items, 200 a page");
    }
}

#[tokio::test]
async fn list_items_stay_below_one_unit() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "955").await;
    let reference = "\u{1F4E6}".repeat(255);
    let sample = Sample { contact: "+165055500010000", outcome: Some(Outcome::Accepted), reference: Some(&reference) };
    let message = stored(&world, &line, sample).await;
    let mut seen = 0;
    for item in world.account.stored_items().await {
        let partition = item["PK"].as_s().unwrap();
        if partition.starts_with("MSGLIST#") || partition.starts_with("CONV#") {
            let size: usize = item.iter().map(|(name, value)| name.len() + format!("{value:?}").len()).sum();
            assert!(size < 1024, "{size} bytes: {item:?}");
            seen += 1;
        }
    }
    assert_eq!(seen, 2);
    let encoded: String = url::form_urlencoded::byte_serialize(reference.as_bytes()).collect();
    assert_eq!(found(&world, &line, &format!("&clientReference={encoded}")).await, [id_of(&message)]);
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
        stored(&world, &line, Sample { contact: "+16505550001", outcome: None, reference: None }).await;
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
    let message = stored(&world, &line, Sample { contact: "+16505550001", outcome: None, reference: None }).await;
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

/// Messages of notifications: both directions of one conversation, and one that only a status has announced.
#[tokio::test]
async fn a_conversation_holds_what_both_sides_sent() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "958").await;
    let received = json!({"id": "wamid.1", "type": "text", "text": {"body": "Hello"}});
    world.notify(&line.message(&received)).await.expect(200);
    world.clock.advance(Duration::from_secs(1));
    let status = json!({"id": "wamid.2", "status": "sent", "timestamp": "2000000000", "recipient_id": "16505551234"});
    world.notify(&line.status(&status)).await.expect(200);
    world.clock.advance(Duration::from_secs(1));
    let echo = json!({"from": line.display, "to": "16505559999", "id": "wamid.3", "timestamp": "2000000000", "type": "text", "text": {"body": "Hi"}});
    world.notify(&line.about("smb_message_echoes", &json!({"message_echoes": [echo]}))).await.expect(200);
    let all = found(&world, &line, "").await;
    assert_eq!(all.len(), 3);
    assert_eq!(found(&world, &line, "&contact=16505551234").await, all[1..]);
    assert_eq!(found(&world, &line, "&contact=16505551234&direction=OUTBOUND").await, all[1..2]);
    assert_eq!(found(&world, &line, "&contact=16505559999").await, all[..1]);
}

/// Contacts are known by a number, by a user id, or by both.
#[tokio::test]
async fn a_contact_is_found_by_number_and_by_user_id() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "966").await;
    let tell = async |id: &str, seconds: u64, sender: Value| {
        world.clock.advance(Duration::from_secs(seconds));
        let mut message = json!({"id": id, "timestamp": "2000000000", "type": "text", "text": {"body": "Hello"}});
        message.as_object_mut().unwrap().extend(sender.as_object().unwrap().clone());
        world.notify(&line.about("messages", &json!({"messages": [message]}))).await.expect(200);
    };
    tell("wamid.1", 1, json!({"from": "16505551234"})).await;
    tell("wamid.2", 1, json!({"from": "16505551234", "from_user_id": "US.134"})).await;
    tell("wamid.3", 1, json!({"from_user_id": "US.134"})).await;
    tell("wamid.4", 1, json!({"from": "16505551234", "from_user_id": "US.134", "group_id": "group-1"})).await;
    let all = found(&world, &line, "").await;
    assert_eq!(all.len(), 4);
    let (by_user, by_both, by_number) = (all[1].clone(), all[2].clone(), all[3].clone());
    assert_eq!(found(&world, &line, "&contact=%2B16505551234").await, [by_both.clone(), by_number]);
    assert_eq!(found(&world, &line, "&contact=US.134").await, [by_user, by_both]);
    // A status that names the user of a message joins it to the conversation with the user.
    let status = |more: Value| {
        let mut status =
            json!({"id": "wamid.9", "status": "sent", "timestamp": "2000000000", "recipient_id": "16505559999"});
        status.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        line.status(&status)
    };
    world.notify(&status(json!({}))).await.expect(200);
    assert_eq!(found(&world, &line, "&contact=US.999").await, Vec::<String>::new());
    world.notify(&status(json!({"status": "delivered", "recipient_user_id": "US.999"}))).await.expect(200);
    let joined = found(&world, &line, "&contact=US.999").await;
    assert_eq!((joined.len(), &joined), (1, &found(&world, &line, "&contact=16505559999").await));
}

async fn set_retention(world: &World, days: i64) {
    let body = json!({"messageRetentionDays": days});
    world.admin(Call::patch("/v1/organization/settings").json(&body)).await.expect(200);
}

#[tokio::test]
async fn a_message_ends_to_the_second_with_all_that_belongs_to_it() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "959").await;
    set_retention(&world, 30).await;
    let received = json!({"id": "wamid.1", "type": "text", "text": {"body": "Hello"}, "referral": {"source_id": "1"}});
    world.notify(&line.message(&received)).await.expect(200);
    let status = json!({"id": "wamid.2", "status": "sent", "timestamp": "2000000000", "recipient_id": "16505551234",
        "conversation": {"id": "c1", "origin": {"type": "service"}}});
    world.notify(&line.status(&status)).await.expect(200);
    let later =
        json!({"id": "wamid.2", "status": "delivered", "timestamp": "2000000001", "recipient_id": "16505551234"});
    world.notify(&line.status(&later)).await.expect(200);
    let end = world.now().plus_days(30).seconds();
    let mut kinds = BTreeSet::new();
    for item in world.account.items().await {
        let class = item["PK"].split('#').next().unwrap().to_owned();
        if ["MSG", "MSGLIST", "CONV", "WAMID"].contains(&class.as_str()) {
            assert_eq!(item.get("ttl"), Some(&end.to_string()), "{item:?}");
            let kind = if class == "MSG" { item["SK"].split('#').next().unwrap().to_owned() } else { class };
            kinds.insert(kind);
        }
    }
    for kind in ["MSG", "RCPT", "REFERRAL", "WINDOW", "MSGLIST", "CONV", "WAMID"] {
        assert!(kinds.contains(kind), "{kind}: {kinds:?}");
    }

    // What is stored under another retention keeps its own end.
    set_retention(&world, 3650).await;
    let kept = stored(&world, &line, Sample { contact: "+16505550001", outcome: None, reference: None }).await;
    let ids = found(&world, &line, "").await;
    assert_eq!(ids.len(), 3);
    let to_end = u64::try_from(end * 1000 - world.now().millis()).unwrap();
    world.clock.advance(Duration::from_millis(to_end - 1));
    assert_eq!(found(&world, &line, "").await, ids);
    let visible: Vec<_> = ids.iter().filter(|id| **id != id_of(&kept)).collect();
    for id in &visible {
        line.details(&world, id).await;
    }
    world.clock.advance(Duration::from_millis(1));
    assert_eq!(found(&world, &line, "").await, [id_of(&kept)]);
    assert_eq!(found(&world, &line, "&contact=16505551234").await, Vec::<String>::new());
    for id in visible {
        world.admin(Call::get(format!("{PATH}/{id}"))).await.refused(404, Some("messageId"), None);
        let own = Call::get(format!("{OWN_PATH}/{id}")).key(&world.org.app_key);
        world.send(own).await.refused(404, Some("messageId"), None);
    }
    // A late status changes nothing that can be seen.
    world
        .notify(&line.status(
            &json!({"id": "wamid.2", "status": "read", "timestamp": "2000000002", "recipient_id": "16505551234"}),
        ))
        .await
        .expect(200);
    assert_eq!(found(&world, &line, "").await, [id_of(&kept)]);
    world.clock.advance(3620 * DAY);
    assert_eq!(found(&world, &line, "").await, Vec::<String>::new());
}

#[tokio::test]
async fn messages_from_before_there_was_a_retention_stay() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "960").await;
    let message = stored(&world, &line, Sample { contact: "+16505550001", outcome: None, reference: None }).await;
    for mut item in world.account.stored_items().await {
        if item["PK"].as_s().unwrap().starts_with("MSG") && item.remove("ttl").is_some() {
            world.account.store_item(item).await;
        }
    }
    world.clock.advance(4000 * DAY);
    assert_eq!(found(&world, &line, "").await, [id_of(&message)]);
    line.details(&world, &id_of(&message)).await;
    assert_eq!(MessageRetention::default().days(), 365);
}

/// The table removes the items of a message that has ended one by one.
#[tokio::test]
async fn a_message_that_is_half_removed_comes_back_in_no_part() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "961").await;
    let received = json!({"id": "wamid.1", "type": "text", "text": {"body": "Hello"}});
    world.notify(&line.message(&received)).await.expect(200);
    world.clock.advance(366 * DAY);
    for item in world.account.stored_items().await {
        if item["PK"].as_s().unwrap().starts_with("MSG#") {
            world.account.remove_item(&item).await;
        }
    }
    // The reference is still there: a message that comes with its id is a new one.
    world.notify(&line.message(&received)).await.expect(200);
    let messages = line.messages(&world).await;
    assert_eq!(messages.len(), 1);
    assert_eq!(messages[0]["createdAt"], json!(world.now()));
}

#[tokio::test]
async fn an_app_sees_its_numbers_from_their_assignment_on() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "962").await;
    let (second, second_key) = world.app(&world.org.admin, &json!({"name": "Second"})).await;
    let sample = Sample { contact: "+16505550001", outcome: None, reference: None };
    let own = async |key: &str, query: &str| world.send(Call::get(format!("{OWN_PATH}{query}")).key(key)).await;
    let one = format!("?chatPhoneNumberId={}", line.number);
    let ids = |page: Value| -> Vec<String> {
        page["data"].as_array().unwrap().iter().map(|message| text(message, "id")).collect()
    };
    let before = id_of(&stored(&world, &line, sample).await);
    let first_key = world.org.app_key.clone();
    assert_eq!(ids(own(&first_key, &one).await.expect(200)), std::slice::from_ref(&before));
    own(&second_key, &one).await.refused(404, Some("chatPhoneNumberId"), None);
    own(&second_key, &format!("/{before}")).await.refused(404, Some("messageId"), None);

    world.clock.advance(Duration::from_millis(5));
    let assignment = format!("/v1/organization/apps/{second}/phone-numbers/{}", line.number);
    world.admin(Call::put(&assignment)).await.expect(200);
    let after = id_of(&stored(&world, &line, sample).await);
    assert_eq!(ids(own(&first_key, &one).await.expect(200)), [after.clone(), before.clone()]);
    for query in [one.as_str(), "?limit=100", "?contact=16505550001", "?since=2020-01-01T00:00:00Z"] {
        assert_eq!(ids(own(&second_key, query).await.expect(200)), std::slice::from_ref(&after), "{query}");
    }
    assert_eq!(own(&second_key, &format!("/{after}")).await.expect(200), line.details(&world, &after).await);
    own(&second_key, &format!("/{before}")).await.refused(404, Some("messageId"), None);
    // Assigning again changes nothing; a later assignment begins anew.
    world.clock.advance(Duration::from_millis(5));
    world.admin(Call::put(&assignment)).await.expect(200);
    assert_eq!(ids(own(&second_key, &one).await.expect(200)), std::slice::from_ref(&after));
    world.admin(Call::delete(&assignment)).await.expect(200);
    own(&second_key, &one).await.refused(404, Some("chatPhoneNumberId"), None);
    own(&second_key, &format!("/{after}")).await.refused(404, Some("messageId"), None);
    world.admin(Call::put(&assignment)).await.expect(200);
    assert_eq!(ids(own(&second_key, &one).await.expect(200)), Vec::<String>::new());
    assert_eq!(ids(own(&first_key, &one).await.expect(200)), [after, before]);
}

#[tokio::test]
async fn the_number_may_be_left_out_if_there_is_only_one() {
    let world = World::new().await;
    let (_, bare) = world.app(&world.org.admin, &json!({"name": "Bare"})).await;
    let own = async |key: &str| world.send(Call::get(OWN_PATH).key(key)).await;
    let none = own(&bare).await.refused(400, Some("chatPhoneNumberId"), None);
    assert!(none["error"]["message"].as_str().unwrap().contains("POST /v1/phone-numbers"), "{none}");
    connect(&world, &world.org, "963").await;
    let number = Call::post("/v1/organization/phone-numbers")
        .json(&json!({"number": "+12015550100", "appIds": [world.org.app]}));
    world.admin(number).await.expect(201);
    own(&world.org.app_key).await.expect(200);
    connect(&world, &world.org, "964").await;
    let several = own(&world.org.app_key).await.refused(400, Some("chatPhoneNumberId"), None);
    assert!(several["error"]["message"].as_str().unwrap().contains("GET /v1/phone-numbers"), "{several}");
    // The simulated number that a test app is created with.
    own(&world.org.test_app_key).await.expect(200);
}

/// An assignment from before the times of assignments were stored counts from the creation of the number.
#[tokio::test]
async fn an_assignment_of_unknown_time_shows_all_messages_of_the_number() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "965").await;
    let message = stored(&world, &line, Sample { contact: "+16505550001", outcome: None, reference: None }).await;
    for mut item in world.account.stored_items().await {
        if item["PK"].as_s().unwrap().starts_with("WAPN#") && item.remove("assignedAt").is_some() {
            world.account.store_item(item).await;
        }
    }
    world.clock.advance(DAY);
    let (second, _) = world.app(&world.org.admin, &json!({"name": "Second"})).await;
    let assignment = format!("/v1/organization/apps/{second}/phone-numbers/{}", line.number);
    world.admin(Call::put(&assignment)).await.expect(200);
    let (ids, _) = walk(&world, &world.org.app_key, &format!("{OWN_PATH}?limit=25")).await;
    assert_eq!(ids, [id_of(&message)]);
}
