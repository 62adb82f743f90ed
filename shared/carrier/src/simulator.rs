//! The simulated carrier of test mode. It behaves the same every time, and speaks the carrier's own format.

use std::collections::HashMap;
use std::time::Duration;

use async_trait::async_trait;
use domain::number::country::Country;
use domain::sms::carrier_error::words;
use domain::sms::parts::parts;
use domain::sms::receipt::{MESSAGE, ORGANIZATION};
use domain::{Failure, Timestamp};
use store::Store;

use crate::error::CarrierError;
use crate::port::{Carrier, Sms};
use crate::receipt::Receipt;
use crate::recipient::SimulatedRecipient;

/// How many messages the simulated carrier refuses to a recipient to which too many were sent.
const THROTTLED: u32 = 3;
const THROTTLING: &str = "ThrottlingException";

/// The simulated carrier.
pub struct Simulator {
    store: Store,
}

impl Simulator {
    /// Returns the carrier, which keeps the state of its recipients in `store`.
    pub fn new(store: Store) -> Self {
        Simulator { store }
    }

    /// Returns whether the carrier refuses this message because too many were sent.
    async fn is_throttled(&self, sms: &Sms) -> Result<bool, CarrierError> {
        let org = self.store.of(&sms.organization);
        let counted = org.refuse_to_simulated_contact(sms.from.as_str(), &sms.to, THROTTLED).await;
        counted.map_err(|failure| {
            tracing::error!("a simulated message was not counted: {}", failure.log_text());
            CarrierError::Unreachable
        })
    }
}

#[async_trait]
impl Carrier for Simulator {
    async fn send(&self, sms: &Sms) -> Result<String, CarrierError> {
        match SimulatedRecipient::of(&sms.to) {
            SimulatedRecipient::Refused { exception, reason } => {
                let of_media = sms.media_url.as_ref().map(|_| reason.replace("_FOR_TEXT", "_FOR_MEDIA"));
                Err(CarrierError::refused(exception, Some(of_media.as_deref().unwrap_or(reason))))
            }
            SimulatedRecipient::Throttled if self.is_throttled(sms).await? => {
                Err(CarrierError::refused(THROTTLING, None))
            }
            SimulatedRecipient::Unreachable => Err(CarrierError::Unreachable),
            SimulatedRecipient::LostResponse => Err(CarrierError::Unknown("responded with HTTP 500".to_owned())),
            SimulatedRecipient::Ordinary | SimulatedRecipient::Throttled | SimulatedRecipient::Reported { .. } => {
                Ok(simulated_id(sms))
            }
        }
    }
}

/// Returns the id that the simulated carrier gives a message. It follows from the message, so that the receipts of one
/// whose response is lost have the id that the response would have had.
fn simulated_id(sms: &Sms) -> String {
    format!("simulated-{}", sms.message.ksuid())
}

/// A report of the simulated carrier about a message, and its delay in seconds after the message was accepted.
struct Report {
    result: &'static str,
    seconds: u64,
    is_final: bool,
}

impl Report {
    fn delay(&self) -> Duration {
        Duration::from_secs(self.seconds)
    }
}

/// Returns the reports about an accepted message to this recipient.
fn reports(recipient: SimulatedRecipient) -> Vec<Report> {
    let sent = Report { result: "SENT", seconds: 0, is_final: false };
    let last = |result| Report { result, seconds: 1, is_final: true };
    match recipient {
        SimulatedRecipient::Refused { .. } | SimulatedRecipient::Unreachable => Vec::new(),
        SimulatedRecipient::Reported { was_sent: true, result } => vec![sent, last(result)],
        SimulatedRecipient::Reported { was_sent: false, result } => vec![last(result)],
        SimulatedRecipient::Ordinary | SimulatedRecipient::Throttled | SimulatedRecipient::LostResponse => {
            vec![sent, last("DELIVERED")]
        }
    }
}

/// Returns the receipts of a message that the simulated carrier accepted at this time, in the carrier's format, each
/// with its delay.
pub fn simulated_receipts(sms: &Sms, at: Timestamp) -> Result<Vec<(String, Duration)>, Failure> {
    let receipt = |report: Report| {
        let receipt = receipt(sms, &report, at);
        Ok((serde_json::to_string(&receipt).map_err(Failure::internal)?, report.delay()))
    };
    reports(SimulatedRecipient::of(&sms.to)).into_iter().map(receipt).collect()
}

fn receipt(sms: &Sms, report: &Report, sent_at: Timestamp) -> Receipt {
    let Report { result, is_final, .. } = *report;
    let kind = if sms.media_url.is_some() { "MEDIA" } else { "TEXT" };
    let named = [(ORGANIZATION, sms.organization.to_string()), (MESSAGE, sms.message.to_string())];

    Receipt {
        event_type: format!("{kind}_{result}"),
        event_version: "1.0".to_owned(),
        event_timestamp: sent_at.plus(report.delay()).millis(),
        is_final,
        origination_phone_number: Some(sms.from.to_string()),
        destination_phone_number: Some(sms.to.to_string()),
        iso_country_code: Country::of(&sms.to).map(|country| country.to_string()),
        message_id: simulated_id(sms),
        message_request_timestamp: Some(sent_at.millis()),
        message_encoding: Some("GSM".to_owned()),
        message_type: Some("TRANSACTIONAL".to_owned()),
        message_status: result.to_owned(),
        message_status_description: Some(words(result).to_owned()),
        context: HashMap::from(named.map(|(name, value)| (name.to_owned(), value))),
        total_message_parts: Some(sms.text.as_deref().filter(|_| sms.media_url.is_none()).map_or(1, parts)),
        total_message_price: serde_json::Number::from_f64(0.0),
        total_carrier_fee: serde_json::Number::from_f64(0.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn receipts_are_read_as_the_carrier_writes_them() {
        let sms = Sms {
            organization: "org_0ujtsYcgvSTl8PAuAdqWYSMnLOv".parse().expect("an id"),
            message: "msg_sms_test_0ujtsYcgvSTl8PAuAdqWYSMnLOv".parse().expect("an id"),
            from: "+12015550123".parse().expect("a number"),
            to: "+12015550124".parse().expect("a number"),
            text: Some("x".repeat(161)),
            media_url: None,
        };
        let at = Timestamp::from_millis(1_686_975_103_470);
        let receipts = simulated_receipts(&sms, at).expect("receipts");
        let read: Vec<serde_json::Value> =
            receipts.iter().map(|(text, _)| serde_json::from_str(text).expect("a receipt")).collect();
        for (receipt, (kind, millis, is_final)) in read.iter().zip([("SENT", 470, false), ("DELIVERED", 1470, true)]) {
            assert_eq!(receipt["eventType"], format!("TEXT_{kind}"));
            assert_eq!((&receipt["isFinal"], &receipt["totalMessageParts"]), (&is_final.into(), &2.into()));
            assert_eq!(receipt["eventTimestamp"], 1_686_975_103_000_i64 + millis);
            let context = serde_json::json!({"organization": sms.organization, "message": sms.message});
            assert_eq!(receipt["context"], context);
            assert_eq!((&receipt["isoCountryCode"], &receipt["messageId"]), (&"US".into(), &simulated_id(&sms).into()));
        }
        let failing = Sms { to: "+99940002".parse().expect("a number"), ..sms };
        let receipts = simulated_receipts(&failing, at).expect("receipts");
        assert!(receipts[1].0.contains("TEXT_UNREACHABLE") && receipts[1].0.contains("\"isoCountryCode\":null"));
    }
}
