//! The carrier's updates in its own format.

use domain::E164;
use domain::Timestamp;
use domain::id::{OrganizationId, SmsMessageId};
use domain::message::reason::Reason;
use domain::sms::Price;
use domain::sms::carrier_error::is_failure;
use domain::sms::receipt::{MESSAGE, ORGANIZATION, Progress};

use crate::lenient::Object;
use crate::wire::phone;

/// The currency in which the carrier bills.
const CURRENCY: &str = "USD";
/// The decimal places of a price. The carrier's prices have five.
const PLACES: usize = 8;
/// A higher price is treated as an error of the carrier.
const HIGHEST_PRICE: f64 = 1e6;

/// An update of the carrier, by its kind.
pub(super) enum Reported {
    Receipt(Box<SentReceipt>),
    Message(ReceivedMessage),
    Neither,
}

impl Reported {
    pub(super) fn read(update: &mut Object<'_>) -> Self {
        if update.has("eventType") {
            Reported::Receipt(Box::new(SentReceipt::read(update)))
        } else if update.has("inboundMessageId") || update.has("messageBody") {
            Reported::Message(ReceivedMessage::read(update))
        } else {
            Reported::Neither
        }
    }
}

/// The receipt of a sent message.
pub(super) struct SentReceipt {
    pub(super) event_type: String,
    /// The carrier's description of the result.
    description: Option<String>,
    pub(super) at: Option<Timestamp>,
    is_final: bool,
    pub(super) from: Option<String>,
    pub(super) to: Option<String>,
    /// The carrier's id of the message.
    pub(super) carrier_id: Option<String>,
    /// The organization and the message that the request named.
    pub(super) named: Option<(OrganizationId, SmsMessageId)>,
    pub(super) parts: Option<u32>,
    pub(super) price: Option<Price>,
}

impl SentReceipt {
    fn read(receipt: &mut Object<'_>) -> Self {
        let context = receipt.object("context", |context| (context.text(ORGANIZATION), context.text(MESSAGE)));
        let (organization, message) = context.unwrap_or_default();
        let named = || Some((organization?.parse().ok()?, message?.parse().ok()?));
        let fee = receipt.text("totalCarrierFee");
        SentReceipt {
            event_type: receipt.text("eventType").unwrap_or_default(),
            description: receipt.text("messageStatusDescription").or_else(|| receipt.text("messageStatus")),
            at: receipt.time("eventTimestamp"),
            is_final: receipt.flag("isFinal").unwrap_or_default(),
            from: receipt.text("originationPhoneNumber"),
            to: receipt.text("destinationPhoneNumber"),
            carrier_id: receipt.id("messageId"),
            named: named(),
            parts: receipt
                .number("totalMessageParts")
                .and_then(|parts| parts.try_into().ok())
                .filter(|&parts| parts > 0),
            price: receipt.text("totalMessagePrice").and_then(|price| total(&price, fee.as_deref())),
        }
    }

    /// Returns the progress of the message; `None` if this version does not know the type of the event. A failure that
    /// is not final can still become a delivery.
    pub(super) fn progress(&self) -> Option<Progress> {
        let kind = self.event_type.as_str();
        let result = kind.strip_prefix("TEXT_").or_else(|| kind.strip_prefix("MEDIA_"))?;
        Some(match result {
            "QUEUED" => Progress::Taken,
            // The carrier waits for the network, or has given up after 72 hours. In both cases it has sent the message.
            "PENDING" | "SENT" | "UNKNOWN" => Progress::Sent,
            // The country decides which of the two the carrier sends.
            "SUCCESSFUL" | "DELIVERED" => Progress::Delivered,
            failure if is_failure(failure) => match self.is_final {
                true => Progress::Failed(Reason::of_carrier(failure, self.description.as_deref())),
                false => Progress::Taken,
            },
            _ => return None,
        })
    }

    /// Returns whether the receipt's numbers, as far as it has them, are these.
    pub(super) fn is_between(&self, from: &E164, to: &E164) -> bool {
        let is = |text: &Option<String>, number| text.is_none() || phone(text.as_deref()).as_ref() == Some(number);
        is(&self.from, from) && is(&self.to, to)
    }
}

/// Returns the total price of a message: the carrier's price and the network's fee.
fn total(price: &str, fee: Option<&str>) -> Option<Price> {
    let amount = |text: &str| text.trim().parse::<f64>().ok().filter(|amount| (0.0..HIGHEST_PRICE).contains(amount));
    let sum = amount(price)? + fee.and_then(amount).unwrap_or_default();
    let text = format!("{sum:.PLACES$}");
    let amount = text.trim_end_matches('0').trim_end_matches('.').to_owned();
    Some(Price { amount, currency: CURRENCY.to_owned() })
}

