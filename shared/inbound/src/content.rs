//! Maps the content of a platform message to the fields of a chat message (docs/specification.md, "Chat message").

use std::collections::BTreeMap;

use domain::chat::{ChatMessage, ChatMessageType, Order, OrderItem, Referral};
use domain::{Json, Timestamp};
use serde_json::value::RawValue;
use store::{ChatRecord, InboundMedia};

use crate::lenient::Left;
use crate::wire::{self, Medium, Message};

/// The ids of the stored messages that a message refers to, keyed by the platform's ids.
pub(crate) type Links = BTreeMap<String, String>;

/// Returns the platform's ids of the messages that a message refers to, except for the one that it edits or revokes.
pub(crate) fn references(message: &Message<'_>) -> Vec<String> {
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

/// Sets the content of a message. The caller sets its sender and recipient. `raw` is the message as the platform sent
/// it, `left` the part of it that no field holds.
pub(crate) fn fill(stored: &mut ChatRecord, sent: Message<'_>, raw: &RawValue, left: &Left<'_>, links: &Links) {
    let now = stored.tracked.message.updated_at;
    let message = &mut stored.tracked.message;
    message.kind = kind(&sent.kind).into();
    stored.data.system_data = system_data(message, &sent, raw, left);

    let linked = |id: Option<String>| id.map(|id| links.get(&id).cloned().unwrap_or(id));
    if let Some(context) = sent.context {
        message.reply_to_message_id = linked(context.id);
        message.is_frequently_forwarded = context.frequently_forwarded.unwrap_or(false);
        message.is_forwarded = context.forwarded.unwrap_or(false) || message.is_frequently_forwarded;
    }

    message.text_body = sent.text;
    if let Some(medium) = sent.medium {
        stored.reported.inbound_media = medium.id.as_ref().map(|id| waiting(id.clone()));
        fill_medium(message, medium, sent.kind == "voice");
    }

    if let Some(revision) = sent.revision {
        message.reply_to_message_id = linked(revision.original_id).or(message.reply_to_message_id.take());
        message.text_body = message.text_body.take().or(revision.text);
        message.media_caption = message.media_caption.take().or(revision.caption);
    }

    if let Some(location) = sent.location {
        message.location_latitude = location.latitude;
        message.location_longitude = location.longitude;
        message.location_name = location.name;
        message.location_address = location.address;
    }

    if let Some(button) = sent.button {
        message.button_text = button.text;
        message.button_payload = button.payload;
    }
    if let Some(reaction) = sent.reaction {
        message.reaction_emoji = reaction.emoji;
        message.reaction_message_id = linked(reaction.message_id);
    }

    if let Some(error) = sent.error {
        message.error_code = error.reason.code;
        message.error_message = Some(error.reason.message);
        message.provider = error.reason.provider;
        message.error_title = error.title;
        message.error_details = error.details;
    }

    if let Some(system) = sent.system {
        let body = crate::lenient::read(system, |system| system.text("body")).and_then(|system| system.value);
        message.text_body = body.or(message.text_body.take());
    }

    let id = message.id.to_string();
    message.has_referral = sent.referral.is_some();
    stored.referral = sent.referral.map(|referral| of_referral(referral, &id, now));
    stored.order = sent.order.map(|order| of_order(order, &id, now));
    stored.data.contacts_data = sent.contacts.and_then(|raw| Json::of(&raw).ok());
    stored.data.template_data = sent.template.and_then(|raw| Json::of(&raw).ok());
    stored.data.interactive_data = sent.interactive.and_then(|raw| Json::of(&raw).ok());
}

/// Returns the content that no field holds: the whole message for kinds without fields, and otherwise the object of a
/// system message and the remaining part.
fn system_data(message: &ChatMessage, sent: &Message<'_>, raw: &RawValue, left: &Left<'_>) -> Option<Json> {
    if matches!(message.kind.known(), Some(ChatMessageType::Unknown | ChatMessageType::Pin)) {
        return Json::of(&raw).ok();
    }
    let product = sent.context.as_ref().and_then(|context| context.referred_product);
    let product = product.and_then(|raw| Json::of(&raw).ok());
    let data = joined(sent.system.and_then(|raw| Json::of(&raw).ok()), left.json());
    match product {
        Some(product) => Some(with_member(data.as_ref(), "referred_product", &product)),
        None => data,
    }
}

/// Returns the members of an object; none if the JSON is not an object.
fn members(json: Option<&Json>) -> BTreeMap<String, Json> {
    json.and_then(|json| serde_json::from_str(json.as_str()).ok()).unwrap_or_default()
}

/// Returns an object with the members of both. Members of `other` whose names are taken are kept together in one
/// member.
fn joined(one: Option<Json>, other: Option<Json>) -> Option<Json> {
    let (Some(one), Some(other)) = (&one, &other) else { return one.or(other) };
    let (mut all, more) = (members(Some(one)), members(Some(other)));
    if all.is_empty() || more.keys().any(|name| all.contains_key(name)) {
        return Some(with_member(Some(one), "message", other));
    }
    all.extend(more);
    Json::of(&all).ok()
}

/// Returns the object with an additional member. JSON that is not an object becomes the member `system`.
pub(crate) fn with_member(object: Option<&Json>, name: &str, value: &Json) -> Json {
    let mut all = members(object);
    if let Some(other) = object.filter(|object| all.is_empty() && object.as_str() != "{}") {
        all.insert("system".to_owned(), other.clone());
    }
    all.insert(name.to_owned(), value.clone());
    Json::of(&all).unwrap_or_else(|_| value.clone())
}

/// Returns a member of an object.
pub(crate) fn member(object: Option<&Json>, name: &str) -> Option<Json> {
    members(object).remove(name)
}

fn waiting(id: String) -> InboundMedia {
    InboundMedia { id, expires_at: None, asked_at: None, is_removed: false, failure: None, is_upload: false }
}

fn fill_medium(message: &mut ChatMessage, medium: Medium, is_voice: bool) {
    message.media_mime_type = medium.mime_type;
    message.media_sha256 = medium.sha256;
    message.media_caption = medium.caption;
    message.media_filename = medium.filename;
    message.is_voice_note = medium.voice.or(is_voice.then_some(true));
    message.is_animated_sticker = medium.animated;
}

fn of_referral(sent: wire::Referral, id: &str, now: Timestamp) -> Referral {
    Referral {
        id: format!("{id}_referral"),
        source_url: sent.source_url,
        source_id: sent.source_id,
        source_type: sent.source_type,
        headline: sent.headline,
        body: sent.body,
        media_type: sent.media_type,
        image_url: sent.image_url,
        video_url: sent.video_url,
        thumbnail_url: sent.thumbnail_url,
        ctwa_clid: sent.ctwa_clid,
        welcome_message: sent.welcome_message,
        created_at: now,
    }
}

fn of_order(sent: wire::Order, id: &str, now: Timestamp) -> Order {
    let quantity = |item: &wire::ProductItem| item.quantity.and_then(|number| u64::try_from(number).ok()).unwrap_or(0);
    let items: Vec<OrderItem> = sent
        .product_items
        .into_iter()
        .enumerate()
        .map(|(index, item)| OrderItem {
            id: format!("{id}_order_item_{}", index + 1),
            quantity: quantity(&item),
            product_retailer_id: item.product_retailer_id,
            item_price: item.item_price,
            currency: item.currency,
        })
        .collect();
    Order {
        id: format!("{id}_order"),
        catalog_id: sent.catalog_id,
        order_text: sent.text,
        total_items: items.iter().fold(0, |sum: u64, item| sum.saturating_add(item.quantity)),
        created_at: now,
        items,
    }
}
