//! Messages of simulated users, in the carrier's own format.

use domain::id::{OrganizationId, SmsMessageId};
use domain::number::PhoneNumber;
use domain::sms::SmsMessage;
use domain::{E164, Failure, Timestamp};
use serde_json::{Value, json};

use super::received::identity;
use super::{CarrierUpdate, Reporter};
use crate::Inbox;

/// A message that a simulated user sends to a test number.
pub struct SimulatedSms<'a> {
    /// The carrier's id of the message.
    pub carrier_id: &'a str,
    pub from: &'a E164,
    pub to: &'a E164,
    pub text: &'a str,
}

impl SimulatedSms<'_> {
    /// Returns the message as the carrier publishes it.
    pub fn published(&self) -> Value {
        json!({
            "originationNumber": self.from,
            "destinationNumber": self.to,
            "messageKeyword": "SIMULATED",
            "messageBody": self.text,
            "inboundMessageId": self.carrier_id,
        })
    }

    /// Returns the update with which the simulated carrier of an organization reports the message.
    pub fn update(&self, organization: &OrganizationId, at: Timestamp) -> CarrierUpdate {
        let reporter = Reporter::Simulated(organization.clone());
        CarrierUpdate { reporter, at, text: self.published().to_string() }
    }
}

impl Inbox {
    /// Returns the message that was stored when the carrier reported the one with this id.
    pub async fn received_sms(
        &self,
        organization: &OrganizationId,
        number: &PhoneNumber,
        carrier_id: &str,
    ) -> Result<Option<SmsMessage>, Failure> {
        let org = self.context.store.of(organization);
        let Some(id) = org.made_by(&identity(&number.id, carrier_id)).await? else { return Ok(None) };
        let stored = org.message_without_related(&id.parse::<SmsMessageId>().map_err(Failure::internal)?).await?;
        Ok(stored.map(|stored| stored.record.message))
    }
}
