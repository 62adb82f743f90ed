//! The items that lists are read from: how many a page looks at, and how large they are.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use domain::Timestamp;
use domain::chat::Outcome;
use ring::rand::SystemRandom;
use tests::World;
use tests::chat::connect;

use super::{PATH, RECEIVED, Sample, encoded, found, id_of, stored, walk};

/// A page reads 200 list items and no messages that it does not show.
#[tokio::test]
async fn a_filtered_page_looks_at_two_hundred_items() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "954").await;
    let rare = stored(&world, &line, Sample { outcome: Some(Outcome::Refused), ..RECEIVED }).await;
    let common = stored(&world, &line, RECEIVED).await;

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

    let filter = format!("&clientReference={}", encoded(&reference));
    assert_eq!(found(&world, &line, &filter).await, [id_of(&message)]);
}
