//! Tests of the fields that the log shows of a message, and of the objects that a message names.

use std::collections::BTreeMap;

use domain::chat::outgoing::{Outgoing, note_medium};
use domain::chat::{ChatMessage, ChatMessageType, Direction, MessageData};
use domain::id::MediaId;
use domain::media::{Media, MediaKind, MediaState};
use domain::{ErrorKind, Timestamp};
use platform::render::{self, Resolved};
use serde_json::{Map, Value, json};

use crate::bodies::rows;
use crate::kit::{MESSAGE, PLATFORM_MESSAGE, accepted, medium, resolved};

fn blank() -> ChatMessage {
    let number = "wapn_0ujtsYcgvSTl8PAuAdqWYSMnLOv".parse().unwrap();
    let display = "+12015550123".parse().unwrap();
    let now = Timestamp::from_millis(1_790_000_000_000);
    let id = MESSAGE.parse().unwrap();
    ChatMessage::blank(id, &number, &display, Direction::Outbound, ChatMessageType::Unknown, now)
}

fn logged(message: &Outgoing, resolved: &Resolved) -> (ChatMessage, MessageData) {
    let (mut log, mut data) = (blank(), MessageData::default());
    render::fill(message, &mut log, &mut data, resolved).unwrap();
    (log, data)
}

/// Returns the fields that differ from those of a message without content.
fn shown(sent: &Value) -> Value {
    let message = accepted(sent);
    let (log, data) = logged(&message, &resolved(&message));
    let fields = |message: &ChatMessage| serde_json::to_value(message).unwrap().as_object().unwrap().clone();
    let (blank, mut own) = (fields(&blank()), fields(&log));
    let is_recipient = |name: &str| ["toPhoneNumber", "toUserId", "groupId"].contains(&name);
    own.retain(|name, value| blank.get(name) != Some(value) && !is_recipient(name));
    own.extend(serde_json::to_value(&data).unwrap().as_object().unwrap().clone());
    Value::Object(own)
}

