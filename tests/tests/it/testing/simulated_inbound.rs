//! Messages of simulated users: every type, received by the code that handles live messages.

use std::time::Duration;

use domain::E164;
use domain::chat::ChatPhoneNumber;
use domain::chat::outgoing::{Content, Medium, MessageRef, Reaction, Resolved, SentMedium, Source, Text};
use domain::id::{Identifier as _, MediaId, OrganizationId};
use domain::media::MediaKind;
use inbound::{OrderedItem, SharedContent, SimulatedContent, SimulatedMessage, SimulatedReferral, SimulatedReply};
use serde_json::{Value, json};
use tests::chat::{connect, event_counts, events};
use tests::request::text;
use tests::samples::PNG;
use tests::{Call, Reply, Service as _, World};

const INBOUND: &str = "/v1/playground/chat/inbound";
const USER: &str = "+16505551234";
const MOVED: &str = "+16505559999";

async fn receive(world: &World, body: &Value) -> Reply {
    world.send(Call::post(INBOUND).key(&world.org.test_app_key).json(body)).await
}

/// The body with the fields that all messages have.
fn from_user(kind: &str, fields: &Value) -> Value {
    let mut body = json!({"from": USER, "type": kind, "profileName": "Ann"});
    body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    body
}

/// One body of each type that names no object, with what the platform sends for it.
fn every_plain_type() -> Vec<(Value, SimulatedContent)> {
    let shared = |content: Content| {
        SimulatedContent::Shared(Box::new(SharedContent { content, resolved: Resolved::default(), medium: None }))
    };
    let location = json!({"latitude": 52.52, "longitude": "13.405", "name": "Office", "address": "Main St 1"});
    let cards = json!([{"name": {"formattedName": "Bob", "firstName": "Bob"}, "phones": [{"phone": "+16505550000"}]}]);
    let emoji = Reaction { message_id: MessageRef::Platform("wamid.other".to_owned()), emoji: "👍".to_owned() };
    let items = json!([
        {"productRetailerId": "sku-1", "quantity": 2, "itemPrice": 9.5, "currency": "EUR"},
        {"productRetailerId": "sku-2", "quantity": 1, "itemPrice": 3, "currency": "EUR"},
    ]);
    let item = |id: &str, quantity, item_price| OrderedItem {
        product_retailer_id: id.to_owned(),
        quantity,
        item_price,
        currency: "EUR".to_owned(),
    };
    let reply = |id: &str, title: &str| (id.to_owned(), title.to_owned());
    let (id, title) = reply("yes", "Yes, please");
    let (row, row_title) = reply("row-1", "Row 1");
    let response = json!({"name": "Ann", "age": 30});
    vec![
        (
            from_user("text", &json!({"text": {"body": "Hello\nyou"}})),
            shared(Content::text(Text { body: "Hello\nyou".to_owned(), preview_url: None }).unwrap()),
        ),
        (
            from_user("location", &json!({"location": location})),
            shared(Content::location(serde_json::from_value(location).unwrap()).unwrap()),
        ),
        (
            from_user("contacts", &json!({"contacts": cards})),
            shared(Content::contacts(serde_json::from_value(cards).unwrap()).unwrap()),
        ),
        (
            from_user("reaction", &json!({"reaction": {"messageId": "wamid.other", "emoji": "👍"}})),
            shared(Content::reaction(emoji).unwrap()),
        ),
        (
            from_user("button", &json!({"button": {"text": "Yes", "payload": "order-7"}})),
            SimulatedContent::Button { text: "Yes".to_owned(), payload: "order-7".to_owned() },
        ),
        (
            from_user("interactive", &json!({"interactive": {"kind": "button_reply", "id": id, "title": title}})),
            SimulatedContent::Interactive(SimulatedReply::Button { id, title }),
        ),
        (
            from_user(
                "interactive",
                &json!({"interactive": {"kind": "list_reply", "id": row, "title": row_title, "description": "First"}}),
            ),
            SimulatedContent::Interactive(SimulatedReply::ListRow {
                id: row,
                title: row_title,
                description: Some("First".to_owned()),
            }),
        ),
        (
            from_user("interactive", &json!({"interactive": {"kind": "flow_reply", "response": response}})),
            SimulatedContent::Interactive(SimulatedReply::Flow { response: response.as_object().unwrap().clone() }),
        ),
        (
            from_user("order", &json!({"order": {"catalogId": "c-1", "text": "Soon", "items": items}})),
            SimulatedContent::Order {
                catalog_id: "c-1".to_owned(),
                text: Some("Soon".to_owned()),
                items: vec![item("sku-1", 2, 9.5), item("sku-2", 1, 3.0)],
            },
        ),
        (from_user("system", &json!({"system": {"kind": "identity_changed"}})), SimulatedContent::IdentityChange),
        (from_user("unsupported", &json!({})), SimulatedContent::Unsupported),
        // The last one: the user has another number afterwards.
        (
            from_user("system", &json!({"system": {"kind": "number_changed", "newNumber": MOVED}})),
            SimulatedContent::NumberChange { from: USER.parse().unwrap(), to: MOVED.parse().unwrap() },
        ),
    ]
}

