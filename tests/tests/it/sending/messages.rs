//! Stored messages: the list of one number, and all details of one message.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};
use tests::chat::{Line, connect, events};
use tests::request::text;
use tests::{Call, Service as _, World};

const PATH: &str = "/v1/organization/chat/messages";

/// Removes the ids from objects, and checks that they were distinct.
fn without_ids(objects: &Value) -> Vec<Value> {
    let mut objects = objects.as_array().unwrap().clone();
    let ids: BTreeSet<String> = objects.iter().map(|object| text(object, "id")).collect();
    assert_eq!(ids.len(), objects.len(), "{ids:?}");
    for object in &mut objects {
        object.as_object_mut().unwrap().remove("id");
    }
    objects
}

/// Removes the id from an object.
fn without_id(object: &Value) -> Value {
    without_ids(&json!([object])).remove(0)
}

/// The order has more than nine items: sorted as text, their positions would be in another order.
#[tokio::test]
async fn an_order_is_shown_with_its_items_in_their_order() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "702").await;
    let mut sent: Vec<Value> = (1..=12)
        .map(|n| json!({"product_retailer_id": format!("p{}", 13 - n), "quantity": n, "item_price": n * 10, "currency": "USD"}))
        .collect();
    sent.push(json!({"product_retailer_id": "text", "quantity": "3", "item_price": 25.50, "currency": "EUR"}));
    sent.push(json!({"product_retailer_id": "bare"}));
    let order = json!({"catalog_id": "194", "text": "Please hurry", "product_items": sent});
    let order = json!({"id": "wamid.order", "type": "order", "order": order,
        "context": {"id": "wamid.unknown", "from": line.display, "forwarded": true}});
    world.notify(&line.message(&order)).await.expect(200);
    let message = line.only_message(&world).await;
    let order = &message["order"];
    let mut expected: Vec<Value> = (1..=12)
        .map(|n| json!({"productRetailerId": format!("p{}", 13 - n), "quantity": n, "itemPrice": (n * 10).to_string(), "currency": "USD"}))
        .collect();
    expected.push(json!({"productRetailerId": "text", "quantity": 3, "itemPrice": "25.5", "currency": "EUR"}));
    expected.push(json!({"productRetailerId": "bare", "quantity": 0}));
    assert_eq!(without_ids(&order["items"]), expected);
    let mut rest = without_id(order);
    rest.as_object_mut().unwrap().remove("items");
    let expected = json!({"catalogId": "194", "orderText": "Please hurry", "totalItems": 81, "createdAt": world.now()});
    assert_eq!(rest, expected);
    for (name, expected) in [
        ("type", json!("order")),
        ("direction", json!("INBOUND")),
        ("contactName", json!("Ann")),
        ("chatPhoneNumberId", json!(line.number)),
        ("fromPhoneNumber", json!("+16505551234")),
        ("toPhoneNumber", json!(format!("+{}", line.display))),
        ("sentAt", json!("2033-05-18T03:33:20.000Z")),
        ("createdAt", json!(world.now())),
        ("replyToMessageId", json!("wamid.unknown")),
        ("isForwarded", json!(true)),
        ("hasReferral", json!(false)),
    ] {
        assert_eq!(message[name], expected, "{name}");
    }
    assert_eq!((message.get("referral"), message.get("conversationWindow")), (None, None));
    assert_eq!(events(&world, &world.org, "messages.chat.received").await, [message]);
}

#[tokio::test]
async fn a_referral_is_shown_with_each_of_its_fields() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "736").await;
    let referral = json!({"source_url": "https://fb.me/x", "source_id": 123, "source_type": "ad", "headline": "Sale",
        "body": "Buy", "media_type": "image", "image_url": "https://example.com/i", "video_url": "https://example.com/v",
        "thumbnail_url": "https://example.com/t", "ctwa_clid": "clid", "welcome_message": {"text": "Hi!"}});
    let sent = json!({"id": "wamid.1", "type": "text", "text": {"body": "Hi"}, "referral": referral});
    world.notify(&line.message(&sent)).await.expect(200);
    let message = line.only_message(&world).await;
    assert_eq!(message["hasReferral"], true);
    let expected = json!({"sourceUrl": "https://fb.me/x", "sourceId": "123", "sourceType": "ad", "headline": "Sale", "body": "Buy",
        "mediaType": "image", "imageUrl": "https://example.com/i", "videoUrl": "https://example.com/v",
        "thumbnailUrl": "https://example.com/t", "ctwaClid": "clid", "welcomeMessage": "Hi!", "createdAt": world.now()});
    assert_eq!(without_id(&message["referral"]), expected);
    assert_eq!((message.get("order"), message.get("conversationWindow")), (None, None));
}