#[test]
fn the_log_shows_what_was_sent() {
    let quick = json!({"type": "button", "sub_type": "quick_reply", "index": "0", "parameters": [{"type": "payload", "payload": "p"}]});
    for (sent, expected) in [
        (json!({"type": "text", "text": {"body": "Hi"}}), json!({"type": "text", "textBody": "Hi"})),
        (
            json!({"type": "text", "text": {"body": "Hi"}, "replyTo": MESSAGE}),
            json!({"type": "text", "textBody": "Hi", "replyToMessageId": MESSAGE}),
        ),
        (
            json!({"type": "image", "image": {"url": "https://example.com/a.png", "caption": "c"}}),
            json!({"type": "image", "mediaUrl": "https://example.com/a.png", "mediaCaption": "c"}),
        ),
        // A presigned URL would expire after an hour, so each read of the log creates one.
        (json!({"type": "video", "video": {"mediaId": medium("video")}}), json!({"type": "video"})),
        (
            json!({"type": "audio", "audio": {"mediaId": medium("audio"), "isVoiceNote": true}}),
            json!({"type": "audio", "isVoiceNote": true}),
        ),
        (
            json!({"type": "document", "document": {"mediaId": medium("document"), "fileName": "a.pdf"}}),
            json!({"type": "document", "mediaFilename": "a.pdf"}),
        ),
        (json!({"type": "sticker", "sticker": {"mediaId": medium("sticker")}}), json!({"type": "sticker"})),
        (
            json!({"type": "location", "location": {"latitude": 1.5, "longitude": "-2.50", "name": "n", "address": "a"}}),
            json!({"type": "location", "locationLatitude": "1.5", "locationLongitude": "-2.50", "locationName": "n", "locationAddress": "a"}),
        ),
        (
            json!({"type": "contacts", "contacts": [{"name": {"formattedName": "A"}}]}),
            json!({"type": "contacts", "contactsData": [{"name": {"formatted_name": "A"}}]}),
        ),
        (
            json!({"type": "reaction", "reaction": {"messageId": MESSAGE, "emoji": "👍"}}),
            json!({"type": "reaction", "reactionMessageId": MESSAGE, "reactionEmoji": "👍"}),
        ),
        (
            json!({"type": "reaction", "reaction": {"messageId": MESSAGE, "emoji": ""}}),
            json!({"type": "reaction", "reactionMessageId": MESSAGE}),
        ),
        (
            json!({"type": "template", "template": {"name": "t", "language": "en", "header": {"mediaId": medium("image")},
            "buttons": [{"index": 0, "payload": "p"}]}}),
            json!({"type": "template", "templateData": {"name": "t", "language": {"code": "en"}, "components": [
                {"type": "header", "parameters": [{"type": "image", "image": {"mediaId": medium("image")}}]}, quick]}}),
        ),
        (
            json!({"type": "template", "template": {"name": "t", "language": "en", "cards": [
                {"header": {"mediaId": medium("image")}}, {"header": {"url": "https://example.com/a.png"}}]}}),
            json!({"type": "template", "templateData": {"name": "t", "language": {"code": "en"}, "components": [
                {"type": "carousel", "cards": [
                    {"card_index": 0, "components": [
                        {"type": "header", "parameters": [{"type": "image", "image": {"mediaId": medium("image")}}]}]},
                    {"card_index": 1, "components": [
                        {"type": "header", "parameters": [{"type": "image", "image": {"link": "https://example.com/a.png"}}]}]}]}]}}),
        ),
        (
            json!({"type": "interactive", "interactive": {"kind": "buttons", "body": "b", "header": {"mediaId": medium("document")},
            "buttons": [{"id": "1", "title": "t"}]}}),
            json!({"type": "interactive", "interactiveData": {"type": "button", "body": {"text": "b"},
                "header": {"type": "document", "document": {"mediaId": medium("document")}},
                "action": {"buttons": [{"type": "reply", "reply": {"id": "1", "title": "t"}}]}}}),
        ),
        (
            json!({"groupId": "grp_wa_a", "type": "pin", "pin": {"messageId": MESSAGE, "action": "pin"}}),
            json!({"type": "pin", "systemData": {"type": "pin", "pin": {"type": "pin", "message_id": MESSAGE}}}),
        ),
        (
            json!({"type": "raw", "raw": {"type": "text", "text": {"body": "Hi"}}}),
            json!({"type": "text", "textBody": "Hi"}),
        ),
        (
            json!({"type": "raw", "raw": {"type": "location", "location": {"latitude": 1.5, "longitude": -2}}}),
            json!({"type": "location", "locationLatitude": "1.5", "locationLongitude": "-2"}),
        ),
        (
            json!({"type": "raw", "raw": {"type": "template", "template": {"name": "t", "language": {"code": "en"},
            "components": [{"type": "header", "parameters": [{"type": "image", "image": {"mediaId": medium("image")}}]}]}}}),
            json!({"type": "template", "templateData": {"name": "t", "language": {"code": "en"}, "components": [
                {"type": "header", "parameters": [{"type": "image", "image": {"mediaId": medium("image")}}]}]}}),
        ),
        (
            json!({"type": "raw", "raw": {"type": "poll", "poll": {"a": 1}}}),
            json!({"systemData": {"type": "poll", "poll": {"a": 1}}}),
        ),
    ] {
        assert_eq!(shown(&sent), expected, "{sent}");
    }
}

#[test]
fn the_log_shows_stored_messages_by_the_ids_of_this_api() {
    let message = accepted(&json!({"type": "text", "text": {"body": "Hi"}, "replyTo": PLATFORM_MESSAGE}));
    let held = BTreeMap::from([(PLATFORM_MESSAGE.to_owned(), MESSAGE.parse().unwrap())]);
    let shown = |resolved: &Resolved| logged(&message, resolved).0.reply_to_message_id;
    assert_eq!(shown(&Resolved { held: held.clone(), ..Resolved::default() }).as_deref(), Some(MESSAGE));
    assert_eq!(shown(&Resolved::default()).as_deref(), Some(PLATFORM_MESSAGE));
    let body = render::body(&message, &Resolved { held, ..Resolved::default() }).unwrap();
    assert_eq!(body["context"], json!({"message_id": PLATFORM_MESSAGE}));
}