/// The number as the platform knows it.
async fn number(world: &World, organization: &str, id: &str) -> ChatPhoneNumber {
    let organization: OrganizationId = organization.parse().unwrap();
    let store = world.worker.inbox.context.store.of(&organization);
    store.chat_phone_number(&id.parse().unwrap()).await.unwrap().unwrap()
}

/// A message without what differs between two messages with the same content.
fn content(message: &Value) -> Value {
    let mut message = message.clone();
    let object = message.as_object_mut().unwrap();
    for field in [
        "id",
        "chatPhoneNumberId",
        "displayPhoneNumber",
        "toPhoneNumber",
        "providerMessageId",
        "sentAt",
        "createdAt",
        "updatedAt",
    ] {
        assert!(object.remove(field).is_some(), "{field}");
    }
    if let Some(whole) = object.get_mut("systemData").and_then(Value::as_object_mut) {
        whole.remove("id");
    }
    for related in ["order", "referral"] {
        if let Some(related) = object.get_mut(related).and_then(Value::as_object_mut) {
            related.remove("id");
            related.remove("createdAt");
            for item in related.get_mut("items").and_then(Value::as_array_mut).into_iter().flatten() {
                item.as_object_mut().unwrap().remove("id");
            }
        }
    }
    message
}

/// The live route takes what the simulated platform reports, signed, for a live number, and stores and emits the same.
#[tokio::test]
async fn a_live_number_gets_the_same_from_every_simulated_message() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "990").await;
    let live = number(&world, &world.org.id, &line.number).await;
    let from: E164 = USER.parse().unwrap();
    let referral = json!({"sourceUrl": "https://example.com/ad", "sourceId": "ad-1", "sourceType": "ad", "headline": "Sale", "ctwaClid": "c"});
    let known = SimulatedReferral {
        source_url: Some("https://example.com/ad".to_owned()),
        source_id: Some("ad-1".to_owned()),
        source_type: Some("ad".to_owned()),
        headline: Some("Sale".to_owned()),
        ctwa_clid: Some("c".to_owned()),
        ..SimulatedReferral::default()
    };
    let types = every_plain_type();
    for (index, (body, sent)) in types.iter().enumerate() {
        let (is_forwarded, has_referral) = (index % 2 == 0, index % 3 == 0);
        let mut body = body.clone();
        body["isForwarded"] = json!(is_forwarded);
        if has_referral {
            body["referral"] = referral.clone();
        }
        let received = receive(&world, &body).await.expect(201);
        let platform_id = format!("wamid.live.{index}");
        let message = SimulatedMessage {
            platform_id: &platform_id,
            from: &from,
            profile_name: Some("Ann"),
            sent_at: world.now(),
            reply_to: None,
            is_forwarded,
            referral: has_referral.then_some(&known),
            content: sent,
        };
        let accepted = world.notify(&message.notification(&live).unwrap()).await.expect(200);
        assert_eq!(accepted, json!({"accepted": 1, "ignored": 0}), "{body}");
        let newest =
            line.messages(&world).await.into_iter().find(|one| one["providerMessageId"] == platform_id.as_str());
        let twin = line.details(&world, &text(&newest.unwrap(), "id")).await;
        assert_eq!(content(&received), content(&twin), "{body}");
        assert_eq!(received["type"] == "unknown", body["type"] == "unsupported", "{received}");
    }
    let all = events(&world, &world.org, "messages.chat.received").await;
    let (test, live): (Vec<_>, Vec<_>) = all.iter().partition(|data| text(data, "id").starts_with("msg_wa_test_"));
    assert_eq!((test.len(), live.len()), (types.len(), types.len()));
    let contacts = events(&world, &world.org, "contacts.chat.created").await;
    let of_test = contacts.iter().filter(|contact| text(contact, "id").starts_with("con_test_"));
    assert_eq!(of_test.count(), 1, "{contacts:?}");
    let names: Vec<_> = contacts.iter().map(|contact| (&contact["phoneNumber"], &contact["name"])).collect();
    assert_eq!(names, [(&json!(USER), &json!("Ann")); 2]);
    let moved = events(&world, &world.org, "contacts.chat.updated").await;
    let numbers: Vec<_> = moved.iter().map(|contact| &contact["phoneNumber"]).collect();
    assert_eq!(numbers, [&json!(MOVED); 2]);
}

