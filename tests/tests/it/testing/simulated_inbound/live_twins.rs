//! A live number that gets the same messages.

use domain::E164;
use domain::chat::ChatPhoneNumber;
use domain::chat::outgoing::{Content, Medium, Source, Text};
use domain::id::{Identifier as _, MediaId, OrganizationId};
use domain::media::MediaKind;
use inbound::{SharedContent, SimulatedContent, SimulatedMessage, SimulatedReferral};
use platform::render::{Resolved, SentMedium};
use serde_json::{Value, json};
use tests::chat::{Line, connect, events};
use tests::request::text;
use tests::samples::PNG;
use tests::{Call, Service as _, World};

use super::types::{MOVED, every_plain_type};
use super::{USER, receive};

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

/// The live number's message with this id of the platform.
async fn twin(world: &World, line: &Line, platform_id: &str) -> Value {
    let newest = line.messages(world).await.into_iter().find(|message| message["providerMessageId"] == platform_id);
    line.details(world, &text(&newest.unwrap(), "id")).await
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

        let twin = twin(&world, &line, &platform_id).await;
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

        pairs.push((received, twin(&world, &line, &platform_id).await));
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