#[test]
fn the_recipient_is_shown_as_it_was_named() {
    for (recipient, expected) in [
        (json!({"to": "+4930123456"}), Some("+4930123456")),
        (json!({"toUserId": "US.1"}), None),
        (json!({"groupId": "grp_wa_a"}), None),
    ] {
        let mut sent: Map<String, Value> = recipient.as_object().unwrap().clone();
        sent.extend([("type".to_owned(), json!("text")), ("text".to_owned(), json!({"body": "b"}))]);
        let (log, _) = logged(&accepted(&Value::Object(sent)), &Resolved::default());
        assert_eq!(log.to_phone_number.map(|number| number.to_string()).as_deref(), expected);
    }
}

#[test]
fn the_log_contains_no_presigned_urls() {
    for (case, row) in rows() {
        let message = accepted(&row["sent"]);
        let (log, data) = logged(&message, &resolved(&message));
        let text = format!("{}{}", serde_json::to_string(&log).unwrap(), serde_json::to_string(&data).unwrap());
        assert!(!text.contains("bucket.example.com"), "{case}: {text}");
    }
}

fn file(kind: MediaKind, mime_type: &str, file_size: u64) -> Media {
    Media {
        id: medium("image").parse().unwrap(),
        app_id: "app_0ujtsYcgvSTl8PAuAdqWYSMnLOv".parse().unwrap(),
        state: MediaState::Ready.into(),
        file_name: "stored.bin".to_owned(),
        mime_type: mime_type.to_owned(),
        media_type: kind.into(),
        file_size,
        expires_at: Timestamp::from_millis(0),
        created_at: Timestamp::from_millis(0),
        is_direct: false,
        sha256: None,
    }
}

#[test]
fn the_record_of_a_medium_supplies_the_other_fields() {
    let document = file(MediaKind::Document, "application/pdf", 7);
    for (name, expected) in [(None, "stored.bin"), (Some("sent.pdf"), "sent.pdf")] {
        let mut message = ChatMessage { media_filename: name.map(str::to_owned), ..blank() };
        note_medium(&mut message, &document);
        assert_eq!(message.media_filename.as_deref(), Some(expected));
        assert_eq!((message.media_mime_type.as_deref(), message.media_file_size), (Some("application/pdf"), Some(7)));
    }
}

#[test]
fn media_are_named_with_their_path_and_the_kinds_that_fit() {
    use MediaKind::{Audio, Document, Image, Sticker, Video};
    let header = |kind: &str| json!({"kind": "cta_url", "body": "b", "displayText": "t", "url": "https://example.com", "header": {"mediaId": medium(kind)}});
    let component =
        |kind: &str| json!({"type": "header", "parameters": [{"type": kind, kind: {"mediaId": medium(kind)}}]});
    for (sent, named) in [
        (json!({"type": "image", "image": {"mediaId": medium("image")}}), vec![("image.mediaId", vec![Image])]),
        (json!({"type": "video", "video": {"mediaId": medium("video")}}), vec![("video.mediaId", vec![Video])]),
        (json!({"type": "audio", "audio": {"mediaId": medium("audio")}}), vec![("audio.mediaId", vec![Audio])]),
        (
            json!({"type": "document", "document": {"mediaId": medium("document")}}),
            vec![("document.mediaId", vec![Document])],
        ),
        (
            json!({"type": "sticker", "sticker": {"mediaId": medium("sticker")}}),
            vec![("sticker.mediaId", vec![Sticker])],
        ),
        (json!({"type": "image", "image": {"url": "https://example.com"}}), vec![]),
        (
            json!({"type": "interactive", "interactive": header("image")}),
            vec![("interactive.header.mediaId", vec![Image, Video, Document])],
        ),
        (
            json!({"type": "template", "template": {"name": "t", "language": "en", "header": {"mediaId": medium("video")}}}),
            vec![("template.header.mediaId", vec![Image, Video, Document])],
        ),
        (
            json!({"type": "template", "template": {"name": "t", "language": "en", "components": [component("video"),
            {"type": "carousel", "cards": [{"components": [component("image")]}]}]}}),
            vec![
                ("template.components[0].parameters[0].video.mediaId", vec![Video]),
                ("template.components[1].cards[0].components[0].parameters[0].image.mediaId", vec![Image]),
            ],
        ),
        (
            json!({"type": "template", "template": {"name": "t", "language": "en", "cards": [
                {"header": {"mediaId": medium("video")}}, {"header": {"url": "https://example.com/a.mp4"}},
                {"header": {"mediaId": medium("image")}}]}}),
            vec![
                ("template.cards[0].header.mediaId", vec![Image, Video]),
                ("template.cards[2].header.mediaId", vec![Image, Video]),
            ],
        ),
        (
            json!({"type": "raw", "raw": {"type": "template", "template": {"name": "t", "language": {"code": "en"}, "components": [component("document")]}}}),
            vec![("raw.template.components[0].parameters[0].document.mediaId", vec![Document])],
        ),
    ] {
        let message = accepted(&sent);
        let media = render::media(message.content());
        let found: Vec<_> = media.into_iter().map(|named| (named.param.clone(), named.kinds.to_vec())).collect();
        let named: Vec<_> = named.into_iter().map(|(param, kinds)| (param.to_owned(), kinds)).collect();
        assert_eq!(found, named, "{sent}");
    }
}