/// A message that was sent to a linked number.
pub(super) struct ReceivedMessage {
    pub(super) from: Option<E164>,
    pub(super) to: Option<E164>,
    pub(super) text: Option<String>,
    /// The carrier's id of the message.
    pub(super) carrier_id: Option<String>,
}

impl ReceivedMessage {
    fn read(message: &mut Object<'_>) -> Self {
        ReceivedMessage {
            from: phone(message.text("originationNumber").as_deref()),
            to: phone(message.text("destinationNumber").as_deref()),
            text: message.text("messageBody"),
            carrier_id: message.id("inboundMessageId"),
        }
    }
}

#[cfg(test)]
mod tests {
    use domain::ErrorCode;
    use domain::id::Identifier as _;
    use serde_json::value::RawValue;
    use serde_json::{Value, json};

    use super::*;
    use crate::lenient::read;

    fn raw(value: &Value) -> Box<RawValue> {
        RawValue::from_string(value.to_string()).expect("JSON")
    }

    fn receipt(changes: &Value) -> SentReceipt {
        let mut whole = json!({
            "eventType": "TEXT_SUCCESSFUL", "eventVersion": "1.0", "eventTimestamp": 1_686_975_103_470_i64, "isFinal": true,
            "originationPhoneNumber": "+12065550152", "destinationPhoneNumber": "+14255550156", "isoCountryCode": "US",
            "carrierName": "Verizon Wireless", "messageId": "567d3d8a", "messageRequestTimestamp": 0,
            "messageEncoding": "GSM", "messageType": "TRANSACTIONAL", "messageStatus": "SUCCESSFUL",
            "messageStatusDescription": "Message has been accepted by phone carrier",
            "context": {
                "organization": "org_0ujtsYcgvSTl8PAuAdqWYSMnLOv", "message": "msg_sms_0ujtsYcgvSTl8PAuAdqWYSMnLOv",
            },
            "totalMessageParts": 1, "totalMessagePrice": 0.09582, "totalCarrierFee": 0.0,
        });
        whole.as_object_mut().expect("an object").extend(changes.as_object().expect("an object").clone());
        let whole = raw(&whole);
        match read(&whole, Reported::read).expect("an object").value {
            Reported::Receipt(receipt) => *receipt,
            _ => panic!("no receipt: {whole}"),
        }
    }

    fn amount(price: &Value, fee: &Value) -> Option<String> {
        let receipt = receipt(&json!({"totalMessagePrice": price, "totalCarrierFee": fee}));
        receipt.price.map(|price| format!("{} {}", price.amount, price.currency))
    }

    #[test]
    fn a_receipt_is_read() {
        let receipt = receipt(&json!({}));
        let (organization, message) = receipt.named.clone().expect("a message");
        assert_eq!(organization.as_str(), "org_0ujtsYcgvSTl8PAuAdqWYSMnLOv");
        assert_eq!(message.as_str(), "msg_sms_0ujtsYcgvSTl8PAuAdqWYSMnLOv");
        assert_eq!((receipt.at.map(Timestamp::millis), receipt.parts), (Some(1_686_975_103_470), Some(1)));
        assert_eq!(receipt.carrier_id.as_deref(), Some("567d3d8a"));
        let number = |text: &str| text.parse::<E164>().expect("a number");
        assert!(receipt.is_between(&number("+12065550152"), &number("+14255550156")));
        assert!(!receipt.is_between(&number("+12065550153"), &number("+14255550156")));
        assert!(!receipt.is_between(&number("+12065550152"), &number("+14255550157")));
    }

    #[test]
    fn prices_are_exact_decimal_numbers() {
        for (price, fee, expected) in [
            (json!(0.09582), json!(0.0), "0.09582 USD"),
            (json!(0.00645), json!(0.003), "0.00945 USD"),
            (json!("0.00645"), json!(null), "0.00645 USD"),
            (json!(9.5e-4), json!(1), "1.00095 USD"),
            (json!(0), json!(0), "0 USD"),
            (json!(10), json!(0), "10 USD"),
        ] {
            assert_eq!(amount(&price, &fee).as_deref(), Some(expected), "{price} {fee}");
        }
        for price in [json!(null), json!(-1), json!("free"), json!(1e9), json!({})] {
            assert_eq!(amount(&price, &json!(0.1)), None, "{price}");
        }
    }

