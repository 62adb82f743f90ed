//! Messages from users: the fields of each kind, and references to other messages.

use domain::chat::platform_words::explanation;
use serde_json::{Value, json};
use tests::World;
use tests::chat::{Line, connect, event_counts};

use super::{shown, text_message};
use crate::chat::{assert_fields, merged};

/// Sends a message, and returns it as the API shows it.
async fn received(world: &World, line: &Line, message: &Value) -> Value {
    world.notify(&line.message(message)).await.expect(200);
    shown(world, line, message["id"].as_str().unwrap()).await
}

/// The kinds of messages, each with its fields at the platform, and with fields that the API shows.
fn kinds() -> Vec<(&'static str, Value, Value)> {
    let medium =
        json!({"id": "900", "mime_type": "image/jpeg", "sha256": "c2hh", "caption": "Look", "filename": "a.jpg"});
    let place = json!({"latitude": 37.483, "longitude": -122.148981, "name": "HQ", "address": "1 Way"});
    let contacts = json!([{"name": {"formatted_name": "Bob"}}]);
    let chosen = json!({"type": "button_reply", "button_reply": {"id": "1", "title": "Yes"}});
    let changed = json!({"body": "changed", "type": "user_changed_number", "wa_id": "16505559999"});
    let error = json!({"code": 131_051, "title": "Unsupported", "message": "m", "error_data": {"details": "d"}});

    vec![
        ("text", json!({"text": {"body": "Hi"}}), json!({"type": "text", "textBody": "Hi"})),
        (
            "image",
            json!({"image": medium}),
            json!({"type": "image", "mediaMimeType": "image/jpeg", "mediaCaption": "Look", "mediaSha256": "c2hh"}),
        ),
        ("video", json!({"video": medium}), json!({"type": "video"})),
        ("document", json!({"document": medium}), json!({"type": "document", "mediaFilename": "a.jpg"})),
        (
            "audio",
            json!({"audio": {"id": 901, "mime_type": "audio/ogg; codecs=opus", "voice": true}}),
            json!({"type": "audio", "isVoiceNote": true}),
        ),
        (
            "sticker",
            json!({"sticker": {"id": "902", "animated": true}}),
            json!({"type": "sticker", "isAnimatedSticker": true}),
        ),
        (
            "location",
            json!({"location": place}),
            json!({"type": "location", "locationLatitude": "37.483", "locationLongitude": "-122.148981",
                "locationName": "HQ", "locationAddress": "1 Way"}),
        ),
        ("contacts", json!({"contacts": contacts}), json!({"type": "contacts", "contactsData": contacts})),
        ("interactive", json!({"interactive": chosen}), json!({"type": "interactive", "interactiveData": chosen})),
        (
            "button",
            json!({"button": {"payload": "p", "text": "t"}}),
            json!({"type": "button", "buttonText": "t", "buttonPayload": "p"}),
        ),
        (
            "reaction",
            json!({"reaction": {"message_id": "wamid.text", "emoji": "👍"}}),
            json!({"type": "reaction", "reactionEmoji": "👍"}),
        ),
        (
            "system",
            json!({"system": changed, "identity": {"hash": "h"}}),
            json!({"type": "system", "textBody": "changed",
                "systemData": merged(changed, &json!({"identity": {"hash": "h"}}))}),
        ),
        (
            "unsupported",
            json!({"errors": [error]}),
            json!({"type": "unknown", "errorCode": "unsupported_message_type", "errorTitle": "Unsupported",
                "errorMessage": explanation(131_051), "errorDetails": "d",
                "provider": {"source": "platform", "code": 131_051, "message": "m"}}),
        ),
        ("edit", json!({"edit": {"original_message_id": "wamid.text"}}), json!({"type": "unknown"})),
    ]
}

#[tokio::test]
async fn every_kind_of_message_has_its_fields() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "703").await;
    let kinds = kinds();

    for (kind, parts, expected) in &kinds {
        let message = merged(json!({"id": format!("wamid.{kind}"), "type": kind}), parts);
        let message = received(&world, &line, &message).await;

        assert_fields(&message, expected);
        assert_fields(&message, &json!({"isForwarded": false, "isFrequentlyForwarded": false, "hasReferral": false}));
        assert!(message.get("mediaUrl").is_none(), "{message}");
        if message["type"] == "unknown" {
            assert_eq!(message["systemData"]["type"], *kind);
        }
        match *kind {
            // The reaction names the id of the stored message.
            "reaction" => assert!(message["reactionMessageId"].as_str().unwrap().starts_with("msg_wa_"), "{message}"),
            "edit" => assert_eq!(message["systemData"]["edit"]["original_message_id"], "wamid.text"),
            _ => {}
        }
    }

    assert_eq!(line.messages(&world).await.len(), kinds.len());
    assert_eq!(event_counts(&world, &world.org).await["messages.chat.received"], kinds.len());
}

#[tokio::test]
async fn kinds_that_are_rare_keep_what_they_hold() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "732").await;
    let receive = async |id: &str, parts: Value| {
        let message = merged(text_message(id, "Hi"), &parts);
        received(&world, &line, &message).await
    };

    let pin = receive("wamid.pin", json!({"type": "pin", "pin": {"message_id": "wamid.1", "type": "pin"}})).await;
    assert_eq!(pin["type"], "pin");
    assert_eq!(pin["systemData"]["pin"]["message_id"], "wamid.1");

    let named = json!({"name": "welcome", "language": {"code": "en_US"}});
    let template = receive("wamid.template", json!({"type": "template", "template": named})).await;
    assert_fields(&template, &json!({"type": "template", "templateData": named}));

    let often = receive("wamid.often", json!({"context": {"frequently_forwarded": true}})).await;
    assert_fields(&often, &json!({"isForwarded": true, "isFrequentlyForwarded": true}));

    let product = json!({"catalog_id": "194", "product_retailer_id": "di9ozbzfi4"});
    let asked = receive("wamid.asked", json!({"context": {"from": "1", "referred_product": product}})).await;
    assert_fields(&asked, &json!({"textBody": "Hi", "isForwarded": false}));
    assert_eq!(asked["systemData"]["referred_product"], product);
}

/// A referenced message is named by its own id if it is stored, and by the platform's id otherwise.
#[tokio::test]
async fn replies_and_reactions_name_what_they_are_about() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "733").await;

    world.notify(&line.message(&text_message("wamid.text", "Hi"))).await.expect(200);
    let held = line.only_message(&world).await;
    assert_eq!(held["createdAt"], world.now().to_string(), "stored now, whenever it was sent");
    assert_ne!(held["sentAt"], held["createdAt"]);

    let context = json!({"context": {"id": "wamid.text", "from": line.display}});
    let reply = received(&world, &line, &merged(text_message("wamid.reply", "Ho"), &context)).await;
    assert_eq!(reply["replyToMessageId"], held["id"]);

    let reaction = json!({"message_id": "wamid.nobody", "emoji": "👍"});
    let reaction = json!({"id": "wamid.reaction", "type": "reaction", "reaction": reaction});
    assert_eq!(received(&world, &line, &reaction).await["reactionMessageId"], "wamid.nobody");
}