#[test]
fn a_medium_must_fit_where_it_is_named() {
    let check = |sent: Value, media: &Media| {
        render::media(accepted(&sent).content())[0]
            .check(media)
            .map_err(|failure| (failure.kind(), failure.param().unwrap().to_owned(), failure.message().to_owned()))
    };
    let image = |id: &MediaId| json!({"type": "image", "image": {"mediaId": id.to_string()}});
    let jpeg = file(MediaKind::Image, "image/jpeg", 5 << 20);
    assert_eq!(check(image(&jpeg.id), &jpeg), Ok(()));
    let (kind, param, message) = check(image(&jpeg.id), &file(MediaKind::Video, "video/mp4", 1)).unwrap_err();
    assert_eq!((kind, param.as_str()), (ErrorKind::InvalidRequest, "image.mediaId"));
    assert!(message.contains("kind image") && message.contains("video/mp4"), "{message}");
    let (kind, param, _) = check(image(&jpeg.id), &file(MediaKind::Image, "image/jpeg", (5 << 20) + 1)).unwrap_err();
    assert_eq!((kind, param.as_str()), (ErrorKind::TooLarge, "image.mediaId"));

    let voice = json!({"type": "audio", "audio": {"mediaId": medium("audio"), "isVoiceNote": true}});
    assert_eq!(check(voice.clone(), &file(MediaKind::Audio, "audio/ogg", 1)), Ok(()));
    let (kind, param, message) = check(voice, &file(MediaKind::Audio, "audio/mpeg", 1)).unwrap_err();
    assert_eq!((kind, param.as_str()), (ErrorKind::InvalidRequest, "audio.mediaId"));
    assert!(message.contains("audio/ogg"), "{message}");

    let named = render::media(accepted(&image(&jpeg.id)).content()).remove(0).not_found();
    assert_eq!((named.kind(), named.param()), (ErrorKind::NotFound, Some("image.mediaId")));
}

#[test]
fn messages_are_named_with_their_parameters() {
    for (sent, named) in [
        (json!({"type": "text", "text": {"body": "b"}}), vec![]),
        (json!({"type": "text", "text": {"body": "b"}, "replyTo": MESSAGE}), vec![("replyTo", MESSAGE)]),
        (
            json!({"type": "reaction", "reaction": {"messageId": PLATFORM_MESSAGE, "emoji": ""}}),
            vec![("reaction.messageId", PLATFORM_MESSAGE)],
        ),
        (
            json!({"groupId": "grp_wa_a", "type": "pin", "pin": {"messageId": MESSAGE, "action": "unpin"}}),
            vec![("pin.messageId", MESSAGE)],
        ),
    ] {
        let message = accepted(&sent);
        let found: Vec<_> = message.messages().iter().map(|named| (named.param, named.message.to_string())).collect();
        let named: Vec<_> = named.into_iter().map(|(param, id)| (param, id.to_owned())).collect();
        assert_eq!(found, named, "{sent}");
    }
}
