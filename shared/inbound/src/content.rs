//! Maps the content of a platform message to the fields of a chat message (docs/specification.md, "Chat message").

use std::collections::BTreeMap;

use domain::chat::{ChatMessage, ChatMessageType, Order, OrderItem, Referral};
use domain::{E164, Failure, Timestamp};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use store::{InboundMedia, StoredMessage};

use crate::lenient::TextOrNumber;
use crate::wire::{self, Medium, Message, non_empty};

/// The ids of the messages that a message refers to, by the platform's ids.
pub(crate) type Links = BTreeMap<String, String>;

/// Returns the platform's ids of the messages that a message refers to.
pub(crate) fn references(message: &Message) -> Vec<String> {
    let reply = message.context.as_ref().and_then(|context| context.id.clone());
    let reaction = message.reaction.as_ref().and_then(|reaction| reaction.message_id.clone());
    reply.into_iter().chain(reaction).collect()
}

fn kind(platform: &str) -> ChatMessageType {
    match platform {
        "text" => ChatMessageType::Text,
        "image" => ChatMessageType::Image,
        "video" => ChatMessageType::Video,
        "audio" | "voice" => ChatMessageType::Audio,
        "document" => ChatMessageType::Document,
        "location" => ChatMessageType::Location,
        "contacts" => ChatMessageType::Contacts,
        "template" => ChatMessageType::Template,
        "interactive" => ChatMessageType::Interactive,
        "reaction" => ChatMessageType::Reaction,
        "sticker" => ChatMessageType::Sticker,
        "button" => ChatMessageType::Button,
        "order" => ChatMessageType::Order,
        "system" => ChatMessageType::System,
        "pin" => ChatMessageType::Pin,
        _ => ChatMessageType::Unknown,
    }
}

/// Sets the content of a message. The caller sets its sender and recipient. `raw` is the message as it was sent; it is
/// kept for kinds of messages that have no fields of their own.
pub(crate) fn fill(stored: &mut StoredMessage, sent: Message, raw: &RawValue, links: &Links) -> Result<(), Failure> {
    let now = stored.tracked.message.updated_at;
    let message = &mut stored.tracked.message;
    message.kind = kind(&sent.kind).into();
    let linked = |id: Option<String>| id.map(|id| links.get(&id).cloned().unwrap_or(id));
    if let Some(context) = sent.context {
        message.reply_to_message_id = linked(non_empty(context.id));
        message.is_frequently_forwarded = context.frequently_forwarded.unwrap_or(false);
        message.is_forwarded = context.forwarded.unwrap_or(false) || message.is_frequently_forwarded;
        if let Some(product) = context.referred_product {
            stored.data.system_data = Some(json!({"referred_product": value(&product)?}));
        }
    }
    message.text_body = sent.text.map(|text| text.body);
    let media = [sent.image, sent.video, sent.audio, sent.document, sent.sticker].into_iter().flatten().next();
    if let Some(medium) = media {
        stored.kept.inbound_media = medium.id.as_ref().map(|id| waiting(id.0.clone()));
        fill_medium(message, medium);
    }
    if let Some(location) = sent.location {
        let text = |value: Option<TextOrNumber>| value.map(|value| value.0);
        message.location_latitude = text(location.latitude);
        message.location_longitude = text(location.longitude);
        message.location_name = non_empty(location.name);
        message.location_address = non_empty(location.address);
    }
    if let Some(button) = sent.button {
        message.button_text = button.text;
        message.button_payload = button.payload;
    }
    if let Some(reaction) = sent.reaction {
        message.reaction_emoji = non_empty(reaction.emoji);
        message.reaction_message_id = linked(non_empty(reaction.message_id));
    }
    if let Some(error) = sent.errors.into_iter().next().map(wire::PlatformError::status_error) {
        message.error_code = Some(error.code);
        message.error_title = error.title;
        message.error_message = error.message;
        message.error_details = error.details;
    }
    let id = message.id.to_string();
    message.has_referral = sent.referral.is_some();
    stored.referral = sent.referral.map(|referral| of_referral(referral, &id, now));
    stored.order = sent.order.map(|order| of_order(order, &id, now));
    stored.data.contacts_data = sent.contacts.as_deref().map(value).transpose()?;
    stored.data.template_data = sent.template.as_deref().map(value).transpose()?;
    stored.data.interactive_data = sent.interactive.as_deref().map(value).transpose()?;
    if let Some(system) = sent.system {
        let mut system = value(&system)?;
        stored.tracked.message.text_body = system["body"].as_str().map(str::to_owned);
        if let (Some(identity), Some(object)) = (sent.identity, system.as_object_mut()) {
            object.insert("identity".to_owned(), value(&identity)?);
        }
        stored.data.system_data = Some(system);
    }
    // Keep the raw message of kinds that this version does not know.
    if matches!(stored.message().kind.known(), Some(ChatMessageType::Unknown | ChatMessageType::Pin)) {
        stored.data.system_data = Some(value(raw)?);
    }
    Ok(())
}

fn value(raw: &RawValue) -> Result<Value, Failure> {
    serde_json::from_str(raw.get()).map_err(Failure::internal)
}

fn waiting(id: String) -> InboundMedia {
    InboundMedia { id, expires_at: None, asked_at: None, is_removed: false, failure: None }
}

fn fill_medium(message: &mut ChatMessage, medium: Medium) {
    message.media_mime_type = medium.mime_type;
    message.media_sha256 = non_empty(medium.sha256);
    message.media_caption = non_empty(medium.caption);
    message.media_filename = non_empty(medium.filename);
    message.is_voice_note = medium.voice;
    message.is_animated_sticker = medium.animated;
}

fn of_referral(sent: wire::Referral, id: &str, now: Timestamp) -> Referral {
    Referral {
        id: format!("{id}_referral"),
        source_url: sent.source_url,
        source_id: sent.source_id.map(|id| id.0),
        source_type: sent.source_type,
        headline: sent.headline,
        body: sent.body,
        media_type: sent.media_type,
        image_url: sent.image_url,
        video_url: sent.video_url,
        thumbnail_url: sent.thumbnail_url,
        ctwa_clid: sent.ctwa_clid,
        welcome_message: sent.welcome_message.and_then(|welcome| welcome.text),
        created_at: now,
    }
}

fn of_order(sent: wire::Order, id: &str, now: Timestamp) -> Order {
    let quantity = |item: &wire::ProductItem| {
        item.quantity.as_ref().and_then(TextOrNumber::number).and_then(|number| u64::try_from(number).ok()).unwrap_or(0)
    };
    let items: Vec<OrderItem> = sent
        .product_items
        .into_iter()
        .enumerate()
        .map(|(index, item)| OrderItem {
            id: format!("{id}_order_item_{}", index + 1),
            quantity: quantity(&item),
            product_retailer_id: item.product_retailer_id.map(|id| id.0),
            item_price: item.item_price.map(|price| price.0),
            currency: item.currency,
        })
        .collect();
    Order {
        id: format!("{id}_order"),
        catalog_id: sent.catalog_id.map(|id| id.0),
        order_text: non_empty(sent.text),
        total_items: items.iter().fold(0, |sum: u64, item| sum.saturating_add(item.quantity)),
        created_at: now,
        items,
    }
}

/// Returns the phone number for the platform's digits, or `None` for the id of a user who does not share a number.
pub(crate) fn phone(digits: Option<&str>) -> Option<E164> {
    digits.and_then(E164::from_digits_in)
}