/// So do a reply and an image, which name other objects.
#[tokio::test]
async fn a_live_number_gets_the_same_from_a_reply_and_an_image() {
    let world = World::new().await;
    let key = &world.org.test_app_key;
    let line = connect(&world, &world.org, "995").await;
    let live = number(&world, &world.org.id, &line.number).await;
    let from: E164 = USER.parse().unwrap();
    let file = world.send(Call::post("/v1/media").key(key).file("a.png", Some("image/png"), PNG)).await.expect(201);
    let id: MediaId = text(&file, "id").parse().unwrap();
    let organization: OrganizationId = world.org.id.parse().unwrap();
    let medium = world.worker.inbox.context.store.of(&organization).media(&id).await.unwrap();
    let plain = |body: &str| Content::text(Text { body: body.to_owned(), preview_url: None }).unwrap();
    let source = Source::of(Some(id.as_str()), None, "image").unwrap();
    let caption = Some("Look".to_owned());
    let image = Medium { kind: MediaKind::Image, source, caption, file_name: None, is_voice_note: None };
    let sent = SentMedium { link: String::new(), kind: MediaKind::Image };
    let resolved = Resolved { media: [(id.clone(), sent)].into(), ..Resolved::default() };
    let shared =
        |content, resolved, medium| SimulatedContent::Shared(Box::new(SharedContent { content, resolved, medium }));
    let mut pairs: Vec<(Value, Value)> = Vec::new();
    for (index, (mut body, content, is_reply)) in [
        (json!({"type": "text", "text": {"body": "One"}}), shared(plain("One"), Resolved::default(), None), false),
        (json!({"type": "text", "text": {"body": "Two"}}), shared(plain("Two"), Resolved::default(), None), true),
        (
            json!({"type": "image", "image": {"mediaId": id, "caption": "Look"}}),
            shared(Content::medium(image).unwrap(), resolved, medium),
            false,
        ),
    ]
    .into_iter()
    .enumerate()
    {
        body["from"] = json!(USER);
        if is_reply {
            body["replyTo"] = pairs[0].0["id"].clone();
        }
        let received = receive(&world, &body).await.expect(201);
        let platform_id = format!("wamid.live.{index}");
        let message = SimulatedMessage {
            platform_id: &platform_id,
            from: &from,
            profile_name: None,
            sent_at: world.now(),
            reply_to: is_reply.then_some("wamid.live.0"),
            is_forwarded: false,
            referral: None,
            content: &content,
        };
        world.notify(&message.notification(&live).unwrap()).await.expect(200);
        let newest =
            line.messages(&world).await.into_iter().find(|one| one["providerMessageId"] == platform_id.as_str());
        pairs.push((received, line.details(&world, &text(&newest.unwrap(), "id")).await));
    }
    for (index, (received, twin)) in pairs.iter().enumerate() {
        let (mut own, mut theirs) = (content(received), content(twin));
        if index == 1 {
            let replied = |message: &mut Value| message.as_object_mut().unwrap().remove("replyToMessageId");
            assert_eq!(replied(&mut own).as_ref(), Some(&pairs[0].0["id"]));
            assert_eq!(replied(&mut theirs).as_ref(), Some(&pairs[0].1["id"]));
            // Each names its own number.
            for (message, number) in [(&mut own, &received["toPhoneNumber"]), (&mut theirs, &twin["toPhoneNumber"])] {
                let from = message["systemData"]["context"]["from"].take();
                assert_eq!(number.as_str().and_then(|number| number.strip_prefix('+')), from.as_str());
            }
        }
        assert_eq!(own, theirs);
    }
    assert_eq!((&pairs[2].0["mediaCaption"], &pairs[2].0["mediaMimeType"]), (&json!("Look"), &json!("image/png")));
}

