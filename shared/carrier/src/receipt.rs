//! The simulated carrier's delivery receipts, in the carrier's own format. The crate `inbound` reads those of both carriers.

use std::collections::HashMap;

use serde::Serialize;
use serde_json::Number;

/// A receipt about a sent message. The carrier repeats and reorders receipts.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Receipt {
    /// `TEXT_` or `MEDIA_` and the result, such as `TEXT_DELIVERED`.
    pub event_type: String,
    pub event_version: String,
    /// In milliseconds since 1970.
    pub event_timestamp: i64,
    pub is_final: bool,
    pub origination_phone_number: Option<String>,
    pub destination_phone_number: Option<String>,
    pub iso_country_code: Option<String>,
    /// The carrier's id of the message.
    pub message_id: String,
    pub message_request_timestamp: Option<i64>,
    pub message_encoding: Option<String>,
    pub message_type: Option<String>,
    pub message_status: String,
    pub message_status_description: Option<String>,
    /// The context of the request, by which the receipt finds its message.
    pub context: HashMap<String, String>,
    pub total_message_parts: Option<u32>,
    pub total_message_price: Option<Number>,
    pub total_carrier_fee: Option<Number>,
}
