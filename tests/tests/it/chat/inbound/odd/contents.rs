//! Odd contents of messages.

use crate::chat::inbound::harness::{Case, inbound};

pub(super) fn cases() -> Vec<Case> {
    vec![
        inbound("type missing", r#""text": {"body": "Hi"}"#, r#"{"type": "text", "textBody": "Hi"}"#),
        inbound(
            "type null",
            r#""type": null, "location": {"latitude": 1, "longitude": 2}"#,
            r#"{"type": "location", "locationLatitude": "1", "locationLongitude": "2"}"#,
        ),
        inbound(
            "type an object",
            r#""type": {"name": "text"}, "text": {"body": "Hi"}"#,
            r#"{"type": "text", "textBody": "Hi", "systemData": {"type": {"name": "text"}}}"#,
        ),
        inbound("type missing of an image", r#""image": {"id": "900"}"#, r#"{"type": "image"}"#),
        inbound(
            "type and object missing",
            "\"note\": 1",
            r#"{"type": "unknown", "systemData": {"id": "$ID", "from": "$FROM", "timestamp": "2000000000", "note": 1}}"#,
        ),
        inbound(
            "voice as a text",
            r#""type": "audio", "audio": {"id": 901, "voice": "true"}"#,
            r#"{"type": "audio", "isVoiceNote": true}"#,
        ),
        inbound(
            "voice otherwise",
            r#""type": "audio", "audio": {"id": 901, "voice": "yes"}"#,
            r#"{"type": "audio", "systemData": {"audio": {"voice": "yes"}}}"#,
        ),
        inbound(
            "animated as a number",
            r#""type": "sticker", "sticker": {"id": "1", "animated": 0}"#,
            r#"{"type": "sticker", "isAnimatedSticker": false}"#,
        ),
        inbound(
            "medium without an id",
            r#""type": "image", "image": {"caption": "C"}"#,
            r#"{"type": "image", "mediaCaption": "C"}"#,
        ),
        inbound(
            "medium under another name",
            r#""type": "image", "video": {"id": "1", "caption": "C"}"#,
            r#"{"type": "image", "systemData": {"video": {"id": "1", "caption": "C"}}}"#,
        ),
        inbound(
            "digest null",
            r#""type": "image", "image": {"id": "1", "sha256": null, "mime_type": 7}"#,
            r#"{"type": "image", "mediaMimeType": "7"}"#,
        ),
        inbound(
            "location as texts",
            r#""type": "location", "location": {"latitude": "37.4830", "longitude": "-122.1", "name": 5}"#,
            r#"{"type": "location", "locationLatitude": "37.4830", "locationLongitude": "-122.1", "locationName": "5"}"#,
        ),
        inbound(
            "latitude an object",
            r#""type": "location", "location": {"latitude": {"deg": 1}, "longitude": 2}"#,
            r#"{"type": "location", "locationLongitude": "2", "systemData": {"location": {"latitude": {"deg": 1}}}}"#,
        ),
        inbound(
            "contacts an object",
            r#""type": "contacts", "contacts": {"name": {"formatted_name": "Bob"}}"#,
            r#"{"type": "contacts", "contactsData": {"name": {"formatted_name": "Bob"}}}"#,
        ),
        inbound(
            "button with numbers",
            r#""type": "button", "button": {"payload": 1, "text": true}"#,
            r#"{"type": "button", "buttonPayload": "1", "buttonText": "true"}"#,
        ),
        inbound(
            "interactive a text",
            r#""type": "interactive", "interactive": "x""#,
            r#"{"type": "interactive", "interactiveData": "x"}"#,
        ),
        inbound(
            "order with one item",
            r#""type": "order", "order": {"catalog_id": 194, "product_items": {"product_retailer_id": 7, "quantity": "3"}}"#,
            r#"{"type": "order", "order": {"catalogId": "194", "totalItems": 3, "items": [{"productRetailerId": "7", "quantity": 3}]}}"#,
        ),
        inbound(
            "order with odd items",
            r#""type": "order", "order": {"product_items": [null, "x", {"quantity": -1}, {"quantity": "many", "item_price": [1]}]}"#,
            r#"{"type": "order", "order": {"totalItems": 0, "items": [{"quantity": 0}, {"quantity": 0}]},
                "systemData": {"order": {"product_items": ["x", null, {"quantity": "many", "item_price": [1]}]}}}"#,
        ),
        inbound(
            "reaction with a numeric id",
            r#""type": "reaction", "reaction": {"message_id": 5, "emoji": null}"#,
            r#"{"type": "reaction", "reactionMessageId": "5"}"#,
        ),
        inbound(
            "system a text",
            r#""type": "system", "system": "changed""#,
            r#"{"type": "system", "systemData": "changed"}"#,
        ),
        inbound(
            "error data a text",
            r#""type": "unsupported", "errors": [{"code": "131051", "title": "T", "error_data": "D"}], "x": 1"#,
            r#"{"type": "unknown", "errorCode": "unsupported_message_type", "errorTitle": "T", "errorDetails": "D",
                "errorMessage": "$UNSUPPORTED", "provider": {"source": "platform", "code": 131051, "message": "T"},
                "systemData": {"id": "$ID", "from": "$FROM", "timestamp": "2000000000", "type": "unsupported",
                    "errors": [{"code": "131051", "title": "T", "error_data": "D"}], "x": 1}}"#,
        ),
        inbound(
            "error data the text of an object",
            r#""type": "interactive", "errors": {"code": 131051, "message": "M", "error_data": "{\"details\": \"D\"}"}"#,
            r#"{"type": "interactive", "errorCode": "unsupported_message_type", "errorTitle": "M", "errorDetails": "D",
                "errorMessage": "$UNSUPPORTED", "provider": {"source": "platform", "code": 131051, "message": "M"}}"#,
        ),
        inbound(
            "long id of a reply",
            &format!(r#""type": "text", "text": {{"body": "Hi"}}, "context": {{"id": "{}"}}"#, "w".repeat(600)),
            r#"{"type": "text", "textBody": "Hi", "replyToMessageId": "sha256:dc7853417af8b075f03832598335a43ca067a6b600782d4a16db1439755cd536"}"#,
        ),
    ]
}