    #[test]
    fn every_documented_type_has_a_meaning() {
        use ErrorCode::{CarrierApiError, MediaTooLarge, MessageUndeliverable, UnsupportedMessageType};
        use Progress::{Delivered, Sent, Taken};
        let failed =
            |code: ErrorCode| Progress::Failed(Reason { code: Some(code.as_str().to_owned()), ..Reason::default() });
        let table = [
            ("QUEUED", Taken),
            ("PENDING", Sent),
            ("SENT", Sent),
            ("UNKNOWN", Sent),
            ("SUCCESSFUL", Delivered),
            ("DELIVERED", Delivered),
            ("INVALID", failed(MessageUndeliverable)),
            ("INVALID_MESSAGE", failed(CarrierApiError)),
            ("UNREACHABLE", failed(MessageUndeliverable)),
            ("CARRIER_UNREACHABLE", failed(MessageUndeliverable)),
            ("BLOCKED", failed(MessageUndeliverable)),
            ("CARRIER_BLOCKED", failed(MessageUndeliverable)),
            ("SPAM", failed(MessageUndeliverable)),
            ("TTL_EXPIRED", failed(MessageUndeliverable)),
            ("PROTECT_BLOCKED", failed(CarrierApiError)),
            ("FILE_INACCESSIBLE", failed(CarrierApiError)),
            ("FILE_TYPE_UNSUPPORTED", failed(UnsupportedMessageType)),
            ("FILE_SIZE_EXCEEDED", failed(MediaTooLarge)),
        ];
        // The texts are not compared: domain tests them.
        let coded = |progress: Progress| match progress {
            Progress::Failed(reason) => Progress::Failed(Reason { code: reason.code, ..Reason::default() }),
            other => other,
        };
        for (result, expected) in table {
            for kind in ["TEXT", "MEDIA"] {
                let of = |is_final: Value| {
                    let changes = json!({"eventType": format!("{kind}_{result}"), "isFinal": is_final});
                    receipt(&changes).progress().map(coded)
                };
                assert_eq!(of(json!(true)), Some(expected.clone()), "{result}");
                // A failure that is not final can become a delivery.
                let open = if matches!(expected, Progress::Failed(_)) { Taken } else { expected.clone() };
                assert_eq!((of(json!(false)), of(json!(null))), (Some(open.clone()), Some(open)), "{result}");
            }
        }
        for unknown in ["TEXT_LATER", "VOICE_COMPLETED", "DELIVERED", "x"] {
            assert_eq!(receipt(&json!({"eventType": unknown})).progress(), None, "{unknown}");
        }
    }

    /// An unreadable field does not affect the other fields.
    #[test]
    fn odd_fields_are_left_out() {
        for field in ["context", "eventTimestamp", "totalMessageParts", "totalMessagePrice", "messageId", "isFinal"] {
            for odd in [json!(null), json!([[]]), json!("odd"), json!({"odd": 1})] {
                let whole = raw(&json!({"eventType": "TEXT_DELIVERED", (field): odd}));
                let reading = read(&whole, Reported::read).expect("an object");
                let Reported::Receipt(receipt) = reading.value else { panic!("{field} {odd}") };
                assert_eq!(receipt.progress(), Some(Progress::Delivered), "{field} {odd}");
                assert!(receipt.named.is_none());
            }
        }
        let context =
            json!({"context": {"organization": "org_other", "message": "msg_sms_0ujtsYcgvSTl8PAuAdqWYSMnLOv"}});
        assert!(receipt(&context).named.is_none());
    }

    #[test]
    fn a_received_message_is_read() {
        let whole = raw(&json!({
            "originationNumber": "+14255550182", "destinationNumber": "12125550101", "messageKeyword": "K",
            "messageBody": "STOP", "inboundMessageId": "cae173d2", "previousPublishedMessageId": "wJalr",
        }));
        let Reported::Message(message) = read(&whole, Reported::read).expect("an object").value else { panic!() };
        assert_eq!(message.from.as_ref().map(E164::as_str), Some("+14255550182"));
        assert_eq!(message.to.as_ref().map(E164::as_str), Some("+12125550101"));
        assert_eq!((message.text.as_deref(), message.carrier_id.as_deref()), (Some("STOP"), Some("cae173d2")));
        let other = raw(&json!({"Type": "SubscriptionConfirmation"}));
        assert!(matches!(read(&other, Reported::read).expect("an object").value, Reported::Neither));
    }
}