/// A reply and a reaction name a message by our id; a changed name and a changed number update the contact.
#[tokio::test]
async fn messages_refer_to_messages_and_contacts_change() {
    let world = World::new().await;
    let first = receive(&world, &from_user("text", &json!({"text": {"body": "One"}}))).await.expect(201);
    let reply = json!({"text": {"body": "Two"}, "replyTo": first["id"]});
    let reply = receive(&world, &from_user("text", &reply)).await.expect(201);
    assert_eq!(reply["replyToMessageId"], first["id"]);
    let reaction = json!({"reaction": {"messageId": reply["id"], "emoji": "🎉"}});
    let reaction = receive(&world, &from_user("reaction", &reaction)).await.expect(201);
    assert_eq!((&reaction["reactionMessageId"], &reaction["reactionEmoji"]), (&reply["id"], &json!("🎉")));
    let removed = json!({"reaction": {"messageId": reply["id"], "emoji": ""}});
    let removed = receive(&world, &from_user("reaction", &removed)).await.expect(201);
    assert_eq!(removed["reactionEmoji"], Value::Null);
    let platform = json!({"text": {"body": "Three"}, "replyTo": first["providerMessageId"]});
    assert_eq!(receive(&world, &from_user("text", &platform)).await.expect(201)["replyToMessageId"], first["id"]);

    world.clock.advance(Duration::from_secs(1));
    let renamed = json!({"text": {"body": "Four"}, "profileName": "Ann B."});
    receive(&world, &from_user("text", &renamed)).await.expect(201);
    world.clock.advance(Duration::from_secs(1));
    let moved = json!({"system": {"kind": "number_changed", "newNumber": "+16505559999"}, "profileName": "Ann B."});
    let moved = receive(&world, &from_user("system", &moved)).await.expect(201);
    assert_eq!(moved["type"], "system");
    let updated = events(&world, &world.org, "contacts.chat.updated").await;
    let names: Vec<&Value> = updated.iter().map(|contact| &contact["name"]).collect();
    assert_eq!(names, [&json!("Ann B."), &json!("Ann B.")]);
    assert!(updated.iter().any(|contact| contact["phoneNumber"] == "+16505559999"), "{updated:?}");
    assert_eq!(event_counts(&world, &world.org).await["contacts.chat.created"], 1);
}

/// A simulated user sends a medium that the app has uploaded.
#[tokio::test]
async fn media_come_from_the_uploads_of_the_app() {
    let world = World::new().await;
    let key = &world.org.test_app_key;
    let file = world.send(Call::post("/v1/media").key(key).file("a.png", Some("image/png"), PNG)).await.expect(201);
    let image = json!({"image": {"mediaId": file["id"], "caption": "Look"}});
    let sent = receive(&world, &from_user("image", &image)).await.expect(201);
    assert_eq!((&sent["mediaMimeType"], &sent["mediaCaption"]), (&json!("image/png"), &json!("Look")));
    assert_eq!(sent.get("mediaUrl"), None);
    let path = format!("/v1/chat/messages/{}", text(&sent, "id"));
    let fetched = world.send(Call::get(path).key(key)).await.expect(200);
    assert_eq!(fetched["mediaFileSize"], PNG.len());
    let url = text(&fetched, "mediaUrl");
    let (status, mime, _, bytes) = tests::catalogue::download(url).await;
    assert_eq!((status, mime.as_str(), bytes.as_slice()), (200, "image/png", PNG));
    // The app's own media only, of the kind that the type says.
    let live = world.send(Call::post("/v1/media").key(&world.org.app_key).file("a.png", None, PNG)).await.expect(201);
    let foreign = json!({"image": {"mediaId": live["id"]}});
    receive(&world, &from_user("image", &foreign)).await.refused(404, Some("image.mediaId"), None);
    let wrong = json!({"video": {"mediaId": file["id"]}});
    let keyed = |body: Value| Call::post(INBOUND).key(key).header("idempotency-key", "media").json(&body);
    world.send(keyed(from_user("video", &wrong))).await.refused(400, Some("video.mediaId"), None);
    // The key can be used again.
    world.send(keyed(from_user("image", &image))).await.expect(201);
    // A medium that is deleted is gone from the messages too, and cannot be sent any more.
    let late = receive(&world, &from_user("image", &image)).await.expect(201);
    world.send(Call::delete(format!("/v1/media/{}", text(&file, "id"))).key(key)).await.expect(200);
    let path = format!("/v1/chat/messages/{}", text(&late, "id"));
    let late = world.send(Call::get(path).key(key)).await.expect(200);
    assert_eq!((late.get("mediaUrl"), late.get("mediaFileSize")), (None, None));
    receive(&world, &from_user("image", &image)).await.refused(404, Some("image.mediaId"), None);
    assert_eq!(world.dead_letters().await, Vec::<String>::new());
}

