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
    pub id: String,
    pub source_url: Option<String>,
    pub source_id: Option<String>,
    pub source_type: Option<String>,
    pub headline: Option<String>,
    pub body: Option<String>,
    pub media_type: Option<String>,
    pub image_url: Option<String>,
    pub video_url: Option<String>,
    pub thumbnail_url: Option<String>,
    pub ctwa_clid: Option<String>,
    pub welcome_message: Option<String>,
    pub created_at: Timestamp,
}

/// An order that a user has placed.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ChatMessageOrder)]
pub struct Order {
    pub id: String,
    pub catalog_id: Option<String>,
    pub order_text: Option<String>,
    /// The sum of the quantities.
    pub total_items: u64,
    pub created_at: Timestamp,
    pub items: Vec<OrderItem>,
}

/// One product of an order.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ChatMessageOrderItem)]
pub struct OrderItem {
    pub id: String,
    pub product_retailer_id: Option<String>,
    pub quantity: u64,
    pub item_price: Option<String>,
    pub currency: Option<String>,
}

/// The conversation of a message and its price, as the platform reports them.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ChatConversationWindow)]
pub struct ConversationWindow {
    pub id: String,
    pub origin_type: Option<String>,
    pub pricing_model: Option<String>,
    /// Such as `regular`, `free_customer_service` or `free_entry_point`.
    pub pricing_type: Option<String>,
    pub pricing_category: Option<String>,
    pub pricing_billable: Option<bool>,
    pub started_at: Option<Timestamp>,
    pub expires_at: Option<Timestamp>,
    pub created_at: Timestamp,
}

/// The content of messages of types that have no fields of their own, in the platform's own format. `system_data` also
/// holds the parts of any message that have no field, or that cannot be read.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MessageData {
    #[schema(value_type = Option<Value>)]
    pub contacts_data: Option<Json>,
    #[schema(value_type = Option<Value>)]
    pub template_data: Option<Json>,
    #[schema(value_type = Option<Value>)]
    pub interactive_data: Option<Json>,
    #[schema(value_type = Option<Value>)]
    pub system_data: Option<Json>,
}

impl MessageData {
    pub fn is_empty(&self) -> bool {
        *self == MessageData::default()
    }
}

/// A message with its related records.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChatMessageDetails {
    #[serde(flatten)]
    pub message: ChatMessage,
    pub recipients: Vec<Recipient>,
    pub referral: Option<Referral>,
    pub order: Option<Order>,
    pub conversation_window: Option<ConversationWindow>,
    #[serde(flatten)]
    pub data: MessageData,
}
