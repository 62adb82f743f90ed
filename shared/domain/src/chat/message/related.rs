//! The records that are related to a chat message: its referral, order, conversation and data.

use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use super::{ChatMessage, Recipient};
use crate::{Json, Timestamp};

/// The advertisement or post that led to an inbound message.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ChatMessageReferral)]
pub struct Referral {
    /// The id of the referral.
    pub id: String,
    /// The URL of the advertisement or post.
    pub source_url: Option<String>,
    /// WhatsApp's id of the advertisement or post.
    pub source_id: Option<String>,
    /// The kind of source, such as `ad` or `post`.
    pub source_type: Option<String>,
    /// The headline of the advertisement or post.
    pub headline: Option<String>,
    /// The text of the advertisement or post.
    pub body: Option<String>,
    /// The kind of medium in the advertisement or post, such as `image` or `video`.
    pub media_type: Option<String>,
    /// The URL of the image.
    pub image_url: Option<String>,
    /// The URL of the video.
    pub video_url: Option<String>,
    /// The URL of the video's thumbnail.
    pub thumbnail_url: Option<String>,
    /// WhatsApp's id of the click on the advertisement.
    pub ctwa_clid: Option<String>,
    /// The message with which the advertisement greeted the user.
    pub welcome_message: Option<String>,
    pub created_at: Timestamp,
}

/// An order that a user has placed.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ChatMessageOrder)]
pub struct Order {
    /// The id of the order.
    pub id: String,
    /// WhatsApp's id of the catalog.
    pub catalog_id: Option<String>,
    /// The text that the user sent with the order.
    pub order_text: Option<String>,
    /// The sum of the quantities.
    pub total_items: u64,
    pub created_at: Timestamp,
    /// The ordered products.
    pub items: Vec<OrderItem>,
}

/// One product of an order.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ChatMessageOrderItem)]
pub struct OrderItem {
    /// The id of the item.
    pub id: String,
    /// The id of the product in the catalog.
    pub product_retailer_id: Option<String>,
    /// How many pieces were ordered.
    pub quantity: u64,
    /// The price of one piece, as a decimal number.
    pub item_price: Option<String>,
    /// The currency of the price, as an ISO 4217 code.
    pub currency: Option<String>,
}

/// The conversation that a message belongs to, and its pricing, as WhatsApp reports them.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ChatConversationWindow)]
pub struct ConversationWindow {
    /// The id of the window.
    pub id: String,
    /// What opened the conversation, in WhatsApp's words, such as `utility`.
    pub origin_type: Option<String>,
    /// WhatsApp's pricing model, such as `PMP` for prices per message.
    pub pricing_model: Option<String>,
    /// For example `regular`, `free_customer_service` or `free_entry_point`.
    pub pricing_type: Option<String>,
    /// WhatsApp's category for the price, such as `utility` or `service`.
    pub pricing_category: Option<String>,
    /// Whether WhatsApp charges for the message.
    pub pricing_billable: Option<bool>,
    pub started_at: Option<Timestamp>,
    pub expires_at: Option<Timestamp>,
    pub created_at: Timestamp,
}

/// The content of messages of types that have no fields of their own, in WhatsApp's format. `system_data` also holds
/// the parts of any message that have no field, or that cannot be read.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MessageData {
    /// The contact cards of the message, in WhatsApp's format.
    #[schema(value_type = Option<Value>)]
    pub contacts_data: Option<Json>,
    /// The template and its parameters, in WhatsApp's format.
    #[schema(value_type = Option<Value>)]
    pub template_data: Option<Json>,
    /// The interactive object or the user's reply to one, in WhatsApp's format.
    #[schema(value_type = Option<Value>)]
    pub interactive_data: Option<Json>,
    /// A system message, or a message of a type without fields of its own, in WhatsApp's format. Of other messages, the
    /// parts that have no field or cannot be read.
    #[schema(value_type = Option<Value>)]
    pub system_data: Option<Json>,
}

impl MessageData {
    pub fn is_empty(&self) -> bool {
        *self == MessageData::default()
    }
}

/// A WhatsApp message with its recipients, referral, order and conversation window.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChatMessageDetails {
    #[serde(flatten)]
    pub message: ChatMessage,
    /// The recipients of an outbound message, each with a status.
    pub recipients: Vec<Recipient>,
    pub referral: Option<Referral>,
    pub order: Option<Order>,
    pub conversation_window: Option<ConversationWindow>,
    #[serde(flatten)]
    pub data: MessageData,
}