#[tokio::test]
async fn wrong_bodies_are_refused_and_leave_nothing() {
    let world = World::new().await;
    let before = world.account.items().await;
    let own = world.admin(Call::get("/v1/organization/chat/phone-numbers")).await.expect(200);
    let own = own["data"][0]["displayPhoneNumber"].clone();
    let system =
        world.send(Call::get("/v1/playground/phone-numbers/system").key(&world.org.test_app_key)).await.expect(200);
    let item = |field: &str, value: Value| {
        let mut item = json!({"productRetailerId": "a", "quantity": 1, "itemPrice": 1, "currency": "EUR"});
        item[field] = value;
        json!({"from": USER, "type": "order", "order": {"catalogId": "c", "items": [item]}})
    };
    let reply = |object: Value| json!({"from": USER, "type": "interactive", "interactive": object});
    let missing = "msg_wa_test_0ujtsYcgvSTl8PAuAdqWYSMnLOv";
    for (body, status, param) in [
        (json!({}), 400, "from"),
        (json!({"from": USER}), 400, "type"),
        (json!({"from": "x", "type": "text", "text": {"body": "x"}}), 400, "from"),
        (json!({"from": USER, "type": "sms"}), 400, "type"),
        (json!({"from": USER, "type": "text"}), 400, "text"),
        (json!({"from": USER, "type": "text", "text": "x"}), 400, "text"),
        (json!({"from": USER, "type": "text", "text": {"body": ""}}), 400, "text.body"),
        (json!({"from": USER, "type": "text", "text": {"body": "é".repeat(4097)}}), 400, "text.body"),
        (json!({"from": USER, "type": "unsupported", "text": {"body": "x"}}), 400, "text"),
        (
            json!({"from": USER, "type": "audio", "audio": {"mediaId": missing.replace("msg_wa_test_", "media_"), "caption": "x"}}),
            400,
            "audio.caption",
        ),
        (
            json!({"from": USER, "type": "location", "location": {"latitude": 91, "longitude": 0}}),
            400,
            "location.latitude",
        ),
        (json!({"from": USER, "type": "contacts", "contacts": []}), 400, "contacts"),
        (
            json!({"from": USER, "type": "reaction", "replyTo": missing, "reaction": {"messageId": missing, "emoji": "👍"}}),
            400,
            "replyTo",
        ),
        (json!({"from": USER, "type": "button", "button": {"text": "x", "payload": ""}}), 400, "button.payload"),
        (reply(json!({"kind": "reply"})), 400, "interactive.kind"),
        (reply(json!({"kind": "button_reply", "id": "x"})), 400, "interactive.title"),
        (
            reply(json!({"kind": "button_reply", "id": "x", "title": "x", "description": "x"})),
            400,
            "interactive.description",
        ),
        (reply(json!({"kind": "flow_reply", "id": "x", "response": {}})), 400, "interactive.id"),
        (reply(json!({"kind": "flow_reply"})), 400, "interactive.response"),
        (reply(json!({"kind": "flow_reply", "response": {"a": "x".repeat(66_000)}})), 400, "interactive.response"),
        (item("quantity", json!(0)), 400, "order.items[0].quantity"),
        (item("itemPrice", json!(-1)), 400, "order.items[0].itemPrice"),
        (item("currency", json!("eur")), 400, "order.items[0].currency"),
        (json!({"from": USER, "type": "order", "order": {"catalogId": "c", "items": []}}), 400, "order.items"),
        (json!({"from": USER, "type": "system", "system": {"kind": "number_changed"}}), 400, "system.newNumber"),
        (
            json!({"from": USER, "type": "system", "system": {"kind": "number_changed", "newNumber": USER}}),
            400,
            "system.newNumber",
        ),
        (
            json!({"from": USER, "type": "system", "system": {"kind": "identity_changed", "newNumber": "+16505550000"}}),
            400,
            "system.newNumber",
        ),
        (
            json!({"from": USER, "type": "system", "system": {"kind": "number_changed", "newNumber": own}}),
            400,
            "system.newNumber",
        ),
        (json!({"from": own, "type": "unsupported"}), 400, "from"),
        (json!({"from": system["numbers"][0], "type": "unsupported"}), 400, "from"),
        (json!({"from": USER, "to": "+442079460199", "type": "unsupported"}), 404, "to"),
        (json!({"from": USER, "type": "unsupported", "replyTo": missing}), 404, "replyTo"),
        (
            json!({"from": USER, "type": "reaction", "reaction": {"messageId": missing, "emoji": "👍"}}),
            404,
            "reaction.messageId",
        ),
    ] {
        let code = match (param, status) {
            ("type", 400) if body["type"] == "sms" => Some("unsupported_message_type"),
            ("from", 400) if body["from"] == "x" => Some("invalid_phone_number"),
            _ => None,
        };
        receive(&world, &body).await.refused(status, Some(param), code);
    }
    assert_eq!(world.account.items().await, before);
}

