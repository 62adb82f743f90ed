//! The platform's messages and statuses. Fields that are not needed are ignored; only the id and the time of a message
//! and a status, and the status itself, are required.

use domain::Timestamp;
use domain::chat::status::StatusError;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::lenient::{TextOrNumber, list};

#[derive(Deserialize)]
pub(crate) struct Message {
    pub(crate) id: String,
    pub(crate) timestamp: TextOrNumber,
    #[serde(rename = "type", default)]
    pub(crate) kind: String,
    pub(crate) from: Option<String>,
    pub(crate) from_user_id: Option<String>,
    /// The recipient of an echo.
    pub(crate) to: Option<String>,
    pub(crate) text: Option<Text>,
    pub(crate) image: Option<Medium>,
    pub(crate) video: Option<Medium>,
    pub(crate) audio: Option<Medium>,
    pub(crate) document: Option<Medium>,
    pub(crate) sticker: Option<Medium>,
    pub(crate) location: Option<Location>,
    pub(crate) contacts: Option<Box<RawValue>>,
    pub(crate) template: Option<Box<RawValue>>,
    pub(crate) interactive: Option<Box<RawValue>>,
    pub(crate) system: Option<Box<RawValue>>,
    pub(crate) identity: Option<Box<RawValue>>,
    pub(crate) button: Option<Button>,
    pub(crate) reaction: Option<Reaction>,
    pub(crate) order: Option<Order>,
    pub(crate) context: Option<Context>,
    pub(crate) referral: Option<Referral>,
    #[serde(default, deserialize_with = "list")]
    pub(crate) errors: Vec<PlatformError>,
}

#[derive(Deserialize)]
pub(crate) struct Text {
    #[serde(default)]
    pub(crate) body: String,
}

#[derive(Deserialize)]
pub(crate) struct Medium {
    pub(crate) id: Option<TextOrNumber>,
    pub(crate) mime_type: Option<String>,
    pub(crate) sha256: Option<String>,
    pub(crate) caption: Option<String>,
    pub(crate) filename: Option<String>,
    pub(crate) voice: Option<bool>,
    pub(crate) animated: Option<bool>,
}

#[derive(Deserialize)]
pub(crate) struct Location {
    pub(crate) latitude: Option<TextOrNumber>,
    pub(crate) longitude: Option<TextOrNumber>,
    pub(crate) name: Option<String>,
    pub(crate) address: Option<String>,
}

#[derive(Deserialize)]
pub(crate) struct Button {
    pub(crate) payload: Option<String>,
    pub(crate) text: Option<String>,
}

#[derive(Deserialize)]
pub(crate) struct Reaction {
    pub(crate) message_id: Option<String>,
    pub(crate) emoji: Option<String>,
}

#[derive(Deserialize)]
pub(crate) struct Order {
    pub(crate) catalog_id: Option<TextOrNumber>,
    pub(crate) text: Option<String>,
    #[serde(default, deserialize_with = "list")]
    pub(crate) product_items: Vec<ProductItem>,
}

#[derive(Deserialize)]
pub(crate) struct ProductItem {
    pub(crate) product_retailer_id: Option<TextOrNumber>,
    pub(crate) quantity: Option<TextOrNumber>,
    pub(crate) item_price: Option<TextOrNumber>,
    pub(crate) currency: Option<String>,
}

#[derive(Deserialize)]
pub(crate) struct Context {
    pub(crate) id: Option<String>,
    pub(crate) forwarded: Option<bool>,
    pub(crate) frequently_forwarded: Option<bool>,
    pub(crate) referred_product: Option<Box<RawValue>>,
}

#[derive(Deserialize)]
pub(crate) struct Referral {
    pub(crate) source_url: Option<String>,
    pub(crate) source_id: Option<TextOrNumber>,
    pub(crate) source_type: Option<String>,
    pub(crate) headline: Option<String>,
    pub(crate) body: Option<String>,
    pub(crate) media_type: Option<String>,
    pub(crate) image_url: Option<String>,
    pub(crate) video_url: Option<String>,
    pub(crate) thumbnail_url: Option<String>,
    pub(crate) ctwa_clid: Option<String>,
    pub(crate) welcome_message: Option<Welcome>,
}

#[derive(Deserialize)]
pub(crate) struct Welcome {
    pub(crate) text: Option<String>,
}

#[derive(Deserialize)]
pub(crate) struct PlatformError {
    code: Option<TextOrNumber>,
    title: Option<String>,
    message: Option<String>,
    error_data: Option<ErrorData>,
}

#[derive(Deserialize)]
struct ErrorData {
    details: Option<String>,
}

impl PlatformError {
    pub(crate) fn status_error(self) -> StatusError {
        StatusError {
            code: self.code.map_or_else(|| "unknown".to_owned(), |code| code.0),
            title: self.title,
            message: self.message,
            details: self.error_data.and_then(|data| data.details),
        }
    }
}

#[derive(Deserialize)]
pub(crate) struct Status {
    pub(crate) id: String,
    pub(crate) status: String,
    pub(crate) timestamp: TextOrNumber,
    pub(crate) recipient_id: Option<String>,
    pub(crate) recipient_type: Option<String>,
    pub(crate) recipient_participant_id: Option<String>,
    /// The same as `recipient_participant_id`; the platform documents both names.
    pub(crate) participant_recipient_id: Option<String>,
    pub(crate) recipient_participant_user_id: Option<String>,
    pub(crate) conversation: Option<Conversation>,
    pub(crate) pricing: Option<Pricing>,
    #[serde(default, deserialize_with = "list")]
    pub(crate) errors: Vec<PlatformError>,
}

#[derive(Deserialize)]
pub(crate) struct Conversation {
    pub(crate) id: Option<String>,
    pub(crate) expiration_timestamp: Option<TextOrNumber>,
    pub(crate) origin: Option<Origin>,
}

#[derive(Deserialize)]
pub(crate) struct Origin {
    #[serde(rename = "type")]
    pub(crate) kind: Option<String>,
}

#[derive(Deserialize)]
pub(crate) struct Pricing {
    pub(crate) billable: Option<bool>,
    pub(crate) pricing_model: Option<String>,
    pub(crate) category: Option<String>,
}

/// A contact from a notification's `contacts`.
#[derive(Deserialize)]
pub(crate) struct Sender {
    pub(crate) profile: Option<SenderProfile>,
    pub(crate) wa_id: Option<String>,
    pub(crate) user_id: Option<String>,
}

#[derive(Deserialize)]
pub(crate) struct SenderProfile {
    pub(crate) name: Option<String>,
}

/// Returns a required time, or the failure that it is not a number of seconds.
pub(crate) fn required(time: &TextOrNumber) -> Result<Timestamp, domain::Failure> {
    time.time().ok_or_else(|| unreadable("a time is not a number of seconds"))
}

/// Returns the failure for an update that cannot be processed. Its job ends in the dead-letter queue, where an operator
/// can look at it.
pub(crate) fn unreadable(why: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> domain::Failure {
    domain::Failure::internal(why)
}

/// Parses the JSON of an update.
pub(crate) fn read<'a, T: Deserialize<'a>>(body: &'a RawValue) -> Result<T, domain::Failure> {
    // Only the error's category is reported, because its message can contain values, which must not be logged.
    serde_json::from_str(body.get()).map_err(|error| unreadable(format!("unreadable update: {:?}", error.classify())))
}

/// Returns the text unless it is empty.
pub(crate) fn non_empty(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.is_empty())
}
