//! The carrier's updates: receipts of sent messages, and received messages. The carrier repeats and reorders its
//! updates, so each one is applied once, independently of the others. The real and the simulated carrier report in the
//! same format, and their updates are applied by the same code ([ADR
//! 29](../../../../docs/adr/0029-carrier-updates.md)).

mod receipts;
mod received;
mod simulated;
mod wire;

use domain::events::event::{Audience, EventName, OutboxEvent};
use domain::id::OrganizationId;
use domain::sms::SmsMessage;
use domain::{Failure, Mode, Timestamp};
use runtime::{Metric, event};
use serde_json::value::RawValue;

pub use simulated::SimulatedSms;

use crate::Inbox;
use crate::lenient;
use crate::wire::unreadable;
use wire::Reported;

/// An update of the carrier.
#[derive(Clone, Debug)]
pub struct CarrierUpdate {
    pub reporter: Reporter,
    /// When it was published. A received message has no other time.
    pub at: Timestamp,
    /// The update in the carrier's format, as JSON.
    pub text: String,
}

/// The carrier that reported an update.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reporter {
    /// The real carrier, which reports about the live messages of all organizations.
    Live,
    /// The simulated carrier, which reports about the test messages of one organization.
    Simulated(OrganizationId),
}

impl Reporter {
    /// Returns whether the carrier can report about messages of this organization and mode.
    fn reports_about(&self, organization: &OrganizationId, mode: Mode) -> bool {
        match self {
            Reporter::Live => mode == Mode::Live,
            Reporter::Simulated(own) => mode == Mode::Test && own == organization,
        }
    }
}

impl Inbox {
    /// Applies an update of the carrier idempotently: repeated delivery has no further effect.
    pub async fn apply_carrier_update(&self, update: &CarrierUpdate) -> Result<(), Failure> {
        let raw: &RawValue =
            serde_json::from_str(&update.text).map_err(|_| unreadable("an update of the carrier is not JSON"))?;
        let reading = lenient::read(raw, Reported::read)
            .ok_or_else(|| unreadable("an update of the carrier is not an object"))?;
        self.count_unreadable_of_carrier(&update.reporter, &reading.unreadable);
        match reading.value {
            Reported::Receipt(receipt) => self.apply_receipt(&update.reporter, &receipt).await,
            Reported::Message(message) => self.apply_received(update, &message).await,
            Reported::Neither => {
                Err(unreadable("an update of the carrier is neither a receipt nor a received message"))
            }
        }
    }

    /// Counts and logs an update of the real carrier that does not belong to any message or number.
    fn drop_carrier_update(&self, reporter: &Reporter, why: &str) {
        if *reporter == Reporter::Live {
            tracing::warn!("{why}");
            self.context.publish(Metric::DroppedCarrierUpdates, 1);
        }
    }

    /// Counts and logs a type of events of the real carrier that this version does not know.
    fn count_unknown_event(&self, reporter: &Reporter, name: &str) {
        if *reporter == Reporter::Live {
            tracing::warn!(value = %domain::error::provider::shown(name), "the carrier sent an unknown type of event");
            self.context.publish(Metric::UnknownCarrierValues, 1);
        }
    }

    fn count_unreadable_of_carrier(&self, reporter: &Reporter, fields: &[String]) {
        if *reporter == Reporter::Live && !fields.is_empty() {
            tracing::warn!(fields = fields.join(" "), "the carrier sent fields that cannot be read");
            self.context.publish(Metric::UnknownCarrierValues, fields.len() as u64);
        }
    }

    fn sms_event(&self, kind: EventName, message: &SmsMessage) -> Result<OutboxEvent, Failure> {
        let audience = Audience::AppsOfNumber(message.phone_number_id.to_string());
        event(&self.context, kind, message.id.mode(), audience, message)
    }
}
