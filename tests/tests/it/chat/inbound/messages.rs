//! Inbound messages in each documented form.

use super::harness::{Case, expect_all, inbound};

fn cases() -> Vec<Case> {
    let medium = r#""id": "900", "mime_type": "image/jpeg", "sha256": "c2hh""#;
    let case = |name, message: &str, expected: &str| inbound(name, &message.replace("$MEDIUM", medium), expected);
    vec![
        case("text", r#""type": "text", "text": {"body": "Hi"}"#, r#"{"type": "text", "textBody": "Hi"}"#),
        case(
            "text with an unused field",
            r#""type": "text", "text": {"body": "Hi", "preview_url": true}"#,
            r#"{"type": "text", "textBody": "Hi", "systemData": {"text": {"preview_url": true}}}"#,
        ),
        case(
            "text with emoji and escapes",
            r#""type": "text", "text": {"body": "\ud83d\ude00 \u00fc \"q\" \\u0041\n"}"#,
            r#"{"type": "text", "textBody": "😀 ü \"q\" \\u0041\n"}"#,
        ),
        case(
            "reply",
            r#""type": "text", "text": {"body": "Hi"}, "context": {"from": "$OWN", "id": "wamid.other"}"#,
            r#"{"type": "text", "textBody": "Hi", "replyToMessageId": "wamid.other", "systemData": {"context": {"from": "$OWN"}}}"#,
        ),
        case(
            "reply with the user id of the other message's sender",
            r#""type": "text", "text": {"body": "Hi"}, "context": {"from_user_id": "US.9", "id": "wamid.other"}"#,
            r#"{"type": "text", "textBody": "Hi", "replyToMessageId": "wamid.other", "systemData": {"context": {"from_user_id": "US.9"}}}"#,
        ),
        case(
            "forwarded",
            r#""type": "text", "text": {"body": "Hi"}, "context": {"forwarded": true}"#,
            r#"{"type": "text", "textBody": "Hi", "isForwarded": true}"#,
        ),
        case(
            "frequently forwarded",
            r#""type": "text", "text": {"body": "Hi"}, "context": {"frequently_forwarded": true}"#,
            r#"{"type": "text", "textBody": "Hi", "isForwarded": true, "isFrequentlyForwarded": true}"#,
        ),
        case(
            "question about a product",
            r#""type": "text", "text": {"body": "Hi"}, "context": {"from": "$OWN", "id": "wamid.p",
                "referred_product": {"catalog_id": "1", "product_retailer_id": "2"}}"#,
            r#"{"type": "text", "textBody": "Hi", "replyToMessageId": "wamid.p", "systemData": {"context": {"from": "$OWN"},
                "referred_product": {"catalog_id": "1", "product_retailer_id": "2"}}}"#,
        ),
        case(
            "advertisement",
            r#""type": "text", "text": {"body": "Hi"}, "referral": {"source_url": "https://fb.me/x", "source_id": "1", "source_type": "ad",
                "headline": "H", "body": "B", "media_type": "image", "image_url": "https://e.com/i", "video_url": "https://e.com/v",
                "thumbnail_url": "https://e.com/t", "ctwa_clid": "c", "welcome_message": {"text": "W"}}"#,
            r#"{"type": "text", "textBody": "Hi", "hasReferral": true, "referral": {"sourceUrl": "https://fb.me/x", "sourceId": "1",
                "sourceType": "ad", "headline": "H", "body": "B", "mediaType": "image", "imageUrl": "https://e.com/i",
                "videoUrl": "https://e.com/v", "thumbnailUrl": "https://e.com/t", "ctwaClid": "c", "welcomeMessage": "W"}}"#,
        ),
        case(
            "referral with a reference",
            r#""type": "text", "text": {"body": "Hi"}, "referral": {"source_type": "post", "ref": "campaign-7"}"#,
            r#"{"type": "text", "textBody": "Hi", "hasReferral": true, "referral": {"sourceType": "post"},
                "systemData": {"referral": {"ref": "campaign-7"}}}"#,
        ),
        case(
            "identity check",
            r#""type": "text", "text": {"body": "Hi"}, "identity": {"acknowledged": true, "created_timestamp": 1602532300000, "hash": "h"}"#,
            r#"{"type": "text", "textBody": "Hi",
                "systemData": {"identity": {"acknowledged": true, "created_timestamp": 1602532300000, "hash": "h"}}}"#,
        ),
        case(
            "image",
            r#""type": "image", "image": {$MEDIUM, "caption": "Look", "url": "https://lookaside/x"}"#,
            r#"{"type": "image", "mediaMimeType": "image/jpeg", "mediaSha256": "c2hh", "mediaCaption": "Look"}"#,
        ),
        case(
            "video",
            r#""type": "video", "video": {$MEDIUM}"#,
            r#"{"type": "video", "mediaMimeType": "image/jpeg", "mediaSha256": "c2hh"}"#,
        ),
        case(
            "document",
            r#""type": "document", "document": {$MEDIUM, "filename": "a.pdf", "caption": "C"}"#,
            r#"{"type": "document", "mediaMimeType": "image/jpeg", "mediaSha256": "c2hh", "mediaFilename": "a.pdf", "mediaCaption": "C"}"#,
        ),
        case(
            "audio file",
            r#""type": "audio", "audio": {$MEDIUM, "voice": false}"#,
            r#"{"type": "audio", "mediaMimeType": "image/jpeg", "mediaSha256": "c2hh", "isVoiceNote": false}"#,
        ),
        case(
            "voice note",
            r#""type": "audio", "audio": {"id": "901", "mime_type": "audio/ogg; codecs=opus", "voice": true}"#,
            r#"{"type": "audio", "mediaMimeType": "audio/ogg; codecs=opus", "isVoiceNote": true}"#,
        ),
        case(
            "voice note of the old form",
            r#""type": "voice", "voice": {"id": "901", "mime_type": "audio/ogg; codecs=opus", "sha256": "c2hh", "file": "/x"}"#,
            r#"{"type": "audio", "mediaMimeType": "audio/ogg; codecs=opus", "mediaSha256": "c2hh", "isVoiceNote": true,
                "systemData": {"voice": {"file": "/x"}}}"#,
        ),
        case(
            "sticker",
            r#""type": "sticker", "sticker": {$MEDIUM, "animated": true}"#,
            r#"{"type": "sticker", "mediaMimeType": "image/jpeg", "mediaSha256": "c2hh", "isAnimatedSticker": true}"#,
        ),
        case(
            "location",
            r#""type": "location", "location": {"latitude": 37.4830, "longitude": -122.148981, "name": "HQ", "address": "1 Way"}"#,
            r#"{"type": "location", "locationLatitude": "37.4830", "locationLongitude": "-122.148981", "locationName": "HQ", "locationAddress": "1 Way"}"#,
        ),
        case(
            "location with an address on the web",
            r#""type": "location", "location": {"latitude": 1, "longitude": 2, "url": "https://e.com/hq"}"#,
            r#"{"type": "location", "locationLatitude": "1", "locationLongitude": "2", "systemData": {"location": {"url": "https://e.com/hq"}}}"#,
        ),
        case(
            "contacts",
            r#""type": "contacts", "contacts": [{"name": {"formatted_name": "Bob"}, "phones": [{"phone": "+1", "wa_id": 16505551234567890123}]}]"#,
            r#"{"type": "contacts", "contactsData": [{"name": {"formatted_name": "Bob"}, "phones": [{"phone": "+1", "wa_id": 16505551234567890123}]}]}"#,
        ),
        case(
            "reply button",
            r#""type": "interactive", "interactive": {"type": "button_reply", "button_reply": {"id": "1", "title": "Yes"}}"#,
            r#"{"type": "interactive", "interactiveData": {"type": "button_reply", "button_reply": {"id": "1", "title": "Yes"}}}"#,
        ),
        case(
            "row of a list",
            r#""type": "interactive", "interactive": {"type": "list_reply", "list_reply": {"id": "1", "title": "T", "description": "D"}}"#,
            r#"{"type": "interactive", "interactiveData": {"type": "list_reply", "list_reply": {"id": "1", "title": "T", "description": "D"}}}"#,
        ),
        case(
            "flow",
            r#""type": "interactive", "interactive": {"type": "nfm_reply", "nfm_reply": {"name": "flow", "body": "Sent", "response_json": "{\"a\":1}"}}"#,
            r#"{"type": "interactive", "interactiveData": {"type": "nfm_reply", "nfm_reply": {"name": "flow", "body": "Sent", "response_json": "{\"a\":1}"}}}"#,
        ),
        case(
            "permission to call",
            r#""type": "interactive", "interactive": {"type": "call_permission_reply", "call_permission_reply": {"response": "accept", "expiration_timestamp": 1}}"#,
            r#"{"type": "interactive", "interactiveData": {"type": "call_permission_reply", "call_permission_reply": {"response": "accept", "expiration_timestamp": 1}}}"#,
        ),
        case(
            "interactive that failed",
            r#""type": "interactive", "errors": [{"code": 131000, "title": "Something went wrong"}]"#,
            r#"{"type": "interactive", "errorCode": "platform_api_error", "errorTitle": "Something went wrong",
                "errorMessage": "$PLATFORM_ERROR", "provider": {"source": "platform", "code": 131000, "message": "Something went wrong"}}"#,
        ),
        case(
            "button of a template",
            r#""type": "button", "button": {"payload": "p", "text": "t"}"#,
            r#"{"type": "button", "buttonText": "t", "buttonPayload": "p"}"#,
        ),
        case(
            "reaction",
            r#""type": "reaction", "reaction": {"message_id": "wamid.other", "emoji": "👍"}"#,
            r#"{"type": "reaction", "reactionMessageId": "wamid.other", "reactionEmoji": "👍"}"#,
        ),
        case(
            "removed reaction",
            r#""type": "reaction", "reaction": {"message_id": "wamid.other", "emoji": ""}"#,
            r#"{"type": "reaction", "reactionMessageId": "wamid.other"}"#,
        ),
        case(
            "removed reaction without emoji",
            r#""type": "reaction", "reaction": {"message_id": "wamid.other"}"#,
            r#"{"type": "reaction", "reactionMessageId": "wamid.other"}"#,
        ),
        case(
            "order",
            r#""type": "order", "order": {"catalog_id": "194", "text": "Soon", "product_items": [
                {"product_retailer_id": "a", "quantity": 2, "item_price": 25.50, "currency": "EUR"}, {"product_retailer_id": "b", "quantity": 1}]}"#,
            r#"{"type": "order", "order": {"catalogId": "194", "orderText": "Soon", "totalItems": 3, "items": [
                {"productRetailerId": "a", "quantity": 2, "itemPrice": "25.50", "currency": "EUR"}, {"productRetailerId": "b", "quantity": 1}]}}"#,
        ),
        case(
            "template",
            r#""type": "template", "template": {"name": "welcome", "language": {"code": "en_US"}}"#,
            r#"{"type": "template", "templateData": {"name": "welcome", "language": {"code": "en_US"}}}"#,
        ),
        case(
            "changed identity",
            r#""type": "system", "system": {"body": "B", "identity": "i", "type": "customer_identity_changed", "customer": "1"},
                "identity": {"hash": "h"}"#,
            r#"{"type": "system", "textBody": "B", "systemData": {"body": "B", "identity": "i", "type": "customer_identity_changed",
                "customer": "1", "message": {"identity": {"hash": "h"}}}}"#,
        ),
        case(
            "system message with an identity beside it",
            r#""type": "system", "system": {"body": "B", "type": "customer_identity_changed"}, "identity": {"hash": "h"}"#,
            r#"{"type": "system", "textBody": "B", "systemData": {"body": "B", "type": "customer_identity_changed", "identity": {"hash": "h"}}}"#,
        ),
        case(
            "unsupported",
            r#""type": "unsupported", "errors": [{"code": 131051, "title": "T", "message": "M", "error_data": {"details": "D"}}]"#,
            r#"{"type": "unknown", "errorCode": "unsupported_message_type", "errorTitle": "T", "errorDetails": "D",
                "errorMessage": "$UNSUPPORTED", "provider": {"source": "platform", "code": 131051, "message": "M"},
                "systemData": {"id": "$ID", "from": "$FROM", "timestamp": "2000000000", "type": "unsupported",
                    "errors": [{"code": 131051, "title": "T", "message": "M", "error_data": {"details": "D"}}]}}"#,
        ),
        case(
            "unsupported with its kind",
            r#""type": "unsupported", "unsupported": {"type": "poll"}"#,
            r#"{"type": "unknown", "systemData": {"id": "$ID", "from": "$FROM", "timestamp": "2000000000", "type": "unsupported", "unsupported": {"type": "poll"}}}"#,
        ),
        case(
            "unknown of the old form",
            r#""type": "unknown", "errors": [{"code": 501, "details": "Message type is not currently supported", "title": "Unknown message type"}]"#,
            r#"{"type": "unknown", "errorCode": "platform_api_error", "errorTitle": "Unknown message type",
                "errorDetails": "Message type is not currently supported",
                "errorMessage": "$OTHER_ERROR", "provider": {"source": "platform", "code": 501, "message": "Unknown message type"},
                "systemData": {"id": "$ID", "from": "$FROM", "timestamp": "2000000000", "type": "unknown",
                    "errors": [{"code": 501, "details": "Message type is not currently supported", "title": "Unknown message type"}]}}"#,
        ),
        case(
            "welcome request",
            r#""type": "request_welcome""#,
            r#"{"type": "unknown", "systemData": {"id": "$ID", "from": "$FROM", "timestamp": "2000000000", "type": "request_welcome"}}"#,
        ),
        case(
            "kind of the future",
            r#""type": "hologram", "hologram": {"id": 123456789012345678901234567890}"#,
            r#"{"type": "unknown", "systemData": {"id": "$ID", "from": "$FROM", "timestamp": "2000000000", "type": "hologram",
                "hologram": {"id": 123456789012345678901234567890}}}"#,
        ),
        case(
            "pin",
            r#""type": "pin", "pin": {"message_id": "wamid.other", "type": "pin"}"#,
            r#"{"type": "pin", "systemData": {"id": "$ID", "from": "$FROM", "timestamp": "2000000000", "type": "pin", "pin": {"message_id": "wamid.other", "type": "pin"}}}"#,
        ),
        case(
            "edit of a message that is not here",
            r#""type": "edit", "edit": {"original_message_id": "wamid.gone.$ID", "message": {"type": "text", "text": {"body": "New"}}}"#,
            r#"{"type": "unknown", "textBody": "New", "replyToMessageId": "wamid.gone.$ID",
                "systemData": {"id": "$ID", "from": "$FROM", "timestamp": "2000000000", "type": "edit",
                    "edit": {"original_message_id": "wamid.gone.$ID", "message": {"type": "text", "text": {"body": "New"}}}}}"#,
        ),
        case(
            "edit of a caption",
            r#""type": "edit", "edit": {"original_message_id": "wamid.gone.$ID", "message": {"type": "image", "image": {"id": "1", "caption": "New"}}}"#,
            r#"{"type": "unknown", "mediaCaption": "New", "replyToMessageId": "wamid.gone.$ID",
                "systemData": {"id": "$ID", "from": "$FROM", "timestamp": "2000000000", "type": "edit",
                    "edit": {"original_message_id": "wamid.gone.$ID", "message": {"type": "image", "image": {"id": "1", "caption": "New"}}}}}"#,
        ),
        case(
            "revocation of a message that is not here",
            r#""type": "revoke", "revoke": {"original_message_id": "wamid.gone.$ID"}"#,
            r#"{"type": "unknown", "replyToMessageId": "wamid.gone.$ID",
                "systemData": {"id": "$ID", "from": "$FROM", "timestamp": "2000000000", "type": "revoke", "revoke": {"original_message_id": "wamid.gone.$ID"}}}"#,
        ),
        case(
            "edit of itself",
            r#""type": "edit", "edit": {"original_message_id": "$ID"}"#,
            r#"{"type": "unknown", "replyToMessageId": "$ID",
                "systemData": {"id": "$ID", "from": "$FROM", "timestamp": "2000000000", "type": "edit", "edit": {"original_message_id": "$ID"}}}"#,
        ),
        case(
            "message in a group",
            r#""type": "text", "text": {"body": "Hi"}, "group_id": "Y2FwaV9ncm91cDox""#,
            r#"{"type": "text", "textBody": "Hi", "groupId": "Y2FwaV9ncm91cDox"}"#,
        ),
        case(
            "order of the parent company's user",
            r#""type": "text", "text": {"body": "Hi"}, "from_parent_user_id": "US.ENT.1""#,
            r#"{"type": "text", "textBody": "Hi", "systemData": {"from_parent_user_id": "US.ENT.1"}}"#,
        ),
    ]
}

#[tokio::test]
async fn each_documented_message_becomes_its_message() {
    expect_all("2101", cases()).await;
}
