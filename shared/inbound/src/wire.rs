//! The platform's message types. What is not needed is passed over, everything may be absent but a message's id and time.

use domain::Timestamp;
use domain::chat::status::StatusError;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::loose::{Loose, list};

#[derive(Deserialize)]
pub(crate) struct Message {
    pub(crate) id: String,
    pub(crate) timestamp: Loose,
    #[serde(rename = "type", default)]
    pub(crate) kind: String,
    pub(crate) from: Option<String>,
    pub(crate) from_user_id: Option<String>,
    /// Of an echo.
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
    pub(crate) id: Option<Loose>,
    pub(crate) mime_type: Option<String>,
    pub(crate) sha256: Option<String>,
    pub(crate) caption: Option<String>,
    pub(crate) filename: Option<String>,
    pub(crate) voice: Option<bool>,
    pub(crate) animated: Option<bool>,
}

#[derive(Deserialize)]
pub(crate) struct Location {
    pub(crate) latitude: Option<Loose>,
    pub(crate) longitude: Option<Loose>,
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
    pub(crate) catalog_id: Option<Loose>,
    pub(crate) text: Option<String>,
    #[serde(default, deserialize_with = "list")]
    pub(crate) product_items: Vec<ProductItem>,
}

#[derive(Deserialize)]
pub(crate) struct ProductItem {
    pub(crate) product_retailer_id: Option<Loose>,
    pub(crate) quantity: Option<Loose>,
    pub(crate) item_price: Option<Loose>,
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
    pub(crate) source_id: Option<Loose>,
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
    code: Option<Loose>,
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
    pub(crate) timestamp: Loose,
    pub(crate) recipient_id: Option<String>,
    pub(crate) recipient_type: Option<String>,
    pub(crate) recipient_participant_id: Option<String>,
    /// Documented under both names.
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
    pub(crate) expiration_timestamp: Option<Loose>,
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

/// A contact as a notification introduces it.
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

/// A time that must be there.
pub(crate) fn required(time: &Loose) -> Result<Timestamp, domain::Failure> {
    time.time().ok_or_else(|| unreadable("a time that is no number of seconds"))
}

/// An update that cannot be worked with is ours to look at: it ends among the dead letters.
pub(crate) fn unreadable(why: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> domain::Failure {
    domain::Failure::internal(why)
}

pub(crate) fn read<'a, T: Deserialize<'a>>(body: &'a RawValue) -> Result<T, domain::Failure> {
    // The message of a serde error names types and places, never content of texts; content stays out of the log.
    serde_json::from_str(body.get()).map_err(|error| unreadable(format!("unreadable update: {:?}", error.classify())))
}

/// Text that says something.
pub(crate) fn said(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.is_empty())
}