/// The statuses of one message, each with another part of the conversation, in every order.
#[tokio::test]
async fn the_conversation_window_begins_with_the_first_status_and_ends_when_the_platform_says() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "737").await;
    let parts = [
        ("sent", 1, json!({"conversation": {"id": "c1", "origin": {"type": "service"}}})),
        ("delivered", 5, json!({"conversation": {"id": "c1", "expiration_timestamp": "2000086400"}})),
        ("read", 9, json!({"pricing": {"billable": true, "pricing_model": "PMP", "category": "utility"}})),
    ];
    let expected = json!({"id": "c1", "originType": "service", "pricingModel": "PMP", "pricingCategory": "utility",
        "pricingBillable": true, "startedAt": "2033-05-18T03:33:21.000Z", "expiresAt": "2033-05-19T03:33:20.000Z", "createdAt": world.now()});
    for (turn, order) in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]].into_iter().enumerate() {
        for at in order {
            let (status, seconds, more) = &parts[at];
            let mut update = json!({"id": format!("wamid.{turn}"), "status": status, "timestamp": (2_000_000_000 + seconds).to_string(),
                "recipient_id": "16505551234"});
            update.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            world.notify(&line.status(&update)).await.expect(200);
        }
    }
    let messages = line.messages(&world).await;
    assert_eq!(messages.len(), 6);
    for message in &messages {
        let details = line.details(&world, &text(message, "id")).await;
        assert_eq!(details["conversationWindow"], expected);
        assert_eq!((details.get("order"), details.get("referral")), (None, None));
    }
}

/// Twelve members of a group, who got a message in another order than that of their numbers.
#[tokio::test]
async fn recipients_are_shown_in_one_order_each_with_its_own_times() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "738").await;
    let number = |member: u32| format!("1650555{:04}", member * 37 % 1000);
    let status = |member: u32, status: &str| {
        line.status(&json!({"id": "wamid.group", "status": status, "timestamp": (2_000_000_000 + member).to_string(),
            "recipient_id": "group-1", "recipient_type": "group", "recipient_participant_id": number(member)}))
    };
    for member in 1..=12 {
        world.notify(&status(member, if member % 3 == 0 { "read" } else { "sent" })).await.expect(200);
    }
    let message = line.only_message(&world).await;
    let mut expected: Vec<Value> = (1..=12)
        .map(|member| {
            let (state, time) = if member % 3 == 0 { ("READ", "readAt") } else { ("SENT", "sentAt") };
            json!({"phoneNumber": format!("+{}", number(member)), "status": state, "createdAt": world.now(), "updatedAt": world.now(),
                time: format!("2033-05-18T03:33:{}.000Z", 20 + member)})
        })
        .collect();
    expected.sort_by_key(|recipient| text(recipient, "phoneNumber"));
    assert_eq!(without_ids(&message["recipients"]), expected);
}

/// Two numbers of one organization, whose messages come by turns.
#[tokio::test]
async fn a_list_holds_the_messages_of_one_number_newest_first() {
    let world = World::new().await;
    let lines = [connect(&world, &world.org, "771").await, connect(&world, &world.org, "772").await];
    let mut sent: [Vec<String>; 2] = Default::default();
    for n in 0..10 {
        world.clock.advance(Duration::from_secs(1));
        let of = usize::from(n % 3 == 0);
        let body = format!("{n}");
        let message = json!({"id": format!("wamid.{n}"), "type": "text", "text": {"body": body}});
        world.notify(&lines[of].message(&message)).await.expect(200);
        sent[of].insert(0, body);
    }
    let list = |line: &Line, more: &str| Call::get(format!("{PATH}?chatPhoneNumberId={}{more}", line.number));
    for (line, sent) in lines.iter().zip(&sent) {
        let mut found = Vec::new();
        let mut cursor = String::new();
        while let Some(more) = (found.len() < 20).then(|| format!("&limit=2{cursor}")) {
            let page = world.admin(list(line, &more)).await.expect(200);
            found.extend(page["data"].as_array().unwrap().clone());
            let Some(next) = page["nextCursor"].as_str() else { break };
            cursor = format!("&cursor={next}");
        }
        assert_eq!(&found.iter().map(|message| text(message, "textBody")).collect::<Vec<_>>(), sent);
        for message in &found {
            assert_eq!(message["chatPhoneNumberId"], line.number.as_str());
            assert_eq!(message["displayPhoneNumber"], format!("+{}", line.display));
            for related in ["recipients", "referral", "order", "conversationWindow"] {
                assert!(message.get(related).is_none(), "{message}");
            }
        }
    }
    let page = world.admin(list(&lines[0], "&limit=2")).await.expect(200);
    let foreign = list(&lines[1], &format!("&cursor={}", text(&page, "nextCursor")));
    world.admin(foreign).await.refused(400, Some("cursor"), None);
    world.admin(Call::get(PATH)).await.refused(400, Some("chatPhoneNumberId"), None);
}