/// A request with an `Idempotency-Key` is one message, and what is refused for its content stays refused.
#[tokio::test]
async fn a_repeated_request_is_one_message() {
    let world = World::new().await;
    let send = async |body: &Value| {
        let call = Call::post(INBOUND).key(&world.org.test_app_key).header("idempotency-key", "one");
        world.send(call.json(body)).await
    };
    let body = from_user("text", &json!({"text": {"body": "Once"}}));
    let first = send(&body).await.expect(201);
    let again = send(&body).await;
    assert_eq!(again.header("idempotency-replayed"), Some("true"));
    assert_eq!(again.expect(201), first);
    send(&from_user("text", &json!({"text": {"body": "Twice"}}))).await.refused(422, Some("Idempotency-Key"), None);
    assert_eq!(events(&world, &world.org, "messages.chat.received").await.len(), 1);
}

/// Without the record of its response, the request finds its message again: for the same input, on the same day.
#[tokio::test]
async fn a_request_whose_record_is_gone_repeats_its_own_message_only() {
    let world = World::new().await;
    let forget = async || {
        let records: Vec<_> = world.account.stored_items().await;
        let records = records.iter().filter(|item| item["PK"].as_s().is_ok_and(|key| key.starts_with("IDEM#")));
        let records: Vec<_> = records.collect();
        assert_eq!(records.len(), 1);
        world.account.remove_item(records[0]).await;
    };
    let send = async |body: &str| {
        let call = Call::post(INBOUND).key(&world.org.test_app_key).header("idempotency-key", "one");
        let sent = world.send(call.json(&from_user("text", &json!({"text": {"body": body}})))).await;
        assert_eq!(sent.header("idempotency-replayed"), None);
        sent.expect(201)
    };
    // All of it within one day (UTC).
    let seconds = u64::try_from(world.now().seconds()).unwrap() % 86_400;
    world.clock.advance(Duration::from_secs(86_401 - seconds));
    let received = async || events(&world, &world.org, "messages.chat.received").await.len();
    let first = send("Once").await;
    forget().await;
    assert_eq!(send("Once").await, first);
    assert_eq!(received().await, 1);
    forget().await;
    let other = send("Twice").await;
    assert_eq!(other["textBody"], "Twice");
    assert_ne!(other["id"], first["id"]);
    forget().await;
    assert_eq!(send("Once").await["id"], first["id"]);
    assert_eq!(received().await, 2);
    // The record ends after 24 hours, and the key can be used for a new message.
    world.clock.advance(Duration::from_secs(25 * 3600));
    let later = send("Once").await;
    assert!(later["id"] != first["id"] && later["textBody"] == "Once", "{later}");
    assert_eq!(received().await, 3);
}

/// Each new sender is a playground user, of which an organization can have a thousand, and messages have a daily quota.
#[tokio::test]
async fn senders_are_playground_users() {
    let world = World::new().await;
    for from in ["+16505550001", "+442079460000", "+16505550001"] {
        world.clock.advance(Duration::from_millis(5));
        receive(&world, &json!({"from": from, "type": "unsupported"})).await.expect(201);
    }
    let users = "/v1/organization/playground/chat/phone-numbers/user";
    let listed = world.admin(Call::get(users)).await.expect(200);
    assert_eq!(listed, json!({"numbers": ["+16505550001", "+442079460000"]}));
}
